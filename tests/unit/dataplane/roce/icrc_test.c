// SPDX-License-Identifier: BSD-3-Clause
// The ICRC against frames that scapy made, against a bit-by-bit implementation over frames of every
// shape, and under the changes a router makes and any other.
#include "icrc_frames.h"

#include "dataplane/base/roce_headers.h"

#include <errno.h>

// Whether a router may change byte `at` (an offset from the IP header) and which of its bits.
static uint8_t
variant_bits(const struct shape *shape, size_t at)
{
	size_t bth = bth_offset(shape) - l3_offset(shape);

	if (at == bth + 4 || at == bth - 1 || at == bth - 2)
		return 0xff; // FECN, BECN and reserved; UDP checksum
	if (shape->ipv6)
		return at == 0 ? 0x0f : at <= 3 || at == 7 ? 0xff : 0;
	return at == 1 || at == 8 || at == 10 || at == 11 ? 0xff : 0;
}

// The ICRC by its definition: the generator polynomial of IEEE 802.3, bits least significant first,
// one at a time. The frame is complete but for its ICRC.
static uint32_t
icrc_by_bits(const uint8_t *frame, const struct shape *shape)
{
	size_t l3 = l3_offset(shape), length = 8 + icrc_offset(shape) - l3;
	uint32_t remainder = 0xffffffff;

	for (size_t i = 0; i < length; i++) {
		uint8_t byte = i < 8 ? 0xff : frame[l3 + i - 8] | variant_bits(shape, i - 8);

		for (unsigned int bit = 0; bit < 8; bit++) {
			bool carry = (remainder >> 31) ^ (byte >> bit & 1);

			remainder = remainder << 1 ^ (carry ? 0x04c11db7 : 0);
		}
	}

	// Complemented, and the highest coefficient into the lowest bit.
	uint32_t reflected = 0;
	for (unsigned int bit = 0; bit < 32; bit++)
		reflected |= (~remainder >> bit & 1) << (31 - bit);
	return reflected;
}

// Made with scapy 2.5.0, scapy.contrib.roce, whose IPv4 ICRC is its own code:
// Ether(dst='02:00:00:00:00:02', src='02:00:00:00:00:01')
//  / IP(src='10.1.1.1', dst='10.1.2.1', tos=0x6a, ttl=64, id=0x1234, flags='DF')
//  / UDP(sport=49152, dport=4791, chksum=0)
//  / BTH(opcode=7, migreq=1, dqpn=0xd2, ackreq=1, psn=0xabcdef) / Raw(bytes(range(16)))
static const uint8_t write_middle[] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45,
	0x6a, 0x00, 0x3c, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x11, 0x10, 0x0a, 0x01, 0x01, 0x01,
	0x0a, 0x01, 0x02, 0x01, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x07, 0x40, 0xff,
	0xff, 0x00, 0x00, 0x00, 0xd2, 0x80, 0xab, 0xcd, 0xef, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05,
	0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x46, 0xe2, 0x6e, 0x3a,
};

// The same with Dot1Q(vlan=100, prio=3), IP(options=[IPOption(b'\x94\x04\x00\x00')]) and
// BTH(opcode=4, padcount=3, dqpn=0x11, psn=0) / Raw(b'Z\0\0\0').
static const uint8_t tagged_with_option[] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x81, 0x00,
	0x60, 0x64, 0x08, 0x00, 0x46, 0x6a, 0x00, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11,
	0x7c, 0x13, 0x0a, 0x01, 0x01, 0x01, 0x0a, 0x01, 0x02, 0x01, 0x94, 0x04, 0x00, 0x00,
	0xc0, 0x00, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00, 0x04, 0x30, 0xff, 0xff, 0x00, 0x00,
	0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x5a, 0x00, 0x00, 0x00, 0x72, 0x8e, 0x0e, 0x36,
};

// IP(src='10.1.2.1', dst='10.1.1.1', tos=0xc0, ttl=64, id=0) / UDP(...) / cnp(dqpn=0xd2).
static const uint8_t cnp_frame[] = {
	0x02, 0x00, 0x00, 0x00, 0x00, 0x02, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45,
	0xc0, 0x00, 0x3c, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0x62, 0xee, 0x0a, 0x01, 0x02, 0x01,
	0x0a, 0x01, 0x01, 0x01, 0xc0, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x81, 0x00, 0xff,
	0xff, 0x40, 0x00, 0x00, 0xd2, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x46, 0x48, 0x64,
};

static void
check_known(const uint8_t *known, size_t frame_bytes)
{
	uint8_t frame[128];
	uint32_t icrc;

	assert_int_equal(icrc_verify(known, frame_bytes), 0);
	assert_int_equal(icrc_compute(known, frame_bytes - 4, &icrc), 0);
	assert_true(icrc == icrc_load(known + frame_bytes - 4));

	memcpy(frame, known, frame_bytes);
	memset(frame + frame_bytes - 4, 0, 4);
	assert_int_equal(icrc_verify(frame, frame_bytes), -EBADMSG);
	assert_int_equal(icrc_write(frame, frame_bytes), 0);
	assert_memory_equal(frame, known, frame_bytes);

	// Ethernet padding lies behind the ICRC and is left alone.
	memset(frame + frame_bytes - 4, 0, 16);
	assert_int_equal(icrc_write(frame, frame_bytes + 12), 0);
	assert_memory_equal(frame, known, frame_bytes);
	for (unsigned int i = 0; i < 12; i++)
		assert_int_equal(frame[frame_bytes + i], 0);
	assert_int_equal(icrc_verify(frame, frame_bytes + 12), 0);
}

static void
test_known_answers(void **state)
{
	(void)state;
	check_known(write_middle, sizeof(write_middle));
	check_known(tagged_with_option, sizeof(tagged_with_option));
	check_known(cnp_frame, sizeof(cnp_frame));
}

static void
test_equals_bit_by_bit(void **state)
{
	(void)state;
	static uint8_t frame[MAX_FRAME];

	random_state = 4791;
	for (unsigned int i = 0; i < sample_size(400, 10000); i++) {
		struct shape shape = {
			.tags = i % 3,
			.ipv6 = random_u64() % 2,
			.option_words = random_u64() % 11,
			.payload_bytes = random_u64() % (i % 8 == 0 ? 4097 : 129),
		};
		size_t frame_bytes = make_frame(frame, &shape, false);
		uint32_t icrc, want = icrc_by_bits(frame, &shape);

		assert_int_equal(icrc_compute(frame, frame_bytes, &icrc), 0);
		assert_true(icrc == want);
		assert_int_equal(icrc_write(frame, frame_bytes), 0);
		assert_true(icrc_load(frame + frame_bytes - 4) == want);
		assert_int_equal(icrc_verify(frame, frame_bytes), 0);
	}
}

// Every bit in turn: those a router may change leave the ICRC right, any other makes it wrong or
// the frame something else.
static void
test_each_bit(void **state)
{
	(void)state;
	static const struct shape shapes[] = {
		{.payload_bytes = 32},
		{.tags = 1, .option_words = 2, .payload_bytes = 7},
		{.ipv6 = true, .payload_bytes = 32},
		{.tags = 1, .ipv6 = true},
	};
	uint8_t frame[256];

	random_state = 17;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
		size_t l3 = l3_offset(&shapes[s]);
		size_t frame_bytes = make_frame(frame, &shapes[s], false);

		assert_int_equal(icrc_write(frame, frame_bytes), 0);
		for (size_t bit = 0; bit < frame_bytes * 8; bit++) {
			size_t byte = bit / 8;
			uint8_t mask = 1 << bit % 8;
			bool mac = byte < 12, tci = byte >= 14 && byte < l3 - 2;
			bool variant = byte >= l3 &&
				       (variant_bits(&shapes[s], byte - l3) & mask) != 0;

			frame[byte] ^= mask;
			if (mac || tci || variant)
				assert_int_equal(icrc_verify(frame, frame_bytes), 0);
			else
				assert_int_not_equal(icrc_verify(frame, frame_bytes), 0);
			frame[byte] ^= mask;
		}
	}
}

// What routers and NICs really do to a packet on its way, all at once.
static void
test_survives_the_path(void **state)
{
	(void)state;
	uint8_t frame[sizeof(write_middle)];
	struct roce_bth *bth = (struct roce_bth *)(frame + 42);

	memcpy(frame, write_middle, sizeof(frame));
	frame[5] = 0x77;      // the next hop's MAC
	frame[15] |= 3;       // CE
	frame[22] -= 3;       // TTL
	put16(frame + 24, 0); // header checksum
	bth->congestion = ROCE_BTH_FECN | ROCE_BTH_BECN;
	assert_int_equal(icrc_verify(frame, sizeof(frame)), 0);
	put16(frame + 34, 0xc001); // but not the UDP source port
	assert_int_equal(icrc_verify(frame, sizeof(frame)), -EBADMSG);
}

// The examples of the InfiniBand Architecture Specification (volume 1, release 1.2.1, section 7.8),
// a local and a global packet.
static const uint8_t ib_local[] = {
	0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00, 0x87,
	0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02,
	0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c,
	0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0x00, 0x00, 0x96, 0x25, 0xb7, 0x5a,
};

static void
test_infiniband_example(void **state)
{
	uint8_t packet[sizeof(ib_local)];
	uint32_t icrc;

	(void)state;
	assert_int_equal(icrc_verify_infiniband(ib_local, sizeof(ib_local)), 0);
	// A bit at a time, from the polynomial as the section has it.
	assert_int_equal(icrc_vcrc(0, ib_local, sizeof(ib_local)), 0xfa45);
	// Zeros at the end may be missing.
	assert_int_equal(icrc_compute_infiniband(ib_local, 50, sizeof(ib_local), &icrc), 0);
	assert_int_equal(icrc, icrc_load(ib_local + 52));
	assert_int_equal(icrc_compute_infiniband(ib_local, 19, sizeof(ib_local), &icrc), -EMSGSIZE);
	assert_int_equal(icrc_compute_infiniband(ib_local, 20, 20, &icrc), -EINVAL);
	memcpy(packet, ib_local, sizeof(packet));
	packet[1] = 0x11; // a raw packet has none
	assert_int_equal(icrc_verify_infiniband(packet, sizeof(packet)), -EINVAL);
}

// Which bits count: of a local packet all but VL, FECN, BECN and what is reserved there.
static void
test_infiniband_each_bit(void **state)
{
	uint8_t packet[sizeof(ib_local)];

	(void)state;
	memcpy(packet, ib_local, sizeof(packet));
	for (size_t bit = 0; bit < sizeof(packet) * 8; bit++) {
		const size_t byte = bit / 8;
		const bool variant = byte == 12 || (byte == 0 && bit % 8 >= 4);

		packet[byte] ^= 1 << bit % 8;
		if (variant)
			assert_int_equal(icrc_verify_infiniband(packet, sizeof(packet)), 0);
		else
			assert_int_not_equal(icrc_verify_infiniband(packet, sizeof(packet)), 0);
		packet[byte] ^= 1 << bit % 8;
	}
}

// With a GRH nothing of the LRH counts but that there is one.
static void
test_infiniband_global(void **state)
{
	uint8_t packet[8 + 40 + 12 + 16 + 4] = {0x30, 0x33, [8] = 0x60, [14] = 0x1b, 0x3f};
	uint32_t icrc;

	(void)state;
	assert_int_equal(icrc_compute_infiniband(packet, sizeof(packet), sizeof(packet), &icrc), 0);
	icrc_store(packet + sizeof(packet) - 4, icrc);
	for (size_t byte = 0; byte < sizeof(packet); byte++) {
		const bool variant = byte < 8 || (byte > 8 && byte < 12) || byte == 15 ||
				     byte == 52;

		if (byte == 1)
			continue; // LNH
		packet[byte] ^= byte == 8 ? 0x0f : 0xff;
		assert_int_equal(icrc_verify_infiniband(packet, sizeof(packet)),
				 variant || byte == 8 ? 0 : -EBADMSG);
		packet[byte] ^= byte == 8 ? 0x0f : 0xff;
	}
}

// The VCRC a bit at a time, most significant coefficient first, as the polynomial is written.
static void
test_vcrc_by_bits(void **state)
{
	uint16_t remainder = 0xffff, reflected = 0;

	(void)state;
	for (size_t bit = 0; bit < sizeof(ib_local) * 8; bit++) {
		const bool carry = (remainder >> 15) ^ (ib_local[bit / 8] >> bit % 8 & 1);

		remainder = (uint16_t)(remainder << 1 ^ (carry ? 0x100b : 0));
	}
	for (unsigned int i = 0; i < 16; i++)
		reflected |= (uint16_t)((remainder >> i & 1) << (15 - i));
	assert_int_equal(icrc_vcrc(0, ib_local, sizeof(ib_local)), (uint16_t)~reflected);
	assert_int_equal(icrc_vcrc(icrc_vcrc(0, ib_local, 9), ib_local + 9, sizeof(ib_local) - 9),
			 icrc_vcrc(0, ib_local, sizeof(ib_local)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_answers),
		cmocka_unit_test(test_equals_bit_by_bit),
		cmocka_unit_test(test_each_bit),
		cmocka_unit_test(test_survives_the_path),
		cmocka_unit_test(test_infiniband_example),
		cmocka_unit_test(test_infiniband_each_bit),
		cmocka_unit_test(test_infiniband_global),
		cmocka_unit_test(test_vcrc_by_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
