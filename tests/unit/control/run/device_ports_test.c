// SPDX-License-Identifier: BSD-3-Clause
// The devices that follow from a file's parts.
#include "control/run/device_ports.h"

#include "tests/unit/control/model/topology/fixture.h"

// Links cross from leaf1 to the spines, and from leaf2.
#define PARTS(a, b, c)                                                              \
	"fabric:\n"                                                                 \
	"  name: lab\n"                                                             \
	"  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2}\n" \
	"  parts:\n"                                                                \
	"    a: {address: \"" a "\", switches: [leaf1]}\n"                          \
	"    b: {address: \"" b "\", port: 5000, switches: [leaf2]}\n"              \
	"    c: {address: \"" c "\", port: 6000, switches: [spine1, spine2]}\n"     \
	"attach: {h1: {netns: one}, h3: {netns: three}}\n"

struct listed {
	struct fixture f;
	struct device_port *list;
	uint32_t count;
};

static void
list_part(struct listed *l, const char *text, int part)
{
	*l = (struct listed){0};
	fixture_load(&l->f, text);
	topology_apply_attach(l->f.topology);
	assert_int_equal(device_ports_list(&l->list, &l->count, l->f.topology,
					   part < 0 ? NULL : &l->f.config->fabric.parts[part],
					   &l->f.diag),
			 0);
}

static void
free_listed(struct listed *l)
{
	free(l->list);
	fixture_free(&l->f);
}

static const struct device_port *
find(const struct listed *l, const char *name)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (strcmp(l->list[i].name, name) == 0)
			return &l->list[i];
	return NULL;
}

// Each of these has one end in part c, which is at another place in the same range.
static void
test_both_ends_agree(void **state)
{
	static const struct {
		const char *leaf, *spine;
		int part;
		const char *at_leaf, *at_spine;
	} links[] = {
		{"leaf1.swp3", "spine1.swp1", 0,
		 "net_udp0,local=192.0.2.1:47900,remote=192.0.2.3:6000",
		 "net_udp0,local=192.0.2.3:6000,remote=192.0.2.1:47900"},
		{"leaf1.swp4", "spine2.swp1", 0,
		 "net_udp1,local=192.0.2.1:47901,remote=192.0.2.3:6001",
		 "net_udp1,local=192.0.2.3:6001,remote=192.0.2.1:47901"},
		{"leaf2.swp3", "spine1.swp2", 1,
		 "net_udp2,local=192.0.2.2:5002,remote=192.0.2.3:6002",
		 "net_udp2,local=192.0.2.3:6002,remote=192.0.2.2:5002"},
		{"leaf2.swp4", "spine2.swp2", 1,
		 "net_udp3,local=192.0.2.2:5003,remote=192.0.2.3:6003",
		 "net_udp3,local=192.0.2.3:6003,remote=192.0.2.2:5003"},
	};
	struct listed parts[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		list_part(&parts[i], PARTS("192.0.2.1", "192.0.2.2", "192.0.2.3"), i);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		const struct listed *of_leaf = &parts[links[i].part];
		const struct device_port *leaf = find(of_leaf, links[i].leaf);
		const struct device_port *spine = find(&parts[2], links[i].spine);

		assert_non_null(leaf);
		assert_non_null(spine);
		assert_string_equal(leaf->spec, links[i].at_leaf);
		assert_string_equal(spine->spec, links[i].at_spine);
		assert_string_equal(leaf->far->name.text, "c");
		assert_string_equal(spine->far->name.text, links[i].part == 0 ? "a" : "b");
	}
	assert_int_equal(parts[2].count, 4);
	for (int i = 0; i < 3; i++)
		free_listed(&parts[i]);
}

// Of `attach:` a part has its own hosts; all of a fabric has no device between parts.
static void
test_attached_hosts(void **state)
{
	struct listed l;

	(void)state;
	list_part(&l, PARTS("192.0.2.1", "192.0.2.2", "192.0.2.3"), 0);
	assert_int_equal(l.count, 3);
	assert_non_null(find(&l, "leaf1.swp1"));
	assert_null(find(&l, "leaf2.swp1"));
	assert_null(find(&l, "leaf1.swp1")->far);
	free_listed(&l);
	list_part(&l, PARTS("192.0.2.1", "192.0.2.2", "192.0.2.3"), -1);
	assert_int_equal(l.count, 2);
	assert_non_null(find(&l, "leaf2.swp1"));
	free_listed(&l);
}

static void
test_ip6(void **state)
{
	struct listed l;

	(void)state;
	list_part(&l, PARTS("2001:db8::1", "2001:db8::2", "2001:db8:0:0::3"), 1);
	assert_string_equal(find(&l, "leaf2.swp3")->spec,
			    "net_udp2,local=[2001:db8::2]:5002,remote=[2001:db8::3]:6002");
	assert_int_equal(device_ports_check(l.list, l.count, l.f.topology, &l.f.diag), 0);
	free_listed(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ends_agree),
		cmocka_unit_test(test_attached_hosts),
		cmocka_unit_test(test_ip6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
