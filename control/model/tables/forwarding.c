// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: a trie for each VRF and IP version from a node's routes, and the groups of next
// hops that they lead to, each with what packets wear from here on. Only groups that a route uses
// are taken over; a next hop stands in its group as often as its weight says.
#include "build_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED UINT32_MAX

static enum group_mode
group_mode(const struct tables_draft *draft)
{
	static const enum group_mode modes[] = {
		[CONFIG_ROUTING_ECMP] = GROUP_ECMP,
		[CONFIG_ROUTING_ECMP_QP] = GROUP_ECMP_QP,
		[CONFIG_ROUTING_FLOWLET] = GROUP_FLOWLET,
		[CONFIG_ROUTING_SPRAY] = GROUP_SPRAY,
		[CONFIG_ROUTING_RANDOM] = GROUP_RANDOM,
		[CONFIG_ROUTING_ADAPTIVE] = GROUP_ADAPTIVE,
		[CONFIG_ROUTING_PINNED] = GROUP_PINNED,
	};

	return modes[draft->settings->routing.mode];
}

// Next hops in the snapshot, from a group of the list. Where notices are believed each leaf has
// some of its own, so that a change of the way to one leaf changes nothing for the others.
struct slice {
	uint32_t leaf; // 0 for all if they share
	uint32_t first;
	uint16_t count;
	bool glean;
	uint32_t next;  // from the same group, or UNUSED
	uint32_t plain; // the group of the snapshot that wears nothing, or UNUSED
};

// A group of the snapshot: next hops, and what packets wear. Those that differ in this alone share
// the next hops, and with them what notices have told.
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
	uint32_t hop_room;
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

static int
add_hops(struct making *m, const struct route_group *group, uint16_t *count)
{
	struct tables *t = m->draft->t;
	uint64_t weights[GROUP_MEMBERS_MAX];
	uint8_t slots[GROUP_MEMBERS_MAX];
	uint32_t slot_count;

	weigh(m, group, weights);
	slot_count = tables_spread_weights(weights, group->count, slots);
	if (t->next_hop_count + slot_count > m->hop_room) {
		uint32_t room = 2 * m->hop_room + GROUP_MEMBERS_MAX;
		struct next_hop *grown = realloc(t->next_hops, room * sizeof(*grown));

		if (grown == NULL)
			return -ENOMEM;
		t->next_hops = grown;
		m->hop_room = room;
	}
	for (uint32_t i = 0; i < slot_count; i++) {
		const struct route_member *member = &m->routes->members[group->first + slots[i]];
		struct next_hop *hop = &t->next_hops[t->next_hop_count++];

		memset(hop, 0, sizeof(*hop));
		hop->port = member->port;
		memcpy(hop->mac, member->mac, 6);
	}
	*count = (uint16_t)slot_count;
	return 0;
}

// The next hops for a group of the list towards a leaf: those made before, or new ones. A blackhole
// has none, nor has a group whose destinations' neighbours are to be asked for.
static int
find_or_make_slice(struct making *m, uint32_t from, uint32_t leaf, uint32_t *number)
{
	bool drops = from == ROUTES_BLACKHOLE;
	bool glean = !drops && m->routes->groups[from].count == 0;
	uint32_t *last = &m->by_group[drops ? m->routes->group_count : from];
	struct slice *slice = &m->slices[m->slice_count];

	for (uint32_t i = *last; i != UNUSED; i = m->slices[i].next) {
		if (m->slices[i].leaf != leaf)
			continue;
		*number = i;
		return 0;
	}
	*slice = (struct slice){.leaf = leaf,
				.first = m->draft->t->next_hop_count,
				.glean = glean,
				.next = *last,
				.plain = UNUSED};
	*last = *number = m->slice_count++;
	return drops || glean ? 0 : add_hops(m, &m->routes->groups[from], &slice->count);
}

// The snapshot's group for a route: that which was made before from the same, or a new one.
static int
find_or_make(struct making *m, const struct route *route, uint32_t *number)
{
	struct tables *t = m->draft->t;
	bool plain = route->encap == ROUTES_PLAIN;
	uint32_t leaf =
		m->destinations == NULL ? 0 : tables_destination(m->destinations, m->routes, route);
	uint32_t slice, *last;
	int error = find_or_make_slice(m, route->group, leaf, &slice);

	if (error != 0)
		return error;
	last = plain ? &m->slices[slice].plain : &m->by_encap[route->encap];
	for (uint32_t i = *last; i != UNUSED; i = m->made[i].next) {
		if (m->made[i].slice != slice)
			continue;
		*number = i;
		return 0;
	}
	t->groups[t->group_count] = (struct next_hop_group){
		.first = m->slices[slice].first,
		.count = m->slices[slice].count,
		.mode = (uint8_t)group_mode(m->draft),
		.pinned = t->pins != NULL,
		.glean = m->slices[slice].glean,
		.encap = plain ? 0 : route->encap + 1,
	};
	m->made[t->group_count] = (struct made){.slice = slice, .next = *last};
	*last = *number = t->group_count++;
	return 0;
}

static uint32_t *
unused(uint32_t count)
{
	uint32_t *all = calloc(count, sizeof(*all));

	for (uint32_t i = 0; all != NULL && i < count; i++)
		all[i] = UNUSED;
	return all;
}

// The group of each route, in the snapshot.
static int
add_groups(struct tables_draft *draft, const struct route_list *routes, uint32_t *numbers)
{
	struct tables *t = draft->t;
	struct making m = {.draft = draft, .routes = routes};
	int error = 0;

	t->groups = calloc(routes->count + 1u, sizeof(*t->groups));
	t->next_hops = calloc(1, sizeof(*t->next_hops));
	m.made = calloc(routes->count + 1u, sizeof(*m.made));
	m.slices = calloc(routes->count + 1u, sizeof(*m.slices));
	m.by_group = unused(routes->group_count + 1u);
	m.by_encap = unused(routes->encap_count + 1u);
	if (t->groups == NULL || t->next_hops == NULL || m.made == NULL || m.slices == NULL ||
	    m.by_group == NULL || m.by_encap == NULL)
		error = -ENOMEM;
	if (error == 0 && t->notices.on)
		error = tables_find_destinations(&m.destinations, draft->topology);
	for (uint32_t i = 0; error == 0 && i < routes->count; i++)
		error = find_or_make(&m, &routes->routes[i], &numbers[i]);
	tables_free_destinations(m.destinations);
	free(m.made);
	free(m.slices);
	free(m.by_group);
	free(m.by_encap);
	return error;
}

static int
build_trie(struct tables_draft *draft, const struct lpm_prefix *prefixes, uint32_t count,
	   unsigned bits, struct lpm **out)
{
	int error = count != 0 ? lpm_build(out, prefixes, count, bits) : 0;

	if (error == -EINVAL || error == -EEXIST) {
		return diag_error(draft->diag, draft->topology->config->file, (struct diag_pos){0},
				  "routes", "a prefix of %s is not a prefix, or appears twice",
				  draft->node->name);
	}
	return error;
}

// Routes are sorted by VRF and version: each trie's are neighbours.
static int
add_tries(struct tables_draft *draft, const struct route_list *routes, const uint32_t *numbers)
{
	struct lpm_prefix *prefixes = calloc(routes->count + 1u, sizeof(*prefixes));
	struct tables *t = draft->t;
	int error = prefixes == NULL ? -ENOMEM : 0;
	uint32_t i = 0;

	while (error == 0 && i < routes->count) {
		const struct route *first = &routes->routes[i];
		struct vrf *vrf = &t->vrfs[first->vrf];
		bool ip4 = first->prefix.version == 4;
		uint32_t count = 0;

		for (; i < routes->count && routes->routes[i].vrf == first->vrf &&
		       routes->routes[i].prefix.version == first->prefix.version;
		     i++) {
			const struct route *route = &routes->routes[i];
			struct lpm_prefix *prefix = &prefixes[count++];

			memcpy(prefix->addr, route->prefix.address, sizeof(prefix->addr));
			prefix->len = route->prefix.length;
			prefix->value = numbers[i];
		}
		error = build_trie(draft, prefixes, count, ip4 ? 32 : 128,
				   ip4 ? &vrf->ip4 : &vrf->ip6);
	}
	free(prefixes);
	return error;
}

int
tables_add_forwarding(struct tables_draft *draft, const struct route_list *routes)
{
	uint32_t *numbers = calloc(routes->count + 1u, sizeof(*numbers));
	struct tables *t = draft->t;
	int error = -ENOMEM;

	t->vrfs = calloc(draft->topology->vrf_count, sizeof(*t->vrfs));
	if (numbers != NULL && t->vrfs != NULL) {
		t->vrf_count = draft->topology->vrf_count;
		for (uint16_t v = 0; v < t->vrf_count; v++) {
			t->vrfs[v].tenant = draft->topology->vrfs[v].tenant;
			t->vrfs[v].pipe = draft->topology->vrfs[v].pipe;
		}
		error = add_groups(draft, routes, numbers);
		if (error == 0)
			error = add_tries(draft, routes, numbers);
	}
	free(numbers);
	return error;
}
