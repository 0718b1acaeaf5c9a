// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: a trie for each VRF and IP version from a node's routes, and the groups of next
// hops that they lead to. Only groups that a route uses are taken over; a next hop stands in its
// group as often as its weight says.
#include "parts.h"

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

// A group of the snapshot and what it was made from.
struct made {
	uint32_t number;
	uint32_t from; // in the list's groups, or ROUTES_BLACKHOLE
	uint32_t next; // made for the same leaf, or UNUSED
};

// What is made while groups are: where notices are believed each leaf has groups of its own, so
// that what is told of the way to one leaf changes nothing for the others.
struct making {
	struct tables_draft *draft;
	const struct route_list *routes;
	struct tables_destinations *destinations; // NULL: leaves share groups
	struct made *made;                        // as many as groups in the snapshot
	uint32_t *by_leaf;                        // the last made for a leaf; [0] for all if shared
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
		tables_report(draft, true, (struct config_pos){0}, "routes.via",
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

// The snapshot's group for a route: that which was made before from the same, or a new one. A
// blackhole is a group without members.
static int
find_or_make(struct making *m, const struct route *route, uint32_t *number)
{
	struct tables *t = m->draft->t;
	uint32_t leaf =
		m->destinations == NULL ? 0 : tables_destination(m->destinations, &route->prefix);
	struct next_hop_group *group = &t->groups[t->group_count];
	int error = 0;

	for (uint32_t i = m->by_leaf[leaf]; i != UNUSED; i = m->made[i].next) {
		if (m->made[i].from != route->group)
			continue;
		*number = m->made[i].number;
		return 0;
	}
	*group = (struct next_hop_group){.first = t->next_hop_count,
					 .mode = (uint8_t)group_mode(m->draft)};
	if (route->group != ROUTES_BLACKHOLE)
		group->glean = m->routes->groups[route->group].count == 0;
	if (route->group != ROUTES_BLACKHOLE && !group->glean)
		error = add_hops(m, &m->routes->groups[route->group], &group->count);
	group->pinned = t->pins != NULL;
	m->made[t->group_count] = (struct made){
		.number = t->group_count, .from = route->group, .next = m->by_leaf[leaf]};
	m->by_leaf[leaf] = t->group_count;
	*number = t->group_count++;
	return error;
}

// The group of each route, in the snapshot.
static int
add_groups(struct tables_draft *draft, const struct route_list *routes, uint32_t *numbers)
{
	struct tables *t = draft->t;
	struct making m = {.draft = draft, .routes = routes};
	size_t leaves = draft->topology->leaf_count + 1u;
	int error = 0;

	t->groups = calloc(routes->count + 1u, sizeof(*t->groups));
	t->next_hops = calloc(1, sizeof(*t->next_hops));
	m.made = calloc(routes->count + 1u, sizeof(*m.made));
	m.by_leaf = calloc(leaves, sizeof(*m.by_leaf));
	if (t->groups == NULL || t->next_hops == NULL || m.made == NULL || m.by_leaf == NULL)
		error = -ENOMEM;
	if (error == 0 && t->notices.on)
		error = tables_find_destinations(&m.destinations, draft->topology);
	for (size_t i = 0; error == 0 && i < leaves; i++)
		m.by_leaf[i] = UNUSED;
	for (uint32_t i = 0; error == 0 && i < routes->count; i++)
		error = find_or_make(&m, &routes->routes[i], &numbers[i]);
	tables_free_destinations(m.destinations);
	free(m.by_leaf);
	free(m.made);
	return error;
}

static int
build_trie(struct tables_draft *draft, const struct lpm_prefix *prefixes, uint32_t count,
	   unsigned bits, struct lpm **out)
{
	int error = count != 0 ? lpm_build(out, prefixes, count, bits) : 0;

	if (error == -EINVAL || error == -EEXIST) {
		config_error(draft->diag, draft->topology->config->file, (struct config_pos){0},
			     "routes", "a prefix of %s is not a prefix, or is there twice",
			     draft->node->name);
		return -EINVAL;
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
		error = add_groups(draft, routes, numbers);
		if (error == 0)
			error = add_tries(draft, routes, numbers);
	}
	free(numbers);
	return error;
}
