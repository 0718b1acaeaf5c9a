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

// Whether the next choice among these ports reads counters, or looks for some to read.
static bool
reads_more(const struct node *n, unsigned int first, unsigned int last, unsigned int tc, ps_t now)
{
	if (now >= n->paths.utilisation_due)
		return true;
	for (unsigned int i = first; i <= last; i++)
		if (n->port_penalty[i] & PATH_OVERDUE && !(n->held[i] >> tc & 1))
			return true;
	return false;
}

// A member that no packet can choose, and ports of a group that none asks for, are due for long:
// what is chosen meanwhile looks for that once a window and no more. They are read when the first
// packet can choose them.
static void
test_utilisation_of_idle_ports(void **state)
{
	const uint64_t window = (UTILISATION_WINDOW + 79) / 80; // bytes at 100 Gb/s
	struct tables *t = group_tables(GROUP_ADAPTIVE);
	const struct utilisation *u;
	unsigned int looked = 0;
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	t->utilisation = true;
	t->groups[GROUP].count = 3; // ports 1 to 3; the other group leads to port 4 too
	harness_profile(t)->busy_bytes = (uint32_t)(window * 7 / 10);
	harness_open(&h, t);
	u = h.node->paths.utilisation;
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	node_set_tx_off(h.node, &h.node->ports[2], 1 << 3, 0);
	h.node->ports[2].tx_bytes += 20 * window;
	h.node->ports[4].tx_bytes += 20 * window;
	for (unsigned int i = 0; i < 1000; i++) {
		ps_t now = UTILISATION_WINDOW + i * UTILISATION_WINDOW / 100;

		looked += reads_more(h.node, 1, 3, 3, now);
		assert_int_not_equal(spray_at(&h, m, GROUP, now), 2);
		assert_false(reads_more(h.node, 1, 3, 3, now));
	}
	assert_int_equal(looked, 10);
	assert_int_equal(u[2].since, 0);
	assert_int_equal(u[4].since, 0);
	assert_int_equal(h.node->port_penalty[2], PATH_OVERDUE);
	h.now = 11 * UTILISATION_WINDOW - UTILISATION_WINDOW / 100;
	node_set_tx_off(h.node, &h.node->ports[2], 0, h.now);
	expect_even(&h, m, 1 << 1 | 1 << 3); // it was busy
	assert_int_equal(u[2].since, h.now);
	assert_int_equal(u[4].since, 0);
	assert_int_equal(h.node->port_penalty[2], PATH_BUSY);
	spray(&h, m, OTHER_GROUP);
	assert_int_equal(u[4].since, h.now);
	assert_int_equal(h.node->port_penalty[4], PATH_BUSY);
	packet_free(h.pool, m);
	h.now = 0;
	harness_close(&h);
}

// Each choice reads exactly the members of its group that are not held and were last read a window
// ago or earlier.
static void
test_utilisation_is_read_when_due(void **state)
{
	struct random random = random_stream(7, 0);
	ps_t since[MEMBERS + 1] = {0}, now = 0;
	struct tables *t = group_tables(GROUP_ADAPTIVE);
	struct harness h;
	struct rte_mbuf *m[2];

	(void)state;
	t->utilisation = true;
	t->groups[GROUP].count = 2;        // ports 1 and 2
	t->groups[OTHER_GROUP].first += 1; // ports 2 to 4
	t->groups[OTHER_GROUP].count = 3;
	harness_open(&h, t);
	m[0] = packet(&h, &(struct frame){.dport = ROCE_UDP_PORT, .opcode = ROCE_OP_WRITE_MIDDLE});
	m[1] = roce(&h, ROCE_OP_WRITE_MIDDLE); // of class 3
	for (unsigned int i = 0; i < 100000; i++) {
		const unsigned int high = random_below(&random, 2);
		const unsigned int other = random_below(&random, 2);
		const unsigned int first = other ? 2 : 1, last = other ? MEMBERS : 2;
		const unsigned int tc = high ? 3 : 0;
		unsigned int port = 1 + random_below(&random, MEMBERS);

		now += random_below(&random, 4) * UTILISATION_WINDOW / 8;
		if (random_below(&random, 8) == 0)
			node_set_tx_off(h.node, &h.node->ports[port],
					(uint8_t)random_below(&random, 16), now);
		for (port = first; port <= last; port++)
			if (!(h.node->held[port] >> tc & 1) &&
			    now >= since[port] + UTILISATION_WINDOW)
				since[port] = now;
		spray_at(&h, m[high], other ? OTHER_GROUP : GROUP, now);
		for (port = 1; port <= MEMBERS; port++)
			assert_int_equal(h.node->paths.utilisation[port].since, since[port]);
		assert_false(reads_more(h.node, first, last, tc, now));
	}
	packet_free(h.pool, m[0]);
	packet_free(h.pool, m[1]);
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
	assert_int_equal(h.node->variant,
			 h.node->role == NODE_LEAF ? 0 : NODE_TENANTS | NODE_NOTICES);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	notice = &h.node->paths.notices[t->groups[GROUP].first + 1]; // port 2
	*notice = (struct path_notice){.until = h.now + PS_PER_US, .congested = 1 << 4};
	h.node->paths.noticed[(t->groups[GROUP].first + 1) / NOTICED_TOGETHER] = notice->until;
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
		cmocka_unit_test(test_degraded_grade),
		cmocka_unit_test(test_degraded_fitness),
		cmocka_unit_test(test_utilisation),
		cmocka_unit_test(test_utilisation_of_idle_ports),
		cmocka_unit_test(test_utilisation_is_read_when_due),
		cmocka_unit_test(test_notices),
		cmocka_unit_test(test_pins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
