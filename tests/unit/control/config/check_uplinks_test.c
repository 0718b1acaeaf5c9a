// SPDX-License-Identifier: BSD-3-Clause
// One switch whose routes lead into a fabric, with and without a port that does.
#include "expect.h"

#define TENANTS "switch:\n  vtep: 172.16.0.1\n  tenants: {red: {vni: 5001}, blue: {vlan: 102}}\n"
#define PORTS(of_swp9) \
	"  ports: {swp1: {vrf: red}, swp2: {vrf: blue}, swp9: " of_swp9 "}\n  routes:\n"
#define MAC "mac: \"02:00:00:00:00:11\"}]}\n"
#define TUNNEL "  - {vrf: red, prefix: 10.0.2.0/24, via: [{vtep: 172.16.0.2, " MAC
#define FAR_END "  - {prefix: 172.16.0.2/32, via: [{port: swp9, " MAC
#define HOST "  - {vrf: blue, prefix: 10.0.1.0/24, via: [{port: swp2, " MAC
#define TAGGED "  - {vrf: blue, prefix: 10.0.2.0/24, via: [{port: swp9, " MAC

static void
tunnels_need_an_uplink(void **state)
{
	(void)state;
	expect_messages(TENANTS PORTS("{}") FAR_END TUNNEL,
			"warning: f.yaml:7:5: switch.routes: goes into a tunnel, but no port has "
			"uplink: true: tunnels that come in do not end here\n");
	expect_messages(TENANTS PORTS("{uplink: true}") FAR_END TUNNEL, "");
}

static void
vlans_need_an_uplink(void **state)
{
	(void)state;
	expect_messages(TENANTS PORTS("{}") HOST TAGGED,
			"warning: f.yaml:7:5: switch.routes: blue has a VLAN, but no port has "
			"uplink: true: what leaves by swp9 has no tag\n");
	expect_messages(TENANTS PORTS("{uplink: true}") HOST TAGGED, "");
}

static void
a_switch_without_a_fabric_needs_none(void **state)
{
	(void)state;
	// To a host of the VRF, and of VRF default to anybody.
	expect_messages(TENANTS PORTS("{}") HOST FAR_END, "");
	expect_messages(SINGLE, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tunnels_need_an_uplink),
		cmocka_unit_test(vlans_need_an_uplink),
		cmocka_unit_test(a_switch_without_a_fabric_needs_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
