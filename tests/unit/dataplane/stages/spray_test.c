// SPDX-License-Identifier: BSD-3-Clause
// Which member of a group a packet takes, by the modes that choose packet by packet.
#include "sprayed.h"

#include "dataplane/base/glean.h"
#include "dataplane/node/ports.h"

// Grades end at 100 and 1000 cells: what lies in the least member's grade ties with it.
static void
test_adaptive_grades(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_ADAPTIVE);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	expect_even(&h, m, 0x1e);
	set_depths(&h, 3, (uint32_t[]){99, 100, 99, 100});
	expect_even(&h, m, 1 << 1 | 1 << 3);
	set_depths(&h, 3, (uint32_t[]){500, 99, 100, 5000});
	expect_even(&h, m, 1 << 2);
	set_depths(&h, 3, (uint32_t[]){1000, 999, 100, 5000});
	expect_even(&h, m, 1 << 2 | 1 << 3);
	set_depths(&h, 3, (uint32_t[]){1000, 1001, 100000, 1000000}); // past the last grade
	expect_even(&h, m, 0x1e);
	set_depths(&h, 3, (uint32_t[]){0, 0, 0, 0});
	set_depths(&h, 0, (uint32_t[]){5000, 5000, 5000, 0}); // another class's queues
	expect_even(&h, m, 0x1e);
	packet_free(h.pool, m);
	harness_close(&h);
}

// A mode that looks for the best takes no member whose queue is paused and none whose link is down
// while there is another, however deep that one is.
static void
expect_avoids(enum group_mode mode)
{
	struct harness h;
	struct rte_mbuf *m, *other;

	open_group(&h, mode);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	other = packet(
		&h,
		&(struct frame){.dscp = 0, .dport = ROCE_UDP_PORT, .opcode = ROCE_OP_WRITE_MIDDLE});
	pause_port(&h, 2, 60000);
	expect_even(&h, m, 1 << 1 | 1 << 3 | 1 << 4);
	expect_even(&h, other, 0x1e); // of a class that is not paused
	node_set_link(h.node, &h.node->ports[3], false, h.now);
	expect_even(&h, m, 1 << 1 | 1 << 4);
	expect_even(&h, other, 1 << 1 | 1 << 2 | 1 << 4);
	pause_port(&h, 1, 60000);
	set_depths(&h, 3, (uint32_t[]){0, 0, 0, 900000});
	expect_even(&h, m, 1 << 4);
	set_depths(&h, 3, (uint32_t[]){0, 0, 0, 0});
	pause_port(&h, 1, 0);
	pause_port(&h, 2, 0);
	node_set_link(h.node, &h.node->ports[3], true, h.now);
	expect_even(&h, m, 0x1e);
	packet_free(h.pool, other);
	packet_free(h.pool, m);
	harness_close(&h);
}

static void
test_avoids_held_members(void **state)
{
	(void)state;
	expect_avoids(GROUP_ADAPTIVE);
	expect_avoids(GROUP_SPRAY);
	expect_avoids(GROUP_RANDOM);
}

// All paused: of those that are up, for adaptive the shallowest, which waits least.
static void
test_all_paused(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	for (unsigned int mode = GROUP_ADAPTIVE; mode <= GROUP_RANDOM; mode++) {
		open_group(&h, mode);
		m = roce(&h, ROCE_OP_WRITE_MIDDLE);
		for (unsigned int i = 1; i <= MEMBERS; i++)
			pause_port(&h, i, 60000);
		expect_even(&h, m, 0x1e);
		set_depths(&h, 3, (uint32_t[]){30, 20, 10, 20});
		expect_even(&h, m, mode == GROUP_ADAPTIVE ? 1 << 3 : 0x1e);
		node_set_link(h.node, &h.node->ports[3], false, h.now);
		expect_even(&h, m,
			    mode == GROUP_ADAPTIVE ? 1 << 2 | 1 << 4 : 1 << 1 | 1 << 2 | 1 << 4);
		packet_free(h.pool, m);
		harness_close(&h);
	}
}

// In turn: exactly 250 each, one after the other; each group has its own turn. A paused member is
// passed over and its turn falls to the next.
static void
test_in_turn(void **state)
{
	unsigned int taken[MEMBERS + 1];
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_SPRAY);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(spray(&h, m, GROUP), 1 + i % MEMBERS);
		if (i % 3 == 0)
			assert_int_equal(spray(&h, m, OTHER_GROUP), 1 + i / 3 % MEMBERS);
	}
	count(&h, m, taken);
	for (unsigned int i = 1; i <= MEMBERS; i++)
		assert_int_equal(taken[i], 250);
	pause_port(&h, 2, 60000);
	assert_int_equal(spray(&h, m, GROUP), 3); // where the turn stood
	assert_int_equal(spray(&h, m, GROUP), 4);
	assert_int_equal(spray(&h, m, GROUP), 1);
	assert_int_equal(spray(&h, m, GROUP), 3);
	for (unsigned int i = 1; i <= MEMBERS; i++)
		pause_port(&h, i, 60000);
	count(&h, m, taken); // none is open: in turn all the same
	for (unsigned int i = 1; i <= MEMBERS; i++)
		assert_int_equal(taken[i], 250);
	packet_free(h.pool, m);
	harness_close(&h);
}

// At random, whatever the depths.
static void
test_at_random(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_RANDOM);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	set_depths(&h, 3, (uint32_t[]){0, 500, 5000, 50000});
	expect_even(&h, m, 0x1e);
	packet_free(h.pool, m);
	harness_close(&h);
}

// Acknowledgements, CNPs and what is not RoCEv2 go by hash in every mode, like in mode ECMP.
static void
test_ineligible(void **state)
{
	static const struct frame frames[] = {
		{.dscp = 24, .dport = ROCE_UDP_PORT, .opcode = ROCE_OP_ACK},
		{.dscp = 24, .dport = ROCE_UDP_PORT, .opcode = ROCE_OP_CNP},
		{.dscp = 24, .dport = 4790},
		{.dscp = 24, .dport = ROCE_UDP_PORT, .opcode = ROCE_OP_ACK, .ip6 = true},
	};
	static const enum group_mode modes[] = {GROUP_ADAPTIVE, GROUP_SPRAY, GROUP_RANDOM};
	unsigned int taken[MEMBERS + 1];
	struct rte_mbuf *m;
	struct harness h;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		open_group(&h, modes[i]);
		h.tables->groups[OTHER_GROUP].mode = GROUP_ECMP;
		for (unsigned int k = 0; k < 4; k++) {
			m = packet(&h, &frames[k]);
			count(&h, m, taken);
			assert_int_equal(taken[spray(&h, m, OTHER_GROUP)], DRAWS);
			packet_free(h.pool, m);
		}
		harness_close(&h);
	}
}

// What is eligible is the tables' to say: acknowledgements too, another UDP port, or everything.
static void
test_eligible_by_tables(void **state)
{
	struct harness h;
	struct rte_mbuf *ack, *udp;

	(void)state;
	open_group(&h, GROUP_RANDOM);
	ack = roce(&h, ROCE_OP_ACK);
	udp = packet(&h, &(struct frame){.dport = 4790});
	h.tables->eligible_data_only = false;
	expect_even(&h, ack, 0x1e);
	expect_even(&h, udp, 1u << spray(&h, udp, GROUP));
	h.tables->eligible_udp_dport = 4790;
	expect_even(&h, ack, 1u << spray(&h, ack, GROUP));
	expect_even(&h, udp, 0x1e);
	h.tables->eligible_udp_dport = 0;
	expect_even(&h, ack, 0x1e);
	expect_even(&h, udp, 0x1e);
	h.tables->eligible_narrow = true;
	h.tables->eligible_profile =
		(struct eligible_profile){.dscps = UINT64_C(1) << 24, .priorities = 0xff};
	expect_even(&h, ack, 0x1e);
	expect_even(&h, udp, 1u << spray(&h, udp, GROUP));
	h.tables->eligible_profile =
		(struct eligible_profile){.dscps = UINT64_MAX, .priorities = 1 << 0};
	expect_even(&h, ack, 1u << spray(&h, ack, GROUP));
	expect_even(&h, udp, 0x1e);
	h.tables->eligible_profile = (struct eligible_profile){
		.dscps = UINT64_MAX, .priorities = 0xff, .bth_reserved = 0x21};
	expect_even(&h, ack, 1u << spray(&h, ack, GROUP));
	expect_even(&h, udp, 1u << spray(&h, udp, GROUP));
	packet_data(ack)[14 + 20 + 8 + 4] |= 0x23;
	expect_even(&h, ack, 0x1e);
	packet_free(h.pool, ack);
	packet_free(h.pool, udp);
	harness_close(&h);
}

static void
expect_drop(struct harness *h, struct rte_mbuf *m, uint32_t group, enum drop_reason reason)
{
	packet_meta(m)->group = group;
	assert_int_equal(stage_spray(h->node, &h->node->ports[0], m, h->now, 0), reason);
}

// A group without members is a blackhole; one whose members are all down, or lead nowhere, has no
// next hop.
static void
test_drops(void **state)
{
	struct rte_mbuf *data, *ack;
	struct glean_entry asked;
	struct harness h;

	(void)state;
	for (unsigned int mode = GROUP_ECMP; mode <= GROUP_RANDOM; mode++) {
		open_group(&h, mode);
		data = roce(&h, ROCE_OP_WRITE_MIDDLE);
		ack = roce(&h, ROCE_OP_ACK);
		node_set_link(h.node, &h.node->ports[1], false, h.now);
		expect_drop(&h, data, 1, DROP_NO_NEXT_HOP); // the group of port 1 alone
		for (unsigned int i = 2; i <= MEMBERS; i++)
			node_set_link(h.node, &h.node->ports[i], false, h.now);
		expect_drop(&h, data, GROUP, DROP_NO_NEXT_HOP);
		expect_drop(&h, ack, GROUP, DROP_NO_NEXT_HOP);
		node_set_link(h.node, &h.node->ports[3], true, h.now);
		assert_int_equal(spray(&h, data, GROUP), 3);
		assert_int_equal(spray(&h, ack, GROUP), 3);
		h.node->ports[3].out = NULL;
		expect_drop(&h, data, 3, DROP_NO_NEXT_HOP);
		h.tables->groups[GROUP].count = 0;
		expect_drop(&h, data, GROUP, DROP_NO_ROUTE);
		assert_false(glean_take(h.node->glean, &asked));
		h.tables->groups[GROUP].glean = true;
		expect_drop(&h, data, GROUP, DROP_NO_NEIGHBOUR);
		assert_true(glean_take(h.node->glean, &asked));
		assert_int_equal(asked.version, 4);
		assert_memory_equal(asked.address,
				    packet_data(data) + packet_meta(data)->l3_off + 16, 4);
		packet_free(h.pool, ack);
		packet_free(h.pool, data);
		harness_close(&h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adaptive_grades),
		cmocka_unit_test(test_avoids_held_members),
		cmocka_unit_test(test_all_paused),
		cmocka_unit_test(test_in_turn),
		cmocka_unit_test(test_at_random),
		cmocka_unit_test(test_ineligible),
		cmocka_unit_test(test_eligible_by_tables),
		cmocka_unit_test(test_drops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
