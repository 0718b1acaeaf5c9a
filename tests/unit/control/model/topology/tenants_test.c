// SPDX-License-Identifier: BSD-3-Clause
// VRFs of tenants, their encapsulation, leaks, addresses and borders; what is refused; and tenants
// that change after the topology was made.
#include "fixture.h"

#define SMALL "fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"

static const struct topo_port *
port_of(const struct fixture *f, const char *name)
{
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, name, &ref), 0);
	return &f->topology->nodes[ref.node].ports[ref.port];
}

static uint16_t
vrf_index(const struct fixture *f, const char *name)
{
	int found = topology_find_vrf(f->topology, name);

	assert_true(found >= 0);
	return (uint16_t)found;
}

static const struct topo_vrf *
vrf_of(const struct fixture *f, const char *name)
{
	return &f->topology->vrfs[vrf_index(f, name)];
}

static void
assert_in(const struct fixture *f, const char *port, const char *tenant)
{
	assert_int_equal(port_of(f, port)->vrf, vrf_index(f, tenant));
	assert_int_equal(port_of(f, port)->tenant, topology_find_tenant(f->topology, tenant));
}

static void
test_demo(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, FIXTURE_DEMO);
	assert_int_equal(vrf_index(&f, "default"), TOPOLOGY_VRF_DEFAULT);
	assert_true(topology_sliced(f.topology));
	assert_in(&f, "leaf1.swp2", "red");
	assert_in(&f, "h2.eth1", "red");
	assert_in(&f, "leaf1.swp3", "blue");
	assert_in(&f, "leaf2.swp1", "red");
	assert_int_equal(port_of(&f, "leaf1.swp5")->vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(port_of(&f, "spine1.swp1")->vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(port_of(&f, "leaf2.swp5")->tenant, TENANT_NONE);
	assert_int_equal(topology_host_tenant(f.topology, 7),
			 topology_find_tenant(f.topology, "blue"));
	// `rest` is there, with nobody in it, and plain like the others.
	assert_int_equal(f.topology->vrf_count, 4);
	assert_int_equal(f.topology->tenant_count, 3);
	assert_int_equal(vrf_of(&f, "rest")->encap, CONFIG_ENCAP_PLAIN);
	fixture_free(&f);
}

static void
test_rest_has_the_others(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, SMALL "tenants: {red: {hosts: [h1], vni: 7}}\n");
	assert_in(&f, "leaf1.swp1", "red");
	assert_in(&f, "leaf1.swp2", "rest");
	assert_in(&f, "h8.eth1", "rest");
	assert_int_equal(vrf_of(&f, "red")->encap, CONFIG_ENCAP_VXLAN);
	assert_int_equal(vrf_of(&f, "red")->vni, 7);
	assert_int_equal(vrf_of(&f, "rest")->encap, CONFIG_ENCAP_VXLAN);
	assert_int_equal(vrf_of(&f, "rest")->vni, 16777214);
	assert_int_equal(vrf_of(&f, "rest")->tenant, topology_find_tenant(f.topology, "rest"));
	fixture_free(&f);
	fixture_load(&f, SMALL "tenants: {}\n");
	assert_in(&f, "leaf1.swp1", "rest");
	assert_int_equal(vrf_of(&f, "rest")->encap, CONFIG_ENCAP_PLAIN);
	fixture_free(&f);
	fixture_load(&f, SMALL "tenants: {rest: {vni: 9999, dscp: pipe}, red: {vlan: 5}}\n");
	assert_in(&f, "leaf1.swp1", "rest");
	assert_int_equal(f.topology->tenant_count, 2);
	assert_int_equal(vrf_of(&f, "rest")->vni, 9999);
	assert_true(vrf_of(&f, "rest")->pipe);
	assert_non_null(f.topology->tenants[topology_find_tenant(f.topology, "rest")].settings);
	fixture_free(&f);
}

// The encapsulation of each tenant, and what `rest` makes of it.
static void
test_encapsulations(void **state)
{
	static const struct {
		const char *keys;
		enum config_encap red, rest;
		uint32_t id, rest_id;
	} wanted[] = {
		{"vni: 5", CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VXLAN, 5, 16777214},
		{"vlan: 5", CONFIG_ENCAP_VLAN, CONFIG_ENCAP_VLAN, 5, 4094},
		{"vni: 6, vlan: 5", CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VXLAN, 6, 16777214},
		{"vni: 6, vlan: 5, encap: vlan", CONFIG_ENCAP_VLAN, CONFIG_ENCAP_VLAN, 5, 4094},
		{"vni: 6, encap: plain", CONFIG_ENCAP_PLAIN, CONFIG_ENCAP_PLAIN, 0, 0},
		{"vni: 6, encap: auto", CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VXLAN, 6, 16777214},
		// Not as the first of the others: VXLAN if any of them does.
		{"vlan: 5}, blue: {vni: 7", CONFIG_ENCAP_VLAN, CONFIG_ENCAP_VXLAN, 5, 16777214},
		{"vni: 6}, blue: {vlan: 7", CONFIG_ENCAP_VXLAN, CONFIG_ENCAP_VXLAN, 6, 16777214},
		{"encap: plain}, blue: {vlan: 7", CONFIG_ENCAP_PLAIN, CONFIG_ENCAP_VLAN, 0, 4094},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct topo_vrf *red, *rest;
		char text[256];
		struct fixture f;

		snprintf(text, sizeof(text), "%stenants: {pale: {}, red: {hosts: [h1], %s}}\n",
			 SMALL, wanted[i].keys);
		fixture_load(&f, text);
		red = vrf_of(&f, "red");
		rest = vrf_of(&f, "rest");
		assert_int_equal(red->encap, wanted[i].red);
		assert_int_equal(red->vni + red->vid, wanted[i].id);
		assert_int_equal(rest->encap, wanted[i].rest);
		assert_int_equal(rest->vni + rest->vid, wanted[i].rest_id);
		fixture_free(&f);
	}
}

static void
test_leaks(void **state)
{
	struct fixture f;
	uint16_t red, blue, storage;

	(void)state;
	fixture_load(&f, SMALL "tenants:\n  storage: {hosts: [h8], network: storage, vni: 3}\n"
			       "  red: {hosts: [h1], vni: 1, leak: [storage]}\n"
			       "  blue: {hosts: [h2], vni: 2, leak: [storage]}\n");
	red = vrf_index(&f, "red");
	blue = vrf_index(&f, "blue");
	storage = vrf_index(&f, "storage");
	assert_int_equal(f.topology->vrfs[storage].leak_count, 2);
	assert_int_equal(f.topology->vrfs[storage].leaks[0], red);
	assert_int_equal(f.topology->vrfs[storage].leaks[1], blue);
	assert_int_equal(f.topology->vrfs[red].leak_count, 1);
	assert_true(topology_vrfs_joined(f.topology, red, storage));
	assert_true(topology_vrfs_joined(f.topology, storage, blue));
	assert_true(topology_vrfs_joined(f.topology, red, red));
	assert_false(topology_vrfs_joined(f.topology, red, blue)); // never passed on
	assert_false(topology_vrfs_joined(f.topology, red, vrf_index(&f, "rest")));
	fixture_free(&f);
	fixture_load(&f, SMALL "tenants: {red: {hosts: [h1], leak: [rest]}}\n");
	assert_true(topology_vrfs_joined(f.topology, vrf_index(&f, "red"), vrf_index(&f, "rest")));
	fixture_free(&f);
}

static void
test_addresses_and_borders(void **state)
{
	static const uint8_t own[4] = {172, 16, 0, 1}, own6[16] = {0xfd, 1, [15] = 2};
	static const uint8_t planned[4] = {10, 0, 1, 2}, planned6[16] = {0xfd, [13] = 1, [15] = 1};
	const struct topo_border *border;
	struct fixture f;

	(void)state;
	// Both tenants use 172.16.0.1, which is leaf1's loopback too: VRFs of their own.
	fixture_load(&f, SMALL "tenants:\n"
			       "  red: {hosts: [h1, h2], vni: 1, addresses: {h1: 172.16.0.1, "
			       "h2: [\"fd01::2\"]}, border: {h2: [0.0.0.0/0, \"::/0\"]}}\n"
			       "  blue: {hosts: [h3], vni: 2, addresses: {h3.eth1: 172.16.0.1}, "
			       "border: {h3: 0.0.0.0/0}}\n");
	assert_memory_equal(port_of(&f, "h1.eth1")->ip4, own, 4);
	assert_memory_equal(port_of(&f, "h1.eth1")->ip6, planned6, 16);
	assert_memory_equal(port_of(&f, "h2.eth1")->ip4, planned, 4);
	assert_memory_equal(port_of(&f, "h2.eth1")->ip6, own6, 16);
	assert_memory_equal(port_of(&f, "h3.eth1")->ip4, own, 4);
	assert_int_equal(f.topology->border_count, 3);
	border = &f.topology->borders[1];
	assert_int_equal(border->vrf, vrf_index(&f, "red"));
	assert_int_equal(border->host, 1);
	assert_int_equal(border->port, 0);
	assert_int_equal(border->prefix.version, 6);
	assert_int_equal(border->prefix.length, 0);
	fixture_free(&f);
}

static void
test_refused(void **state)
{
	(void)state;
	fixture_refused(SMALL "tenants: {red: {hosts: [h1, h9]}}\n",
			"t.yaml:3:29: tenants.red.hosts: there is no host h9; did you mean h");
	fixture_refused(SMALL "tenants: {red: {hosts: [leaf1]}}\n", "leaf1 is a leaf, not a host");
	fixture_refused(SMALL "tenants: {default: {hosts: [h1]}}\n", "cannot be called default");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1]}, blue: {hosts: [h1]}}\n",
			"h1 is already in tenant red");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1], addresses: {h2: 1.1.1.1}}}\n",
			"t.yaml:3:42: tenants.red.addresses: h2 is not one of this tenant's hosts: "
			"it is in rest");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1], border: {h2: 0.0.0.0/0}}}\n",
			"t.yaml:3:39: tenants.red.border: h2 is not one of this tenant's hosts");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1], addresses: {h1.eth2: 1.1.1.1}}}\n",
			"h1 has no port eth2");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1], addresses: {h1: 1.1.1.1, h1.eth1: "
			      "1.1.1.2}}}\n",
			"h1.eth1 has an IPv4 address already");
	fixture_refused(SMALL "tenants: {red: {hosts: [h1], vni: 4, border: {h1: 10.0.2.0/24}}}\n",
			"the addresses of the hosts of leaf2 cannot be behind h1");
}

// Two of one address where somebody knows both.
static void
test_claims(void **state)
{
	struct fixture f;

	(void)state;
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1, h2], vni: 1, addresses: {h1: 1.1.1.1, "
			      "h2: 1.1.1.1}}\n",
			"t.yaml:4:63: tenants.red.addresses: 1.1.1.1 is already h1's (tenant red)");
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1, h2], vni: 1, addresses: {h2: "
			      "10.0.1.1}}\n",
			"10.0.1.1 is already h1's (tenant red)");
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1], vni: 1, addresses: {h1: 1.1.1.1}}\n"
			      "  blue: {hosts: [h2], vni: 2, leak: [red], addresses: {h2: "
			      "1.1.1.1}}\n",
			"1.1.1.1 is already h1's (tenant red): VRF blue would know both");
	fixture_refused(SMALL
			"tenants:\n  red: {hosts: [h1], vni: 1, leak: [s], addresses: {h1: "
			"1.1.1.1}}\n  s: {hosts: [h3], vni: 3}\n"
			"  blue: {hosts: [h2], vni: 2, leak: [s], addresses: {h2: 1.1.1.1}}\n",
			"1.1.1.1 is already h1's (tenant red): VRF s would know both");
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1], addresses: {h1: \"fd02::1\"}}\n"
			      "  blue: {hosts: [h2], addresses: {h2: \"fd02::1\"}}\n",
			"fd02::1 is already h1's (tenant red): both are plain between switches");
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1], addresses: {h1: 172.17.0.2}}\n",
			"172.17.0.2 is already spine2's loopback: both are plain between switches");
	fixture_refused(
		SMALL "tenants:\n  red: {hosts: [h1], vni: 1, leak: [edge], border: {h1: "
		      "0.0.0.0/0}}\n  edge: {hosts: [h2], vni: 2, border: {h2: 0.0.0.0/0}}\n",
		"tenants.edge.border: 0.0.0.0/0 is already behind h1 (tenant red): VRF edge "
		"would know both");
	fixture_refused(
		SMALL "tenants:\n  red: {hosts: [h1, h2], vni: 1, border: {h1: 0.0.0.0/0, h2: "
		      "0.0.0.0/0}}\n  edge: {hosts: [h5], vni: 2, leak: [red], border: {h5: "
		      "0.0.0.0/0}}\n",
		"tenants.edge.border: 0.0.0.0/0 is already behind h1 (tenant red): VRF edge "
		"would know both");
	fixture_refused(SMALL "tenants:\n  red: {hosts: [h1, h2], vlan: 1, border: {h1: 0.0.0.0/0, "
			      "h2: 0.0.0.0/0}}\n",
			"t.yaml:4:59: tenants.red.border: 0.0.0.0/0 is already behind h1 (tenant "
			"red): only in VXLAN may one stand in for another");
	// Borders of one tenant stand in for each other.
	fixture_load(&f, SMALL "tenants:\n  red: {hosts: [h1, h2], vni: 1, border: {h1: 0.0.0.0/0, "
			       "h2: 0.0.0.0/0}}\n");
	assert_int_equal(f.topology->border_count, 2);
	fixture_free(&f);
	// A host may have the address of one that nobody who knows it knows.
	fixture_load(&f,
		     SMALL "tenants:\n  red: {hosts: [h1], vni: 1, addresses: {h1: 10.0.2.1}}\n"
			   "  blue: {hosts: [h5], vlan: 2}\n  pale: {hosts: [h6], addresses: {h6: "
			   "10.0.1.1}}\n");
	fixture_free(&f);
}

static void
test_single_switch(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, "switch:\n  name: dut\n  ports:\n"
			 "    swp1: {rate: 100G, cable: 5m, vrf: red, tenant: red}\n"
			 "    swp2: {rate: 100G, cable: 5m, vrf: blue, tenant: green}\n"
			 "    swp3: {rate: 100G, cable: 5m}\n"
			 "tenants: {red: {vni: 5001, dscp: pipe}, blue: {vlan: 7}}\n");
	assert_int_equal(f.topology->vrf_count, 3);
	assert_int_equal(f.topology->tenant_count, 3);
	assert_in(&f, "swp1", "red");
	assert_int_equal(vrf_of(&f, "red")->vni, 5001);
	assert_true(vrf_of(&f, "red")->pipe);
	assert_int_equal(vrf_of(&f, "blue")->vid, 7);
	assert_int_equal(vrf_of(&f, "blue")->tenant, topology_find_tenant(f.topology, "blue"));
	assert_int_equal(port_of(&f, "swp2")->tenant, topology_find_tenant(f.topology, "green"));
	assert_int_equal(port_of(&f, "swp3")->vrf, TOPOLOGY_VRF_DEFAULT);
	assert_int_equal(port_of(&f, "swp3")->tenant, TENANT_NONE);
	fixture_free(&f);
}

// ---- room ---------------------------------------------------------------------------------------

#define ROOM(more, tenants)                                                                  \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n" \
	"  mtu: 4200\n" more tenants

static void
assert_mtus(const char *text, uint32_t host, uint32_t link, uint32_t path, unsigned warnings)
{
	struct fixture f;

	fixture_load(&f, text);
	assert_int_equal(port_of(&f, "leaf1.swp1")->mtu, host);
	assert_int_equal(port_of(&f, "leaf1.swp5")->mtu, link);
	assert_int_equal(port_of(&f, "spine1.swp2")->mtu, link);
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 4, 0), path);
	assert_int_equal(topology_path_mtu(f.topology, 0, 0, 1, 0), host);
	assert_int_equal(f.diag.warnings, warnings);
	fixture_free(&f);
}

static void
test_mtu(void **state)
{
	struct fixture f;

	(void)state;
	assert_mtus(ROOM("", "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"), 4200, 4250, 4200, 0);
	assert_mtus(ROOM("  underlay: 6\n", "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"), 4200,
		    4270, 4200, 0);
	assert_mtus(ROOM("", "tenants: {red: {hosts: [h1, h5], vlan: 1}}\n"), 4200, 4200, 4200, 0);
	assert_mtus(ROOM("", "tenants: {red: {hosts: [h1, h5]}}\n"), 4200, 4200, 4200, 0);
	// Room for one that has no host there counts as well.
	assert_mtus(ROOM("", "tenants: {red: {hosts: [h1, h5]}, x: {vni: 1}}\n"), 4200, 4250, 4200,
		    0);
	assert_mtus(ROOM("  links: {fabric: {mtu: 4200}}\n",
			 "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"),
		    4200, 4200, 4150, 1);
	assert_mtus(ROOM("  links: {fabric: {mtu: 9000}}\n",
			 "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"),
		    4200, 9000, 4200, 0);
	assert_mtus(ROOM("  links: {leaf2-spine2: {mtu: 1500}}\n",
			 "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"),
		    4200, 4250, 1450, 1);
	assert_mtus(ROOM("  links: {leaf2-spine2: {rate: 400G}}\n",
			 "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"),
		    4200, 4250, 4200, 0);
	fixture_load(&f, ROOM("  links: {leaf2-spine2: {mtu: 4249}}\n",
			      "tenants: {red: {hosts: [h1, h5], vni: 1}}\n"));
	assert_true(fixture_says(&f,
				 "t.yaml:4:25: fabric.links: leaf2-spine2 carries 4249 bytes of "
				 "IP, too few for what hosts of tenant red may send (4200, and 50 "
				 "around it)"));
	fixture_free(&f);
}

// ---- changes ------------------------------------------------------------------------------------

// Takes the tenants of another file, as an edit of this one would leave them.
static int
retenant(struct fixture *f, struct fixture *other, const char *text)
{
	*other = (struct fixture){0};
	assert_int_equal(
		config_load_text(&other->config, text, strlen(text), "u.yaml", &other->diag), 0);
	f->config->tenants = other->config->tenants;
	f->config->tenant_count = other->config->tenant_count;
	return topology_retenant(f->topology, &f->diag);
}

static void
test_indices_stay(void **state)
{
	struct fixture f, second, third;
	uint16_t blue;

	(void)state;
	fixture_load(&f, SMALL "tenants: {red: {hosts: [h1]}, blue: {hosts: [h2, h3]}}\n");
	blue = vrf_index(&f, "blue");
	assert_int_equal(vrf_index(&f, "red"), 1);
	// red goes, green comes: not in red's place, in which packets may be yet.
	assert_int_equal(retenant(&f, &second,
				  SMALL "tenants: {green: {hosts: [h1, h2], vni: 8}, blue: {hosts: "
					"[h3]}}\n"),
			 0);
	assert_int_equal(topology_find_vrf(f.topology, "red"), -1);
	assert_int_equal(topology_find_tenant(f.topology, "red"), -1);
	assert_string_equal(f.topology->vrfs[1].name, "");
	assert_null(f.topology->tenants[0].name);
	assert_int_equal(vrf_index(&f, "blue"), blue);
	assert_int_equal(vrf_index(&f, "green"), 4);
	assert_in(&f, "leaf1.swp2", "green");
	assert_in(&f, "leaf1.swp3", "blue");
	assert_int_equal(port_of(&f, "leaf1.swp5")->mtu, 4250);
	// Once it has gone, its place is another's. Links keep their room.
	assert_int_equal(retenant(&f, &third,
				  SMALL "tenants: {white: {hosts: [h4]}, blue: {hosts: [h3]}}\n"),
			 0);
	assert_int_equal(vrf_index(&f, "white"), 1);
	assert_int_equal(topology_find_tenant(f.topology, "white"), 0);
	assert_int_equal(vrf_index(&f, "blue"), blue);
	assert_in(&f, "h1.eth1", "rest");
	assert_int_equal(f.topology->vrf_count, 5);
	assert_int_equal(port_of(&f, "leaf1.swp5")->mtu, 4250);
	fixture_free(&second);
	fixture_free(&third);
	fixture_free(&f);
}

static void
test_refused_change_changes_nothing(void **state)
{
	static const uint8_t own[4] = {1, 1, 1, 1};
	struct fixture f, other;

	(void)state;
	fixture_load(&f, SMALL "tenants: {red: {hosts: [h1], vni: 1, addresses: {h1: 1.1.1.1}, "
			       "border: {h1: 0.0.0.0/0}}}\n");
	assert_int_equal(retenant(&f, &other,
				  SMALL "tenants: {blue: {hosts: [h1], addresses: {h1: 2.2.2.2}}, "
					"red: {hosts: [h2, h99]}}\n"),
			 -EINVAL);
	assert_int_equal(f.topology->vrf_count, 3);
	assert_int_equal(topology_find_vrf(f.topology, "blue"), -1);
	assert_in(&f, "h1.eth1", "red");
	assert_memory_equal(port_of(&f, "h1.eth1")->ip4, own, 4);
	assert_int_equal(f.topology->border_count, 1);
	fixture_free(&other);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demo),
		cmocka_unit_test(test_rest_has_the_others),
		cmocka_unit_test(test_encapsulations),
		cmocka_unit_test(test_leaks),
		cmocka_unit_test(test_addresses_and_borders),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_single_switch),
		cmocka_unit_test(test_mtu),
		cmocka_unit_test(test_indices_stay),
		cmocka_unit_test(test_refused_change_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
