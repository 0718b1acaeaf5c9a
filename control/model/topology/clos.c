// SPDX-License-Identifier: BSD-3-Clause
// Leaf-spine, fat-tree and three tiers with supers are one thing in different sizes. A plane has
// pods; every leaf of a pod has its hosts on its first ports and one uplink to every spine of the
// pod behind them. A spine has one port a leaf, in order, and behind them its supers: spine j of
// every pod is joined to the supers of group j, and a super has one port a pod. A leaf-spine fabric
// is one pod without supers; a fat-tree of k has k pods of k/2 leaves and k/2 spines and (k/2)^2
// supers (Al-Fares et al., SIGCOMM 2008). `planes: N` makes N disjoint copies, with one NIC of each
// host (eth1 .. ethN) in each.
#include "topology_internal.h"

static void
join(struct topology *t, uint32_t a, uint32_t a_number, uint32_t b, uint32_t b_number)
{
	builder_add_link(t, (struct topo_end){.node = a, .number = (uint16_t)a_number},
			 (struct topo_end){.node = b, .number = (uint16_t)b_number}, NULL);
}

struct clos {
	struct topology *t;
	uint32_t planes, pods;
	uint32_t leaves, spines; // of a pod
	uint32_t supers;         // of a plane
	uint32_t hosts_per_leaf;
	uint32_t first_spine, first_super;
};

static struct clos
describe(struct topology *t)
{
	const struct config_fabric *f = &t->config->fabric;
	struct config_counts counts;
	struct clos c = {.t = t, .pods = 1};

	config_count_nodes(f, &counts);
	if (f->topology == CONFIG_TOPOLOGY_FAT_TREE)
		c.pods = f->k;
	else if (f->topology == CONFIG_TOPOLOGY_CLOS3)
		c.pods = f->pods;
	c.planes = counts.planes;
	c.leaves = counts.leaves / c.pods;
	c.spines = counts.spines / c.pods;
	c.supers = counts.supers;
	c.hosts_per_leaf = counts.leaves != 0 ? counts.hosts / counts.leaves : 0;
	c.first_spine = c.planes * counts.leaves;
	c.first_super = c.first_spine + c.planes * counts.spines;
	return c;
}

static uint32_t
leaf_of(const struct clos *c, uint32_t plane, uint32_t pod, uint32_t leaf)
{
	return (plane * c->pods + pod) * c->leaves + leaf;
}

static uint32_t
spine_of(const struct clos *c, uint32_t plane, uint32_t pod, uint32_t spine)
{
	return c->first_spine + (plane * c->pods + pod) * c->spines + spine;
}

// The links of one leaf: hosts first, then uplinks.
static void
join_leaf(const struct clos *c, uint32_t plane, uint32_t pod, uint32_t leaf)
{
	uint32_t node = leaf_of(c, plane, pod, leaf);
	uint32_t host = c->t->first_host + leaf_of(c, 0, pod, leaf) * c->hosts_per_leaf;

	c->t->nodes[node].pod = (uint16_t)pod;
	c->t->nodes[node].pod_number = (uint16_t)(leaf + 1);
	for (uint32_t h = 0; h < c->hosts_per_leaf; h++)
		join(c->t, host + h, plane + 1, node, h + 1);
	for (uint32_t s = 0; s < c->spines; s++)
		join(c->t, node, c->hosts_per_leaf + s + 1, spine_of(c, plane, pod, s), leaf + 1);
}

static void
join_spine(const struct clos *c, uint32_t plane, uint32_t pod, uint32_t spine)
{
	uint32_t group = c->supers / c->spines;
	uint32_t first = c->first_super + plane * c->supers + spine * group;
	uint32_t node = spine_of(c, plane, pod, spine);

	c->t->nodes[node].pod = (uint16_t)pod;
	c->t->nodes[node].pod_number = (uint16_t)(spine + 1);
	for (uint32_t s = 0; s < group; s++)
		join(c->t, node, c->leaves + s + 1, first + s, pod + 1);
}

void
builder_clos(struct topology *t)
{
	const struct clos c = describe(t);

	builder_add_switches(t, c.planes, CONFIG_ROLE_LEAF, c.pods * c.leaves);
	builder_add_switches(t, c.planes, CONFIG_ROLE_SPINE, c.pods * c.spines);
	builder_add_switches(t, c.planes, CONFIG_ROLE_SUPER_SPINE, c.supers);
	builder_add_hosts(t, c.pods * c.leaves * c.hosts_per_leaf);
	for (uint32_t plane = 0; plane < c.planes; plane++) {
		for (uint32_t pod = 0; pod < c.pods; pod++) {
			for (uint32_t leaf = 0; leaf < c.leaves; leaf++)
				join_leaf(&c, plane, pod, leaf);
			for (uint32_t spine = 0; spine < c.spines; spine++)
				join_spine(&c, plane, pod, spine);
		}
	}
}

// ---- rail ---------------------------------------------------------------------------------------

// A host is a server with one NIC a rail. Leaf i serves rail (i - 1) % rails + 1 of group
// (i - 1) / rails: eth k of all servers of a group is connected to the group's leaf of rail k. The
// spines connect all leaves, and so the rails. This makes the links of one leaf: hosts first, then
// uplinks.
static void
join_rail_leaf(struct topology *t, uint32_t leaf)
{
	const struct config_fabric *f = &t->config->fabric;
	uint32_t group = leaf / f->rails, rail = leaf % f->rails;
	uint32_t host = t->first_host + group * f->hosts_per_leaf;

	for (uint32_t h = 0; h < f->hosts_per_leaf; h++)
		join(t, host + h, rail + 1, leaf, h + 1);
	for (uint32_t s = 0; s < f->spines; s++)
		join(t, leaf, f->hosts_per_leaf + s + 1, f->leaves + s, leaf + 1);
}

void
builder_rail(struct topology *t)
{
	const struct config_fabric *f = &t->config->fabric;

	builder_add_switches(t, 1, CONFIG_ROLE_LEAF, f->leaves);
	builder_add_switches(t, 1, CONFIG_ROLE_SPINE, f->spines);
	builder_add_hosts(t, f->leaves / f->rails * f->hosts_per_leaf);
	for (uint32_t leaf = 0; leaf < f->leaves; leaf++)
		join_rail_leaf(t, leaf);
}
