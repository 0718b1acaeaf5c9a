// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
live_mistakes(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "live: {workers: 0, cpus: [1, 1], idle: spin, max-lag: 10}\n",
		"f.yaml:2:17: live.workers: 0 is out of range: 1 to 64\n"
		"f.yaml:2:30: live.cpus: the list has 1 twice\n"
		"f.yaml:2:40: live.idle: \"spin\" is not one of sleep, poll\n"
		"f.yaml:2:55: live.max-lag: 10 has no unit: write it with ps, ns, us, ms or s\n");
	expect_messages(FABRIC "live: {workers: 65}\n",
			"f.yaml:2:17: live.workers: 65 is out of range: 1 to 64\n");
	expect_messages(FABRIC "live: {cpus: all}\n",
			"f.yaml:2:14: live.cpus: \"all\" is not a whole number (0 to 4095), or "
			"auto\n");
	expect_messages(FABRIC "live: {cpus: [4096]}\n",
			"f.yaml:2:15: live.cpus: 4096 is out of range: 0 to 4095, or auto\n");
}

static void
tenant_mistakes(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants:\n"
			       "  red: {hosts: h1, vni: 0, encap: gre, vlan: 101}\n"
			       "  b.c: {buffer: {guaranteed: 1, share: 50}}\n",
			"f.yaml:3:25: tenants.red.vni: 0 is out of range: 1 to 16777215\n"
			"f.yaml:3:35: tenants.red.encap: \"gre\" is not one of auto, vxlan, vlan, "
			"plain\n"
			"f.yaml:4:3: tenants.b.c: \"b.c\" is not a name: letters, digits, - and _, "
			"a letter or digit "
			"first\n"
			"f.yaml:4:30: tenants.b.c.buffer.guaranteed: 1 has no unit: write it with "
			"B, KB, MB, GB, KiB, "
			"MiB or GiB\n"
			"f.yaml:4:40: tenants.b.c.buffer.share: 50 has no unit: write a percentage "
			"(%), an alpha "
			"(1/128 to 64) or none\n");
}

static void
a_share_is_no_size(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants: {red: {hosts: h1, buffer: {share: 100KB}}}\n",
			"f.yaml:2:44: tenants.red.buffer.share: \"100KB\" is not a percentage "
			"(%), an alpha (1/128 to 64) or none\n");
	expect_messages(FABRIC "tenants: {red: {hosts: h1, buffer: {share: 0}}}\n",
			"f.yaml:2:44: tenants.red.buffer.share: 0 has no unit: write a percentage "
			"(%), an alpha (1/128 to 64) or none\n");
	expect_messages(FABRIC "tenants: {red: {hosts: h1, buffer: {share: 0%}}}\n", "");
}

#define NEEDS_ONE                                                                              \
	"needs one of netns, pid, container (where the host is), tap (for a virtual machine) " \
	"and dev (a DPDK device)\n"
#define CONTAINER_NAME "letters, digits, \"_\", \".\" and \"-\", a letter or digit first\n"
#define TAP_NAME "1 to 15 " CONTAINER_NAME
#define NEEDS_NIC "needs nic: on, because it is the buffer of the edge NIC\n"

static void
attach_mistakes(void **state)
{
	(void)state;
	expect_messages(FABRIC "attach:\n  h1: {mtu: 1500}\n  h2: {netns: ../x}\n  h3: {tpa: t0}\n",
			"f.yaml:3:7: attach.h1: " NEEDS_ONE
			"f.yaml:4:15: attach.h2: \"../x\" cannot name a namespace\n"
			"f.yaml:5:7: attach.h3: " NEEDS_ONE
			"f.yaml:5:8: attach.h3.tpa: unknown key; did you mean \"tap\"?\n");
	expect_messages(FABRIC "attach:\n"
			       "  h1: {netns: a, pid: 7}\n"
			       "  h1.eth2: {tap: t0, dev: net_tap0}\n"
			       "  h2: {netns: a, dev: net_tap0}\n"
			       "  h3.eth9: {pid: 1}\n",
			"f.yaml:3:18: attach.h1: pid cannot be combined with netns\n"
			"f.yaml:4:22: attach.h1.eth2: dev cannot be combined with tap\n"
			"f.yaml:6:3: attach.h3.eth9: \"h3.eth9\" is not a name: letters, digits, - "
			"and _, a letter or digit first\n");
}

// What an edge NIC does, nobody does for a host without one. `auto` and `off` ask for nothing.
static void
attach_without_nic(void **state)
{
	(void)state;
	expect_messages(FABRIC "attach:\n"
			       "  h1: {netns: a, nic: off, buffer: 2MB}\n"
			       "  h2: {tap: b, buffer: auto, reorder: off, nic: off}\n"
			       "  h3: {dev: net_null0, reorder: on, buffer: 64KiB, nic: off}\n"
			       "  h4: {netns: c, buffer: 2MB, nic: on, reorder: on}\n"
			       "  h5: {netns: d, buffer: 2MB}\n",
			"f.yaml:3:36: attach.h1: buffer " NEEDS_NIC
			"f.yaml:5:33: attach.h3: reorder: on needs nic: on, because the edge NIC "
			"does it\n"
			"f.yaml:5:45: attach.h3: buffer " NEEDS_NIC);
}

// Names end up in commands and in paths of the machine.
static void
attach_names_and_addresses(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "attach:\n"
		       "  h1: {pid: 0}\n"
		       "  h2: {pid: 4194305}\n"
		       "  h3: {container: --format}\n"
		       "  h4: {container: \"a;b\"}\n"
		       "  h5: {container: clab-lab_1.node-2}\n"
		       "  h6: {tap: ../../tun}\n"
		       "  h7: {tap: sixteen-letters-}\n"
		       "  h8: {tap: fifteen-letters}\n",
		"f.yaml:3:13: attach.h1.pid: 0 is out of range: 1 to 4194304\n"
		"f.yaml:4:13: attach.h2.pid: 4194305 is out of range: 1 to 4194304\n"
		"f.yaml:5:19: attach.h3: \"--format\" cannot name a container: " CONTAINER_NAME
		"f.yaml:6:19: attach.h4: \"a;b\" cannot name a container: " CONTAINER_NAME
		"f.yaml:8:13: attach.h6: \"../../tun\" cannot name an interface: " TAP_NAME
		"f.yaml:9:13: attach.h7: \"sixteen-letters-\" cannot name an interface: " TAP_NAME);
	expect_messages(
		FABRIC "attach:\n"
		       "  h1: {tap: a, mac: \"03:00:00:00:00:01\"}\n"
		       "  h2: {tap: b, mac: \"02:00:00:00:00\"}\n"
		       "  h3: {tap: c, ip: 224.0.0.1}\n"
		       "  h4: {tap: d, ip: 10.0.0.0/8}\n"
		       "  h5: {tap: e, ip: []}\n"
		       "  h6: {tap: f, ip: [10.9.0.1, 10.9.0.2]}\n"
		       "  h7: {tap: g, ip: [10.9.0.1, \"fd09::1\"], mac: \"52:54:00:00:00:01\"}\n",
		"f.yaml:3:21: attach.h1.mac: 03:00:00:00:00:01 is not a unicast MAC address\n"
		"f.yaml:4:21: attach.h2.mac: \"02:00:00:00:00\" is not a MAC address such as "
		"02:00:00:00:00:01\n"
		"f.yaml:5:20: attach.h3.ip: 224.0.0.1 is a multicast address: a host cannot "
		"have it\n"
		"f.yaml:6:20: attach.h4.ip: \"10.0.0.0/8\" is a prefix: a host has an address, "
		"without /\n"
		"f.yaml:7:20: attach.h5.ip: needs an IPv4 address, an IPv6 address, or both\n"
		"f.yaml:8:31: attach.h6.ip: h6 has an IPv4 address already\n");
}

static void
record_and_stop_mistakes(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "record: {interval: 0ns, queues: [a b], pcap: {}, snaplen: 128}\nstop: 5\n",
		"f.yaml:2:20: record.interval: 0ns is out of range: 1ns to 3600s\n"
		"f.yaml:2:34: record.queues: \"a b\" is not a name\n"
		"f.yaml:2:46: record.pcap: expected a list, [a, b, ...], found a map\n"
		"f.yaml:2:59: record.snaplen: 128 has no unit: write it with B, KB, MB, GB, KiB, "
		"MiB or GiB, "
		"or full\n"
		"f.yaml:3:7: stop: 5 has no unit: write it with ps, ns, us, ms or s, or idle\n");
}

static void
what_is_recorded_over_time(void **state)
{
	struct config *c = load_good(FABRIC "record: {interval: 1us, flows: all, links: "
					    "[leaf1-spine1, leaf1.swp1], pauses: [h1.eth1], "
					    "pools: leaf1}\n");

	(void)state;
	assert_int_equal(c->record.flows.count, 1);
	assert_string_equal(c->record.flows.items[0].text, "all");
	assert_int_equal(c->record.links.count, 2);
	assert_string_equal(c->record.links.items[1].text, "leaf1.swp1");
	assert_string_equal(c->record.pauses.items[0].text, "h1.eth1");
	assert_string_equal(c->record.pools.items[0].text, "leaf1");
	config_free(c);
	expect_messages(FABRIC "record: {links: all}\n",
			"f.yaml:2:9: record: needs an interval between samples, such as interval: "
			"1us\n");
	expect_messages(FABRIC "record: {interval: 1us, flows: [a, a]}\n",
			"f.yaml:2:36: record.flows: a is named twice\n");
}

static void
empty_sections_are_allowed(void **state)
{
	(void)state;
	config_free(load_good(FABRIC
			      "switch:\nhosts:\ntenants:\nworkload:\nevents:\nrecord:\nlive:\n"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_mistakes),
		cmocka_unit_test(tenant_mistakes),
		cmocka_unit_test(a_share_is_no_size),
		cmocka_unit_test(attach_mistakes),
		cmocka_unit_test(attach_without_nic),
		cmocka_unit_test(attach_names_and_addresses),
		cmocka_unit_test(record_and_stop_mistakes),
		cmocka_unit_test(what_is_recorded_over_time),
		cmocka_unit_test(empty_sections_are_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
