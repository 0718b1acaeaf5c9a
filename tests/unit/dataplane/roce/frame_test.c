// SPDX-License-Identifier: BSD-3-Clause
//
// Frames byte by byte, and their sizes.

#include "dataplane/roce/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1}, gateway[6] = {2, 0, 0, 0, 0, 2};
static const uint8_t ip4[4] = {10, 0, 0, 1};
static const uint8_t ip6[16] = {0xfd, 1, [15] = 1};

static struct frame_address
address(const struct frame_template *t, bool is_ip6)
{
	struct frame_address a = {
		.peer_ip = {10, 0, 0, 2},
		.peer_qpn = 0xabcdef,
		.udp_sport = rte_cpu_to_be_16(0xc001),
		.ip_id = 0xfffe,
		.traffic_class = 26 << 2 | 2,
		.priority = 3,
		.tc = 4,
		.network = is_ip6 ? FRAME_IP6 : FRAME_IP4,
	};

	if (is_ip6)
		memcpy(a.peer_ip, (uint8_t[16]){0xfd, 2, [15] = 2}, 16);
	frame_address_init(&a, t);
	return a;
}

static void
test_ack_ip4(void **state)
{
	static const uint8_t want[58] = {
		2,    0, 0,    0,    0,    2,    2,    0,    0,    0,    0, 1,  0x08, 0x00, 0x45,
		0x6a, 0, 48,   0xff, 0xfe, 0x40, 0,    64,   17,   0,    0, 10, 0,    0,    1,
		10,   0, 0,    2,    0xc0, 0x01, 0x12, 0xb7, 0,    28,   0, 0,  0x11, 0x40, 0xff,
		0xff, 0, 0xab, 0xcd, 0xef, 0,    0x12, 0x34, 0x56, 0x60, 0, 0,  9,
	};
	struct packet_pool *packets;
	struct frame_template t;
	struct frame_address a;
	struct rte_mbuf *m;
	uint8_t frame[58];
	uint32_t sum = 0;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 128), 0);
	frame_template_init(&t, false, mac, gateway, ip4);
	a = address(&t, false);
	for (unsigned int round = 0; round < 4; round++) {
		m = frame_make_ack(packets, &t, &a, 62, 0x123456, 0x60, 9);
		assert_int_equal(packet_meta(m)->data_len, 58);
		assert_int_equal(packet_meta(m)->wire_bytes, 62);
		assert_int_equal(packet_meta(m)->flags, PACKET_NO_PAYLOAD | PACKET_ROCE);
		assert_int_equal(packet_meta(m)->priority, 3);
		assert_int_equal(packet_meta(m)->tc, 4);
		assert_int_equal(packet_meta(m)->dscp, 26);
		assert_int_equal(packet_meta(m)->ecn, 2);
		assert_int_equal(packet_meta(m)->opcode, ROCE_OP_ACK);
		memcpy(frame, packet_data(m), 58);
		// All words of the header add up to ffff (RFC 1071), over the wrap of the ID too.
		sum = 0;
		for (unsigned int i = 14; i < 34; i += 2)
			sum += (uint32_t)frame[i] << 8 | frame[i + 1];
		assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff);
		assert_int_equal((uint16_t)(frame[18] << 8 | frame[19]),
				 (uint16_t)(0xfffe + round));
		memcpy(frame + 18, want + 18, 2);
		memset(frame + 24, 0, 2);
		assert_memory_equal(frame, want, 58);
		packet_free(packets, m);
	}
	packet_pool_destroy(packets);
}

static void
test_cnp_ip6(void **state)
{
	static const uint8_t
		want
			[90] =
				{
					2,    0,    0,    0,    0,    2,    2,    0,    0,
					0,    0,    1,    0x86, 0xdd, 0x6c, 0x00, 0,    0,
					0,    40,   17,   64, // traffic class 48 << 2, not-ECT
					0xfd, 1,    0,    0,    0,    0,    0,    0,    0,
					0,    0,    0,    0,    0,    0,    1,    0xfd, 2,
					0,    0,    0,    0,    0,    0,    0,    0,    0,
					0,    0,    0,    0,    2,    0xc0, 0x01, 0x12, 0xb7,
					0,    40,   0,    0,    0x81, 0,    0xff, 0xff, 0x40,
					0xab, 0xcd, 0xef, 0,    0,    0,    0,
				};
	struct packet_pool *packets;
	struct frame_template t;
	struct frame_address a;
	struct rte_mbuf *m;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 128), 0);
	frame_template_init(&t, true, mac, gateway, ip6);
	a = address(&t, true);
	m = frame_make_cnp(packets, &t, &a, 48, 6, 7);
	assert_int_equal(packet_meta(m)->data_len, 90);
	assert_int_equal(packet_meta(m)->wire_bytes, 94);
	assert_int_equal(packet_meta(m)->flags, PACKET_NO_PAYLOAD | PACKET_ROCE | PACKET_IPV6);
	assert_int_equal(packet_meta(m)->priority, 6);
	assert_int_equal(packet_meta(m)->tc, 7);
	assert_memory_equal(packet_data(m), want, 90);
	packet_free(packets, m);
	packet_pool_destroy(packets);
}

static void
test_cnp_keeps_the_queue_pairs_id(void **state)
{
	struct packet_pool *packets;
	struct frame_template t;
	struct frame_address a;
	struct rte_mbuf *m;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 128), 0);
	frame_template_init(&t, false, mac, gateway, ip4);
	a = address(&t, false);
	m = frame_make_cnp(packets, &t, &a, 48, 6, 6);
	assert_int_equal(a.ip_id, 0xffff);
	assert_int_equal(packet_meta(m)->wire_bytes, 74);
	assert_memory_equal(packet_data(m) + 24,
			    &(uint16_t){checksum_ipv4_header(packet_data(m) + 14, 20)}, 2);
	packet_free(packets, m);
	packet_pool_destroy(packets);
}

// From LID 0x1234 to LID 0xabcd, in partition 5: the acknowledgement, whole.
static void
test_ack_infiniband(void **state)
{
	static const uint8_t want[24] = {
		0x40, 0x32,             // VL 4, LVer 0; SL 3, LNH BTH
		0xab, 0xcd,             // DLID
		0x00, 0x07,             // 28 bytes to the end of the ICRC
		0x12, 0x34,             // SLID
		0x11, 0x40, 0x80, 0x05, // ACK; MigReq; P_Key
		0x00, 0xab, 0xcd, 0xef, // destination QP
		0x00, 0x12, 0x34, 0x56, // PSN
		0x1f, 0x00, 0x00, 0x09, // AETH
	};
	struct frame_template t;
	struct frame_address a = {
		.peer_ip = {0xab, 0xcd},
		.peer_qpn = 0xabcdef,
		.priority = 3,
		.tc = 4,
		.network = FRAME_INFINIBAND,
	};
	struct packet_pool *packets;
	struct rte_mbuf *m;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 256), 0);
	frame_template_init_infiniband(&t, 0x1234, 0x8005);
	frame_address_init(&a, &t);
	m = frame_make_ack(packets, &t, &a, frame_ack_bytes(FRAME_INFINIBAND, -1), 0x123456, 0x1f,
			   9);
	assert_int_equal(packet_meta(m)->wire_bytes, 28);
	assert_int_equal(packet_meta(m)->data_len, sizeof(want));
	assert_memory_equal(packet_data(m), want, sizeof(want));
	assert_int_equal(packet_meta(m)->flags,
			 PACKET_NO_PAYLOAD | PACKET_ROCE | PACKET_INFINIBAND);
	assert_int_equal(packet_meta(m)->l4_off, 0);
	packet_free(packets, m);
	m = frame_make_cnp(packets, &t, &a, 48, 6, 6);
	assert_int_equal(packet_meta(m)->wire_bytes, 8 + 12 + 16 + 4);
	assert_int_equal(packet_data(m)[0], 0x60);
	assert_int_equal(packet_data(m)[1], 0x62);
	assert_memory_equal(packet_data(m) + 10, want + 10, 2);
	packet_free(packets, m);
	packet_pool_destroy(packets);
}

static void
test_sizes(void **state)
{
	(void)state;
	assert_int_equal(frame_data_bytes(false, -1, 4096, 16), 4170);
	assert_int_equal(frame_data_bytes(false, -1, 4096, 0), 4154);
	assert_int_equal(frame_data_bytes(true, -1, 4096, 16), 4190);
	assert_int_equal(frame_data_bytes(false, -1, 1, 0), 62); // padded to 4
	assert_int_equal(frame_data_bytes(false, -1, 5, 16), 82);
	assert_int_equal(frame_data_bytes(false, 48, 5, 16), 53); // as told
	assert_int_equal(frame_data_bytes(true, 48, 1000, 0), 1048);
	assert_int_equal(frame_ack_bytes(false, -1), 62);
	assert_int_equal(frame_ack_bytes(true, -1), 82);
	assert_int_equal(frame_ack_bytes(true, 60), 60);
	assert_int_equal(frame_bytes(false, 0), 60); // a frame is never shorter
	assert_int_equal(frame_data_bytes(FRAME_INFINIBAND, -1, 4096, 16), 4136);
	assert_int_equal(frame_data_bytes(FRAME_INFINIBAND, -1, 1, 0), 28);
	assert_int_equal(frame_request_bytes(FRAME_INFINIBAND, -1), 40);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ack_ip4),
		cmocka_unit_test(test_cnp_ip6),
		cmocka_unit_test(test_cnp_keeps_the_queue_pairs_id),
		cmocka_unit_test(test_ack_infiniband),
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
