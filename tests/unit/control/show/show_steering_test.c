// SPDX-License-Identifier: BSD-3-Clause
// What `roost show steering` tells, and of which ports.
#include "report_fixture.h"

#include "control/show/show.h"

#include <errno.h>

// clang-format off
static const char steering[] = JSON({"leaf1": {
	"swp2": {"netdev": "eth7", "program": 41, "tag": "fd44b07f01a9e849", "mode": "driver",
		 "addresses": 3, "addresses_left_out": 0,
		 "classes": {"other": {"to": "dataplane", "packets": 1000, "bytes": 1500000},
			     "bgp": {"to": "kernel", "packets": 3, "bytes": 257},
			     "unread": {"to": "nobody", "packets": 0, "bytes": 0}}},
	"swp1": {"netdev": "eth8", "program": 42, "tag": "fd44b07f01a9e849", "mode": "generic",
		 "addresses": 5000, "addresses_left_out": 904,
		 "classes": {"other": {"to": "dataplane", "packets": 1000, "bytes": 1500000}}}
}});
// clang-format on

static int
ask(struct fixture *f, const char *port, json_t **out, char why[static 128])
{
	struct show_state s = {
		.nodes = f->nodes, .node_count = 2, .steering = json_loads(steering, 0, NULL)};
	json_t *params = json_pack("{s:s,s:s*}", "what", "steering", "port", port);
	struct diag diag = {0};
	int status;

	assert_int_equal(show_needs(params), SHOW_NEEDS_STEERING);
	status = show_answer(&s, params, out, &diag);
	snprintf(why, 128, "%s", diag_first_error(&diag));
	diag_free(&diag);
	json_decref(s.steering);
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
	assert_string_equal(why, "steering: there is no switch or switch port leaf9");
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
