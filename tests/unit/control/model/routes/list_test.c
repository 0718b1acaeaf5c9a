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
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
