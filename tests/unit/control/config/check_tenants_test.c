// SPDX-License-Identifier: BSD-3-Clause
// Tenants against each other: hosts, VNIs and VLANs once, leaks without a loop; what `rest` has by
// default; and their keys one by one.
#include "expect.h"

static void
a_host_has_one_tenant(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants:\n"
			       "  red: {hosts: [h1, h2]}\n"
			       "  blue: {hosts: [h3, h1]}\n"
			       "  pale: {}\n",
			"f.yaml:4:22: tenants.blue.hosts: h1 is already in tenant red\n");
	expect_messages(FABRIC "tenants:\n  green: {hosts: [h4, h4]}\n",
			"f.yaml:3:23: tenants.green.hosts: h4 is named twice\n");
	expect_messages(FABRIC "tenants:\n  rest: {hosts: [h4]}\n",
			"f.yaml:3:17: tenants.rest.hosts: rest has the hosts that no other tenant "
			"has: leave this out\n");
}

static void
identifiers_are_of_one_tenant(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants:\n"
			       "  red: {vni: 7, vlan: 8}\n"
			       "  blue: {vlan: 8, vni: 7, encap: vxlan}\n",
			"f.yaml:4:16: tenants.blue.vlan: 8 is already tenant red's\n"
			"f.yaml:4:24: tenants.blue.vni: 7 is already tenant red's\n");
	// What `rest` has unasked counts where it has it.
	expect_messages(FABRIC "tenants: {red: {vni: 16777214}}\n",
			"f.yaml:2:22: tenants.red.vni: 16777214 is already tenant rest's\n");
	expect_messages(FABRIC "tenants: {red: {vlan: 4094}}\n",
			"f.yaml:2:23: tenants.red.vlan: 4094 is already tenant rest's\n");
	expect_messages(FABRIC "tenants: {red: {vni: 16777214}, rest: {vni: 3}}\n", "");
	expect_messages(FABRIC "tenants: {red: {vni: 16777214}, rest: {encap: plain}}\n", "");
	expect_messages(FABRIC "tenants: {red: {vni: 3}, rest: {vni: 3}}\n",
			"f.yaml:2:38: tenants.rest.vni: 3 is already tenant red's\n");
	expect_messages(SINGLE "tenants: {red: {vni: 16777214}}\n", "");
}

static void
an_encapsulation_needs_its_identifier(void **state)
{
	(void)state;
	expect_messages(FABRIC "tenants:\n"
			       "  red: {encap: vxlan, vlan: 4}\n"
			       "  blue: {encap: vlan, vni: 4}\n"
			       "  rest: {encap: vxlan}\n",
			"f.yaml:3:16: tenants.red.encap: vxlan needs a VNI: write vni: 5001, or "
			"another\n"
			"f.yaml:4:17: tenants.blue.encap: vlan needs a VLAN: write vlan: 101, or "
			"another\n");
	expect_messages(FABRIC "tenants: {red: {vlan: 4095, vni: 16777216}}\n",
			"f.yaml:2:23: tenants.red.vlan: 4095 is out of range: 1 to 4094\n"
			"f.yaml:2:34: tenants.red.vni: 16777216 is out of range: 1 to 16777215\n");
}

static void
leaks_lead_somewhere(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "tenants:\n"
		       "  red: {leak: [bluu, red, mgmt, blue]}\n"
		       "  blue: {}\n"
		       "  mgmt: {network: out-of-band, leak: blue, border: {h1: 0.0.0.0/0}}\n",
		"f.yaml:3:16: tenants.red.leak: there is no tenant bluu; did you mean "
		"\"blue\"?\n"
		"f.yaml:3:22: tenants.red.leak: a tenant's routes are its own already: leave "
		"it out\n"
		"f.yaml:3:27: tenants.red.leak: mgmt is an out-of-band network: it stands "
		"apart and leaks nothing\n"
		"f.yaml:5:38: tenants.mgmt.leak: mgmt is an out-of-band network: it stands "
		"apart and leaks nothing\n"
		"f.yaml:5:53: tenants.mgmt.border: an out-of-band network stands apart: it "
		"has no border\n");
	expect_messages(FABRIC "tenants: {red: {leak: [blue, blue]}, blue: {leak: rest}}\n",
			"f.yaml:2:30: tenants.red.leak: blue is named twice\n");
}

static void
leaks_have_no_loop(void **state)
{
	(void)state;
	expect_messages(
		FABRIC "tenants: {red: {leak: [blue]}, blue: {leak: [red]}}\n",
		"f.yaml:2:24: tenants.red.leak: loop of leaks: red -> blue -> red: a leak is "
		"mutual, one of the two declares it\n");
	// Who leads into a loop is not part of it; two loops are two errors.
	expect_messages(
		FABRIC "tenants:\n"
		       "  in: {leak: [c]}\n"
		       "  a: {leak: [out, b]}\n"
		       "  b: {leak: [c]}\n"
		       "  c: {leak: [a]}\n"
		       "  d: {leak: [e]}\n"
		       "  e: {leak: [a, d]}\n"
		       "  out: {}\n",
		"f.yaml:4:19: tenants.a.leak: loop of leaks: a -> b -> c -> a\n"
		"f.yaml:7:14: tenants.d.leak: loop of leaks: d -> e -> d: a leak is mutual, one "
		"of the two declares it\n");
	// Three that all exchange routes are none.
	expect_messages(FABRIC "tenants: {a: {leak: [b, c]}, b: {leak: [c]}, c: {}}\n", "");
}

static void
a_loop_of_many(void **state)
{
	char text[4096] = FABRIC "tenants:\n", *got;
	size_t used = strlen(text);

	(void)state;
	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "  tenant-with-a-rather-long-name%d: {leak: "
					 "[tenant-with-a-rather-long-name%d]}\n",
					 i, (i + 1) % 40);
	got = messages_of(text);
	assert_non_null(strstr(got, "loop of leaks: tenant-with-a-rather-long-name0 -> "));
	assert_non_null(strstr(got, " -> ... -> tenant-with-a-rather-long-name0\n"));
	free(got);
}

static void
addresses_that_a_host_can_have(void **state)
{
	struct config *c = load_good(
		FABRIC "tenants: {red: {addresses: {h1: 172.16.0.1, h2.eth1: [\"fd01::2\", "
		       "1.2.3.4]}, border: {h1: [0.0.0.0/0, \"2001:db8::/32\"]}}}\n");
	const struct config_tenant *red = &c->tenants[0];

	(void)state;
	assert_int_equal(red->address_count, 3);
	assert_string_equal(red->addresses[1].host.text, "h2.eth1");
	assert_int_equal(red->addresses[1].version, 6);
	assert_int_equal(red->addresses[2].version, 4);
	assert_memory_equal(red->addresses[2].address, ((uint8_t[]){1, 2, 3, 4}), 4);
	assert_int_equal(red->border_count, 1);
	assert_int_equal(red->borders[0].prefix_count, 2);
	assert_int_equal(red->borders[0].prefixes[1].length, 32);
	config_free(c);
	expect_messages(
		FABRIC "tenants:\n  red:\n    addresses: {h1: 172.16.0.1/24, h2: "
		       "[224.0.0.1, 127.0.0.1],\n"
		       "      h3: [1.1.1.1, 1.1.1.2], h4: []}\n"
		       "    border: {h1: 10.0.0.1/8, h2: [1.0.0.0/8, 1.0.0.0/8], h3: []}\n",
		"f.yaml:4:21: tenants.red.addresses.h1: \"172.16.0.1/24\" is a prefix: a host "
		"has an address, without /\n"
		"f.yaml:4:41: tenants.red.addresses.h2: 224.0.0.1 is a multicast address: a "
		"host cannot have it\n"
		"f.yaml:4:52: tenants.red.addresses.h2: 127.0.0.1 is a loopback address: a "
		"host cannot have it\n"
		"f.yaml:5:21: tenants.red.addresses.h3: h3 has an IPv4 address already\n"
		"f.yaml:5:35: tenants.red.addresses.h4: needs an IPv4 address, an IPv6 "
		"address, or both\n"
		"f.yaml:6:18: tenants.red.border.h1: 10.0.0.1/8 has bits set past its length; "
		"did you mean \"10.0.0.0/8\"?\n"
		"f.yaml:6:46: tenants.red.border.h2: 1.0.0.0/8 is named twice\n"
		"f.yaml:6:62: tenants.red.border.h3: needs a prefix such as 0.0.0.0/0\n");
	expect_messages(
		FABRIC "tenants: {red: {addresses: [h1], border: h1, dscp: copy, network: "
		       "lan}}\n",
		"f.yaml:2:28: tenants.red.addresses: expected a map of keys and values, found "
		"a list\n"
		"f.yaml:2:42: tenants.red.border: expected a map of keys and values, found one "
		"value\n"
		"f.yaml:2:52: tenants.red.dscp: \"copy\" is not one of uniform, pipe\n"
		"f.yaml:2:67: tenants.red.network: \"lan\" is not one of east-west, storage, "
		"north-south, out-of-band\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_has_one_tenant),
		cmocka_unit_test(identifiers_are_of_one_tenant),
		cmocka_unit_test(an_encapsulation_needs_its_identifier),
		cmocka_unit_test(leaks_lead_somewhere),
		cmocka_unit_test(leaks_have_no_loop),
		cmocka_unit_test(a_loop_of_many),
		cmocka_unit_test(addresses_that_a_host_can_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
