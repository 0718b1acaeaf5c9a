// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: a trie for each VRF and IP version from a node's routes, and the groups of next
// hops that they lead to, each with the encapsulation of packets from here on. Only groups that a
// route uses are copied; a next hop appears in its group as often as its weight says.
#include "build_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED UINT32_MAX

// Next hops in the snapshot, from a group of the list. Where notices are believed each leaf has
// some of its own, so that a change of the way to one leaf changes nothing for the others.
struct slice {
	uint32_t leaf; // 0 for all if they share
	uint32_t first;
	uint16_t count;
	bool glean;
	uint32_t next;  // from the same group, or UNUSED
	uint32_t plain; // the group of the snapshot without encapsulation, or UNUSED
};

// A group of the snapshot: next hops and an encapsulation. Groups that differ only in encapsulation
// share the next hops, and with them what notices have reported.
struct made {
	uint32_t slice;
	uint32_t next; // with the same encapsulation, or UNUSED
};

struct making {
	struct tables_draft *draft;
	const struct route_list *routes;
	struct tables_destinations *destinations; // NULL: leaves share next hops
	struct slice *slices;
	uint32_t slice_count;
	uint32_t *by_group; // the last slice made from a group; last that of blackholes
	struct made *made;  // by group of the snapshot
	uint32_t *by_encap; // the last group made with one
};

// The weights of a group's members as they fit its slots.
static void
weigh(const struct making *m, const struct route_group *group, uint64_t weights[])
{
	const struct tables_draft *draft = m->draft;
	bool by_capacity = draft->settings->routing.weights == CONFIG_WEIGHTS_CAPACITY;
	bool written = false;

	for (uint32_t i = 0; i < group->count; i++) {
		const struct route_member *member = &m->routes->members[group->first + i];
		uint64_t rate = draft->node->ports[member->port].rate_bps;

		written |= member->weight != 0;
		weights[i] = member->weight != 0        ? member->weight
			     : by_capacity && rate != 0 ? rate
							: 1;
	}
	if (tables_fit_weights(weights, group->count) && written)
		tables_report(draft, true, (struct diag_pos){0}, "routes.via",
			      "the weights of a route's next hops need more than %d slots and are "
			      "rounded to as many",
			      GROUP_MEMBERS_MAX);
}

static uint16_t
add_hops(struct making *m, const struct route_group *group)
{
	struct tables *t = m->draft->t;
	uint64_t weights[GROUP_MEMBERS_MAX];
	uint8_t slots[GROUP_MEMBERS_MAX];
	uint32_t count;

	weigh(m, group, weights);
	count = tables_spread_weights(weights, group->count, slots);
	for (uint32_t i = 0; i < count; i++) {
		const struct route_member *member = &m->routes->members[group->first + slots[i]];
		struct next_hop *hop;

		t->next_hops =
			memory_grow(t->next_hops, t->next_hop_count, sizeof(*hop), "next hops");
		hop = &t->next_hops[t->next_hop_count++];
		memset(hop, 0, sizeof(*hop));
		hop->port = member->port;
		memcpy(hop->mac, member->mac, 6);
	}
	return (uint16_t)count;
}

// The next hops for a group of the list towards a leaf: those made before, or new ones. A blackhole
// has none, nor has a group whose destinations ARP or ND find.
static uint32_t
find_or_make_slice(struct making *m, uint32_t from, uint32_t leaf)
{
	bool drops = from == ROUTES_BLACKHOLE;
	bool glean = !drops && m->routes->groups[from].count == 0;
	uint32_t *last = &m->by_group[drops ? m->routes->group_count : from];
	struct slice *slice = &m->slices[m->slice_count];

	for (uint32_t i = *last; i != UNUSED; i = m->slices[i].next)
		if (m->slices[i].leaf == leaf)
			return i;
	*slice = (struct slice){.leaf = leaf,
				.first = m->draft->t->next_hop_count,
				.glean = glean,
				.next = *last,
				.plain = UNUSED};
	if (!drops && !glean)
		slice->count = add_hops(m, &m->routes->groups[from]);
	return *last = m->slice_count++;
}

// The snapshot's group for a route: that which was made before from the same, or a new one.
static uint32_t
find_or_make(struct making *m, const struct route *route)
{
	struct tables *t = m->draft->t;
	bool plain = route->encap == ROUTES_PLAIN;
	uint32_t leaf =
		m->destinations == NULL ? 0 : tables_destination(m->destinations, m->routes, route);
	uint32_t slice = find_or_make_slice(m, route->group, leaf);
	uint32_t *last = plain ? &m->slices[slice].plain : &m->by_encap[route->encap];
	uint32_t first;

	for (uint32_t i = *last; i != UNUSED; i = m->made[i].next)
		if (m->made[i].slice == slice)
			return i;
	first = m->slices[slice].first;
	t->groups[t->group_count] = (struct next_hop_group){
		.first = first,
		.count = m->slices[slice].count,
		.mode = (uint8_t)m->draft->settings->routing.mode,
		.pinned = t->pins != NULL,
		.glean = m->slices[slice].glean,
		.encap = plain ? 0 : route->encap + 1,
		.port = m->slices[slice].count != 0 ? t->next_hops[first].port : 0,
	};
	m->made[t->group_count] = (struct made){.slice = slice, .next = *last};
	return *last = t->group_count++;
}

static uint32_t *
unused(uint32_t count)
{
	uint32_t *all = memory_array(count, sizeof(*all), "next-hop groups");

	for (uint32_t i = 0; i < count; i++)
		all[i] = UNUSED;
	return all;
}

// The group of each route, in the snapshot.
static void
add_groups(struct tables_draft *draft, const struct route_list *routes, uint32_t *numbers)
{
	struct tables *t = draft->t;
	struct making m = {
		.draft = draft,
		.routes = routes,
		.destinations = t->notices.on ? tables_find_destinations(draft->topology) : NULL,
		.slices = memory_resize(NULL, routes->count, sizeof(*m.slices), "routes"),
		.made = memory_resize(NULL, routes->count, sizeof(*m.made), "routes"),
		.by_group = unused(routes->group_count + 1),
		.by_encap = unused(routes->encap_count),
	};

	// Room for as many as there may be: few are touched, and only those stay.
	t->groups = memory_resize(NULL, routes->count, sizeof(*t->groups), "next-hop groups");
	for (uint32_t i = 0; i < routes->count; i++)
		numbers[i] = find_or_make(&m, &routes->routes[i]);
	t->groups = memory_resize(t->groups, t->group_count, sizeof(*t->groups), "next-hop groups");
	tables_free_destinations(m.destinations);
	free(m.made);
	free(m.slices);
	free(m.by_group);
	free(m.by_encap);
}

// Some routes of a VRF and version, in the order of the list.
struct run {
	const struct route *routes;
	const uint32_t *numbers;
	uint32_t count;
	struct lpm_prefix *prefixes; // room for all
};

// Makes a trie of all routes of a run, or only of those that are not to loopbacks.
static int
add_trie(struct lpm **to, const struct run *run, bool all)
{
	uint32_t count = 0;
	int error;

	for (uint32_t i = 0; i < run->count; i++) {
		const struct route *route = &run->routes[i];
		struct lpm_prefix *prefix = &run->prefixes[count];

		if (!all && route->loopback)
			continue;
		memcpy(prefix->addr, route->prefix.address, sizeof(prefix->addr));
		prefix->len = route->prefix.length;
		prefix->value = run->numbers[i];
		count++;
	}
	if (count == 0)
		return 0;
	error = lpm_build(to, run->prefixes, count,
			  8u * address_bytes(run->routes->prefix.version));
	if (error == -ENOMEM)
		memory_exhausted(count, sizeof(*run->prefixes), "routes");
	return error;
}

// Whether loopbacks may stand apart: no other route may cover one of them.
static bool
may_part(const struct run *run)
{
	const struct route *first = NULL;
	unsigned common = 8u * address_bytes(run->routes->prefix.version);

	for (uint32_t i = 0; i < run->count; i++) {
		if (!run->routes[i].loopback)
			continue;
		if (first == NULL)
			first = &run->routes[i];
		while (!tables_same_bits(run->routes[i].prefix.address, first->prefix.address,
					 common))
			common--;
	}
	for (uint32_t i = 0; first != NULL && i < run->count; i++) {
		const struct config_prefix *prefix = &run->routes[i].prefix;

		if (!run->routes[i].loopback &&
		    tables_same_bits(prefix->address, first->prefix.address,
				     prefix->length < common ? prefix->length : common))
			return false;
	}
	return first != NULL;
}

// The loopbacks of a run are among those of the fabric, and in the same order: their groups are
// noted by their places there. Returns false, and has added nothing, where that is not so.
static bool
add_loopbacks(const struct topology *t, const struct run *run, struct vrf *vrf)
{
	const uint8_t version = run->routes->prefix.version;
	const struct topo_loopbacks *all = version == 4 ? &t->loopbacks4 : &t->loopbacks6;
	struct loopback_routes *to = version == 4 ? &vrf->loopbacks4 : &vrf->loopbacks6;
	uint32_t place = 0;

	to->groups = memory_resize(NULL, t->first_host, sizeof(*to->groups), "loopbacks");
	memset(to->groups, 0xff, t->first_host * sizeof(*to->groups)); // LPM_NONE
	for (uint32_t i = 0; i < run->count; i++) {
		const struct route *route = &run->routes[i];

		if (!route->loopback)
			continue;
		while (place < t->first_host &&
		       memcmp(topology_loopback(&t->nodes[all->order[place]], version),
			      route->prefix.address, address_bytes(version)) != 0)
			place++;
		if (place == t->first_host) {
			free(to->groups);
			to->groups = NULL;
			return false;
		}
		to->groups[place] = run->numbers[i];
	}
	to->trie = lpm_share(all->trie);
	return true;
}

static int
add_tries_of(const struct topology *t, const struct run *run, struct vrf *vrf)
{
	const bool ip4 = run->routes->prefix.version == 4;
	const bool part = may_part(run) && add_loopbacks(t, run, vrf);

	return add_trie(ip4 ? &vrf->ip4 : &vrf->ip6, run, !part);
}

// Routes are sorted by VRF and version: each trie's are neighbours.
static int
add_tries(struct tables_draft *draft, const struct route_list *routes, const uint32_t *numbers)
{
	struct lpm_prefix *prefixes =
		memory_resize(NULL, routes->count, sizeof(*prefixes), "routes");
	int error = 0;
	uint32_t i = 0;

	while (error == 0 && i < routes->count) {
		const struct route *first = &routes->routes[i];
		struct run run = {.routes = first, .numbers = &numbers[i], .prefixes = prefixes};

		for (; i < routes->count && routes->routes[i].vrf == first->vrf &&
		       routes->routes[i].prefix.version == first->prefix.version;
		     i++)
			run.count++;
		error = add_tries_of(draft->topology, &run, &draft->t->vrfs[first->vrf]);
	}
	free(prefixes);
	if (error != 0)
		return diag_error(draft->diag, draft->topology->config->file, (struct diag_pos){0},
				  "routes", "a prefix of %s is not a prefix, or appears twice",
				  draft->node->name);
	return 0;
}

int
tables_add_forwarding(struct tables_draft *draft, const struct route_list *routes)
{
	uint32_t *numbers = memory_resize(NULL, routes->count, sizeof(*numbers), "routes");
	const struct topology *topology = draft->topology;
	struct tables *t = draft->t;
	int error;

	t->vrfs = memory_array(topology->vrf_count, sizeof(*t->vrfs), "VRFs");
	t->vrf_count = topology->vrf_count;
	for (uint16_t v = 0; v < t->vrf_count; v++) {
		t->vrfs[v].tenant = topology->vrfs[v].tenant;
		t->vrfs[v].pipe = topology->vrfs[v].pipe;
	}
	if (routes->lid_count != 0) {
		tables_add_lids(draft, routes);
		free(numbers);
		return 0;
	}
	add_groups(draft, routes, numbers);
	error = add_tries(draft, routes, numbers);
	free(numbers);
	return error;
}
