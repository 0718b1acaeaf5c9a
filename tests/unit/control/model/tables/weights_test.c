// SPDX-License-Identifier: BSD-3-Clause
// Weights of next hops, as slots of a group and as a file says them.
#include "built.h"

#include "control/model/tables/build_internal.h"

#include <string.h>

static void
expect_slots(const uint64_t *weights, uint32_t count, bool scaled, const char *slots)
{
	uint64_t fitted[GROUP_MEMBERS_MAX];
	uint8_t got[GROUP_MEMBERS_MAX];
	uint32_t slot_count;

	memcpy(fitted, weights, count * sizeof(*weights));
	assert_int_equal(tables_fit_weights(fitted, count), scaled);
	slot_count = tables_spread_weights(fitted, count, got);
	assert_int_equal(slot_count, strlen(slots));
	for (uint32_t i = 0; i < slot_count; i++)
		assert_int_equal(got[i] + 'a', slots[i]);
}

// Divided by what they have in common, and no member twice in a row that need not be.
static void
test_small_weights(void **state)
{
	(void)state;
	expect_slots((uint64_t[]){1, 1, 1}, 3, false, "abc");
	expect_slots((uint64_t[]){7, 7}, 2, false, "ab");
	expect_slots((uint64_t[]){2, 1}, 2, false, "aba");
	expect_slots((uint64_t[]){100000000000, 400000000000}, 2, false, "babbb");
	expect_slots((uint64_t[]){1, 1, 1, 3}, 4, false, "dadbdc");
	expect_slots((uint64_t[]){5, 1, 1}, 3, false, "abaacaa");
}

// What needs more than 256 slots is scaled, nobody to nothing.
static void
test_scaled_weights(void **state)
{
	uint64_t weights[GROUP_MEMBERS_MAX] = {1000, 1, 999};

	(void)state;
	assert_true(tables_fit_weights(weights, 3));
	assert_int_equal(weights[0] + weights[1] + weights[2], 256);
	assert_int_equal(weights[1], 1);
	assert_in_range(weights[0], 127, 128);
	for (unsigned i = 0; i < GROUP_MEMBERS_MAX; i++)
		weights[i] = i == 0 ? UINT64_C(8000000000000) : 1;
	assert_true(tables_fit_weights(weights, GROUP_MEMBERS_MAX));
	for (unsigned i = 0; i < GROUP_MEMBERS_MAX; i++)
		assert_int_equal(weights[i], 1);
	weights[0] = 65535;
	weights[1] = 65534;
	assert_true(tables_fit_weights(weights, 2));
	assert_int_equal(weights[0], 1);
	assert_int_equal(weights[1], 1);
}

static uint32_t
slots_of(const struct built *b, const struct next_hop_group *group, uint16_t port)
{
	uint32_t count = 0;

	for (uint32_t i = group->first; i < group->first + group->count; i++)
		count += b->t->next_hops[i].port == port;
	return count;
}

#define FABRIC                                                                           \
	"fabric:\n"                                                                      \
	"  topology: {kind: explicit, nodes: [leaf1, leaf2, spine1, spine2, h1, h2], "   \
	"links: [{a: h1, b: leaf1.swp1}, {a: h2, b: leaf2.swp1}, "                       \
	"{a: leaf1.swp2, b: spine1.swp1, rate: 400G}, {a: leaf1.swp3, b: spine2.swp1}, " \
	"{a: leaf2.swp2, b: spine1.swp2, rate: 400G}, {a: leaf2.swp3, b: spine2.swp2}]}\n"

// By what is written on a route, and by the rates of the links.
static void
test_weighted_routes(void **state)
{
	const struct next_hop_group *group;
	struct built b;

	(void)state;
	built_load(&b, FABRIC, "leaf1");
	built_good(&b);
	group = group_for(&b, "default", "10.0.2.1");
	assert_int_equal(group->count, 2);
	built_drop(&b);
	built_load(&b, FABRIC "leaf: {routing: {weights: capacity}}\n", "leaf1");
	built_good(&b);
	group = group_for(&b, "default", "10.0.2.1");
	assert_int_equal(group->count, 5);
	assert_int_equal(slots_of(&b, group, 1), 4);
	assert_int_equal(slots_of(&b, group, 2), 1);
	built_drop(&b);
	built_load(&b,
		   FABRIC
		   "events: [{node: leaf1, route: {prefix: 10.0.2.0/24, via: [spine1, {node: "
		   "spine2, weight: 3}]}}]\n",
		   "leaf1");
	assert_int_equal(routes_apply_event(b.f.routes, b.f.topology, &b.f.config->events[0],
					    &b.node, &b.f.diag),
			 0);
	built_good(&b);
	group = group_for(&b, "default", "10.0.2.1");
	assert_int_equal(slots_of(&b, group, 1), 1);
	assert_int_equal(slots_of(&b, group, 2), 3);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_weights),
		cmocka_unit_test(test_scaled_weights),
		cmocka_unit_test(test_weighted_routes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
