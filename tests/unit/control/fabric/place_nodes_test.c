// SPDX-License-Identifier: BSD-3-Clause
// Which rank has which nodes: even shares, whole planes and pods where there are any, and no host
// apart from one of its leaves. Which thread or worker runs which: each has a leaf.
#include "control/fabric/fabric.h"

#include "tests/unit/control/model/topology/fixture.h"

#include <stdlib.h>

// What holds of all: hosts are with all their leaves.
static uint16_t *
place(struct fixture *f, const char *topology, uint32_t ranks)
{
	char text[256];
	uint16_t *places;

	snprintf(text, sizeof(text), "fabric: {topology: {%s}}\nswitch: {preset: spectrum-x}\n",
		 topology);
	fixture_load(f, text);
	places = fabric_place_ranks(f->topology, ranks);
	for (uint32_t i = 0; i < f->topology->node_count; i++) {
		const struct topo_node *n = &f->topology->nodes[i];

		assert_true(places[i] < ranks);
		for (uint16_t p = 0; i >= f->topology->first_host && p < n->port_count; p++)
			assert_int_equal(places[n->ports[p].peer_node], places[i]);
	}
	return places;
}

static uint32_t
count(const struct fixture *f, const uint16_t *places, enum config_role role, uint16_t rank)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < f->topology->node_count; i++)
		found += f->topology->nodes[i].role == role && places[i] == rank;
	return found;
}

static void
test_shares(void **state)
{
	static const struct {
		const char *topology;
		uint32_t ranks, leaves, spines, super_spines, hosts; // of each rank
	} cases[] = {
		{"kind: leaf-spine, leaves: 8, spines: 4, hosts-per-leaf: 3", 1, 8, 4, 0, 24},
		{"kind: leaf-spine, leaves: 8, spines: 4, hosts-per-leaf: 3", 2, 4, 2, 0, 12},
		{"kind: leaf-spine, leaves: 8, spines: 4, hosts-per-leaf: 3", 4, 2, 1, 0, 6},
		{"kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 3, planes: 2", 2, 4, 2, 0,
		 6},
		{"kind: fat-tree, k: 4", 4, 2, 2, 1, 4},
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		uint16_t *places = place(&f, cases[i].topology, cases[i].ranks);

		for (uint16_t r = 0; r < cases[i].ranks; r++) {
			assert_int_equal(count(&f, places, CONFIG_ROLE_LEAF, r), cases[i].leaves);
			assert_int_equal(count(&f, places, CONFIG_ROLE_SPINE, r), cases[i].spines);
			assert_int_equal(count(&f, places, CONFIG_ROLE_SUPER_SPINE, r),
					 cases[i].super_spines);
			assert_int_equal(count(&f, places, CONFIG_ROLE_HOST, r), cases[i].hosts);
		}
		free(places);
		fixture_free(&f);
	}
}

// Leaves with the same hosts stay together, so a rank has nothing or all.
static void
test_not_divided(void **state)
{
	struct fixture f;
	uint16_t *places = place(&f,
				 "kind: explicit, nodes: [leaf1, leaf2, h1, h2], links: ["
				 "{a: h1.eth1, b: leaf1.swp1}, {a: h1.eth2, b: leaf2.swp1},"
				 "{a: h2.eth1, b: leaf1.swp2}, {a: leaf1.swp3, b: leaf2.swp3}]",
				 3);

	(void)state;
	for (uint32_t i = 1; i < f.topology->node_count; i++)
		assert_int_equal(places[i], places[0]);
	free(places);
	fixture_free(&f);
}

// Three leaves of some numbers of ports, and hosts at all of them.
static void
load_leaves(struct fixture *f, const unsigned int ports[3])
{
	char text[4096];
	int length = snprintf(text, sizeof(text),
			      "fabric: {topology: {kind: explicit, nodes: [leaf1, leaf2, leaf3");
	unsigned int host = 0;

	for (unsigned int i = 0; i < ports[0] + ports[1] + ports[2]; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, ", h%u", i + 1);
	length += snprintf(text + length, sizeof(text) - (size_t)length, "], links: [");
	for (unsigned int leaf = 0; leaf < 3; leaf++)
		for (unsigned int p = 0; p < ports[leaf]; p++, host++)
			length += snprintf(text + length, sizeof(text) - (size_t)length,
					   "%s{a: h%u.eth1, b: leaf%u.swp%u}",
					   host == 0 ? "" : ", ", host + 1, leaf + 1, p + 1);
	snprintf(text + length, sizeof(text) - (size_t)length,
		 "]}}\nswitch: {preset: spectrum-x}\n");
	fixture_load(f, text);
}

static void
test_uneven_leaves(void **state)
{
	static const struct {
		unsigned int ports[3];
		uint32_t threads;
		uint16_t places[3];
	} cases[] = {
		{{2, 30, 2}, 3, {0, 1, 2}}, {{30, 2, 2}, 3, {0, 1, 2}}, {{2, 2, 30}, 3, {0, 1, 2}},
		{{2, 30, 2}, 2, {0, 1, 1}}, {{30, 2, 2}, 2, {0, 1, 1}}, {{4, 4, 4}, 2, {0, 1, 1}},
		{{30, 2, 2}, 1, {0, 0, 0}},
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		uint16_t *places;

		load_leaves(&f, cases[i].ports);
		places = fabric_place(f.topology, NULL, 0, cases[i].threads);
		for (unsigned int leaf = 0; leaf < 3; leaf++)
			assert_int_equal(places[leaf], cases[i].places[leaf]);
		free(places);
		fixture_free(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_not_divided),
		cmocka_unit_test(test_uneven_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
