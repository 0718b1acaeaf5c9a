// SPDX-License-Identifier: BSD-3-Clause
// A list of routes against a plain array of them.
#include "control/model/routes/routes.h"
#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 4000
#define SPACE 64 // last bytes of addresses that are tried

struct model {
	bool there;
	uint32_t group;
};

// VRF, version, length of 24 + 0..8 (or the last bits of 128), last byte.
static struct model models[2][2][9][SPACE];

static struct config_prefix
prefix_at(unsigned version, unsigned length, uint8_t last)
{
	struct config_prefix prefix = {
		.version = version == 0 ? 4 : 6,
		.length = (uint8_t)((version == 0 ? 24 : 120) + length),
	};

	prefix.address[0] = 10;
	prefix.address[version == 0 ? 3 : 15] = (uint8_t)(last & ~(0xffu >> length));
	return prefix;
}

static void
check_lookup(const struct route_list *list, unsigned vrf, unsigned version, uint8_t last)
{
	struct config_prefix host = prefix_at(version, 8, last);
	const struct route *found = routes_lookup(list, (uint16_t)vrf, host.version, host.address);
	const struct model *expected = NULL;

	for (unsigned length = 0; length <= 8; length++) {
		const struct model *m =
			&models[vrf][version][length][last & ~(0xffu >> length) & (SPACE - 1)];

		if (m->there)
			expected = m;
	}
	assert_int_equal(found != NULL, expected != NULL);
	if (found != NULL)
		assert_int_equal(found->group, expected->group);
}

static void
test_edits(void **state)
{
	struct random r = random_stream(3, 3);
	struct route_list list = {0};
	uint32_t count = 0;

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned vrf = random_below(&r, 2), version = random_below(&r, 2);
		unsigned length = random_below(&r, 9);
		uint8_t last = (uint8_t)(random_below(&r, SPACE) & ~(0xffu >> length));
		struct config_prefix prefix = prefix_at(version, length, last);
		struct model *m = &models[vrf][version][length][last];

		if (random_below(&r, 3) == 0) {
			routes_remove(&list, (uint16_t)vrf, &prefix);
			count -= m->there;
			m->there = false;
		} else {
			routes_set(&list, &(struct route){.prefix = prefix,
							  .vrf = (uint16_t)vrf,
							  .group = i,
							  .encap = ROUTES_PLAIN});
			count += !m->there;
			*m = (struct model){.there = true, .group = i};
		}
		assert_int_equal(list.count, count);
		check_lookup(&list, random_below(&r, 2), random_below(&r, 2),
			     (uint8_t)random_below(&r, SPACE));
	}
	routes_clear(&list);
}

// Of the routes of one prefix, the first of the nearest.
static const struct route *
expected_of(const struct route *routes, uint32_t count, const struct route *like)
{
	const struct route *best = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (routes[i].vrf == like->vrf &&
		    memcmp(&routes[i].prefix, &like->prefix, sizeof(like->prefix)) == 0 &&
		    (best == NULL || routes[i].distance < best->distance))
			best = &routes[i];
	return best;
}

// A list that consists of so many ascending ones, dealt out in turn; many are sorted otherwise.
static void
check_sort(struct random *r, unsigned sequences)
{
	struct route_list list = {0};
	struct route before[300];
	uint32_t count = 1 + random_below(r, 300);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t sequence = i % sequences, at = i / sequences * SPACE / 300;
		unsigned last = sequences <= 4 ? at : random_below(r, SPACE);

		before[i] = (struct route){
			.prefix = prefix_at(sequence & 1, 4 + random_below(r, 5), (uint8_t)last),
			.vrf = sequence >> 1 & 1,
			.group = i,
			.distance = random_below(r, 3),
		};
		routes_append(&list, &before[i]);
	}
	routes_sort(&list);
	for (uint32_t i = 0; i < list.count; i++) {
		assert_int_equal(list.routes[i].group,
				 expected_of(before, count, &list.routes[i])->group);
		assert_ptr_equal(routes_find(&list, list.routes[i].vrf, &list.routes[i].prefix),
				 &list.routes[i]);
	}
	for (uint32_t i = 0; i < count; i++)
		assert_non_null(routes_find(&list, before[i].vrf, &before[i].prefix));
	routes_set(&list, &(struct route){.vrf = 9, .prefix = prefix_at(0, 8, 1)});
	assert_non_null(routes_find(&list, 9, &(struct config_prefix){4, 32, {10, 0, 0, 1}}));
	routes_clear(&list);
}

static void
test_sort(void **state)
{
	struct random r = random_stream(5, 5);

	(void)state;
	for (unsigned i = 0; i < 400; i++)
		check_sort(&r, 1 + i % 12);
}

static void
test_groups(void **state)
{
	const struct route_member a[2] = {{1, {1, 2, 3, 4, 5, 6}, 0}, {2, {1, 2, 3, 4, 5, 6}, 0}};
	const struct route_member b[2] = {{1, {1, 2, 3, 4, 5, 6}, 0}, {2, {1, 2, 3, 4, 5, 7}, 0}};
	struct route_list list = {0};
	uint32_t one, two, three, again;

	(void)state;
	one = routes_add_group(&list, a, 2);
	two = routes_add_group(&list, b, 2);
	three = routes_add_group(&list, a, 1);
	again = routes_add_group(&list, b, 1);
	assert_int_equal(again, three);
	again = routes_add_group(&list, a, 2);
	assert_int_equal(again, one);
	assert_true(one != two && two != three && one != three);
	assert_int_equal(list.group_count, 3);
	assert_int_equal(list.member_count, 5);
	routes_clear(&list);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
