// SPDX-License-Identifier: BSD-3-Clause
// How questions are answered: what they name, and what other parts of the control plane tell. What
// views collect of nodes and ports is in show_nodes_test.c and show_watchdog_test.c.
#include "asked.h"

#include <errno.h>

// clang-format off
static const char fabric[] = JSON({
	"name": "demo", "file": "conf/demo.yaml", "state": "running", "dilation": 1000,
	"idle": "sleep",
	"workers": [{"cpu": 1, "nodes": 2, "lag_ns": 30, "lag_max_ns": 400, "slips": 5}],
	"links": [
		{"a": "leaf1.swp1", "b": "h1.eth1", "rate_bps": 100000000000, "delay_ps": 500000,
		 "state": "up"},
		{"a": "leaf1.swp3", "b": "spine1.swp1", "rate_bps": 400000000000,
		 "delay_ps": 500000, "state": "down"}
	]
});
static const char routes[] = JSON({
	"leaf1": {"vrfs": {
		"red": {"10.0.2.0/24": {
			"mode": "adaptive", "source": "computed", "glean": false,
			"via": [{"port": "swp3", "node": "spine1", "mac": "02:01:00:00:01:01"},
				{"port": "swp4", "node": null, "mac": "02:00:00:00:00:00"}],
			"encap": {"kind": "vxlan", "vni": 5001, "to": "172.16.0.2"}}},
		"default": {"0.0.0.0/0": {
			"mode": "ecmp", "source": "netlink", "glean": true, "via": [],
			"encap": null}}}},
	"leaf2": {"vrfs": {
		"red": {"10.0.1.0/24": {
			"mode": "ecmp", "source": "static", "glean": false,
			"via": [{"port": "swp3", "node": "spine1", "mac": "02:01:00:00:01:01"}],
			"encap": {"kind": "vlan", "vlan": 101}}}}}
});
static const char learned[] = JSON({
	"leaf1": {
		"learning": {"red": {"source": "both", "prefixes": 7, "dumps": 2,
				     "fpm_connected": true}},
		"neighbours": {"red": [
			{"address": "10.0.2.7", "interface": "swp3", "state": "stale",
			 "usable": true, "mac": "02:01:00:00:01:01"},
			{"address": "fe80::1", "interface": "swp4", "state": "failed",
			 "usable": false, "mac": null}]}},
	"leaf2": {"learning": {"default": {"netns": "leaf2", "source": "netlink"}}}
});
static const char hosts[] = JSON([
	{"host": "h1", "nic": "eth1", "address": "10.0.1.1", "port": "leaf1.swp1",
	 "tenant": null, "mac": "02:00:0a:00:01:01", "is": "simulated"},
	{"host": "h2", "nic": "eth1", "address": "10.0.1.2", "port": "leaf1.swp2",
	 "tenant": "red", "mac": "02:00:0a:00:01:02", "is": "namespace lab-h2"}
]);
// clang-format on

// What other parts of the control plane tell.
static struct show_state
load(void)
{
	return (struct show_state){.fabric = json_loads(fabric, 0, NULL),
				   .routes = json_loads(routes, 0, NULL),
				   .learned = json_loads(learned, 0, NULL),
				   .hosts = json_loads(hosts, 0, NULL)};
}

static void
unload(struct show_state *s)
{
	json_decref(s->fabric);
	json_decref(s->routes);
	json_decref(s->learned);
	json_decref(s->hosts);
}

static int
ask(struct fixture *f, json_t *params, json_t **out)
{
	struct show_state s = load();
	int status = ask_with(f, &s, params, out);

	unload(&s);
	return status;
}

static json_t *
answer_to(struct fixture *f, const char *what, const char *port)
{
	struct show_state s = load();
	json_t *out = answer_with(f, &s, what, port);

	unload(&s);
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

static json_t *
route_at(const json_t *out, const char *vrf_path, const char *prefix)
{
	return json_object_get(fixture_at(out, vrf_path), prefix);
}

static void
test_neighbours(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "neighbour", NULL);

	assert_text_at(out, "nodes/leaf1/neighbours/red/[0]/address", "10.0.2.7");
	assert_text_at(out, "nodes/leaf1/neighbours/red/[0]/interface", "swp3");
	assert_text_at(out, "nodes/leaf1/neighbours/red/[0]/mac", "02:01:00:00:01:01");
	assert_text_at(out, "nodes/leaf1/neighbours/red/[1]/state", "failed");
	assert_true(json_is_null(fixture_at(out, "nodes/leaf1/neighbours/red/[1]/mac")));
	assert_integer_at(out, "nodes/leaf1/learning/red/prefixes", 7);
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/learning/red/fpm_connected")));
	assert_text_at(out, "nodes/leaf2/learning/default/netns", "leaf2");
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "neighbour", "vrf", "red"), &out),
			 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "neighbour", "vrf", "blue"), &out),
			 -EINVAL);
	assert_string_equal(why, "no neighbour in a VRF blue");
}

static void
test_hosts(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "hosts", NULL);

	assert_int_equal(json_array_size(fixture_at(out, "hosts")), 2);
	json_decref(out);
	out = answer_to(f, "hosts", "h2");
	assert_int_equal(json_array_size(fixture_at(out, "hosts")), 1);
	assert_text_at(out, "hosts/[0]/is", "namespace lab-h2");
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "hosts", "port", "h9"), &out),
			 -EINVAL);
	assert_string_equal(why, "hosts: there is no host h9");
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
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "source", "computed");
	assert_true(json_is_true(
		json_object_get(route_at(out, "nodes/leaf1/vrfs/default", "0.0.0.0/0"), "glean")));
	assert_int_equal(json_array_size(json_object_get(
				 route_at(out, "nodes/leaf1/vrfs/default", "0.0.0.0/0"), "via")),
			 0);
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "encap/kind", "vxlan");
	assert_integer_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "encap/vni", 5001);
	assert_text_at(route_at(out, "nodes/leaf1/vrfs/red", "10.0.2.0/24"), "encap/to",
		       "172.16.0.2");
	assert_true(json_is_null(
		json_object_get(route_at(out, "nodes/leaf1/vrfs/default", "0.0.0.0/0"), "encap")));
	assert_text_at(route_at(out, "nodes/leaf2/vrfs/red", "10.0.1.0/24"), "encap/kind", "vlan");
	assert_integer_at(route_at(out, "nodes/leaf2/vrfs/red", "10.0.1.0/24"), "encap/vlan", 101);
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
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "interface", "view", "x"), &out),
			 -EINVAL);
	assert_string_equal(why, "interface: there is no view x");
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "pfc", "view", "roce-status"), &out),
			 -EINVAL);
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
		T(test_fabric), T(test_filters), T(test_neighbours),
		T(test_hosts),  T(test_routes),  T(test_wrong_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
