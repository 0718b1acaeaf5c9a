// SPDX-License-Identifier: BSD-3-Clause
// What a receiver makes of the headers of InfiniBand packets, good and bad: each fault has its own
// reason.
#include "../infiniband.h"

#include "dataplane/queueing/ecn.h"
#include "dataplane/stages/lrh.h"

static void
test_a_good_packet(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	m = ib_make(&h, &(struct ib_packet){.vl = 3, .sl = 3, .opcode = ROCE_OP_WRITE_ONLY});
	packet_meta(m)->ip_proto = 17;
	packet_meta(m)->l3_off = 14;
	assert_int_equal(stage_lrh(h.node, &h.node->ports[0], m, 0), STAGE_NEXT);
	assert_int_equal(packet_meta(m)->flags, PACKET_INFINIBAND | PACKET_ROCE);
	assert_int_equal(packet_meta(m)->l3_off, 0);
	assert_int_equal(packet_meta(m)->l4_off, 0);
	assert_int_equal(packet_meta(m)->ip_proto, 0);
	assert_int_equal(packet_meta(m)->opcode, ROCE_OP_WRITE_ONLY);
	assert_int_equal(packet_meta(m)->ecn, ECN_ECT0);
	assert_int_equal(packet_meta(m)->wire_bytes, 64);
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_a_global_packet(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	m = ib_make(&h, &(struct ib_packet){.next = IB_NEXT_GRH, .opcode = ROCE_OP_ACK});
	packet_data(m)[48] = ROCE_OP_ACK;
	assert_int_equal(stage_lrh(h.node, &h.node->ports[0], m, 0), STAGE_NEXT);
	assert_int_equal(packet_meta(m)->l4_off, 40);
	assert_int_equal(packet_meta(m)->opcode, ROCE_OP_ACK);
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_fecn_is_ce(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	m = ib_make(&h, &(struct ib_packet){0});
	assert_int_equal(stage_lrh(h.node, &h.node->ports[0], m, 0), STAGE_NEXT);
	ecn_set_ce(m);
	assert_int_equal(packet_data(m)[12], ROCE_BTH_FECN);
	assert_int_equal(stage_lrh(h.node, &h.node->ports[0], m, 0), STAGE_NEXT);
	assert_int_equal(packet_meta(m)->ecn, ECN_CE);
	assert_int_equal(icrc_verify_infiniband(packet_data(m), 64), 0); // it does not count
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_faults(void **state)
{
	static const struct {
		struct ib_packet packet;
		uint16_t present; // bytes that are there; 0: all
		int verdict;
	} cases[] = {
		{{.version = 1}, 0, DROP_LRH_VERSION},
		{{.version = 15}, 0, DROP_LRH_VERSION},
		{{.vl = 7}, 0, STAGE_NEXT},
		{{.vl = 8}, 0, DROP_VIRTUAL_LANE},
		{{.vl = 14}, 0, DROP_VIRTUAL_LANE},
		{{.vl = 15}, 0, DROP_VL15},
		{{.words = 1}, 0, DROP_LRH_LENGTH},
		{{.words = -1}, 0, DROP_LRH_LENGTH},
		{{.words = -16}, 0, DROP_LRH_LENGTH},
		{{.bytes = 66}, 0, DROP_LRH_LENGTH}, // not of whole words
		{{.dlid = 0xbfff}, 0, STAGE_NEXT},
		{{.dlid = 0xc000}, 0, DROP_MULTICAST},
		{{.dlid = 0xffff}, 0, DROP_MULTICAST},
		{{.next = IB_NEXT_RAW, .raw = true}, 0, DROP_RAW_PACKET},
		{{.next = IB_NEXT_IP6, .raw = true}, 0, DROP_RAW_PACKET},
		{{.bytes = 24}, 0, STAGE_NEXT}, // LRH, BTH, ICRC
		{{.bytes = 20}, 0, DROP_MALFORMED},
		{{.next = IB_NEXT_GRH, .bytes = 64}, 0, STAGE_NEXT},
		{{.next = IB_NEXT_GRH, .bytes = 60}, 0, DROP_MALFORMED},
		{{.bytes = 8}, 0, DROP_MALFORMED},
		{{.bytes = 64}, 7, DROP_RUNT},
		{{.bytes = 64}, 19, DROP_TRUNCATED},
		{{.bytes = 64}, 20, STAGE_NEXT},
		{{.bytes = 64, .next = IB_NEXT_GRH}, 59, DROP_TRUNCATED},
	};
	struct harness h;

	(void)state;
	harness_open(&h, ib_tables(4, GROUP_ECMP));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rte_mbuf *m = ib_make(&h, &cases[i].packet);

		if (cases[i].present != 0)
			packet_meta(m)->data_len = cases[i].present;
		if (stage_lrh(h.node, &h.node->ports[0], m, 0) != cases[i].verdict)
			fail_msg("case %zu", i);
		packet_free(h.pool, m);
	}
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_packet),
		cmocka_unit_test(test_a_global_packet),
		cmocka_unit_test(test_fecn_is_ce),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
