// SPDX-License-Identifier: BSD-3-Clause
// The engines up-down and fat-tree, on every kind of fabric and with any one link down: whoever
// follows their tables arrives, and no links wait for each other in a cycle, whichever of the ports
// to choose among a switch takes. In a full tree, no two
// flows of a shift share a link with the tables of fat-tree.
#include "control/model/subnet/subnet.h"
#include "tests/unit/control/model/topology/fixture.h"

#include <string.h>

#define KIND(text) "fabric:\n  topology: {kind: " text "}\n"

static const char *const kinds[] = {
	KIND("leaf-spine, leaves: 4, spines: 3, hosts-per-leaf: 6"),
	KIND("leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 2, planes: 2"),
	KIND("rail, leaves: 4, spines: 2, hosts-per-leaf: 4"),
	KIND("fat-tree, k: 4"),
	KIND("clos3, pods: 2, leaves: 2, spines: 2, super-spines: 4, hosts-per-leaf: 3"),
	// A ring of four leaves: shortest paths alone would wait in a cycle.
	"fabric:\n  topology:\n    kind: explicit\n    nodes: {h1: host, h2: host, h3: host, h4: "
	"host, l1: leaf, l2: leaf, l3: leaf, l4: leaf}\n    links:\n"
	"      - {a: h1, b: l1.swp1}\n"
	"      - {a: h2, b: l2.swp1}\n"
	"      - {a: h3, b: l3.swp1}\n"
	"      - {a: h4, b: l4.swp1}\n"
	"      - {a: l1.swp2, b: l2.swp2}\n"
	"      - {a: l2.swp3, b: l3.swp2}\n"
	"      - {a: l3.swp3, b: l4.swp2}\n"
	"      - {a: l4.swp3, b: l1.swp3}\n",
};

static const enum config_subnet_engine engines[] = {CONFIG_SUBNET_UP_DOWN, CONFIG_SUBNET_FAT_TREE};

static struct subnet *
make(const struct topology *t, enum config_subnet_engine engine, const bool *down)
{
	struct config config = *t->config;
	struct topology changed = *t;
	struct subnet *s;

	config.subnet.engine = engine;
	changed.config = &config;
	subnet_create(&s, &changed, down);
	return s;
}

// A directed link: 2 * link, plus 1 if it is left at its end b.
static uint32_t
direction(const struct topology *t, uint32_t node, uint16_t port)
{
	const uint32_t link = t->nodes[node].ports[port].link;

	return 2 * link + (t->links[link].b.node == node && t->links[link].b.port == port);
}

// Follows tables from a switch to a host; notes which link waits for which, and counts flows.
static bool
follow(const struct topology *t, const struct subnet *s, uint32_t lid, bool *waits, unsigned *flows,
       uint32_t node, uint32_t before)
{
	const uint32_t directions = 2 * t->link_count;

	for (unsigned hop = 0; hop < 20; hop++) {
		const int port = topology_port_index(&t->nodes[node], subnet_port(s, node, lid));
		uint32_t now;

		if (port < 0)
			return false;
		now = direction(t, node, (uint16_t)port);
		if (before != UINT32_MAX && waits != NULL)
			waits[(size_t)before * directions + now] = true;
		if (flows != NULL)
			flows[now]++;
		before = now;
		node = t->nodes[node].ports[port].peer_node;
		if (node >= t->first_host)
			return node == s->owners[lid].node;
	}
	return false;
}

// Goes on from a switch by each port that it may choose for a host's LID; notes which link waits
// for which. `been`: directions that have been taken.
static void
follow_choices(const struct topology *t, const struct subnet *s, struct subnet_choices *choices,
	       uint32_t lid, bool *waits, bool *been, uint32_t node, uint32_t before)
{
	uint16_t ports[PORTS_MAX];
	const uint32_t count = subnet_choices_list(choices, node, lid, ports);
	bool lft_is_one = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct topo_port *port = &t->nodes[node].ports[ports[i]];
		const uint32_t now = direction(t, node, ports[i]);

		lft_is_one |= port->number == subnet_port(s, node, lid);
		if (before != UINT32_MAX)
			waits[(size_t)before * 2 * t->link_count + now] = true;
		if (been[now])
			continue;
		been[now] = true;
		if (port->peer_node >= t->first_host)
			assert_int_equal(port->peer_node, s->owners[lid].node);
		else
			follow_choices(t, s, choices, lid, waits, been, port->peer_node, now);
	}
	assert_true(lft_is_one);
}

// Removes links that wait for none until there are no more; what is left is a cycle.
static void
assert_no_cycle(bool *waits, uint32_t directions)
{
	bool *gone = calloc(directions, sizeof(*gone));
	uint32_t left = directions;

	assert_non_null(gone);
	for (bool found = true; found;) {
		found = false;
		for (uint32_t d = 0; d < directions; d++) {
			bool free_one = !gone[d];

			for (uint32_t e = 0; free_one && e < directions; e++)
				free_one = !waits[(size_t)d * directions + e] || gone[e];
			if (free_one) {
				gone[d] = found = true;
				left--;
			}
		}
	}
	assert_int_equal(left, 0);
	free(gone);
}

static bool
has_hosts(const struct topology *t, uint32_t node)
{
	for (uint16_t p = 0; p < t->nodes[node].port_count; p++)
		if (t->nodes[node].ports[p].peer_node >= t->first_host)
			return true;
	return false;
}

static void
check(const struct topology *t, enum config_subnet_engine engine, const bool *down)
{
	const uint32_t directions = 2 * t->link_count;
	bool *waits = calloc((size_t)directions * directions, sizeof(*waits));
	bool *been = calloc(directions, sizeof(*been));
	struct subnet *s = make(t, engine, down);
	struct config config = *t->config;
	struct topology of_engine = *t;
	struct subnet_choices *choices;

	config.subnet.engine = engine;
	of_engine.config = &config;
	subnet_choices_create(&choices, s, &of_engine, down);
	assert_non_null(waits);
	assert_non_null(been);
	for (uint32_t lid = 1; lid < s->lid_count; lid++) {
		const struct subnet_owner to = s->owners[lid];
		const struct topo_port *port;

		if (to.node < t->first_host)
			continue;
		port = &t->nodes[to.node].ports[to.port];
		memset(been, 0, directions * sizeof(*been));
		for (uint32_t n = 0; n < t->first_host; n++) {
			const bool joined = s->hops[(size_t)port->peer_node * t->first_host + n] !=
						    SUBNET_FAR &&
					    !down[port->link];
			// Of switches without hosts there is no data that waits.
			assert_int_equal(follow(t, s, lid, has_hosts(t, n) ? waits : NULL, NULL, n,
						UINT32_MAX),
					 joined);
			if (joined && has_hosts(t, n))
				follow_choices(t, s, choices, lid, waits, been, n, UINT32_MAX);
		}
	}
	assert_no_cycle(waits, directions);
	subnet_choices_destroy(choices);
	subnet_destroy(s);
	free(been);
	free(waits);
}

static void
all_arrive_and_no_links_wait_in_a_cycle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct fixture f;
		bool *down;

		fixture_load(&f, kinds[i]);
		down = calloc(f.topology->link_count, sizeof(*down));
		assert_non_null(down);
		for (unsigned e = 0; e < sizeof(engines) / sizeof(engines[0]); e++) {
			check(f.topology, engines[e], down);
			for (uint32_t l = 0; l < f.topology->link_count; l++) {
				down[l] = true;
				check(f.topology, engines[e], down);
				down[l] = false;
			}
		}
		free(down);
		fixture_free(&f);
	}
}

// The most flows on a link when every host sends to the one that is so many places further.
static unsigned
most_flows(const struct topology *t, const struct subnet *s, uint32_t shift, unsigned *flows)
{
	unsigned most = 0;

	memset(flows, 0, 2 * t->link_count * sizeof(*flows));
	for (uint32_t h = 0; h < t->host_count; h++) {
		const uint32_t to = t->first_host + (h + shift) % t->host_count;
		const struct topo_port *port = &t->nodes[t->first_host + h].ports[0];

		assert_true(follow(t, s, topology_lid(t, to, 0), NULL, flows, port->peer_node,
				   UINT32_MAX));
	}
	for (uint32_t d = 0; d < 2 * t->link_count; d++)
		if (flows[d] > most)
			most = flows[d];
	return most;
}

static void
no_shift_has_two_flows_on_a_link(void **state)
{
	static const char *const full[] = {
		KIND("leaf-spine, leaves: 4, spines: 4, hosts-per-leaf: 4"),
		KIND("fat-tree, k: 4"),
		KIND("fat-tree, k: 8"),
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(full) / sizeof(full[0]); i++) {
		struct fixture f;
		struct subnet *s;
		unsigned *flows;

		fixture_load(&f, full[i]);
		flows = calloc(2 * f.topology->link_count, sizeof(*flows));
		assert_non_null(flows);
		s = make(f.topology, CONFIG_SUBNET_FAT_TREE, NULL);
		for (uint32_t shift = 1; shift < f.topology->host_count; shift++)
			if (most_flows(f.topology, s, shift, flows) != 1)
				fail_msg("fabric %u, shift %u", i, shift);
		subnet_destroy(s);
		free(flows);
		fixture_free(&f);
	}
}

// Shortest paths in the ring wait for each other: what the test above finds if there is something.
static void
up_down_keeps_off_one_link_of_a_ring(void **state)
{
	struct fixture f;
	struct subnet *s;
	unsigned flows[16] = {0}, unused = 0;

	(void)state;
	fixture_load(&f, kinds[5]);
	s = make(f.topology, CONFIG_SUBNET_UP_DOWN, NULL);
	for (uint32_t n = 0; n < 4; n++)
		for (uint32_t h = 4; h < 8; h++)
			follow(f.topology, s, topology_lid(f.topology, h, 0), NULL, flows, n,
			       UINT32_MAX);
	for (uint32_t d = 0; d < 2 * f.topology->link_count; d++)
		unused += flows[d] == 0;
	// Hosts' links are used in one direction here; of those between leaves all are.
	assert_int_equal(unused, 4);
	subnet_destroy(s);
	fixture_free(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive_and_no_links_wait_in_a_cycle),
		cmocka_unit_test(no_shift_has_two_flows_on_a_link),
		cmocka_unit_test(up_down_keeps_off_one_link_of_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
