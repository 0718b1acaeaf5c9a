// SPDX-License-Identifier: BSD-3-Clause
// Flowlets: a flow stays with its member until it has paused for longer than the gap.
#include "sprayed.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#include <stdlib.h>

// Loads all members alike but that one, which is far worse.
static void
load_only(struct harness *h, unsigned int port)
{
	uint32_t depths[MEMBERS] = {0};

	depths[port - 1] = 5000;
	set_depths(h, 3, depths);
}

// At the gap to the picosecond the flowlet goes on, one later it has ended; every packet starts the
// gap anew.
static void
test_gap(void **state)
{
	struct harness h;
	struct rte_mbuf *m;
	unsigned int first;
	ps_t now = PS_PER_US;

	(void)state;
	open_group(&h, GROUP_FLOWLET);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	first = spray_at(&h, m, GROUP, now);
	load_only(&h, first);
	for (unsigned int i = 0; i < 20; i++) {
		now += FLOWLET_GAP;
		assert_int_equal(spray_at(&h, m, GROUP, now), first);
	}
	assert_int_equal(h.node->paths.flowlets_begun, 1);
	assert_int_equal(paths_flowlets_open(h.node, now + FLOWLET_GAP), 1);
	assert_int_equal(paths_flowlets_open(h.node, now + FLOWLET_GAP + 1), 0);
	now += FLOWLET_GAP + 1;
	assert_int_not_equal(spray_at(&h, m, GROUP, now), first);
	assert_int_equal(h.node->paths.flowlets_begun, 2);
	packet_free(h.pool, m);
	harness_close(&h);
}

// The new member is the least loaded; of equals each is taken as often.
static void
test_choice(void **state)
{
	unsigned int taken[MEMBERS + 1] = {0};
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_FLOWLET);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	for (ps_t i = 1; i <= DRAWS; i++)
		taken[spray_at(&h, m, GROUP, i * (FLOWLET_GAP + 1))]++;
	for (unsigned int i = 1; i <= MEMBERS; i++)
		assert_in_range(taken[i], DRAWS / 4 - SIGMA3_OF_4, DRAWS / 4 + SIGMA3_OF_4);
	set_depths(&h, 3, (uint32_t[]){200, 200, 99, 200});
	assert_int_equal(spray_at(&h, m, GROUP, 2000 * FLOWLET_GAP), 3);
	packet_free(h.pool, m);
	harness_close(&h);
}

// A member that goes down is left at once, and its return changes nothing; a paused one is left at
// the next flowlet.
static void
test_leaves(void **state)
{
	struct harness h;
	struct rte_mbuf *m;
	unsigned int first, second;

	(void)state;
	open_group(&h, GROUP_FLOWLET);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	first = spray(&h, m, GROUP);
	node_set_link(h.node, &h.node->ports[first], false, h.now);
	second = spray(&h, m, GROUP);
	assert_int_not_equal(second, first);
	node_set_link(h.node, &h.node->ports[first], true, h.now);
	assert_int_equal(spray(&h, m, GROUP), second);
	pause_port(&h, second, 60000);
	assert_int_equal(spray(&h, m, GROUP), second);
	assert_int_not_equal(spray_at(&h, m, GROUP, h.now + FLOWLET_GAP + 1), second);
	packet_free(h.pool, m);
	harness_close(&h);
}

// Two flows with one entry of the table go as one; in another group the port counts, not where it
// stands.
static void
test_shared_entry(void **state)
{
	struct harness h;
	struct tables *t = group_tables(GROUP_FLOWLET);
	struct rte_mbuf *m, *other;
	uint32_t entry;
	unsigned int first;
	uint64_t draw = 0;

	(void)state;
	// The other group has the same ports in another order.
	t->next_hops = realloc(t->next_hops, (t->next_hop_count + MEMBERS) * sizeof(*t->next_hops));
	assert_non_null(t->next_hops);
	t->groups[OTHER_GROUP].first = t->next_hop_count;
	for (unsigned int i = 0; i < MEMBERS; i++) {
		t->next_hops[t->next_hop_count] = t->next_hops[0];
		t->next_hops[t->next_hop_count++].port = (uint16_t)(MEMBERS - i);
	}
	harness_open(&h, t);
	m = roce(&h, ROCE_OP_WRITE_MIDDLE);
	other = roce(&h, ROCE_OP_WRITE_MIDDLE);
	entry = spray_hash(m, t->hash_seed, true) >> (32 - FLOWLETS_LOG2);
	do
		set_flow(other, random_mix(++draw));
	while (spray_hash(other, t->hash_seed, true) >> (32 - FLOWLETS_LOG2) != entry);
	first = spray(&h, m, GROUP);
	load_only(&h, first);
	assert_int_equal(spray(&h, other, GROUP), first);
	assert_int_equal(spray(&h, other, OTHER_GROUP), first);
	assert_int_equal(h.node->paths.flowlets_begun, 1);
	packet_free(h.pool, other);
	packet_free(h.pool, m);
	harness_close(&h);
}

// What is not eligible goes by hash and leaves the table alone.
static void
test_not_eligible(void **state)
{
	unsigned int taken[MEMBERS + 1];
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_group(&h, GROUP_FLOWLET);
	m = roce(&h, ROCE_OP_ACK);
	count(&h, m, taken);
	assert_int_equal(taken[spray(&h, m, GROUP)], DRAWS);
	assert_int_equal(h.node->paths.flowlets_begun, 0);
	packet_free(h.pool, m);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gap),          cmocka_unit_test(test_choice),
		cmocka_unit_test(test_leaves),       cmocka_unit_test(test_shared_entry),
		cmocka_unit_test(test_not_eligible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
