// SPDX-License-Identifier: BSD-3-Clause
// BFD packets and their frames, as RFC 5880 and 5881 have them, and those that nobody may use.
#include "control/io/bfd/bfd_packet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct bfd_packet sample = {
	.state = BFD_UP,
	.diag = BFD_DIAG_NEIGHBOUR_DOWN,
	.poll = true,
	.cpi = true,
	.detect_mult = 5,
	.my_discr = 0x01020304,
	.your_discr = 0x05060708,
	.desired_min_tx_us = 300000,
	.required_min_rx_us = 200000,
};

static const uint8_t sample_bytes[BFD_PACKET_BYTES] = {
	0x23, 0xe8, 5, 24, 1, 2, 3, 4, 5, 6, 7, 8, 0, 4, 0x93, 0xe0, 0, 3, 0x0d, 0x40,
};

static struct bfd_path
path_of(uint8_t version)
{
	struct bfd_path path = {.version = version,
				.local_mac = {2, 0, 0, 0, 0, 1},
				.peer_mac = {2, 0, 0, 0, 0, 2},
				.source_port = 49152};
	const int family = version == 4 ? AF_INET : AF_INET6;

	assert_int_equal(inet_pton(family, version == 4 ? "10.0.0.1" : "fe80::1", path.local), 1);
	assert_int_equal(inet_pton(family, version == 4 ? "10.0.0.2" : "fe80::2", path.peer), 1);
	return path;
}

static void
test_packet(void **state)
{
	struct bfd_packet p;

	(void)state;
	assert_int_equal(bfd_packet_parse(sample_bytes, sizeof(sample_bytes), &p), 0);
	assert_int_equal(p.state, BFD_UP);
	assert_int_equal(p.diag, BFD_DIAG_NEIGHBOUR_DOWN);
	assert_true(p.poll && p.cpi && !p.final && !p.demand);
	assert_int_equal(p.detect_mult, 5);
	assert_int_equal(p.my_discr, 0x01020304);
	assert_int_equal(p.your_discr, 0x05060708);
	assert_int_equal(p.desired_min_tx_us, 300000);
	assert_int_equal(p.required_min_rx_us, 200000);
	assert_int_equal(p.required_min_echo_rx_us, 0);
}

// Section 6.8.6.
static void
test_unusable_packets(void **state)
{
	static const struct {
		const char *what;
		uint8_t at, value;
		int rc;
	} rows[] = {
		{"version 0", 0, 0x03, -EBADMSG},
		{"version 2", 0, 0x43, -EBADMSG},
		{"too short", 3, 23, -EBADMSG},
		{"longer than the datagram", 3, 25, -EBADMSG},
		{"multiplier 0", 2, 0, -EBADMSG},
		{"multipoint", 1, 0xc1, -EBADMSG},
		{"authenticated", 1, 0xc4, -EBADMSG},
		{"demand", 1, 0xc2, 0},
		{"final", 1, 0xd0, 0},
	};
	uint8_t bytes[BFD_PACKET_BYTES];
	struct bfd_packet p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(bytes, sample_bytes, sizeof(bytes));
		bytes[rows[i].at] = rows[i].value;
		print_message("%s\n", rows[i].what);
		assert_int_equal(bfd_packet_parse(bytes, sizeof(bytes), &p), rows[i].rc);
	}
	assert_int_equal(bfd_packet_parse(sample_bytes, sizeof(bytes) - 1, &p), -EBADMSG);
	memcpy(bytes, sample_bytes, sizeof(bytes));
	memset(bytes + 4, 0, 4);
	assert_int_equal(bfd_packet_parse(bytes, sizeof(bytes), &p), -EBADMSG);
}

// Who knows no discriminator of this end can be down only.
static void
test_no_discriminator(void **state)
{
	static const uint8_t flags[] = {0x00, 0x40, 0x80, 0xc0};
	uint8_t bytes[BFD_PACKET_BYTES];
	struct bfd_packet p;

	(void)state;
	for (uint8_t i = 0; i < 4; i++) {
		memcpy(bytes, sample_bytes, sizeof(bytes));
		memset(bytes + 8, 0, 4);
		bytes[1] = flags[i];
		assert_int_equal(bfd_packet_parse(bytes, sizeof(bytes), &p), i < 2 ? 0 : -EBADMSG);
	}
}

static void
test_frames(void **state)
{
	static const uint8_t ip4[] = {0x45, 0xc0, 0,  52, 0, 0, 0x40, 0, 255, 17,
				      0x66, 0xf6, 10, 0,  0, 1, 10,   0, 0,   2};
	uint8_t frame[BFD_FRAME_MAX];
	struct bfd_packet p;

	(void)state;
	for (uint8_t version = 4; version <= 6; version += 2) {
		const struct bfd_path path = path_of(version);
		const size_t header = version == 4 ? 20 : 40;
		struct bfd_path back;
		size_t length = bfd_frame_build(&path, &sample, frame);

		assert_int_equal(length, 14 + header + 8 + 24);
		assert_memory_equal(frame, path.peer_mac, 6);
		assert_memory_equal(frame + 6, path.local_mac, 6);
		assert_memory_equal(frame + 14 + header + 8, sample_bytes, sizeof(sample_bytes));
		assert_int_equal(frame[14 + header], 0xc0); // 49152
		assert_int_equal(frame[14 + header + 2] << 8 | frame[14 + header + 3], 3784);
		assert_int_equal(frame[14 + (version == 4 ? 8 : 7)], 255);
		if (version == 4)
			assert_memory_equal(frame + 14, ip4, sizeof(ip4));
		assert_int_equal(bfd_frame_parse(frame, length, &back, &p), 0);
		assert_int_equal(back.version, version);
		assert_memory_equal(back.local, path.peer, sizeof(path.peer));
		assert_memory_equal(back.peer, path.local, sizeof(path.local));
		assert_memory_equal(back.peer_mac, path.local_mac, 6);
		assert_int_equal(p.my_discr, sample.my_discr);
		// Padding is ignored, and every other byte is under a checksum or checked.
		assert_int_equal(bfd_frame_parse(frame, length - 1, &back, &p), -EBADMSG);
	}
}

// Fixes the checksum of the IPv4 header after a change.
static void
set_ip4(uint8_t *frame, unsigned at, uint8_t value)
{
	uint32_t sum = 0;

	frame[14 + at] = value;
	frame[24] = frame[25] = 0;
	for (unsigned i = 0; i < 20; i += 2)
		sum += (unsigned)frame[14 + i] << 8 | frame[15 + i];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~((sum & 0xffff) + (sum >> 16));
	frame[24] = (uint8_t)(sum >> 8);
	frame[25] = (uint8_t)sum;
}

static void
test_routed(void **state)
{
	const struct bfd_path path4 = path_of(4), path6 = path_of(6);
	uint8_t frame[BFD_FRAME_MAX];
	struct bfd_packet p;
	struct bfd_path back;
	size_t length;

	(void)state;
	length = bfd_frame_build(&path4, &sample, frame);
	set_ip4(frame, 8, 254);
	assert_int_equal(bfd_frame_parse(frame, length, &back, &p), -EMULTIHOP);
	length = bfd_frame_build(&path6, &sample, frame);
	frame[14 + 7] = 254;
	assert_int_equal(bfd_frame_parse(frame, length, &back, &p), -EMULTIHOP);
}

static void
test_unusable_frames(void **state)
{
	static const struct {
		const char *what;
		unsigned at;
		uint8_t value;
	} rows[] = {
		{"a fragment", 6, 0x20}, {"an offset", 7, 1},         {"TCP", 9, 6},
		{"version 6", 0, 0x65},  {"a short header", 0, 0x44}, {"a long header", 0, 0x4f},
		{"too long", 3, 53},     {"too short", 3, 19},
	};
	const struct bfd_path path4 = path_of(4), path6 = path_of(6);
	uint8_t frame[BFD_FRAME_MAX];
	struct bfd_packet p;
	struct bfd_path back;
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		length = bfd_frame_build(&path4, &sample, frame);
		set_ip4(frame, rows[i].at, rows[i].value);
		print_message("%s\n", rows[i].what);
		assert_int_equal(bfd_frame_parse(frame, length, &back, &p), -EBADMSG);
	}
	// Any byte behind the MACs that is wrong is noticed, but for hop limit and traffic class.
	length = bfd_frame_build(&path6, &sample, frame);
	for (size_t at = 18; at < length; at++) {
		frame[at] ^= 0x10;
		assert_int_not_equal(bfd_frame_parse(frame, length, &back, &p), 0);
		frame[at] ^= 0x10;
	}
	assert_int_equal(bfd_frame_parse(frame, length, &back, &p), 0);
	// IPv4 may do without a checksum of UDP, IPv6 may not.
	frame[14 + 40 + 6] = frame[14 + 40 + 7] = 0;
	assert_int_equal(bfd_frame_parse(frame, length, &back, &p), -EBADMSG);
	length = bfd_frame_build(&path4, &sample, frame);
	frame[14 + 20 + 6] = frame[14 + 20 + 7] = 0;
	assert_int_equal(bfd_frame_parse(frame, length, &back, &p), 0);
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(bfd_frame_parse(frame, cut, &back, &p), -EBADMSG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packet),           cmocka_unit_test(test_unusable_packets),
		cmocka_unit_test(test_no_discriminator), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_routed),           cmocka_unit_test(test_unusable_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
