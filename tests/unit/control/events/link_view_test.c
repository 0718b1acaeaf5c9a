// SPDX-License-Identifier: BSD-3-Clause
// Tenants that change while switches are yet to learn of a link leave their routes as they know the
// links.
#include "control/events/events.h"

#include "tests/unit/control/fabric/bench.h"

#define CLOS                                                                                \
	"fabric: {topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}}\n" \
	"switch: {preset: spectrum-x, buffer: {size: 16MB}}\n"                              \
	"leaf: {routing: {convergence: 100us}}\n"                                           \
	"leaf3: {routing: {convergence: 200us}}\n"                                          \
	"tenants:\n"                                                                        \
	"  red: {hosts: [h1, h3, h5], vni: 5001}\n"                                         \
	"  blue: {hosts: [h2], vni: 5002}\n"                                                \
	"events:\n"                                                                         \
	"  - {at: 50us, link: leaf1-spine1, state: down}\n"                                 \
	"  - {at: 180us, link: leaf1-spine1, state: up}\n"
#define LEAF3 2

// By how many spines a leaf sends what is for h1.
static uint32_t
ways(const struct bench *b, uint32_t leaf)
{
	static const uint8_t h1[4] = {10, 0, 1, 1};
	const struct tables *t = b->f->tables[leaf];
	uint32_t group = lpm_lookup4(t->vrfs[vrf_of(b, "red")].ip4, h1);

	assert_int_not_equal(group, LPM_NONE);
	return t->groups[group].count;
}

// At a time in us: events that are due, then a change that is not of red.
static void
move_on(struct bench *b, unsigned us, const char *blue)
{
	const struct config_edit one = {
		.kind = CONFIG_EDIT_SET, .key = "tenants.blue.hosts", .value = blue};

	b->now = us * PS_PER_US;
	assert_int_equal(events_apply(b->e, b->now, &b->place.diag), 0);
	assert_int_equal(events_edit(b->e, &one, 1, NULL, NULL, &b->place.diag), 0);
	assert_int_equal(events_apply(b->e, b->now, &b->place.diag), 0);
}

static void
test_each_switch_in_its_time(void **state)
{
	struct bench b;

	(void)state;
	start(&b, CLOS);
	start_events(&b);
	move_on(&b, 10, "[h2, h4]");
	assert_int_equal(ways(&b, LEAF2), 2);
	move_on(&b, 60, "[h2]"); // the link is down, and no leaf knows
	assert_int_equal(ways(&b, LEAF2), 2);
	assert_int_equal(ways(&b, LEAF3), 2);
	move_on(&b, 155, "[h2, h4]"); // leaf2 does
	assert_int_equal(ways(&b, LEAF2), 1);
	assert_int_equal(ways(&b, LEAF3), 2);
	move_on(&b, 190, "[h2]"); // it is up again: leaf3 never knew that it was down
	assert_int_equal(ways(&b, LEAF2), 1);
	assert_int_equal(ways(&b, LEAF3), 2);
	move_on(&b, 285, "[h2, h4]");
	assert_int_equal(ways(&b, LEAF2), 2);
	assert_int_equal(ways(&b, LEAF3), 2);
	stop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_switch_in_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
