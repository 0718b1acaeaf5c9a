// SPDX-License-Identifier: BSD-3-Clause
// What makes a member a worse choice than its queue says: a degraded link, one that is busy, and
// notices from the switch behind it; and flows that are pinned to a member.
#include "sprayed.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#define DEGRADED 2u // which port

// Adaptive: one grade worse. Grades end at 100 and 1000 cells.
static void
test_degraded_grade(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_ADAPTIVE);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	paths_set_degraded(h.node, &h.node->ports[DEGRADED], true);
	expect_even(&h, m, 0x1e & ~(1u << DEGRADED));
	set_depths(&h, 3, (uint32_t[]){99, 0, 100, 500});
	expect_even(&h, m, 1 << 1);
	set_depths(&h, 3, (uint32_t[]){100, 99, 999, 500}); // all in the second grade now
	expect_even(&h, m, 0x1e);
	set_depths(&h, 3, (uint32_t[]){100, 100, 100, 100});
	expect_even(&h, m, 0x1e & ~(1u << DEGRADED));
	set_depths(&h, 3, (uint32_t[]){1000, 99, 1000, 1000});
	expect_even(&h, m, 1u << DEGRADED);
	set_depths(&h, 3, (uint32_t[]){1000, 1000, 1000, 1000}); // worse than the last grade
	expect_even(&h, m, 0x1e & ~(1u << DEGRADED));
	for (unsigned int i = 1; i <= MEMBERS; i++)
		paths_set_degraded(h.node, &h.node->ports[i], true);
	expect_even(&h, m, 0x1e);
	for (unsigned int i = 1; i <= MEMBERS; i++)
		paths_set_degraded(h.node, &h.node->ports[i], false);
	assert_int_equal(h.node->path_inputs, 0);
	packet_free(h.pool, m);
	harness_close(&h);
}

// Better than held or down, worse than open; hashed flows stay where they are.
static void
test_degraded_fitness(void **state)
{
	static const enum group_mode modes[] = {GROUP_ADAPTIVE, GROUP_SPRAY, GROUP_RANDOM};
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		open_group(&h, modes[i]);
		m = roce(&h, ROCE_OP_WRITE_MIDDLE);
		paths_set_degraded(h.node, &h.node->ports[1], true);
		paths_set_degraded(h.node, &h.node->ports[2], true);
		expect_even(&h, m, 1 << 3 | 1 << 4);
		pause_port(&h, 3, 60000);
		expect_even(&h, m, 1 << 4);
		node_set_link(h.node, &h.node->ports[4], false, h.now);
		expect_even(&h, m, 1 << 1 | 1 << 2);
		node_set_link(h.node, &h.node->ports[1], false, h.now);
		expect_even(&h, m, 1 << 2);
		node_set_link(h.node, &h.node->ports[2], false, h.now);
		expect_even(&h, m, 1 << 3); // held, but up
		packet_free(h.pool, m);
		harness_close(&h);
	}
	open_group(&h, GROUP_ECMP);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	paths_set_degraded(h.node, &h.node->ports[spray(&h, m, GROUP)], true);
	expect_even(&h, m, 1u << packet_meta(m)->out_port);
	packet_free(h.pool, m);
	harness_close(&h);
}

// A link that has sent more than 70 % of what it can over the last windows is busy until it has
// sent less; nothing looks at it before a window has passed.
static void
test_utilisation(void **state)
{
	const uint64_t window = (UTILISATION_WINDOW + 79) / 80; // bytes at 100 Gb/s
	struct tables *t = group_tables(GROUP_ADAPTIVE);
	struct harness h;
	struct rte_mbuf *m;
	ps_t now = 0;

	(void)state;
	t->utilisation = true;
	harness_profile(t)->busy_bytes = (uint32_t)(window * 7 / 10);
	harness_open(&h, t);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (unsigned int i = 0; i < 10; i++) {
		now += UTILISATION_WINDOW;
		h.node->ports[1].tx_bytes += window;
		h.node->ports[2].tx_bytes += window * 6 / 10;
		spray_at(&h, m, GROUP, now);
	}
	h.now = now;
	assert_int_equal(h.node->port_penalty[1], PATH_BUSY);
	assert_int_equal(h.node->port_penalty[2], 0);
	expect_even(&h, m, 1 << 2 | 1 << 3 | 1 << 4);
	set_depths(&h, 3, (uint32_t[]){0, 100, 100, 100});
	expect_even(&h, m, 0x1e);
	set_depths(&h, 3, (uint32_t[]){0, 0, 0, 0});
	h.now += UTILISATION_WINDOW - 1;
	expect_even(&h, m, 1 << 2 | 1 << 3 | 1 << 4);
	h.now += 1; // a window without a byte: half is forgotten
	expect_even(&h, m, 0x1e);
	packet_free(h.pool, m);
	h.now = 0;
	harness_close(&h);
}

// A notice counts for its group, its member and its class, for as long as it says.
static void
test_notices(void **state)
{
	struct tables *t = group_tables(GROUP_ADAPTIVE);
	struct path_notice *notice;
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	t->notices = (struct notice_profile){.on = true, .depth = 1000, .hold = 10 * PS_PER_US};
	harness_open(&h, t);
	assert_true(h.node->variant & NODE_FULL);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	notice = &h.node->paths.notices[t->groups[GROUP].first + 1]; // port 2
	*notice = (struct path_notice){.until = h.now + PS_PER_US, .congested = 1 << 4};
	expect_even(&h, m, 0x1e);
	notice->congested = 1 << 3;
	expect_even(&h, m, 1 << 1 | 1 << 3 | 1 << 4);
	set_depths(&h, 3, (uint32_t[]){100, 0, 100, 100});
	expect_even(&h, m, 0x1e);
	notice->held = 1 << 3;
	expect_even(&h, m, 1 << 1 | 1 << 3 | 1 << 4);
	for (unsigned int i = 1; i <= MEMBERS; i++)
		if (i != 2)
			pause_port(&h, i, 60000);
	set_depths(&h, 3, (uint32_t[]){0, 0, 0, 0});
	expect_even(&h, m, 0x1e); // none is better
	for (unsigned int i = 1; i <= MEMBERS; i++)
		if (i != 2)
			pause_port(&h, i, 0);
	h.now = notice->until - 1;
	expect_even(&h, m, 1 << 1 | 1 << 3 | 1 << 4);
	h.now = notice->until;
	expect_even(&h, m, 0x1e);
	packet_free(h.pool, m);
	harness_close(&h);
}

// A pinned flow keeps its member in every mode, whatever lies in the queue; when that is down or
// not in the group the mode decides.
static void
test_pins(void **state)
{
	for (unsigned int mode = GROUP_ECMP; mode <= GROUP_FLOWLET; mode++) {
		const uint8_t from4[] = {10, 9, 0, 1}, to4[] = {10, 0, 0, 2};
		const uint8_t from6[16] = {0xfd, [3] = 9, [15] = 1}, to6[16] = {0xfd, [15] = 2};
		struct tables *t = group_tables((enum group_mode)mode);
		struct harness h;
		struct rte_mbuf *m, *m6, *other;

		(void)state;
		assert_int_equal(pins_create(&t->pins, 2), 0);
		assert_true(pins_add(t->pins, 4, from4, to4, 3));
		assert_true(pins_add(t->pins, 6, from6, to6, 2));
		t->groups[GROUP].pinned = true;
		harness_open(&h, t);
		m = roce(&h, ROCE_OP_WRITE_MIDDLE);
		m6 = packet(&h, &(struct frame){.dscp = 24,
						.dport = ROCE_UDP_PORT,
						.ip6 = true,
						.opcode = ROCE_OP_WRITE_MIDDLE});
		other = roce(&h, ROCE_OP_WRITE_MIDDLE);
		set_flow(other, 77);
		set_depths(&h, 3, (uint32_t[]){0, 5000, 5000, 0});
		expect_even(&h, m, 1 << 3);
		expect_even(&h, m6, 1 << 2);
		if (mode == GROUP_ADAPTIVE)
			expect_even(&h, other, 1 << 1 | 1 << 4);
		node_set_link(h.node, &h.node->ports[3], false, h.now);
		assert_int_not_equal(spray(&h, m, GROUP), 3);
		node_set_link(h.node, &h.node->ports[3], true, h.now);
		t->groups[GROUP].count = 2; // ports 1 and 2
		assert_in_range(spray(&h, m, GROUP), 1, 2);
		packet_free(h.pool, other);
		packet_free(h.pool, m6);
		packet_free(h.pool, m);
		harness_close(&h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_degraded_grade), cmocka_unit_test(test_degraded_fitness),
		cmocka_unit_test(test_utilisation),    cmocka_unit_test(test_notices),
		cmocka_unit_test(test_pins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
