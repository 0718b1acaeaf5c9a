// SPDX-License-Identifier: BSD-3-Clause
// Which link's packets are sent on by which, counted for a fabric whose answer is known, and
// cycles in it.
#include "control/advice/advice_internal.h"

#include "control/model/tables/build.h"
#include "tests/unit/control/model/topology/fixture.h"

#define SWITCHES_MAX 8

struct followed {
	struct fixture f;
	struct tables *tables[SWITCHES_MAX];
	struct reach r;
};

static void
rebuild(struct followed *w, uint32_t n)
{
	const struct topo_node *node = &w->f.topology->nodes[n];
	struct switch_config settings;

	tables_destroy(w->tables[n]);
	assert_int_equal(config_switch(w->f.config, node->name, node->role, &settings), 0);
	assert_int_equal(tables_build(&w->tables[n], w->f.topology, n, &settings,
				      &w->f.routes->nodes[n], &w->f.diag),
			 0);
}

static void
follow(struct followed *w)
{
	reach_follow(&w->r, (const struct tables *const *)w->tables, NULL, 0);
}

static void
start(struct followed *w, const char *text)
{
	*w = (struct followed){0};
	fixture_load(&w->f, text);
	assert_true(w->f.topology->first_host <= SWITCHES_MAX);
	for (uint32_t n = 0; n < w->f.topology->first_host; n++)
		rebuild(w, n);
	reach_create(&w->r, w->f.topology);
	follow(w);
}

static void
stop(struct followed *w)
{
	for (uint32_t n = 0; n < w->f.topology->first_host; n++)
		tables_destroy(w->tables[n]);
	reach_destroy(&w->r);
	fixture_free(&w->f);
}

static unsigned
edges(const struct reach *r)
{
	unsigned count = 0;

	for (uint32_t link = 0; link < r->link_count; link++)
		for (unsigned i = 0; i < PORTS_MAX / 64; i++)
			count += (unsigned)__builtin_popcountll(r->onward[link].bits[i]);
	return count;
}

static uint32_t
cycle_without(struct followed *w, uint32_t link, uint32_t *links)
{
	bool members[SWITCHES_MAX * PORTS_MAX];

	memset(members, true, sizeof(members));
	members[link] = false;
	return reach_find_cycle(&w->r, members, links);
}

static uint32_t
cycle(struct followed *w, uint32_t *links)
{
	bool members[SWITCHES_MAX * PORTS_MAX];

	memset(members, true, sizeof(members));
	return reach_find_cycle(&w->r, members, links);
}

static void
set_route_to(struct followed *w, const char *node_name, struct config_prefix prefix,
	     const char *via)
{
	const struct topology *t = w->f.topology;
	struct config_via hop = {.node = {.text = (char *)(uintptr_t)via}};
	struct config_event event = {
		.kind = CONFIG_EVENT_ROUTE,
		.node = {.text = (char *)(uintptr_t)node_name},
		.route = {.vrf = {.text = (char *)"default"},
			  .prefix = prefix,
			  .via = &hop,
			  .via_count = 1},
	};
	uint32_t node;

	assert_int_equal(routes_apply_event(w->f.routes, t, &event, &node, &w->f.diag), 0);
	rebuild(w, node);
	follow(w);
}

// For leaf2's hosts.
static void
set_route(struct followed *w, const char *node_name, const char *via)
{
	set_route_to(w, node_name,
		     (struct config_prefix){.version = 4, .length = 24, .address = {10, 0, 2, 0}},
		     via);
}

// 4 leaves, 2 spines: what comes up a link from a leaf goes down to each of the 3 others, and what
// comes down goes to hosts: 4 x 2 x 3 pairs, no cycle.
static void
test_leaf_spine(void **state)
{
	uint32_t links[64];
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 3}}\n");
	assert_int_equal(edges(&w.r), 4 * 2 * 3);
	// leaf1's first uplink: on by spine1's ports to leaf2, leaf3, leaf4.
	assert_int_equal(w.r.onward[reach_link(&w.r, 0, 3)].bits[0], 0xe);
	assert_int_equal(cycle(&w, links), 0);
	stop(&w);
}

// Tenants know only their own: leaf1 and leaf2 have red hosts, leaf3 and leaf4 blue.
static void
test_tenants(void **state)
{
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 4, spines: 1, hosts-per-leaf: 1}}\n"
	      "tenants: {red: {hosts: [h1, h2]}, blue: {hosts: [h3, h4]}}\n");
	assert_int_equal(edges(&w.r), 4);
	assert_int_equal(w.r.onward[reach_link(&w.r, 0, 1)].bits[0], 0x2);
	assert_int_equal(w.r.onward[reach_link(&w.r, 3, 1)].bits[0], 0x4);
	stop(&w);
}

// spine1 sends leaf2's packets back to leaf1, which sends them up again: two links.
static void
test_loop_of_two(void **state)
{
	uint32_t links[64];
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}}\n");
	assert_int_equal(cycle(&w, links), 0);
	set_route(&w, "spine1", "leaf1");
	assert_int_equal(cycle(&w, links), 2);
	assert_int_equal(links[0], reach_link(&w.r, 0, 1));
	assert_int_equal(links[1], reach_link(&w.r, 2, 0));
	// And packets to leaf2's host do go round it.
	assert_int_equal(w.r.loop_length, 2);
	assert_int_equal(w.r.loop[0], reach_link(&w.r, 0, 1));
	assert_int_equal(w.r.loop[1], reach_link(&w.r, 2, 0));
	assert_int_equal(w.r.looping.length, 32);
	assert_memory_equal(w.r.looping.address, ((uint8_t[]){10, 0, 2, 1}), 4);
	// A link on which nothing waits breaks the cycle.
	assert_int_equal(cycle_without(&w, reach_link(&w.r, 2, 0), links), 0);
	assert_int_equal(cycle_without(&w, reach_link(&w.r, 2, 1), links), 2);
	set_route(&w, "spine1", "leaf2");
	assert_int_equal(cycle(&w, links), 0);
	assert_int_equal(w.r.loop_length, 0);
	stop(&w);
}

// A detour that no packet can take: leaf3 would send leaf2's packets to spine2, but nobody sends
// them to leaf3 but its own hosts. With spine1 sending them there it is one: up, down, up and down
// again, still no cycle; and spine2 sending them to leaf1 closes it.
static void
test_detours(void **state)
{
	uint32_t links[64];
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 3, spines: 2, hosts-per-leaf: 1}}\n");
	set_route(&w, "leaf3", "spine2");
	assert_int_equal(cycle(&w, links), 0);
	set_route(&w, "spine1", "leaf3");
	assert_int_equal(cycle(&w, links), 0);
	assert_int_equal(w.r.loop_length, 0);
	set_route(&w, "leaf1", "spine1");
	set_route(&w, "spine2", "leaf1");
	assert_int_equal(cycle(&w, links), 4);
	assert_int_equal(w.r.loop_length, 4);
	stop(&w);
}

// Encapsulated packets take the same links as plain ones.
static void
test_encapsulated(void **state)
{
	static const char *const tenants[] = {
		"rest: {vni: 5001}",
		"rest: {vlan: 7}",
		("red: {hosts: [h1, h4, h7, h10], vni: 1}, blue: {hosts: [h2, h5, h8, h11], vlan: "
		 "7}, "
		 "rest: {encap: plain}"),
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(tenants) / sizeof(tenants[0]); i++) {
		char text[512];
		uint32_t links[64];
		struct followed w;

		snprintf(
			text, sizeof(text),
			"fabric: {underlay: %u, topology: {kind: leaf-spine, leaves: 4, spines: 2, "
			"hosts-per-leaf: 3}}\ntenants: {%s}\n",
			i == 0 ? 6 : 4, tenants[i]);
		start(&w, text);
		assert_int_equal(edges(&w.r), 4 * 2 * 3);
		assert_int_equal(w.r.onward[reach_link(&w.r, 0, 3)].bits[0], 0xe);
		assert_int_equal(cycle(&w, links), 0);
		assert_int_equal(w.r.loop_length, 0);
		stop(&w);
	}
}

// A spine that sends leaf2's tunnels back to leaf1, which passes them on to the spine: what is in
// them goes round.
static void
test_loop_of_tunnels(void **state)
{
	const struct config_prefix far = {.version = 4, .length = 32, .address = {172, 16, 0, 2}};
	uint32_t links[64];
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 1}}\n"
	      "tenants: {red: {hosts: [h1, h2], vni: 5001}}\n");
	assert_int_equal(w.r.loop_length, 0);
	set_route_to(&w, "spine1", far, "leaf1");
	assert_int_equal(w.r.loop_length, 2);
	assert_int_equal(cycle(&w, links), 2);
	assert_memory_equal(w.r.looping.address, ((uint8_t[]){10, 0, 2, 1}), 4);
	set_route_to(&w, "spine1", far, "leaf2");
	assert_int_equal(w.r.loop_length, 0);
	// What goes there plain is nobody's: it does not meet the tunnels' loop.
	set_route(&w, "spine1", "leaf1");
	assert_int_equal(w.r.loop_length, 0);
	stop(&w);
}

// The group that a switch's VRF sends a host's address to, or LPM_NONE if it goes to no switch.
static uint32_t
group_to(const struct followed *w, uint32_t node, uint16_t vrf, const struct reach_destination *d)
{
	const struct tables *t = w->tables[node];
	uint32_t number = reach_look_up(t, vrf, d);

	for (uint32_t i = 0; number != LPM_NONE && i < t->groups[number].count; i++) {
		uint16_t port = t->next_hops[t->groups[number].first + i].port;

		if (w->f.topology->nodes[node].ports[port].peer_node < w->f.topology->first_host)
			return number;
	}
	return LPM_NONE;
}

static bool
same_to_all(const struct followed *w, const struct reach_destination *a,
	    const struct reach_destination *b)
{
	for (uint32_t n = 0; n < w->f.topology->first_host; n++)
		for (uint16_t vrf = 0; vrf < w->tables[n]->vrf_count; vrf++)
			if (group_to(w, n, vrf, a) != group_to(w, n, vrf, b))
				return false;
	return true;
}

// Any two destinations are of one class if every switch sends them to the same group, each looked
// up on its own.
static void
check_classes(const struct followed *w, uint32_t classes)
{
	const struct topology *t = w->f.topology;
	struct reach_destination all[64];
	uint32_t count = 0, different = 0;

	for (uint32_t h = 0; h < t->host_count; h++) {
		const struct topo_port *port = &topology_host(t, h)->ports[0];

		all[count++] = (struct reach_destination){.address = port->ip4};
		all[count++] = (struct reach_destination){.address = port->ip6, .ip6 = true};
	}
	reach_classify(&w->r, all, count);
	for (uint32_t i = 0; i < count; i++) {
		bool first = true;

		for (uint32_t k = 0; k < i; k++) {
			assert_int_equal(all[i].class == all[k].class,
					 same_to_all(w, &all[i], &all[k]));
			first &= all[i].class != all[k].class;
		}
		different += first;
	}
	assert_int_equal(different, classes);
}

static void
test_classes(void **state)
{
	const struct config_prefix one = {.version = 4, .length = 32, .address = {10, 0, 2, 1}};
	struct followed w;

	(void)state;
	start(&w,
	      "fabric: {topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 3}}\n");
	check_classes(&w, 4); // the leaves, for either version of IP
	set_route_to(&w, "spine1", one, "leaf3");
	check_classes(&w, 5); // and h4
	set_route(&w, "leaf1", "spine2");
	check_classes(&w, 6); // and what is IPv6 to leaf2
	stop(&w);
	start(&w,
	      "hosts: {ip: [4, 6]}\nfabric: {topology: {kind: leaf-spine, leaves: 4, spines: 2, "
	      "hosts-per-leaf: 3}}\n"
	      "tenants: {red: {hosts: [h1, h4, h5], vni: 1}, blue: {hosts: [h2, h7], vlan: 7}, "
	      "rest: {encap: plain}}\n");
	check_classes(&w, 2 + 2 + 4); // leaves with hosts of red, of blue and of neither
	stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf_spine),   cmocka_unit_test(test_tenants),
		cmocka_unit_test(test_loop_of_two),  cmocka_unit_test(test_detours),
		cmocka_unit_test(test_encapsulated), cmocka_unit_test(test_loop_of_tunnels),
		cmocka_unit_test(test_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
