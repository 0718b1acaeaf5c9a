// SPDX-License-Identifier: BSD-3-Clause
// Up-down paths of every kind: from every leaf to every host by every choice of next hops, in the
// fewest hops, with any one link down too; and how many next hops there are.
#include "control/model/routes/routes_internal.h"
#include "control/config/fabric_file.h"
#include "dataplane/base/random.h"
#include "tests/unit/control/model/topology/fixture.h"

#define KIND(text) "fabric:\n  topology: {kind: " text "}\n"

struct world {
	const struct topology *t;
	const struct routes *routes;
	const bool *down;
	const struct topo_port *to; // the host's
	uint32_t *seen;             // by switch: hops on to the host + 1, 0: not yet looked at
};

static const struct route *
route_at(const struct world *w, uint32_t node)
{
	return routes_lookup(&w->routes->nodes[node], TOPOLOGY_VRF_DEFAULT, 4, w->to->ip4);
}

// Links to the host's leaf and back again would never end: a switch met on its own way is a loop.
static uint32_t
follow(struct world *w, uint32_t node)
{
	const struct route_list *list = &w->routes->nodes[node];
	const struct route *route = route_at(w, node);
	uint32_t hops = 0;

	if (w->seen[node] != 0) {
		assert_int_not_equal(w->seen[node], UINT32_MAX); // a loop
		return w->seen[node] - 1;
	}
	w->seen[node] = UINT32_MAX;
	assert_non_null(route); // else a packet was sent to where it has no way on
	for (uint32_t m = 0; m < list->groups[route->group].count; m++) {
		const struct route_member *member =
			&list->members[list->groups[route->group].first + m];
		const struct topo_port *out = &w->t->nodes[node].ports[member->port];
		uint32_t further;

		assert_false(w->down[out->link]);
		if (out->peer_node >= w->t->first_host) {
			assert_ptr_equal(&w->t->nodes[out->peer_node].ports[out->peer_port], w->to);
			assert_int_equal(list->groups[route->group].count, 1);
			continue;
		}
		further = 1 + follow(w, out->peer_node);
		assert_true(hops == 0 || hops == further); // all members are as good
		hops = further;
	}
	w->seen[node] = hops + 1;
	return hops;
}

// The fewest links between a leaf and every switch, by any path.
static void
measure(const struct topology *t, const bool *down, uint32_t from, uint32_t *distance)
{
	uint32_t *queue = calloc(t->first_host, sizeof(*queue));
	uint32_t head = 0, tail = 0;

	assert_non_null(queue);
	for (uint32_t n = 0; n < t->first_host; n++)
		distance[n] = UINT32_MAX;
	distance[from] = 0;
	queue[tail++] = from;
	while (head < tail) {
		uint32_t n = queue[head++];

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];

			if (port->peer_node >= t->first_host || down[port->link] ||
			    distance[port->peer_node] != UINT32_MAX)
				continue;
			distance[port->peer_node] = distance[n] + 1;
			queue[tail++] = port->peer_node;
		}
	}
	free(queue);
}

// From every leaf of its part to one port of every leaf. all: every one has a way to every other,
// in the fewest hops; else those that have none are none's next hop.
static unsigned
check(const struct topology *t, const bool *down, bool all)
{
	struct diag diag = {0};
	struct world w = {.t = t, .down = down};
	uint32_t *distance = calloc(t->first_host, sizeof(*distance));
	struct routes *routes;
	unsigned joined = 0;

	w.seen = calloc(t->first_host, sizeof(*w.seen));
	assert_true(w.seen != NULL && distance != NULL);
	assert_int_equal(routes_create(&routes, t, down, &diag), 0);
	w.routes = routes;
	for (uint32_t to = 0; to < t->leaf_count; to++) {
		const struct topo_port *port = &t->nodes[to].ports[0];

		if (t->nodes[to].port_count == 0 || port->peer_node < t->first_host)
			continue;
		w.to = &t->nodes[port->peer_node].ports[port->peer_port];
		memset(w.seen, 0, t->first_host * sizeof(*w.seen));
		measure(t, down, to, distance);
		for (uint32_t from = 0; from < t->first_host; from++) {
			if (route_at(&w, from) == NULL) {
				assert_false(all && from < t->leaf_count &&
					     t->component[from] == t->component[to]);
				continue;
			}
			joined += from < t->leaf_count && from != to;
			if (all && from < t->leaf_count)
				assert_int_equal(follow(&w, from), distance[from]);
			else
				follow(&w, from);
		}
	}
	routes_destroy(routes);
	free(distance);
	free(w.seen);
	return joined;
}

// Every kind, whole and with every link between switches down in turn.
static void
test_kinds(void **state)
{
	static const struct {
		const char *text;
		unsigned joined; // leaves with a way to each other
	} kinds[] = {
		{KIND("leaf-spine, leaves: 4, spines: 3, hosts-per-leaf: 2"), 4 * 3},
		{KIND("leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 1, planes: 8"), 8 * 3 * 2},
		{KIND("rail, leaves: 8, spines: 4, rails: 4, hosts-per-leaf: 2"), 8 * 7},
		{KIND("fat-tree, k: 4"), 8 * 7},
		{KIND("fat-tree, k: 6"), 18 * 17},
		{KIND("clos3, pods: 3, leaves: 3, spines: 2, super-spines: 4, hosts-per-leaf: 1"),
		 9 * 8},
		{KIND("clos3, pods: 2, leaves: 2, spines: 3, super-spines: 6, hosts-per-leaf: 1, "
		      "planes: "
		      "2"),
		 2 * 4 * 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool down[1024] = {false};
		struct fixture f;

		fixture_load(&f, kinds[i].text);
		assert_true(f.topology->link_count < 1024);
		assert_int_equal(check(f.topology, down, true), kinds[i].joined);
		for (uint32_t l = 0; l < f.topology->link_count; l++) {
			if (f.topology->links[l].host)
				continue;
			down[l] = true;
			assert_int_equal(check(f.topology, down, true), kinds[i].joined);
			down[l] = false;
		}
		fixture_free(&f);
	}
}

static unsigned
members_at(const struct fixture *f, const char *node, const char *host)
{
	struct world w = {.t = f->topology, .routes = f->routes};
	uint32_t n = topology_find_node(f->topology, node);
	struct topo_ref ref;

	assert_int_equal(topology_find_port(f->topology, host, &ref), 0);
	w.to = &f->topology->nodes[ref.node].ports[ref.port];
	return f->routes->nodes[n].groups[route_at(&w, n)->group].count;
}

static void
test_group_sizes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_load(&f, KIND("fat-tree, k: 4"));
	assert_int_equal(members_at(&f, "leaf1", "h16.eth1"), 2);
	assert_int_equal(members_at(&f, "spine1", "h16.eth1"), 2);
	assert_int_equal(members_at(&f, "super1", "h16.eth1"), 1);
	assert_int_equal(members_at(&f, "spine7", "h16.eth1"), 1);
	assert_int_equal(members_at(&f, "leaf1", "h3.eth1"), 2); // the pod's other leaf
	fixture_free(&f);
	fixture_load(
		&f,
		KIND("clos3, pods: 3, leaves: 4, spines: 2, super-spines: 6, hosts-per-leaf: 5, "
		     "planes: 2"));
	assert_int_equal(members_at(&f, "p2-leaf1", "h60.eth2"), 2);
	assert_int_equal(members_at(&f, "p2-spine1", "h60.eth2"), 3);
	fixture_free(&f);
	fixture_load(&f, KIND("leaf-spine, leaves: 32, spines: 16, hosts-per-leaf: 64"));
	assert_int_equal(members_at(&f, "leaf1", "h2048.eth1"), 16);
	fixture_free(&f);
}

// leaf2 and leaf3 have one spine each, and only leaf1 has both: no path climbs once and descends.
static void
test_spines_joined_by_a_leaf(void **state)
{
	bool down[16] = {false};
	struct fixture f;

	(void)state;
	fixture_load(&f,
		     "fabric:\n  topology:\n    kind: explicit\n"
		     "    nodes: [leaf1, leaf2, leaf3, spine1, spine2, h1, h2, h3]\n    links:\n"
		     "      - {a: h1, b: leaf1.swp1}\n      - {a: h2, b: leaf2.swp1}\n"
		     "      - {a: h3, b: leaf3.swp1}\n"
		     "      - {a: leaf1.swp2, b: spine1.swp1}\n"
		     "      - {a: leaf1.swp3, b: spine2.swp1}\n"
		     "      - {a: leaf2.swp2, b: spine1.swp2}\n"
		     "      - {a: leaf3.swp2, b: spine2.swp2}\n");
	assert_int_equal(check(f.topology, down, true), 3 * 2);
	assert_int_equal(members_at(&f, "leaf2", "h3.eth1"), 1);
	fixture_free(&f);
}

// A random topology as the simulators' files have it. Connected, so that all reach all.
static struct topology *
random_topology(struct random *r, struct config *config, struct arena *arena)
{
	unsigned switches = 2 + random_below(r, 8), hosts = 2 + random_below(r, 6);
	unsigned extra = random_below(r, 8);
	struct diag diag = {0};
	struct topology *t = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fprintf(to, "%u %u %u\n", switches + hosts, switches, hosts + switches - 1 + extra);
	for (unsigned i = 0; i < switches; i++)
		fprintf(to, "%u ", i);
	for (unsigned i = 0; i < hosts; i++)
		fprintf(to, "\n%u %u 100Gbps 1us 0", switches + i, random_below(r, switches));
	for (unsigned i = 1; i < switches; i++)
		fprintf(to, "\n%u %u 100Gbps 1us 0", random_below(r, i), i);
	for (unsigned i = 0; i < extra; i++) {
		unsigned a = random_below(r, switches);

		fprintf(to, "\n%u %u 100Gbps 1us 0", a,
			(a + 1 + random_below(r, switches - 1)) % switches);
	}
	fclose(to);
	*config = (struct config){.file = (char *)(uintptr_t) "c"};
	config->fabric.topology = CONFIG_TOPOLOGY_FILE;
	config->fabric.mtu = 4200;
	assert_int_equal(fabric_file_parse(&config->fabric, arena, text, size, "t",
					   (struct diag_pos){1, 1}, &diag),
			 0);
	assert_int_equal(topology_create(&t, config, &diag), 0);
	free(text);
	return t;
}

// Never a loop nor a dead end, whole or with any one link down; whole, nobody is left out.
static void
test_random_files(void **state)
{
	const char *full = getenv("ROOST_TEST_FULL");
	unsigned rounds = full != NULL && strcmp(full, "1") == 0 ? 5000 : 300;
	struct random r = random_stream(3, 9);

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		bool down[64] = {false};
		struct arena arena = {0};
		struct config config;
		struct topology *t = random_topology(&r, &config, &arena);
		unsigned with_hosts = 0;

		for (uint32_t n = 0; n < t->leaf_count; n++)
			with_hosts += t->nodes[n].ports[0].peer_node >= t->first_host;
		assert_int_equal(with_hosts, t->leaf_count);
		assert_int_equal(check(t, down, false), t->leaf_count * (t->leaf_count - 1));
		for (uint32_t l = 0; l < t->link_count; l++) {
			down[l] = !t->links[l].host;
			check(t, down, false);
			down[l] = false;
		}
		topology_destroy(t);
		arena_free(&arena);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_group_sizes),
		cmocka_unit_test(test_spines_joined_by_a_leaf),
		cmocka_unit_test(test_random_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
