// SPDX-License-Identifier: BSD-3-Clause
#include "fixture.h"

#define FABRIC                                                                        \
	"fabric:\n  name: lab\n  topology: {kind: leaf-spine, leaves: 2, spines: 2, " \
	"hosts-per-leaf: 2}\n"
#define EAST(keys) "    east: {address: 192.0.2.1, switches: [leaf1, spine1]" keys "}\n"
#define WEST(keys) "    west: {address: 192.0.2.2, switches: [leaf2, spine2]" keys "}\n"

static const char *
part_of(const struct topology *t, const char *node)
{
	return topology_part_of(t, topology_find_node(t, node))->name.text;
}

static void
places_nodes(void **state)
{
	char name[CONFIG_RUN_NAME_MAX];
	struct fixture f;
	uint32_t crossing = 0;

	(void)state;
	fixture_load(&f, FABRIC "  parts:\n" EAST("") WEST(""));
	assert_string_equal(part_of(f.topology, "leaf1"), "east");
	assert_string_equal(part_of(f.topology, "spine1"), "east");
	assert_string_equal(part_of(f.topology, "h2"), "east");
	assert_string_equal(part_of(f.topology, "leaf2"), "west");
	assert_string_equal(part_of(f.topology, "spine2"), "west");
	assert_string_equal(part_of(f.topology, "h3"), "west");
	for (uint32_t i = 0; i < f.topology->link_count; i++)
		crossing += topology_crosses(f.topology, &f.topology->links[i]);
	assert_int_equal(crossing, 2); // leaf1-spine2 and leaf2-spine1
	assert_string_equal(config_run_name(&f.config->fabric, "west", name), "lab-west");
	assert_string_equal(config_run_name(&f.config->fabric, NULL, name), "lab");
	fixture_free(&f);
	fixture_load(&f, FABRIC);
	assert_null(topology_part_of(f.topology, 0));
	assert_false(topology_crosses(f.topology, &f.topology->links[0]));
	fixture_free(&f);
}

static void
takes_ranges(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     FABRIC "  parts:\n"
			    "    a: {address: \"::1\", switches: leaf1-leaf2}\n"
			    "    b: {address: \"::1\", port: 48000, switches: [spine1-spine2]}\n");
	assert_string_equal(part_of(f.topology, "leaf2"), "a");
	assert_string_equal(part_of(f.topology, "spine1"), "b");
	assert_int_equal(f.config->fabric.parts[0].port, 47900);
	assert_int_equal(f.config->fabric.parts[1].port, 48000);
	assert_int_equal(f.config->fabric.parts[1].address.version, 6);
	fixture_free(&f);
}

static void
finds_parts(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, FABRIC "  parts:\n" EAST("") WEST(""));
	assert_ptr_equal(topology_resolve_part(f.topology, "west", &f.diag),
			 &f.config->fabric.parts[1]);
	assert_null(topology_resolve_part(f.topology, "wst", &f.diag));
	assert_null(topology_resolve_part(f.topology, "x", &f.diag));
	assert_true(fixture_says(&f, "fabric.parts: there is no part wst; did you mean west"));
	assert_true(fixture_says(&f, "fabric.parts: there is no part x; the first one is east"));
	fixture_free(&f);
	fixture_load(&f, FABRIC);
	assert_null(topology_resolve_part(f.topology, "west", &f.diag));
	assert_true(fixture_says(&f, "this fabric has no parts: leave out --part west"));
	fixture_free(&f);
}

static void
refuses_switches(void **state)
{
	(void)state;
	fixture_refused(FABRIC
			"  parts:\n" EAST("") "    west: {address: 192.0.2.2, switches: [leaf2, "
					      "spin2]}\n",
			"t.yaml:6:50: fabric.parts.west.switches: there is no node spin2; did you "
			"mean spine2?");
	fixture_refused(FABRIC "  parts:\n" EAST(""),
			"t.yaml:5:5: fabric.parts: leaf2 and 1 other are in no part: name each "
			"switch under `switches` of a part");
	fixture_refused(FABRIC "  parts:\n" EAST("") "    west: {address: 192.0.2.2, switches: "
						     "[leaf1, leaf2, spine2]}\n",
			"t.yaml:6:43: fabric.parts.west.switches: leaf1 is in part east already");
	fixture_refused(FABRIC "  parts:\n" EAST("") "    west: {address: 192.0.2.2, switches: "
						     "[leaf2, spine2, h4]}\n",
			"fabric.parts.west.switches: h4 is a host: it is in the part of its leaf");
}

// A rail topology's host has a NIC at each leaf.
static void
keeps_hosts_whole(void **state)
{
	(void)state;
	fixture_refused(
		"fabric:\n"
		"  topology: {kind: rail, leaves: 2, spines: 1, hosts-per-leaf: 2}\n"
		"  parts:\n"
		"    east: {address: 192.0.2.1, switches: [leaf1, spine1]}\n"
		"    west: {address: 192.0.2.2, switches: [leaf2]}\n",
		"t.yaml:5:5: fabric.parts: h1 has links to part east and, at leaf2, to part "
		"west: all leaves of a host must be in one part");
}

static void
refuses_addresses(void **state)
{
	(void)state;
	fixture_refused(
		FABRIC "  parts:\n" EAST("") "    west: {address: \"2001:db8::1\", switches: "
					     "[leaf2, spine2]}\n",
		"t.yaml:6:21: fabric.parts.west.address: this is an IPv6 address and that of "
		"part east an IPv4 address");
	fixture_refused(FABRIC "  parts:\n" EAST("") "    west: {address: 192.0.2.1, port: 47901, "
						     "switches: [leaf2, spine2]}\n",
			"fabric.parts.west.address: part east has this address and the same UDP "
			"ports: write another address, or a first `port` that is 2 or more away "
			"from 47900");
	fixture_refused(FABRIC "  parts:\n" EAST("") WEST(", port: 65535"),
			"t.yaml:6:5: fabric.parts.west.port: 2 links join parts, and each needs a "
			"UDP port from 65535 on: 65534 is the largest first port");
	fixture_refused(
		FABRIC "  parts:\n" EAST("") "    a-name-of-thirty-two-characters-: "
					     "{address: 192.0.2.2, switches: [leaf2, spine2]}\n",
		"its process is called FABRIC-PART: \"lab-a-name-of-thirty-two-characters-\" "
		"is too long");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_nodes),      cmocka_unit_test(takes_ranges),
		cmocka_unit_test(finds_parts),       cmocka_unit_test(refuses_switches),
		cmocka_unit_test(keeps_hosts_whole), cmocka_unit_test(refuses_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
