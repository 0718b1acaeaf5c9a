// SPDX-License-Identifier: BSD-3-Clause
// Forwarding tables of every kind of fabric: whoever follows them gets from every switch to every
// LID in the fewest hops, with any one link down too, and the LIDs of hosts are spread evenly over
// the ports that lead to them.
#include "control/model/subnet/subnet.h"
#include "tests/unit/control/model/topology/fixture.h"

#define KIND(text) "fabric:\n  topology: {kind: " text "}\n"

static const char *const kinds[] = {
	KIND("leaf-spine, leaves: 4, spines: 3, hosts-per-leaf: 6"),
	KIND("leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2, planes: 2"),
	KIND("rail, leaves: 4, spines: 2, hosts-per-leaf: 4"),
	KIND("fat-tree, k: 4"),
	KIND("clos3, pods: 2, leaves: 2, spines: 2, super-spines: 4, hosts-per-leaf: 3"),
};

// Follows the tables from a switch to a LID: the number of links between switches, or -1 when a
// switch on the way has no port for it.
static int
follow(const struct topology *t, const struct subnet *s, const bool *down, uint32_t node,
       uint32_t lid)
{
	const struct subnet_owner to = s->owners[lid];

	for (int hops = 0; hops <= 8; hops++) {
		const uint8_t number = subnet_port(s, node, lid);
		const struct topo_port *out;
		int port;

		if (number == SUBNET_PORT_NONE)
			return -1;
		if (number == SUBNET_PORT_SELF) {
			assert_int_equal(node, to.node);
			return hops;
		}
		port = topology_port_index(&t->nodes[node], number);
		assert_true(port >= 0);
		out = &t->nodes[node].ports[port];
		assert_false(down[out->link]);
		if (out->peer_node >= t->first_host) {
			assert_int_equal(out->peer_node, to.node);
			assert_int_equal(out->peer_port, to.port);
			return hops;
		}
		node = out->peer_node;
	}
	fail_msg("the tables loop");
	return -1;
}

// The switch that a LID is, or is behind; TOPOLOGY_NONE: the host's link is down.
static uint32_t
switch_of(const struct topology *t, const struct subnet *s, const bool *down, uint32_t lid)
{
	const struct subnet_owner to = s->owners[lid];

	if (to.node < t->first_host)
		return to.node;
	return down[t->nodes[to.node].ports[to.port].link]
		       ? TOPOLOGY_NONE
		       : t->nodes[to.node].ports[to.port].peer_node;
}

static void
check(const struct topology *t, const bool *down)
{
	struct subnet *s;

	subnet_create(&s, t, down);
	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint32_t lid = 1; lid < s->lid_count; lid++) {
			const uint32_t last = switch_of(t, s, down, lid);
			const uint8_t hops = last == TOPOLOGY_NONE
						     ? SUBNET_FAR
						     : s->hops[(size_t)last * t->first_host + n];
			const int found = follow(t, s, down, n, lid);

			assert_int_equal(found, hops == SUBNET_FAR ? -1 : hops);
		}
	subnet_destroy(s);
}

static void
every_lid_is_reached_in_the_fewest_hops_with_any_link_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct fixture f;
		bool *down;

		fixture_load(&f, kinds[i]);
		down = calloc(f.topology->link_count, sizeof(*down));
		assert_non_null(down);
		check(f.topology, down);
		for (uint32_t l = 0; l < f.topology->link_count; l++) {
			down[l] = true;
			check(f.topology, down);
			down[l] = false;
		}
		free(down);
		fixture_free(&f);
	}
}

static void
lids_are_the_switches_then_the_hosts(void **state)
{
	struct fixture f;
	struct subnet *s;

	(void)state;
	fixture_load(&f, kinds[2]); // 4 leaves, 2 spines, 4 hosts of 4 ports
	subnet_create(&s, f.topology, NULL);
	assert_int_equal(s->lid_count, 1 + 6 + 16);
	assert_int_equal(topology_lid(f.topology, 0, 0), 1);
	assert_int_equal(topology_lid(f.topology, 5, 1), 6);
	assert_int_equal(topology_lid(f.topology, 6, 0), 7);
	assert_int_equal(topology_lid(f.topology, 9, 3), 22);
	assert_int_equal(s->owners[22].node, 9);
	assert_int_equal(s->owners[22].port, 3);
	assert_int_equal(s->owners[0].node, TOPOLOGY_NONE);
	assert_int_equal(subnet_port(s, 2, 3), SUBNET_PORT_SELF);
	assert_int_equal(subnet_port(s, 2, 23), SUBNET_PORT_NONE);
	subnet_destroy(s);
	fixture_free(&f);
}

// A leaf of the first fabric has 18 LIDs of hosts behind 3 spines: 6 by each.
static void
lids_are_spread_evenly(void **state)
{
	uint32_t used[PORTS_MAX] = {0};
	struct fixture f;
	struct subnet *s;

	(void)state;
	fixture_load(&f, kinds[0]);
	subnet_create(&s, f.topology, NULL);
	for (uint32_t lid = 1; lid < s->lid_count; lid++)
		if (s->owners[lid].node >= f.topology->first_host)
			used[subnet_port(s, 0, lid)]++;
	for (unsigned p = 1; p <= 6; p++)
		assert_int_equal(used[p], 1);
	for (unsigned p = 7; p <= 9; p++)
		assert_int_equal(used[p], 6);
	subnet_destroy(s);
	fixture_free(&f);
}

static void
shortest_ways_are_all_ports_that_lead_nearer(void **state)
{
	uint16_t ports[PORTS_MAX];
	bool *down;
	struct fixture f;
	struct subnet *s;

	(void)state;
	fixture_load(&f, kinds[0]);
	down = calloc(f.topology->link_count, sizeof(*down));
	assert_non_null(down);
	down[f.topology->nodes[0].ports[7].link] = true; // to spine2
	subnet_create(&s, f.topology, down);
	// h7, the first behind leaf2: LIDs 1 to 7 are switches'.
	assert_int_equal(subnet_shortest(s, f.topology, down, 0, 14, ports), 2);
	assert_int_equal(ports[0], 6);
	assert_int_equal(ports[1], 8);
	assert_int_equal(subnet_shortest(s, f.topology, down, 1, 14, ports), 1);
	assert_int_equal(ports[0], 0);
	assert_int_equal(subnet_shortest(s, f.topology, down, 0, 1, ports), 0); // leaf1 itself
	subnet_destroy(s);
	free(down);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_lid_is_reached_in_the_fewest_hops_with_any_link_down),
		cmocka_unit_test(lids_are_the_switches_then_the_hosts),
		cmocka_unit_test(lids_are_spread_evenly),
		cmocka_unit_test(shortest_ways_are_all_ports_that_lead_nearer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
