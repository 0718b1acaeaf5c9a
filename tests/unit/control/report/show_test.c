// SPDX-License-Identifier: BSD-3-Clause
#include "report_fixture.h"

#include "control/report/show.h"

#include <errno.h>

static const struct show_worker workers[] = {
	{.cpu = 1, .nodes = 2, .lag_ns = 30, .lag_max_ns = 400, .slips = 5}};
static const struct show_link links[] = {
	{"leaf1.swp1", "h1.eth1", UINT64_C(100000000000), 500 * PS_PER_NS, true},
	{"leaf1.swp3", "spine1.swp1", UINT64_C(400000000000), 500 * PS_PER_NS, false},
};
static const struct show_fabric fabric = {
	.name = "demo",
	.file = "conf/demo.yaml",
	.state = "running",
	.dilation = 1000,
	.idle = "sleep",
	.workers = workers,
	.worker_count = 1,
	.links = links,
	.link_count = 2,
};
static const struct show_next_hop hops[] = {{"swp3", "spine1", {2, 1, 0, 0, 1, 1}},
					    {"swp4", NULL, {2}}};
static const struct show_route routes[] = {
	{"leaf1", "red", "10.0.2.0/24", "adaptive", hops, 2},
	{"leaf1", "default", "0.0.0.0/0", "ecmp", NULL, 0},
	{"leaf2", "red", "10.0.1.0/24", "ecmp", hops, 1},
};

static char why[256];

static int
ask(struct fixture *f, json_t *params, json_t **out)
{
	struct show_state s = {&fabric, f->nodes, 2, routes, 3, 5 * PS_PER_US};
	int status;

	why[0] = '\0';
	status = show_answer(&s, params, out, why, sizeof(why));
	json_decref(params);
	return status;
}

static json_t *
answer_to(struct fixture *f, const char *what, const char *port)
{
	json_t *out;

	assert_int_equal(ask(f, json_pack("{s:s,s:s*}", "what", what, "port", port), &out), 0);
	assert_integer_at(out, "time_ns", 5000);
	return out;
}

static void
test_fabric(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	f->leaf->ports[0].rx_packets = 7;
	f->leaf->ports[1].drops[DROP_RUNT] = 2;
	f->leaf->ports[1].up = false;
	out = answer_to(f, "fabric", NULL);
	assert_text_at(out, "name", "demo");
	assert_text_at(out, "state", "running");
	assert_integer_at(out, "dilation", 1000);
	assert_integer_at(out, "workers/[0]/lag_max_ns", 400);
	assert_text_at(out, "nodes/leaf1/role", "leaf");
	assert_integer_at(out, "nodes/leaf1/ports", 4);
	assert_integer_at(out, "nodes/leaf1/ports_up", 3);
	assert_integer_at(out, "nodes/leaf1/rx_packets", 7);
	assert_integer_at(out, "nodes/leaf1/dropped", 2);
	assert_text_at(out, "nodes/h1/role", "nic");
	assert_text_at(out, "links/[1]/state", "down");
	assert_integer_at(out, "links/[0]/delay_ps", 500000);
	json_decref(out);
}

static void
test_interface_tells_what_a_port_is(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "interface", "leaf1.swp2");

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/state", "up");
	assert_text_at(out, "nodes/leaf1/ports/swp2/peer", "h2.eth1");
	assert_text_at(out, "nodes/leaf1/ports/swp2/vrf", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/tenant", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/mac", "02:01:00:00:00:02");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/mtu", 4200);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/rate_bps", UINT64_C(100000000000));
	assert_integer_at(out, "nodes/leaf1/ports/swp2/rx_packets", 0);
	fixture_at(out, "nodes/leaf1/ports/swp2/queue/[7]");
	json_decref(out);
	out = answer_to(f, "interface", "leaf1.swp3");
	assert_true(json_is_null(fixture_at(out, "nodes/leaf1/ports/swp3/tenant")));
	assert_text_at(out, "nodes/leaf1/ports/swp3/vrf", "default");
	json_decref(out);
}

static void
test_filters(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "pfc", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 4);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/h1/ports")), 1);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/ports/swp1"), "queue"));
	json_decref(out);
	out = answer_to(f, "queue", "leaf1");
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 4);
	json_decref(out);
	out = answer_to(f, "queue", "swp4");
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	json_decref(out);
	assert_int_equal(
		ask(f, json_pack("{s:s,s:s}", "what", "queue", "port", "leaf1.swp9"), &out),
		-EINVAL);
	assert_string_equal(why, "queue: there is no node or port leaf1.swp9");
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "queue", "port", "leaf"), &out),
			 -EINVAL);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "queue", "port", ""), &out),
			 -EINVAL);
	assert_null(out);
}

static void
test_pools_are_of_switches(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "pool", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_integer_at(out, "nodes/leaf1/pools/headroom/size", 500 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/guaranteed", 100 * 192);
	json_decref(out);
	out = answer_to(f, "pool", "h1");
	fixture_at(out, "nodes/h1/pools");
	json_decref(out);
}

static void
test_drops_come_with_advice(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 12;
	f->nic->ports[0].drops[DROP_NOT_FOR_HOST] = 1;
	out = answer_to(f, "drops", NULL);
	assert_integer_at(out, "nodes/leaf1/ports/swp1/drops/no-route", 12);
	assert_int_equal(json_object_size(fixture_at(out, "advice")), 2);
	assert_text_at(out, "advice/no-route", drop_advice(DROP_NO_ROUTE));
	json_decref(out);
	out = answer_to(f, "drops", "h1");
	assert_int_equal(json_object_size(fixture_at(out, "advice")), 1);
	json_decref(out);
}

static json_t *
route_at(const json_t *out, const char *vrf_path, const char *prefix)
{
	return json_object_get(fixture_at(out, vrf_path), prefix);
}

static void
test_routes(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "route", NULL);

	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "mode", "adaptive");
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "via/[0]/port",
		       "swp3");
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "via/[0]/node",
		       "spine1");
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "via/[0]/mac",
		       "02:01:00:00:01:01");
	assert_int_equal(json_array_size(json_object_get(
				 route_at(out, "nodes/leaf1/vrfs/default", "0.0.0.0/0"), "via")),
			 0);
	assert_non_null(route_at(out, "nodes/leaf2/vrfs/red", "10.0.1.0/24"));
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "route", "vrf", "red"), &out), 0);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/vrfs"), "default"));
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 2);
	json_decref(out);
	assert_int_equal(
		ask(f, json_pack("{s:s,s:s,s:s}", "what", "route", "vrf", "red", "port", "leaf2"),
		    &out),
		0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "route", "vrf", "green"), &out),
			 -EINVAL);
	assert_string_equal(why, "no route in a VRF green");
}

static void
test_wrong_questions(void **state)
{
	struct fixture *f = *state;
	json_t *out;

	assert_int_equal(ask(f, json_pack("{s:s}", "what", "queues"), &out), -EINVAL);
	assert_string_equal(why, "there is no show queues; did you mean \"queue\"?");
	assert_int_equal(ask(f, json_pack("{s:s}", "what", "everything"), &out), -EINVAL);
	assert_string_equal(why, "there is no show everything");
	assert_int_equal(ask(f, json_pack("{s:i}", "what", 3), &out), -EINVAL);
	assert_int_equal(ask(f, json_object(), &out), -EINVAL);
	assert_int_equal(ask(f, json_array(), &out), -EINVAL);
	assert_int_equal(ask(f, NULL, &out), -EINVAL);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "queue", "prot", "swp1"), &out),
			 -EINVAL);
	assert_null(out);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_fabric),
		T(test_interface_tells_what_a_port_is),
		T(test_filters),
		T(test_pools_are_of_switches),
		T(test_drops_come_with_advice),
		T(test_routes),
		T(test_wrong_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
