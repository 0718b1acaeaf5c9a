// SPDX-License-Identifier: BSD-3-Clause
// `qos roce` and the RoCE views of an interface, of the fixture's leaf with settings read from
// text.
#include "report_fixture.h"

#include "control/show/show.h"

#include <errno.h>

static const char text[] = "switch:\n"
			   "  name: leaf1\n"
			   "  preset: spectrum-x\n"
			   "  qos:\n"
			   "    tc: {3: {ecn: {min: 100KB}, weight: 150, max-rate: 50G}}\n"
			   "    ports: {swp2: {trust: [pcp], dscp-to-priority: {default: 5},\n"
			   "      pfc: {priorities: [4]}, pg: {3: {static: 40KB, headroom: 9KB}},\n"
			   "      tc: {3: {weight: 450}, 0: {scheduler: strict}}}}\n"
			   "  ports: {swp1: {}, swp2: {}, swp3: {}, swp4: {}}\n";
static const char alone[] = "switch: {name: p, preset: spectrum-x, ports: {swp1: {}}}\n";
static struct topo_port ports[] = {{.number = 1, .cable_mm = 5000},
				   {.number = 2, .cable_mm = 5000},
				   {.number = 3, .cable_mm = 40000},
				   {.number = 4}};
static const struct topo_node place = {.name = "leaf1", .ports = ports, .port_count = 4};

struct switches {
	struct fixture *fixture;
	struct config *config, *preset;
	struct show_switch shown;
};

static int
setup(void **state)
{
	struct switches *s = calloc(1, sizeof(*s));
	struct diag diag = {0};
	void *fixture;

	assert_non_null(s);
	fixture_setup(&fixture);
	s->fixture = fixture;
	if (config_load_text(&s->config, text, strlen(text), "text", &diag) != 0 ||
	    config_load_text(&s->preset, alone, strlen(alone), "alone", &diag) != 0) {
		diag_print(&diag, stderr);
		fail();
	}
	diag_free(&diag);
	assert_int_equal(config_switch_marked(s->config, "leaf1", CONFIG_ROLE_LEAF,
					      &s->shown.settings, &s->shown.marks),
			 0);
	assert_int_equal(config_switch(s->preset, "p", CONFIG_ROLE_LEAF, &s->shown.preset), 0);
	s->shown.place = &place;
	*state = s;
	return 0;
}

static int
teardown(void **state)
{
	struct switches *s = *state;
	void *fixture = s->fixture;

	config_marks_free(&s->shown.marks);
	config_free(s->config);
	config_free(s->preset);
	fixture_teardown(&fixture);
	free(s);
	return 0;
}

static int
ask(const struct switches *s, json_t *params, json_t **out)
{
	const struct show_state shown = {.nodes = s->fixture->nodes,
					 .node_count = 2,
					 .now = 5 * PS_PER_US,
					 .switches = &s->shown,
					 .switch_count = 1};
	struct diag diag = {0};
	int status;

	assert_int_equal(show_needs(params), SHOW_NEEDS_SETTINGS);
	status = show_answer(&shown, params, out, &diag);
	diag_free(&diag);
	json_decref(params);
	return status;
}

static void
assert_bool_at(const json_t *from, const char *path, bool expected)
{
	if (!json_is_boolean(fixture_at(from, path)) ||
	    json_is_true(fixture_at(from, path)) != expected)
		fail_msg("%s is not %d", path, expected);
}

static void
test_a_switch(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *qos;

	assert_int_equal(ask(s, json_pack("{s:s}", "what", "qos"), &out), 0);
	qos = fixture_at(out, "nodes/leaf1");
	assert_bool_at(qos, "enable", true);
	assert_text_at(qos, "preset", "spectrum-x");
	assert_text_at(qos, "mode", "lossless");
	assert_text_at(qos, "congestion-control/congestion-mode", "ecn, absolute");
	assert_int_equal(json_array_size(fixture_at(qos, "congestion-control/enabled-tc")), 2);
	assert_integer_at(qos, "congestion-control/tc/[0]/min-threshold", 150000);
	assert_integer_at(qos, "congestion-control/tc/[1]/traffic-class", 3);
	assert_integer_at(qos, "congestion-control/tc/[1]/min-threshold", 100000);
	assert_integer_at(qos, "congestion-control/tc/[1]/max-threshold", 1500000);
	assert_integer_at(qos, "congestion-control/tc/[1]/probability", 100);
	assert_int_equal(json_array_size(fixture_at(qos, "pfc/pfc-priority")), 1);
	assert_integer_at(qos, "pfc/pfc-priority/[0]", 3);
	assert_bool_at(qos, "pfc/rx-enabled", true);
	assert_bool_at(qos, "pfc/tx-enabled", true);
	assert_int_equal(json_array_size(fixture_at(qos, "pfc/cable-length")), 2);
	assert_true(json_real_value(fixture_at(qos, "pfc/cable-length/[1]")) == 40.0);
	assert_text_at(qos, "trust/trust-mode/[0]", "dscp");
	assert_integer_at(qos, "dscp-to-sp/[26]", 3);
	assert_integer_at(qos, "dscp-to-sp/[48]", 6);
	assert_integer_at(qos, "sp-to-tc/[6]", 6);
	assert_integer_at(qos, "sp-to-pg/[3]", 3);
	json_decref(out);
}

// Of 200 parts class 3 has 150.
static void
test_scheduling(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *classes;

	assert_int_equal(ask(s, json_pack("{s:s}", "what", "qos"), &out), 0);
	classes = fixture_at(out, "nodes/leaf1/traffic-class");
	assert_int_equal(json_array_size(classes), 3);
	assert_integer_at(classes, "[0]/share", 25);
	assert_integer_at(classes, "[1]/traffic-class", 3);
	assert_integer_at(classes, "[1]/share", 75);
	assert_integer_at(classes, "[1]/max-rate-bps", UINT64_C(50000000000));
	assert_text_at(classes, "[2]/scheduler", "strict");
	json_decref(out);
}

static void
test_pools(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *pools;

	s->fixture->leaf->buffer.pools[POOL_INGRESS_LOSSLESS] =
		(struct pool){.used = 3, .used_max = 7};
	assert_int_equal(ask(s, json_pack("{s:s}", "what", "qos"), &out), 0);
	pools = fixture_at(out, "nodes/leaf1/pools");
	assert_int_equal(json_array_size(pools), 4);
	assert_text_at(pools, "[0]/known-as", "lossy-default-ingress");
	assert_int_equal(json_array_size(fixture_at(pools, "[0]/switch-priorities")), 7);
	assert_text_at(pools, "[1]/known-as", "roce-reserved-ingress");
	assert_text_at(pools, "[1]/name", "ingress-lossless");
	assert_text_at(pools, "[1]/mode", "Dynamic");
	assert_integer_at(pools, "[1]/switch-priorities/[0]", 3);
	assert_integer_at(pools, "[1]/size", 1000 * 192);
	assert_integer_at(pools, "[1]/used", 3 * 192);
	assert_integer_at(pools, "[1]/used_max", 7 * 192);
	assert_integer_at(pools, "[2]/traffic-class/[1]", 6);
	assert_bool_at(pools, "[3]/unlimited", true);
	json_decref(out);
}

static json_t *
setting(const json_t *of, const char *kind, const char *key)
{
	return json_object_get(json_object_get(of, kind), key);
}

static void
test_what_differs_from_the_preset(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *qos;

	assert_int_equal(ask(s, json_pack("{s:s}", "what", "qos"), &out), 0);
	qos = fixture_at(out, "nodes/leaf1");
	assert_int_equal(json_object_size(fixture_at(qos, "exceptions")), 3 + 1 + CONFIG_DSCPS + 5);
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.ecn.min"), "value", "100KB");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.ecn.min"), "preset", "150KB");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.ecn.min"), "where", "line 5");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.weight"), "preset", "50");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.max-rate"), "value", "50G");
	assert_text_at(setting(qos, "exceptions", "qos.ports.swp2.trust"), "value", "[pcp]");
	assert_text_at(setting(qos, "values", "qos.tc.3.ecn.min"), "origin", "overridden");
	assert_text_at(setting(qos, "values", "qos.tc.3.ecn.max"), "origin", "preset");
	assert_text_at(setting(qos, "values", "qos.pfc.quanta"), "origin", "default");
	assert_null(setting(qos, "values", "routing.mode"));
	json_decref(out);
}

static void
test_configuration(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *node;

	assert_int_equal(ask(s, json_pack("{s:s}", "what", "config"), &out), 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes")), 1);
	node = fixture_at(out, "nodes/leaf1");
	assert_text_at(node, "preset", "spectrum-x");
	assert_text_at(node, "preset-where", "line 3");
	assert_text_at(node, "mode", "lossless");
	assert_true(json_is_null(fixture_at(node, "mode-where")));
	assert_text_at(setting(node, "values", "qos.tc.3.ecn.min"), "where", "line 5");
	assert_text_at(setting(node, "values", "qos.ports.swp2.trust"), "value", "[pcp]");
	assert_text_at(setting(node, "values", "routing.mode"), "origin", "default");
	json_decref(out);
	assert_int_equal(ask(s, json_pack("{s:s,s:s}", "what", "config", "port", "h1"), &out),
			 -EINVAL);
	assert_int_equal(
		ask(s, json_pack("{s:s,s:s}", "what", "config", "port", "leaf1.swp1"), &out),
		-EINVAL);
}

// A port's own settings stand where those of all ports stood.
static void
test_status_of_a_port(void **state)
{
	const struct switches *s = *state;
	json_t *out;
	const json_t *qos;

	assert_int_equal(ask(s,
			     json_pack("{s:s,s:s,s:s}", "what", "interface", "port", "leaf1.swp2",
				       "view", "roce-status"),
			     &out),
			 0);
	assert_int_equal(json_object_size(fixture_at(out, "nodes/leaf1/ports")), 1);
	qos = fixture_at(out, "nodes/leaf1/ports/swp2");
	assert_int_equal(json_array_size(fixture_at(qos, "trust/trust-mode")), 1);
	assert_text_at(qos, "trust/trust-mode/[0]", "pcp");
	assert_integer_at(qos, "dscp-to-sp/[26]", 5);
	assert_text_at(setting(qos, "values", "qos.trust"), "origin", "overridden");
	assert_null(setting(qos, "values", "qos.ports.swp2.trust"));
	assert_int_equal(json_array_size(fixture_at(qos, "pfc/cable-length")), 1);
	assert_int_equal(json_array_size(fixture_at(qos, "pfc/pfc-priority")), 1);
	assert_integer_at(qos, "pfc/pfc-priority/[0]", 4);
	assert_text_at(qos, "pools/[1]/mode", "Static");
	assert_text_at(setting(qos, "values", "qos.pg.3.headroom"), "value", "9KB");
	assert_text_at(setting(qos, "exceptions", "qos.pg.3.static"), "where", "line 7");
	assert_bool_at(qos, "pfc/rx-enabled", true);
	assert_bool_at(qos, "pfc/tx-enabled", false);
	assert_text_at(qos, "traffic-class/[0]/scheduler", "strict");
	assert_integer_at(qos, "traffic-class/[1]/weight", 450);
	assert_integer_at(qos, "traffic-class/[1]/share", 100);
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.weight"), "value", "450");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.weight"), "preset", "50");
	assert_text_at(setting(qos, "exceptions", "qos.tc.3.weight"), "where", "line 8");
	json_decref(out);
	assert_int_equal(ask(s,
			     json_pack("{s:s,s:s,s:s}", "what", "interface", "port", "leaf1.swp1",
				       "view", "roce-status"),
			     &out),
			 0);
	qos = fixture_at(out, "nodes/leaf1/ports/swp1");
	assert_text_at(qos, "trust/trust-mode/[0]", "dscp");
	assert_integer_at(qos, "dscp-to-sp/[26]", 3);
	assert_integer_at(qos, "traffic-class/[1]/weight", 150);
	assert_text_at(setting(qos, "values", "qos.trust"), "origin", "preset");
	assert_null(setting(qos, "values", "qos.ports.swp2.trust"));
	json_decref(out);
	// A NIC has none of this.
	assert_int_equal(ask(s,
			     json_pack("{s:s,s:s,s:s}", "what", "interface", "port", "h1", "view",
				       "roce-status"),
			     &out),
			 -EINVAL);
}

static void
test_counters_of_a_port(void **state)
{
	const struct switches *s = *state;
	struct port *p = &s->fixture->leaf->ports[0];
	json_t *out;
	const json_t *roce;

	p->groups[3].packets = 10;
	p->groups[3].bytes = 1000;
	p->groups[3].dropped = 1;
	p->groups[3].usage.own = 2;
	p->groups[3].headroom = 3;
	p->groups[3].used_max = 9;
	p->groups[0].packets = 20;
	p->groups[7].packets = 99; // nothing maps there
	p->queues[3].packets = 30;
	p->queues[3].dropped = 4;
	p->queues[3].ecn_marked = 5;
	p->queues[0].ecn_marked = 6;
	p->queues[6].packets = 40;
	p->pfc_rx[3] = 7;
	p->pfc_rx[4] = 70;
	p->pfc_tx[3] = 8;
	p->tx_pause[3] = (struct pause_clock){.since = PS_NEVER, .total = 9 * PS_PER_US};
	s->fixture->leaf->buffer.pools[POOL_INGRESS_LOSSLESS].used = 50;
	assert_int_equal(ask(s,
			     json_pack("{s:s,s:s,s:s}", "what", "interface", "port", "swp1", "view",
				       "roce-counters"),
			     &out),
			 0);
	roce = fixture_at(out, "nodes/leaf1/ports/swp1");
	assert_integer_at(roce, "rx-roce-stats/packets", 10);
	assert_integer_at(roce, "rx-roce-stats/bytes", 1000);
	assert_integer_at(roce, "rx-roce-stats/dropped", 1);
	assert_integer_at(roce, "rx-roce-stats/used", 5 * 192);
	assert_integer_at(roce, "rx-roce-stats/used_max", 9 * 192);
	assert_integer_at(roce, "rx-roce-stats/pool_used", 50 * 192);
	assert_integer_at(roce, "rx-non-roce-stats/packets", 20);
	assert_integer_at(roce, "tx-roce-stats/packets", 30);
	assert_integer_at(roce, "tx-roce-stats/dropped", 4);
	assert_integer_at(roce, "tx-cnp-stats/packets", 40);
	assert_integer_at(roce, "tx-ecn-stats/ecn_marked", 11);
	assert_integer_at(roce, "rx-pfc-stats/pfc_rx", 7);
	assert_integer_at(roce, "tx-pfc-stats/pfc_tx", 8);
	assert_integer_at(roce, "tx-pfc-stats/pfc_tx_pause_ns", 9000);
	json_decref(out);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_a_switch),
		T(test_scheduling),
		T(test_pools),
		T(test_what_differs_from_the_preset),
		T(test_configuration),
		T(test_status_of_a_port),
		T(test_counters_of_a_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
