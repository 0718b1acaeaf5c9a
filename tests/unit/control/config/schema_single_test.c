// SPDX-License-Identifier: BSD-3-Clause
#include "expect.h"

static void
port_mistakes(void **state)
{
	(void)state;
	expect_messages("switch:\n  ports:\n    swp1: {rate: 10G}\n    swp1: {rate: 10G}\n",
			"f.yaml:4:5: swp1: already given at line 3\n");
	expect_messages(
		"switch:\n  ports:\n"
		"    eth1: {}\n"
		"    swp2: {rate: device}\n"
		"    swp3: {cable: 5, mac: \"01:00:00:00:00:00\"}\n"
		"    swp4: {max-rate: 1G, vfr: red}\n",
		"f.yaml:3:5: switch.ports.eth1: \"eth1\" is not a port: swp1 to swp256\n"
		"f.yaml:4:11: switch.ports.swp2: rate: device needs dev or netdev\n"
		"f.yaml:5:19: switch.ports.swp3.cable: 5 has no unit: write it with m or km\n"
		"f.yaml:5:27: switch.ports.swp3.mac: 01:00:00:00:00:00 is not a unicast MAC "
		"address\n"
		"f.yaml:6:12: switch.ports.swp4.max-rate: unknown key\n"
		"f.yaml:6:26: switch.ports.swp4.vfr: unknown key; did you mean \"vrf\"?\n");
}

static void
netdev_mistakes(void **state)
{
	(void)state;
	expect_messages("switch:\n  ports:\n    swp1: {rate: device, netdev: swp1}\n"
			"    swp2: {rate: 10G, netdev: fifteen-letters, mtu: 1500}\n",
			"");
	expect_messages("switch:\n  ports:\n    swp1: {netdev: eth0}\n    swp2: {netdev: eth1}\n"
			"    swp3: {netdev: eth0}\n",
			"f.yaml:5:20: switch.ports: netdev eth0 is swp1 already\n");
	expect_messages(
		"switch:\n  ports:\n"
		"    swp1: {netdev: swp1, dev: net_null0}\n"
		"    swp2: {netdev: sixteen--letters}\n"
		"    swp3: {netdev: \"swp3,queue=1\"}\n"
		"    swp4: {netdev: ..}\n"
		"    swp5: {netdev: swp5, mac: \"02:00:00:00:00:05\"}\n",
		"f.yaml:3:20: switch.ports.swp1: netdev and dev: the port is one or the other\n"
		"f.yaml:4:20: switch.ports.swp2: \"sixteen--letters\" cannot name an interface\n"
		"f.yaml:5:20: switch.ports.swp3: \"swp3,queue=1\" cannot name an interface\n"
		"f.yaml:6:20: switch.ports.swp4: \"..\" cannot name an interface\n"
		"f.yaml:7:20: switch.ports.swp5: mac: a netdev has its interface's: ip link set "
		"swp5 address ...\n");
}

static void
bfd_is_read(void **state)
{
	struct config *c = load_good("switch:\n  ports: {swp1: {netdev: swp1}}\n"
				     "  bfd: {socket: /run/frr/a.sock}\n");

	(void)state;
	assert_string_equal(c->single.bfd.socket.text, "/run/frr/a.sock");
	assert_string_equal(c->single.bfd.user.text, "frr");
	config_free(c);
	c = load_good(SINGLE);
	assert_null(c->single.bfd.socket.text);
	config_free(c);
}

static void
bfd_mistakes(void **state)
{
	static const char *const bad[] = {"a.sock", "/run/"};
	char text[256], wanted[256];

	(void)state;
	expect_messages(SINGLE "  bfd: {socket: /run/frr/a.sock}\n",
			"f.yaml:3:17: switch: bfd: no port has `netdev:`; BFD sessions run only at "
			"such ports\n");
	expect_messages("switch:\n  ports: {swp1: {netdev: swp1}}\n  bfd: {user: frr}\n",
			"f.yaml:3:8: switch.bfd: needs \"socket\": unix socket where bfdd listens "
			"(bfdd --dplaneaddr unix:PATH)\n");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text),
			 "switch:\n  ports: {swp1: {netdev: swp1}}\n  bfd: {socket: %s}\n", bad[i]);
		snprintf(wanted, sizeof(wanted),
			 "f.yaml:3:17: switch.bfd: socket: \"%s\" is not an absolute path of at "
			 "most 100 characters\n",
			 bad[i]);
		expect_messages(text, wanted);
	}
	// A fabric's switches have no ports with netdev.
	expect_messages(FABRIC "leaf1: {bfd: {socket: /run/frr/a.sock}}\n",
			"f.yaml:2:9: leaf1.bfd: unknown key\n");
}

static void
route_mistakes(void **state)
{
	(void)state;
	expect_messages(
		SINGLE
		"  routes:\n"
		"    - {prefix: 198.18.2.1/24, via: [{port: swp2, mac: \"02:00:00:00:02:02\"}]}\n"
		"    - {prefix: 198.18.2.0/24, via: [{port: swp2}, {mac: \"02:00:00:00:02:02\"}]}\n"
		"    - {via: [{port: p2, mac: \"02:00:00:00:02:02\"}]}\n",
		"f.yaml:4:16: switch.routes[0].prefix: 198.18.2.1/24 has bits set past its length; "
		"did you "
		"mean \"198.18.2.0/24\"?\n"
		"f.yaml:5:51: switch.routes[1].via[1]: needs \"port\", \"node\" or \"vtep\": where "
		"it leads\n"
		"f.yaml:6:7: switch.routes[2]: needs \"prefix\": such as 10.1.0.0/16\n"
		"f.yaml:6:21: switch.routes[2].via[0]: \"p2\" is not a port: swp1 to swp256\n");
}

static void
tunnel_mistakes(void **state)
{
	(void)state;
	expect_messages("switch:\n  vtep: 172.16.0.1/32\n  ports: {swp1: {}}\n",
			"f.yaml:2:9: switch.vtep: \"172.16.0.1/32\" is a prefix: a host has an "
			"address, without /\n");
	expect_messages("switch:\n  vtep: 224.0.0.1\n  ports: {swp1: {}}\n",
			"f.yaml:2:9: switch.vtep: 224.0.0.1 is a multicast address: a host cannot "
			"have it\n");
	expect_messages("switch:\n  ports:\n"
			"    swp1: {uplink: true, tenant: red, vrf: blue}\n"
			"    swp2: {uplink: maybe}\n",
			"f.yaml:3:34: switch.ports.swp1: swp1 is an uplink, of all tenants: it "
			"cannot be in one\n"
			"f.yaml:3:44: switch.ports.swp1: swp1 is an uplink: its VRF is default\n"
			"f.yaml:4:20: switch.ports.swp2.uplink: \"maybe\" is not true or false\n");
	expect_messages(
		SINGLE "  routes:\n"
		       "    - {prefix: 10.1.0.0/16, via: [{port: swp2, vtep: 172.16.0.2}]}\n"
		       "    - {prefix: 10.2.0.0/16, via: [{node: leaf2, vtep: 172.16.0.2}]}\n"
		       "    - {prefix: 10.3.0.0/16, via: [{port: swp2, vni: 5}]}\n"
		       "    - {prefix: 10.4.0.0/16, via: [{vtep: 172.16.0.2, vni: 16777216}]}\n"
		       "    - {prefix: 10.5.0.0/16, via: [{vtep: 172.16.0.2, weight: 2}]}\n"
		       "    - {prefix: 10.6.0.0/16,\n"
		       "       via: [{port: x, node: b, vtep: 172.16.0.2, vni: 5, mac: "
		       "02:00:00:00:00:01}]}\n",
		"f.yaml:4:48: switch.routes[0].via[0]: port and vtep exclude each other: the "
		"other is at line 4\n"
		"f.yaml:5:49: switch.routes[1].via[0]: vtep and node exclude each other\n"
		"f.yaml:6:48: switch.routes[2].via[0]: port and vni exclude each other: the "
		"other is at line 6\n"
		"f.yaml:7:59: switch.routes[3].via[0].vni: 16777216 is out of range: 1 to "
		"16777215\n"
		"f.yaml:8:54: switch.routes[4].via[0]: a tunnel's next hops have the weights of "
		"the "
		"route to its far end\n"
		// One next hop, one error.
		"f.yaml:10:24: switch.routes[5].via[0]: port and node exclude each other: the "
		"other is at line 10\n");
}

static void
unknown_keys_are_reported_once(void **state)
{
	(void)state;
	expect_messages(SINGLE "  rutes: []\n  bufer: {}\n  role: host\n",
			"f.yaml:3:3: switch.rutes: unknown key; did you mean \"routes\"?\n"
			"f.yaml:4:3: switch.bufer: unknown key; did you mean \"buffer\"?\n"
			"f.yaml:5:9: switch.role: \"host\" is not one of leaf, spine\n");
	// In a fabric's file `switch:` has no name, ports or routes.
	expect_messages(FABRIC "switch: {ports: {}}\n", "f.yaml:2:10: switch.ports: unknown key\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_mistakes),
		cmocka_unit_test(bfd_is_read),
		cmocka_unit_test(bfd_mistakes),
		cmocka_unit_test(netdev_mistakes),
		cmocka_unit_test(route_mistakes),
		cmocka_unit_test(tunnel_mistakes),
		cmocka_unit_test(unknown_keys_are_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
