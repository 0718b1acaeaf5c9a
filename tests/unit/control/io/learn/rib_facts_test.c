// SPDX-License-Identifier: BSD-3-Clause
// What is kept of what was said: one copy of each way, counts that are true, and nothing of what
// could not be kept.
#include "said.h"

#include <errno.h>

static const struct topo_node place;

static int
open_rib(void **state)
{
	*state = rib_create(&place);
	return 0;
}

static int
close_rib(void **state)
{
	rib_destroy(*state);
	return 0;
}

// Routes that go the same way have one between them; any difference in a hop makes another.
static void
test_ways_are_shared(void **state)
{
	struct learn_message m = route_to("10.1.0.0/16", 20, 5);
	struct rib *rib = *state;
	const struct rib_way *way;

	say(rib, RIB_FPM, m, false);
	rib_sort(rib);
	way = rib->order[0]->routes->way;
	say(rib, RIB_FPM, route_to("10.2.0.0/16", 30, 5), false);
	say(rib, RIB_NETLINK, route_to("fd00::/64", 20, 5), false);
	assert_int_equal(rib->ways.count, 1);
	assert_int_equal(rib->hops, 1);
	assert_int_equal(way->users, 3);
	m.prefix = prefix_of("10.3.0.0/16");
	m.way.hops[0].weight = 2;
	say(rib, RIB_FPM, m, false);
	m.prefix = prefix_of("10.4.0.0/16");
	m.way.hops[0].gateway.version = 4;
	say(rib, RIB_FPM, m, false);
	m.prefix = prefix_of("10.5.0.0/16");
	m.way.count = 2;
	m.way.hops[1] = m.way.hops[0];
	say(rib, RIB_FPM, m, false);
	assert_int_equal(rib->ways.count, 4);
	assert_int_equal(rib->hops, 5);
	// No hops are not the same as a blackhole.
	m.prefix = prefix_of("10.6.0.0/16");
	m.way.count = 0;
	say(rib, RIB_FPM, m, false);
	m.prefix = prefix_of("10.7.0.0/16");
	m.way.blackhole = true;
	say(rib, RIB_FPM, m, false);
	assert_int_equal(rib->ways.count, 6);
	assert_int_equal(rib->hops, 5);
	// One that changes its way leaves the old to the others, the last takes it along.
	m.prefix = prefix_of("10.1.0.0/16");
	say(rib, RIB_FPM, m, false);
	assert_int_equal(way->users, 2);
	say(rib, RIB_FPM, gone(route_to("10.2.0.0/16", 30, 5)), false);
	assert_int_equal(way->users, 1);
	assert_int_equal(rib->ways.count, 6);
	say(rib, RIB_NETLINK, gone(route_to("fd00::/64", 20, 5)), false);
	assert_int_equal(rib->ways.count, 5);
	assert_int_equal(rib->hops, 4);
}

// Prefixes with routes, by length: two routes of one prefix are one.
static void
test_lengths(void **state)
{
	struct rib *rib = *state;

	say(rib, RIB_NETLINK, route_to("0.0.0.0/0", 20, 5), false);
	say(rib, RIB_NETLINK, route_to("10.0.0.0/32", 20, 5), false);
	say(rib, RIB_FPM, route_to("10.0.0.0/32", 20, 5), false);
	say(rib, RIB_FPM, route_to("10.0.0.1/32", 20, 5), false);
	say(rib, RIB_FPM, route_to("::/0", 20, 5), false);
	say(rib, RIB_FPM, route_to("fd00::1/128", 20, 5), false);
	assert_int_equal(rib->lengths[0][0], 1);
	assert_int_equal(rib->lengths[0][32], 2);
	assert_int_equal(rib->lengths[1][0], 1);
	assert_int_equal(rib->lengths[1][128], 1);
	assert_int_equal(rib->prefixes, 5);
	say(rib, RIB_FPM, gone(route_to("10.0.0.0/32", 20, 5)), false);
	assert_int_equal(rib->lengths[0][32], 2);
	say(rib, RIB_NETLINK, gone(route_to("10.0.0.0/32", 20, 5)), false);
	assert_int_equal(rib->lengths[0][32], 1);
	assert_int_equal(rib->prefixes, 4);
}

// The first, one between and the last leave the list of neighbours.
static void
test_neighbours(void **state)
{
	struct learn_message m = {.kind = LEARN_NEIGHBOUR, .usable = true, .address.version = 4};
	static const uint32_t leave[] = {4, 2, 1, 3};
	uint32_t left = 0x1e, seen;
	struct rib *rib = *state;

	for (m.device = 1; m.device <= 4; m.device++)
		say(rib, RIB_NETLINK, m, false);
	for (unsigned i = 0; i < 4; i++) {
		m.device = leave[i];
		say(rib, RIB_NETLINK, gone(m), false);
		left &= ~(1u << leave[i]);
		seen = 0;
		for (const struct rib_neighbour *n = rib->neighbours; n != NULL; n = n->next)
			seen |= 1u << n->fact.key.number;
		assert_int_equal(seen, left);
	}
	assert_int_equal(rib->facts.count, 0);
}

static void
test_full(void **state)
{
	const struct learn_message one = route_to("10.1.0.0/16", 20, 5),
				   other = route_to("10.2.0.0/16", 20, 6);
	struct rib *rib = *state;

	say(rib, RIB_FPM, one, false);
	rib->added += RIB_PREFIXES_MAX - 1; // as if they were there
	assert_int_equal(rib_apply(rib, RIB_FPM, &other, false), -ENOSPC);
	say(rib, RIB_NETLINK, one, false); // of a prefix that is there
	rib->added -= RIB_PREFIXES_MAX - 1;
	assert_int_equal(rib->facts.count, 3);
	assert_int_equal(rib->ways.count, 1);
	assert_int_equal(rib->prefixes, 1);
	say(rib, RIB_FPM, other, false);
	assert_int_equal(rib->prefixes, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, open_rib, close_rib)
		T(test_ways_are_shared),
		T(test_lengths),
		T(test_neighbours),
		T(test_full),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
