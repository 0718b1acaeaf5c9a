// SPDX-License-Identifier: BSD-3-Clause
// What `roost show steering` tells, and of which ports.
#include "report_fixture.h"

#include "control/show/show.h"

#include <errno.h>

static const struct show_steered classes[] = {
	{"other", "dataplane", 1000, 1500000},
	{"bgp", "kernel", 3, 257},
	{"unread", "nobody", 0, 0},
};

static int
ask(struct fixture *f, const char *port, json_t **out, char why[static 128])
{
	const struct show_steering steerings[] = {
		{"leaf1", "swp2", "eth7", 41, "fd44b07f01a9e849", false, 3, 0, classes, 3},
		{"leaf1", "swp1", "eth8", 42, "fd44b07f01a9e849", true, 5000, 904, classes, 1},
	};
	struct show_state s = {
		.nodes = f->nodes, .node_count = 2, .steerings = steerings, .steering_count = 2};
	json_t *params = json_pack("{s:s,s:s*}", "what", "steering", "port", port);
	int status;

	assert_int_equal(show_needs(params), SHOW_NEEDS_STEERING);
	status = show_answer(&s, params, out, why, 128);
	json_decref(params);
	return status;
}

static void
test_ports_that_have_it(void **state)
{
	char why[128];
	json_t *out;

	assert_int_equal(ask(*state, NULL, &out, why), 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 2);
	assert_text_at(out, "nodes/leaf1/ports/swp2/netdev", "eth7");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/program", 41);
	assert_text_at(out, "nodes/leaf1/ports/swp2/tag", "fd44b07f01a9e849");
	assert_text_at(out, "nodes/leaf1/ports/swp2/mode", "driver");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/addresses", 3);
	assert_text_at(out, "nodes/leaf1/ports/swp2/classes/bgp/to", "kernel");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/classes/bgp/packets", 3);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/classes/bgp/bytes", 257);
	assert_text_at(out, "nodes/leaf1/ports/swp2/classes/unread/to", "nobody");
	assert_text_at(out, "nodes/leaf1/ports/swp1/mode", "generic");
	assert_integer_at(out, "nodes/leaf1/ports/swp1/addresses_left_out", 904);
	json_decref(out);
}

static void
test_who_is_meant(void **state)
{
	char why[128];
	json_t *out;

	assert_int_equal(ask(*state, "leaf1.swp2", &out, why), 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	assert_non_null(fixture_at(out, "nodes/leaf1/ports/swp2"));
	json_decref(out);
	// A port without it is there, but has nothing to tell.
	assert_int_equal(ask(*state, "h1", &out, why), 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 0);
	json_decref(out);
	assert_int_equal(ask(*state, "leaf9", &out, why), -EINVAL);
	assert_string_equal(why, "steering: there is no switch or port of one leaf9");
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_ports_that_have_it),
		T(test_who_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
