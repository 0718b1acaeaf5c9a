// SPDX-License-Identifier: BSD-3-Clause
// What `roost show adaptive` tells of a switch whose group has a weighted member.
#include "report_fixture.h"

#include "control/show/show.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#define GROUP "nodes/leaf1/groups/1/"
#define FIRST GROUP "members/[0]/"
#define SECOND GROUP "members/[1]/"

static struct next_hop hops[] = {{{2}, 2}, {{2}, 2}, {{2}, 3}, {{2}, 3}};
static struct next_hop_group groups[] = {
	{.first = 0, .count = 1, .mode = GROUP_ADAPTIVE},
	{.first = 1, .count = 3, .mode = GROUP_ADAPTIVE, .pinned = true},
	// The same next hops in a tunnel.
	{.first = 1, .count = 3, .mode = GROUP_ADAPTIVE, .pinned = true, .encap = 1},
};

static void
choose_paths(struct fixture *f)
{
	struct tables *t = &f->leaf_tables;

	memset(t->grades, 0xff, sizeof(t->grades));
	t->grades[0] = 100;
	t->groups = groups;
	t->group_count = 3;
	t->next_hops = hops;
	t->next_hop_count = 4;
	t->utilisation = true;
	t->flowlets = true;
	t->flowlet_gap = PS_PER_US;
	t->notices = (struct notice_profile){.on = true, .hold = PS_PER_US};
	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->profile.busy_bytes = 9000;
	node_adopt_tables(f->leaf, t);
}

static json_t *
answer(struct fixture *f, ps_t now)
{
	struct show_state s = {.nodes = f->nodes, .node_count = 2, .now = now};
	json_t *params = json_pack("{s:s}", "what", "adaptive"), *out;
	struct diag diag = {0};

	assert_int_equal(show_answer(&s, params, &out, &diag), 0);
	json_decref(params);
	return out;
}

// Groups with a choice only, members once, with the slots that they have.
static void
test_members(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	choose_paths(f);
	f->leaf->ports[3].tx_packets = 7;
	out = answer(f, 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/groups")), 1);
	assert_int_equal(json_array_size(fixture_at(out, GROUP "members")), 2);
	assert_text_at(out, GROUP "mode", "adaptive");
	assert_true(json_is_true(fixture_at(out, GROUP "pinned")));
	assert_text_at(out, FIRST "port", "swp3");
	assert_text_at(out, FIRST "peer", "spine1.swp1");
	assert_integer_at(out, FIRST "weight", 1);
	assert_integer_at(out, SECOND "weight", 2);
	assert_integer_at(out, SECOND "tx_packets", 7);
	assert_integer_at(out, FIRST "grade/[3]", 0);
	json_decref(out);
}

static void
test_what_makes_a_member_worse(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	choose_paths(f);
	f->leaf->depth[3 * FIXTURE_PORTS + 2] = 100;
	paths_set_degraded(f->leaf, &f->leaf->ports[2], true);
	f->leaf->ports[2].tx_bytes = 40000; // in 2 windows
	f->leaf->paths.notices[1] =
		(struct path_notice){.until = 10 * PS_PER_US, .congested = 1 << 3, .held = 1 << 5};
	node_set_tx_off(f->leaf, &f->leaf->ports[3], 1 << 6, 0);
	out = answer(f, 2 * UTILISATION_WINDOW);
	assert_integer_at(out, FIRST "grade/[3]", 4); // depth, degraded, busy, noticed
	assert_integer_at(out, FIRST "grade/[0]", 2);
	assert_true(json_is_null(fixture_at(out, FIRST "grade/[5]")));
	assert_true(json_is_true(fixture_at(out, FIRST "degraded")));
	assert_true(json_is_true(fixture_at(out, FIRST "busy")));
	assert_integer_at(out, FIRST "noticed/[0]", 3);
	assert_integer_at(out, FIRST "held/[0]", 5);
	assert_true(json_is_false(fixture_at(out, SECOND "busy")));
	assert_integer_at(out, SECOND "held/[0]", 6);
	assert_true(json_is_null(fixture_at(out, SECOND "grade/[6]")));
	// 20,000 bytes a window, three quarters of which count after two: 13107 fill one.
	assert_in_range((int)json_real_value(fixture_at(out, FIRST "utilisation")), 113, 115);
	json_decref(out);
	out = answer(f, 10 * PS_PER_US); // the notice is over
	assert_int_equal(json_array_size(fixture_at(out, FIRST "noticed")), 0);
	json_decref(out);
}

static void
test_counts(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	choose_paths(f);
	f->leaf->ports[2].notices_rx = 3;
	f->leaf->ports[3].notices_rx = 4;
	f->leaf->ports[0].notices_tx = 5;
	f->leaf->paths.flowlets_begun = 6;
	f->leaf->paths.flowlets[9] = (struct flowlet){.last = PS_PER_US, .port = 2};
	out = answer(f, 2 * PS_PER_US);
	assert_integer_at(out, "nodes/leaf1/notices_rx", 7);
	assert_integer_at(out, "nodes/leaf1/notices_tx", 5);
	assert_integer_at(out, "nodes/leaf1/flowlets_begun", 6);
	assert_integer_at(out, "nodes/leaf1/flowlets", 1);
	assert_integer_at(out, "nodes/leaf1/pins", 0);
	json_decref(out);
	out = answer(f, 2 * PS_PER_US + 1);
	assert_integer_at(out, "nodes/leaf1/flowlets", 0);
	json_decref(out);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_members),
		T(test_what_makes_a_member_worse),
		T(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
