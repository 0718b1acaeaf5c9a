// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

#include <unistd.h>

// The fabric file of the documentation, every part of it.
static const char demo[] =
	"fabric:\n"
	"  name: demo\n"
	"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4, planes: 1}\n"
	"  links:\n"
	"    host:   {rate: 100G, delay: 500ns}\n"
	"    fabric: {rate: 400G, cable: 5m, mtu: 4000}\n"
	"    framing: {preamble: 8B, fcs: 4B, gap: 12B}\n"
	"  mtu: 4200\n"
	"  seed: 7\n"
	"  dilation: 1000\n"
	"live: {workers: 2, cpus: [0, 3], idle: poll, hugepages: off, max-lag: 20ms}\n"
	"switch:\n"
	"  preset: spectrum-x\n"
	"  buffer: {size: 4MB, cell: 192}\n"
	"  routing: {mode: adaptive}\n"
	"hosts: {placement: out-of-order}\n"
	"tenants:\n"
	"  red:  {hosts: [h1, h2, h5, h6], vni: 5001, buffer: {guaranteed: 256KB, share: 50%}}\n"
	"  blue: {hosts: [h3, h4, h7, h8], vni: 5002, encap: plain}\n"
	"attach:\n"
	"  h1: {netns: roost-demo-h1, mtu: 1500}\n"
	"  h3: {dev: \"net_tap0,iface=t0\"}\n"
	"workload:\n"
	"  - {kind: flow, from: h1, to: h2, size: 1MB, op: write, name: first, priority: 4}\n"
	"  - {kind: flows, file: x.flow, format: roost}\n"
	"  - {kind: stream, from: h1, to: h2, packet: 1000B, rate: 12G, arrivals: cbr, ttl: 9}\n"
	"  - {kind: incast, to: h1, from: [h2, h5, h6], size: 4MB, at: 3us, repeat: 2, gap: 1us}\n"
	"  - {kind: permutation, size: 4MB, tenant: red, qps: 4}\n"
	"  - {kind: all-to-all, algorithm: direct, size: 64MB}\n"
	"events:\n"
	"  - {at: 50us, link: leaf1-spine1, state: down, for: 1ms}\n"
	"  - {at: 0us, link: h1-leaf1, drop: {ip-id-low-byte: 0xff}}\n"
	"  - {at: 0us, node: leaf1, route: {vrf: red, prefix: 10.0.0.0/8, via: [spine1]}}\n"
	"  - {at: 70us, set: switch.qos.tc.3.ecn.min, to: 100KB}\n"
	"  - {at: 20us, snapshot: full}\n"
	"  - {at: 0us, port: leaf1.swp2, tx: off, queue: 3}\n"
	"  - {at: 60us, port: leaf1.swp2, pfc: {priorities: [3, 4], quanta: 65535}}\n"
	"record: {interval: 1us, queues: [leaf1.swp5.3], pcap: [leaf1.swp1], snaplen: full}\n"
	"stop: 5ms\n"
	"stall: 20ms\n";

static void
a_fabric(void **state)
{
	struct config *c = load_good(demo);

	(void)state;
	assert_string_equal(c->fabric.name.text, "demo");
	assert_int_equal(c->fabric.name.pos.line, 2);
	assert_int_equal(c->fabric.topology, CONFIG_TOPOLOGY_LEAF_SPINE);
	assert_int_equal(c->fabric.leaves, 2);
	assert_int_equal(c->fabric.hosts_per_leaf, 4);
	assert_int_equal(c->fabric.host_link.rate_bps, 100000000000);
	assert_int_equal(c->fabric.host_link.delay_ps, 500000);
	assert_int_equal(c->fabric.host_link.cable_mm, 99000);
	assert_int_equal(c->fabric.fabric_link.rate_bps, 400000000000);
	assert_int_equal(c->fabric.fabric_link.delay_ps, 25253);
	assert_int_equal(c->fabric.fabric_link.cable_mm, 5000);
	assert_int_equal(c->fabric.fabric_link.mtu, 4000);
	assert_int_equal(c->fabric.framing.gap_bytes, 12);
	assert_int_equal(c->fabric.mtu, 4200);
	assert_int_equal(c->fabric.seed, 7);
	assert_int_equal(c->fabric.dilation, 1000);
	assert_int_equal(c->live.workers, 2);
	assert_int_not_equal(c->live.cpu_count, 0);
	assert_int_equal(c->live.cpu_count, 2);
	assert_int_equal(c->live.cpus[1], 3);
	assert_int_equal(c->live.idle, CONFIG_IDLE_POLL);
	assert_int_equal(c->live.hugepages, CONFIG_HUGEPAGES_OFF);
	assert_int_equal(c->live.max_lag_ps, 20000000000);
	assert_false(c->stop.idle);
	assert_int_equal(c->stop.time_ps, 5000000000);
	assert_int_equal(c->stall_ps, 20000000000);
	config_free(c);
}

static void
tenants_and_attached_hosts(void **state)
{
	struct config *c = load_good(demo);

	(void)state;
	assert_int_equal(c->tenant_count, 2);
	assert_string_equal(c->tenants[0].name.text, "red");
	assert_int_equal(c->tenants[0].hosts.count, 4);
	assert_string_equal(c->tenants[0].hosts.items[2].text, "h5");
	assert_int_equal(c->tenants[0].hosts.items[2].pos.line, 18);
	assert_int_equal(c->tenants[0].hosts.items[2].pos.column, 26);
	assert_true(c->tenants[0].buffer_set);
	assert_int_equal(c->tenants[0].guaranteed_bytes, 256000);
	assert_int_equal(c->tenants[0].share.kind, CONFIG_AMOUNT_PERCENT);
	assert_int_equal(c->tenants[0].share.value, 500000);
	assert_false(c->tenants[1].buffer_set);
	assert_int_equal(c->tenants[1].share.kind, CONFIG_AMOUNT_NONE);
	assert_int_equal(c->tenants[1].vni, 5002);
	assert_int_equal(c->attach_count, 2);
	assert_string_equal(c->attach[0].netns.text, "roost-demo-h1");
	assert_int_equal(c->attach[0].mtu, 1500);
	assert_null(c->attach[0].dev.text);
	assert_string_equal(c->attach[1].dev.text, "net_tap0,iface=t0");
	config_free(c);
}

static void
work_events_and_records(void **state)
{
	struct config *c = load_good(demo);
	const struct config_work *w = c->workload;
	const struct config_event *e = c->events;

	(void)state;
	assert_int_equal(c->work_count, 6);
	assert_int_equal(w[0].kind, CONFIG_WORK_FLOW);
	assert_string_equal(w[0].from.items[0].text, "h1");
	assert_string_equal(w[0].to.text, "h2");
	assert_int_equal(w[0].size_bytes, 1000000);
	assert_int_equal(w[0].priority, 4);
	assert_int_equal(w[0].pos.line, 24);
	assert_string_equal(w[1].file.text, "x.flow");
	assert_int_equal(w[2].rate_bps, 12000000000);
	assert_int_equal(w[2].ttl, 9);
	assert_int_equal(w[2].priority, -1);
	assert_int_equal(w[3].from.count, 3);
	assert_int_equal(w[3].at_ps, 3000000);
	assert_int_equal(w[3].repeat, 2);
	assert_int_equal(w[3].gap_ps, 1000000);
	assert_string_equal(w[4].tenant.text, "red");
	assert_int_equal(w[4].qps, 4);
	assert_int_equal(w[5].repeat, 1);
	assert_int_equal(c->event_count, 7);
	assert_int_equal(e[0].kind, CONFIG_EVENT_LINK);
	assert_int_equal(e[0].changes, CONFIG_LINK_STATE);
	assert_false(e[0].up);
	assert_int_equal(e[0].at_ps, 50000000);
	assert_int_equal(e[0].for_ps, 1000000000);
	assert_int_equal(e[1].changes, CONFIG_LINK_DROP);
	assert_int_equal(e[1].ip_id_low_byte, 0xff);
	assert_int_equal(e[2].kind, CONFIG_EVENT_ROUTE);
	assert_string_equal(e[2].route.vrf.text, "red");
	assert_int_equal(e[2].route.prefix.length, 8);
	assert_string_equal(e[2].route.via[0].node.text, "spine1");
	assert_int_equal(e[3].kind, CONFIG_EVENT_SET);
	assert_string_equal(e[3].key.text, "switch.qos.tc.3.ecn.min");
	assert_int_equal(e[4].kind, CONFIG_EVENT_SNAPSHOT);
	assert_int_equal(e[5].kind, CONFIG_EVENT_PORT_TX);
	assert_false(e[5].tx_on);
	assert_int_equal(e[5].queue, 3);
	assert_int_equal(e[6].kind, CONFIG_EVENT_PORT_PFC);
	assert_int_equal(e[6].priorities, 0x18);
	assert_int_equal(e[6].quanta, 65535);
	assert_int_equal(e[6].queue, -1);
	assert_int_equal(c->record.interval_ps, 1000000);
	assert_string_equal(c->record.queues.items[0].text, "leaf1.swp5.3");
	assert_true(c->record.snaplen_full);
	config_free(c);
}

static void
defaults_of_a_fabric(void **state)
{
	struct config *c = load_good(FABRIC);

	(void)state;
	assert_int_equal(c->fabric.mtu, 4200);
	assert_int_equal(c->fabric.seed, 1);
	assert_int_equal(c->fabric.dilation, 1);
	assert_int_equal(c->fabric.planes, 1);
	assert_int_equal(c->fabric.framing.preamble_bytes, 8);
	assert_int_equal(c->fabric.framing.fcs_bytes, 4);
	assert_int_equal(c->live.workers, 1);
	assert_int_equal(c->live.cpu_count, 0);
	assert_int_equal(c->live.max_lag_ps, 10000000000);
	assert_true(c->stop.idle);
	assert_int_equal(c->stall_ps, 10000000000);
	assert_int_equal(c->record.snaplen_bytes, 128);
	assert_false(c->record.snaplen_full);
	config_free(c);
}

static void
one_switch(void **state)
{
	struct config *c = load_good(
		"switch:\n"
		"  name: dut\n"
		"  role: spine\n"
		"  preset: sonic\n"
		"  ports:\n"
		"    swp1: {rate: 100G, cable: 5m, vrf: red, tenant: red, mac: "
		"\"02:00:00:00:00:07\"}\n"
		"    swp9: {dev: \"net_pcap0,rx_pcap=in.pcap\", rate: device, mtu: 1500}\n"
		"  routes:\n"
		"    - {vrf: red, prefix: 198.18.2.0/24, via: [{port: swp9, mac: "
		"\"02:00:00:00:02:02\"}]}\n"
		"    - {prefix: \"fd00::/16\", via: []}\n"
		"events:\n"
		"  - {at: 0us, port: swp2, tx: off}\n");
	const struct config_port *ports = c->single.ports;
	const struct config_route *routes = c->single.routes;

	(void)state;
	assert_int_equal(c->fabric.topology, CONFIG_TOPOLOGY_SINGLE);
	assert_string_equal(c->fabric.name.text, "dut");
	assert_int_equal(c->single.role, CONFIG_ROLE_SPINE);
	assert_int_equal(c->single.mac.bytes[5], 1);
	assert_int_equal(c->single.port_count, 2);
	assert_int_equal(ports[0].number, 1);
	assert_int_equal(ports[0].link.delay_ps, 25253);
	assert_true(ports[0].link_written);
	assert_int_equal(ports[0].mac.bytes[5], 7);
	assert_int_equal(ports[0].link.mtu, 9216);
	assert_string_equal(ports[0].vrf.text, "red");
	assert_int_equal(ports[1].number, 9);
	assert_int_equal(ports[1].link.rate_bps, 0);
	assert_int_equal(ports[1].link.mtu, 1500);
	assert_string_equal(ports[1].vrf.text, "default");
	assert_null(ports[1].tenant.text);
	assert_false(ports[1].mac.set);
	assert_int_equal(c->single.route_count, 2);
	assert_int_equal(routes[0].via[0].port_number, 9);
	assert_int_equal(routes[0].via[0].mac.bytes[5], 2);
	assert_string_equal(routes[1].vrf.text, "default");
	assert_int_equal(routes[1].prefix.version, 6);
	assert_int_equal(routes[1].via_count, 0);
	config_free(c);
}

static void
top_level_mistakes(void **state)
{
	(void)state;
	expect_messages("hosts: {}\n",
			"f.yaml:1:1: needs \"fabric:\" (a fabric) or \"switch:\" with "
			"ports (one switch)\n");
	expect_messages(
		"fabrc: 1\n" FABRIC,
		"f.yaml:1:1: fabrc: unknown key, and no node's name; did you mean \"fabric\"?\n");
	expect_messages(
		FABRIC "leaf3: {}\nh5: {}\nh4: {}\nspine2: {}\n",
		"f.yaml:2:1: leaf3: unknown key, and no node's name; did you mean \"leaf\"?\n"
		"f.yaml:3:1: h5: unknown key, and no node's name\n");
	expect_messages(SINGLE "hosts: {}\n", "f.yaml:3:1: hosts: unknown key\n");
	expect_messages("fabric: 3\n",
			"f.yaml:1:9: fabric: expected a map of keys and values, found one value\n");
	expect_messages("fabric:\n",
			"f.yaml:1:8: fabric: needs \"topology\": {kind: leaf-spine, leaves, "
			"spines, hosts-per-leaf}\n");
	expect_messages("switch: {name: x}\n",
			"f.yaml:1:9: switch: needs \"ports\": {swp1: {rate: 100G}, ...}\n");
}

static void
all_errors_are_reported_at_once(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "switch:\n"
		       "  preset: spectrumx\n"
		       "  qos: {trsut: [dscp], pfc: {quanta: 99999}}\n"
		       "hosts: {rto: 5}\n"
		       "stop: never\n",
		"f.yaml:3:11: switch.preset: \"spectrumx\" is not one of spectrum-x, sonic, lossy, "
		"infiniband, uec, mrc; "
		"did you mean \"spectrum-x\"?\n"
		"f.yaml:4:9: switch.qos.trsut: unknown key; did you mean \"trust\"?\n"
		"f.yaml:4:38: switch.qos.pfc.quanta: 99999 is out of range: 0 to 65535\n"
		"f.yaml:5:14: hosts.rto: 5 has no unit: write it with ps, ns, us, ms or s\n"
		"f.yaml:6:7: stop: \"never\" is not a duration: write a number and ps, ns, us, ms "
		"or "
		"s, or idle\n");
}

static void
files_that_cannot_be_read(void **state)
{
	struct diag diag = {0};
	struct config *config;

	(void)state;
	assert_int_equal(config_load(&config, "/nowhere/f.yaml", &diag), -22);
	assert_null(config);
	assert_string_equal(diag.messages[0].text,
			    "/nowhere/f.yaml: cannot be read: No such file or directory");
	diag_free(&diag);
	assert_int_equal(config_load(&config, "/", &diag), -22);
	assert_string_equal(diag.messages[0].text,
			    "/: is a directory: name a configuration file; `roost plot` draws the "
			    "directories of runs");
	diag_free(&diag);
	config_free(NULL);
}

static void
a_file_is_read_whole(void **state)
{
	char path[] = "/tmp/roost-config-XXXXXX";
	struct diag diag = {0};
	struct config *config;
	int file = mkstemp(path);
	FILE *to = fdopen(file, "w");

	(void)state;
	assert_non_null(to);
	for (int i = 0; i < 5000; i++)
		fprintf(to, "# a comment that takes some room\n");
	fputs(demo, to);
	fclose(to);
	assert_int_equal(config_load(&config, path, &diag), 0);
	assert_int_equal(config->fabric.name.pos.line, 5002);
	assert_string_equal(config->file, path);
	config_free(config);
	diag_free(&diag);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric),
		cmocka_unit_test(tenants_and_attached_hosts),
		cmocka_unit_test(work_events_and_records),
		cmocka_unit_test(defaults_of_a_fabric),
		cmocka_unit_test(one_switch),
		cmocka_unit_test(top_level_mistakes),
		cmocka_unit_test(all_errors_are_reported_at_once),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(a_file_is_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
