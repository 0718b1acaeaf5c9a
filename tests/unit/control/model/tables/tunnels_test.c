// SPDX-License-Identifier: BSD-3-Clause
// What of tunnels and VLANs a snapshot says, at leaves, at spines and on a lone switch.
#include "built.h"

#define FABRIC "fabric:\n  topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 2}\n"
#define MIXED                                                                \
	FABRIC "switch: {preset: sonic}\n"                                   \
	       "tenants:\n  red: {hosts: [h1, h3], vni: 5001, dscp: pipe}\n" \
	       "  blue: {hosts: [h2, h4], vlan: 102}\n  rest: {vni: 77}\n"

static uint16_t
vrf(const struct built *b, const char *name)
{
	return (uint16_t)topology_find_vrf(b->f.topology, name);
}

static void
test_leaf(void **state)
{
	const struct tunnel_tables *t;
	const struct topo_node *far;
	const struct encap *encap;
	struct built b;

	(void)state;
	build(&b, MIXED, "leaf1");
	t = b.t->tunnels;
	far = &b.f.topology->nodes[1];
	assert_non_null(t);
	assert_int_equal(t->version, 4);
	assert_memory_equal(t->local, b.f.topology->nodes[0].loopback4, 4);
	assert_memory_equal(t->mac, b.f.topology->nodes[0].router_mac, 6);
	assert_int_equal(tunnel_find_vni(t, 5001), vrf(&b, "red"));
	assert_int_equal(tunnel_find_vni(t, 77), vrf(&b, "rest"));
	assert_int_equal(tunnel_find_vni(t, 5002), VRF_NONE);
	assert_int_equal(tunnel_find_vni(t, 0), VRF_NONE);
	for (unsigned i = 0; i < TUNNEL_VIDS; i++)
		assert_int_equal(t->vids[i], i == 102 ? vrf(&b, "blue") : VRF_NONE);
	// In sonic 3 and 4 are the DSCPs of their priorities, 0 is listed for 8 and priority 1 has
	// what is unlisted.
	for (unsigned p = 0; p < PRIORITIES; p++)
		assert_int_equal(t->priority_dscp[p], config_priority_dscp(&b.settings, p) >= 0
							      ? config_priority_dscp(&b.settings, p)
							      : (int)p * 8);
	assert_int_equal(t->priority_dscp[3], 3);
	encap = &t->encaps[group_for(&b, "red", "10.0.2.1")->encap];
	assert_int_equal(encap->kind, ENCAP_VXLAN);
	assert_int_equal(encap->vni, 5001);
	assert_true(encap->pipe);
	assert_memory_equal(encap->remote, far->loopback4, 4);
	assert_memory_equal(encap->mac, far->router_mac, 6);
	encap = &t->encaps[group_for(&b, "blue", "10.0.2.2")->encap];
	assert_int_equal(encap->kind, ENCAP_VLAN);
	assert_int_equal(encap->vid, 102);
	assert_int_equal(group_for(&b, "red", "10.0.1.1")->encap, 0);
	assert_int_equal(t->encaps[0].kind, ENCAP_NONE);
	assert_int_equal(b.t->vrfs[vrf(&b, "red")].tenant,
			 topology_find_tenant(b.f.topology, "red"));
	assert_true(b.t->vrfs[vrf(&b, "red")].pipe);
	assert_false(b.t->vrfs[vrf(&b, "blue")].pipe);
	assert_int_equal(b.t->epoch, 1);
	for (uint16_t p = 0; p < b.t->port_count; p++) // two hosts, two spines
		assert_int_equal(b.t->ports[p].underlay, p >= 2);
	built_drop(&b);
}

// Groups that differ only in their encapsulation share their next hops.
static void
test_sharing(void **state)
{
	const struct next_hop_group *red, *blue, *underlay;
	struct built b;

	(void)state;
	build(&b, MIXED, "leaf1");
	red = group_for(&b, "red", "10.0.2.1");
	blue = group_for(&b, "blue", "10.0.2.2");
	underlay = group_for(&b, "default", "172.16.0.2");
	assert_ptr_not_equal(red, blue);
	assert_int_equal(red->first, blue->first);
	assert_int_equal(red->first, underlay->first);
	assert_int_equal(underlay->encap, 0);
	// Two uplinks, two hosts.
	assert_int_equal(b.t->next_hop_count, 4);
	built_drop(&b);
}

// Where notices are believed each leaf has next hops of its own: the tunnels to it share those with
// its loopback, which is what notices of tunnels are about.
static void
test_notices(void **state)
{
	const struct next_hop_group *to2, *to3;
	struct built b;

	(void)state;
	build(&b,
	      FABRIC
	      "leaf: {routing: {mode: adaptive}}\nswitch: {routing: {spine-notices: on}}\n"
	      "tenants:\n  red: {hosts: [h1, h3, h5], vni: 5001, addresses: {h3: 172.30.0.1, h5: "
	      "172.30.0.2}}\n"
	      "  blue: {hosts: [h2, h4, h6], vlan: 7, addresses: {h4: 172.30.0.2, h6: "
	      "172.30.0.1}}\n",
	      "leaf1");
	to2 = group_for(&b, "default", "172.16.0.2");
	to3 = group_for(&b, "default", "172.16.0.3");
	assert_int_not_equal(to2->first, to3->first);
	assert_int_equal(group_for(&b, "red", "172.30.0.1")->first, to2->first);
	assert_int_equal(group_for(&b, "red", "172.30.0.2")->first, to3->first);
	assert_int_equal(group_for(&b, "blue", "172.30.0.2")->first, to2->first);
	assert_int_equal(group_for(&b, "blue", "172.30.0.1")->first, to3->first);
	built_drop(&b);
}

// A spine knows whose packets cross it, and has their parts of the buffer.
static void
test_spine(void **state)
{
	struct built b;

	(void)state;
	build(&b,
	      FABRIC "switch: {buffer: {pools: {ingress-lossless: {size: 1MB}}}}\n"
		     "tenants:\n  red: {hosts: [h1, h3], vni: 5001, buffer: {guaranteed: 1920B}}\n",
	      "spine2");
	assert_non_null(b.t->tunnels);
	assert_int_equal(b.t->tunnels->version, 4);
	assert_memory_equal(b.t->tunnels->local, b.f.topology->nodes[b.node].loopback4, 4);
	assert_int_equal(tunnel_find_vni(b.t->tunnels, 5001), vrf(&b, "red"));
	assert_null(b.t->tunnels->vids);
	assert_int_equal(b.t->tunnels->encap_count, 1);
	assert_int_equal(b.t->tenant_count, b.f.topology->tenant_count);
	assert_true(b.t->tenant_buffers);
	assert_int_equal(b.t->tenants[topology_find_tenant(b.f.topology, "red")]
				 .guaranteed[POOL_INGRESS_LOSSLESS],
			 10);
	built_drop(&b);
}

static void
test_many_vnis(void **state)
{
	static char text[1 << 16];
	FILE *to = fmemopen(text, sizeof(text), "w");
	struct built b;

	(void)state;
	fprintf(to, FABRIC "tenants:\n");
	for (unsigned i = 0; i < 500; i++)
		fprintf(to, "  t%u: {vni: %u}\n", i, 1 + i * 257);
	fclose(to);
	build(&b, text, "leaf1");
	assert_true(b.t->tunnels->vni_mask + 1 >= 2 * 501);
	for (unsigned vni = 1; vni < 500 * 257; vni++) {
		uint16_t found = tunnel_find_vni(b.t->tunnels, vni);
		char name[16];

		snprintf(name, sizeof(name), "t%u", vni / 257);
		if (vni % 257 == 1)
			assert_string_equal(b.f.topology->vrfs[found].name, name);
		else
			assert_int_equal(found, VRF_NONE);
	}
	built_drop(&b);
}

static void
test_none(void **state)
{
	struct built b;

	(void)state;
	build(&b, FABRIC, "leaf1");
	assert_null(b.t->tunnels);
	built_drop(&b);
	build(&b, FABRIC "tenants: {red: {hosts: [h1, h3]}}\n", "spine1");
	assert_null(b.t->tunnels);
	assert_int_equal(b.t->tenant_count, 0);
	built_drop(&b);
}

static void
test_lone_switch(void **state)
{
	struct built b;

	(void)state;
	build(&b,
	      "switch:\n  name: dut\n  vtep: fd00::1\n  mac: \"02:00:00:00:00:05\"\n"
	      "  tenants: {red: {vni: 5001}}\n"
	      "  ports: {swp1: {vrf: red, tenant: red}, swp2: {}, swp9: {uplink: true}}\n",
	      "dut");
	assert_int_equal(b.t->tunnels->version, 6);
	assert_int_equal(b.t->tunnels->local[0], 0xfd);
	assert_int_equal(b.t->tunnels->local[15], 1);
	assert_int_equal(b.t->tunnels->mac[5], 5);
	assert_int_equal(tunnel_find_vni(b.t->tunnels, 5001), vrf(&b, "red"));
	assert_false(b.t->ports[0].underlay);
	assert_false(b.t->ports[1].underlay);
	assert_true(b.t->ports[2].underlay);
	assert_true(b.t->ports[2].inner);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf),        cmocka_unit_test(test_sharing),
		cmocka_unit_test(test_notices),     cmocka_unit_test(test_spine),
		cmocka_unit_test(test_many_vnis),   cmocka_unit_test(test_none),
		cmocka_unit_test(test_lone_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
