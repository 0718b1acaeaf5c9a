// SPDX-License-Identifier: BSD-3-Clause
#include "report_fixture.h"

#include "control/show/show.h"

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

static char why[256];
static json_t *told; // the log

static int
ask(struct fixture *f, json_t *params, json_t **out)
{
	struct show_state s = {.nodes = f->nodes,
			       .node_count = 2,
			       .now = 5 * PS_PER_US,
			       .fabric = json_loads(fabric, 0, NULL),
			       .routes = json_loads(routes, 0, NULL),
			       .learned = json_loads(learned, 0, NULL),
			       .hosts = json_loads(hosts, 0, NULL),
			       .log = told,
			       .log_lost = 3};
	struct diag diag = {0};
	int status = show_answer(&s, params, out, &diag);

	snprintf(why, sizeof(why), "%s", diag_first_error(&diag));
	diag_free(&diag);
	json_decref(s.fabric);
	json_decref(s.routes);
	json_decref(s.learned);
	json_decref(s.hosts);
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
	json_t *out;

	f->profile.preamble = 8;
	f->profile.fcs = 4;
	f->profile.gap = 12;
	out = answer_to(f, "interface", "leaf1.swp2");
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/state", "up");
	assert_text_at(out, "nodes/leaf1/ports/swp2/peer", "h2.eth1");
	assert_text_at(out, "nodes/leaf1/ports/swp2/vrf", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/tenant", "red");
	assert_text_at(out, "nodes/leaf1/ports/swp2/mac", "02:01:00:00:00:02");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/mtu", 4200);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/overhead_bytes", 24);
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
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1"), "tenants"));
	json_decref(out);
	out = answer_to(f, "pool", "h1");
	fixture_at(out, "nodes/h1/pools");
	json_decref(out);
}

// What a tenant holds of each pool, and the most that it may: by alpha 1 of what is free, or
// without end.
static void
test_tenants_and_their_shares(void **state)
{
	struct fixture *f = *state;
	struct buffer *b = &f->leaf->buffer;
	json_t *out;

	out = answer_to(f, "tenant", NULL);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/tenants/red"), "pools"));
	json_decref(out);
	f->leaf_tables.tenant_buffers = true;
	f->leaf_tables.pools[POOL_INGRESS_LOSSY].shared = 1000;
	b->pools[POOL_INGRESS_LOSSY].shared_use = 300;
	b->tenants[0].used = 80;
	b->tenants[0].pool_used[POOL_INGRESS_LOSSY] = 80;
	b->tenants[0].guarantee[POOL_INGRESS_LOSSY] = 20;
	f->tenants[0].share[POOL_INGRESS_LOSSLESS].fixed = THRESHOLD_UNLIMITED;
	out = answer_to(f, "tenant", "leaf1");
	assert_integer_at(out, "nodes/leaf1/tenants/red/used", 80 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/used", 80 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/guaranteed", 100 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/guaranteed_used",
			  20 * 192);
	assert_integer_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossy/share", 700 * 192);
	assert_true(json_is_null(
		fixture_at(out, "nodes/leaf1/tenants/red/pools/ingress-lossless/share")));
	json_decref(out);
	assert_int_equal(
		ask(f, json_pack("{s:s,s:s}", "what", "tenant", "port", "leaf1.swp1"), &out),
		-EINVAL);
	assert_string_equal(why, "tenant: there is no node leaf1.swp1");
}

static void
test_pauses_in_force(void **state)
{
	struct fixture *f = *state;
	struct port *p = &f->leaf->ports[0];
	json_t *out;

	p->rx_pause[3].since = 4 * PS_PER_US;
	p->pause_until[3] = 6 * PS_PER_US;
	p->rx_pause[4].since = 4 * PS_PER_US;
	p->pause_until[4] = 5 * PS_PER_US;
	p->tx_pause[5].since = 2 * PS_PER_US;
	p->tx_pause[PAUSE_LINK] = (struct pause_clock){.since = 3 * PS_PER_US,
						       .last_start = 3 * PS_PER_US,
						       .last_end = PS_NEVER,
						       .transitions = 1};
	out = answer_to(f, "pfc", "leaf1.swp1");
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_rx_paused/[3]")));
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_rx_paused/[4]")));
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pfc_tx_paused/[5]")));
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/ports/swp1/pause_rx_paused")));
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/ports/swp1/pause_tx_paused")));
	assert_integer_at(out, "nodes/leaf1/ports/swp1/pause_tx_last_start_ns", 3000);
	assert_integer_at(out, "nodes/leaf1/ports/swp1/pause_tx_transitions", 1);
	assert_int_equal(
		json_integer_value(fixture_at(out, "nodes/leaf1/ports/swp1/pause_tx_last_end_ns")),
		-1);
	json_decref(out);
}

static void
test_watchdog(void **state)
{
	struct watchdog_queue watchdog[PRIORITIES] = {0};
	struct fixture *f = *state;
	struct port_profile own;
	json_t *out = answer_to(f, "watchdog", NULL);

	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	assert_true(json_is_false(fixture_at(out, "nodes/leaf1/watchdog/enabled")));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue")), 0);
	json_decref(out);
	f->leaf_tables.watchdog_poll = 100 * PS_PER_MS;
	f->profile.watchdog = (struct watchdog_profile){.on = true,
							.detect = 300 * PS_PER_MS,
							.restore = 200 * PS_PER_MS,
							.action = WATCHDOG_FORWARD,
							.ingress = true};
	f->leaf_tables.tc_priorities[3] = 1 << 3;
	f->leaf_tables.tc_priorities[0] = 0xf7;
	f->profile.obeyed = 1 << 3;
	watchdog[3] = (struct watchdog_queue){
		.storm = true, .storms = 2, .dropped = 5, .stuck_since = 7 * PS_PER_US};
	f->leaf->ports[1].watchdog = watchdog;
	f->leaf->ports[1].queue_cold[3].last_xoff = 8 * PS_PER_US;
	out = answer_to(f, "watchdog", "leaf1");
	assert_integer_at(out, "nodes/leaf1/watchdog/poll_ns", 100000000);
	assert_integer_at(out, "nodes/leaf1/watchdog/detect_ns", 300000000);
	assert_integer_at(out, "nodes/leaf1/watchdog/restore_ns", 200000000);
	assert_text_at(out, "nodes/leaf1/watchdog/action", "forward");
	assert_true(json_is_true(fixture_at(out, "nodes/leaf1/watchdog/ingress")));
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp1/queue")), 1);
	assert_text_at(out, "nodes/leaf1/ports/swp1/queue/3/status", "OK");
	assert_int_equal(
		json_integer_value(fixture_at(out, "nodes/leaf1/ports/swp1/queue/3/last_xoff_ns")),
		-1);
	assert_text_at(out, "nodes/leaf1/ports/swp2/queue/3/status", "STORM");
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/watchdog_storms", 2);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/watchdog_dropped", 5);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/stuck_since_ns", 7000);
	assert_integer_at(out, "nodes/leaf1/ports/swp2/queue/3/last_xoff_ns", 8000);
	json_decref(out);
	f->profile.obeyed = 0;
	f->profile.link_pause = true;
	out = answer_to(f, "watchdog", "swp4");
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports/swp4/queue")), 8);
	json_decref(out);
	// What most ports have, and one that differs.
	own = f->profile;
	own.watchdog.action = WATCHDOG_ALERT;
	f->leaf_tables.ports[0].profile = &own;
	out = answer_to(f, "watchdog", "leaf1");
	assert_text_at(out, "nodes/leaf1/watchdog/action", "forward");
	assert_text_at(out, "nodes/leaf1/ports/swp1/watchdog/action", "alert");
	assert_integer_at(out, "nodes/leaf1/ports/swp1/watchdog/poll_ns", 100000000);
	assert_null(json_object_get(fixture_at(out, "nodes/leaf1/ports/swp2"), "watchdog"));
	json_decref(out);
}

static void
test_log_of_the_watchdog(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *filter;
		size_t entries;
	} asked[] = {{NULL, 3},   {"leaf1", 2}, {"leaf1.swp2", 1},
		     {"swp1", 1}, {"swp2", 2},  {"leaf1.swp3", 0}};
	json_t *out;

	told = json_pack("[{s:i,s:s,s:s,s:s},{s:i,s:s,s:s,s:s},{s:i,s:s,s:s,s:s}]", "at_ns", 1,
			 "node", "leaf1", "queue", "swp1.3", "what", "watchdog-storm", "at_ns", 2,
			 "node", "leaf1", "queue", "swp2.3", "what", "watchdog-storm", "at_ns", 3,
			 "node", "leaf2", "queue", "swp2.3", "what", "watchdog-restore");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		out = answer_to(f, "watchdog", asked[i].filter);
		assert_int_equal(json_array_size(fixture_at(out, "log")), asked[i].entries);
		assert_integer_at(out, "log_lost", 3);
		json_decref(out);
	}
	json_decref(told);
	told = NULL;
}

// All that was told; what happened to no queue is of no node either, and not the watchdog's.
static void
test_log(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *what, *filter;
		size_t entries;
	} asked[] = {{"log", NULL, 2},         {"log", "leaf1", 1}, {"log", "leaf1.swp1", 1},
		     {"log", "leaf1.swp2", 0}, {"log", "h1", 0},    {"watchdog", NULL, 1}};
	json_t *out;

	told = json_pack("[{s:i,s:s,s:s,s:s},{s:i,s:n,s:n,s:s,s:s}]", "at_ns", 1, "node", "leaf1",
			 "queue", "swp1.3", "what", "watchdog-storm", "at_ns", 2, "node", "queue",
			 "what", "event-refused", "message", "why");
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		out = answer_to(f, asked[i].what, asked[i].filter);
		assert_int_equal(json_array_size(fixture_at(out, "log")), asked[i].entries);
		assert_integer_at(out, "log_lost", 3);
		json_decref(out);
	}
	out = answer_to(f, "log", NULL);
	assert_true(json_equal(fixture_at(out, "log"), told));
	json_decref(out);
	assert_int_equal(ask(f, json_pack("{s:s,s:s}", "what", "log", "port", "leaf9"), &out),
			 -EINVAL);
	assert_string_equal(why, "log: there is no node or port leaf9");
	json_decref(told);
	told = NULL;
	out = answer_to(f, "log", NULL);
	assert_int_equal(json_array_size(fixture_at(out, "log")), 0);
	json_decref(out);
}

static void
test_histograms_of_switches(void **state)
{
	struct fixture *f = *state;
	json_t *out = answer_to(f, "histogram", NULL);

	assert_int_equal(json_array_size(fixture_at(out, "nodes/leaf1/histograms")), 0);
	assert_null(json_object_get(fixture_at(out, "nodes"), "h1"));
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
		T(test_fabric),
		T(test_interface_tells_what_a_port_is),
		T(test_filters),
		T(test_pools_are_of_switches),
		T(test_tenants_and_their_shares),
		T(test_pauses_in_force),
		T(test_watchdog),
		T(test_log_of_the_watchdog),
		T(test_log),
		T(test_histograms_of_switches),
		T(test_drops_come_with_advice),
		T(test_neighbours),
		T(test_hosts),
		T(test_routes),
		T(test_wrong_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
