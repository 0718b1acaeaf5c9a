// SPDX-License-Identifier: BSD-3-Clause
// A node's list of routes, and the groups they share.
#include "routes.h"

#include "control/base/memory.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static bool
same_members(const struct route_member *a, const struct route_member *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].port != b[i].port || a[i].weight != b[i].weight ||
		    memcmp(a[i].mac, b[i].mac, 6) != 0)
			return false;
	return true;
}

uint32_t
routes_add_group(struct route_list *list, const struct route_member *members, uint32_t count)
{
	// Newest first: routes to one leaf come one after the other.
	for (uint32_t i = list->group_count; i-- > 0;) {
		const struct route_group *g = &list->groups[i];

		if (g->count == count && same_members(&list->members[g->first], members, count))
			return i;
	}
	return routes_append_group(list, members, count);
}

uint32_t
routes_append_group(struct route_list *list, const struct route_member *members, uint32_t count)
{
	list->groups =
		memory_grow(list->groups, list->group_count, sizeof(*list->groups), "groups");
	for (uint32_t i = 0; i < count; i++) {
		list->members = memory_grow(list->members, list->member_count + i,
					    sizeof(*list->members), "next hops");
		list->members[list->member_count + i] = members[i];
	}
	list->groups[list->group_count] =
		(struct route_group){.first = list->member_count, .count = count};
	list->member_count += count;
	return list->group_count++;
}

static bool
same_encap(const struct route_encap *a, const struct route_encap *b)
{
	return a->id == b->id && a->kind == b->kind && a->pipe == b->pipe &&
	       memcmp(a->remote, b->remote, sizeof(a->remote)) == 0 &&
	       memcmp(a->mac, b->mac, sizeof(a->mac)) == 0;
}

uint32_t
routes_append_encap(struct route_list *list, const struct route_encap *encap)
{
	list->encaps = memory_grow(list->encaps, list->encap_count, sizeof(*list->encaps),
				   "encapsulations");
	list->encaps[list->encap_count] = *encap;
	return list->encap_count++;
}

uint32_t
routes_add_encap(struct route_list *list, const struct route_encap *encap)
{
	struct route_encap copy = *encap;

	for (uint32_t i = list->encap_count; i-- > 0;) {
		const struct route_encap *other = &list->encaps[i];

		if (same_encap(other, encap))
			return i;
		if (copy.mtu == 0 && memcmp(copy.remote, other->remote, sizeof(copy.remote)) == 0)
			copy.mtu = other->mtu;
	}
	return routes_append_encap(list, &copy);
}

void
routes_append(struct route_list *list, const struct route *route)
{
	list->routes = memory_grow(list->routes, list->count, sizeof(*list->routes), "routes");
	list->routes[list->count++] = *route;
}

// As memcmp(), without the call.
static int
compare_addresses(const uint8_t *a, const uint8_t *b, uint8_t version)
{
	uint64_t one[2], other[2];
	uint32_t word[2];

	if (version == 4) {
		memcpy(&word[0], a, sizeof(word[0]));
		memcpy(&word[1], b, sizeof(word[1]));
		word[0] = be32toh(word[0]);
		word[1] = be32toh(word[1]);
		return (word[0] > word[1]) - (word[0] < word[1]);
	}
	memcpy(one, a, sizeof(one));
	memcpy(other, b, sizeof(other));
	for (unsigned i = 0; i < 2; i++)
		if (one[i] != other[i])
			return be64toh(one[i]) < be64toh(other[i]) ? -1 : 1;
	return 0;
}

static int
compare(const struct route *a, uint16_t vrf, const struct config_prefix *prefix)
{
	int order;

	if (a->vrf != vrf)
		return a->vrf < vrf ? -1 : 1;
	if (a->prefix.version != prefix->version)
		return a->prefix.version < prefix->version ? -1 : 1;
	order = compare_addresses(a->prefix.address, prefix->address, prefix->version);
	if (order != 0)
		return order;
	return a->prefix.length < prefix->length ? -1 : a->prefix.length > prefix->length;
}

static int
compare_routes(const void *a, const void *b)
{
	const struct route *one = a, *other = b;
	int order = compare(one, other->vrf, &other->prefix);

	if (order != 0)
		return order;
	return one->distance < other->distance ? -1 : one->distance > other->distance;
}

// ---- sorting ------------------------------------------------------------------------------------

#define CHAINS 8
#define CHAIN_END UINT32_MAX

// Routes in order, by their numbers in the list.
struct chain {
	uint32_t first;
	uint32_t last;
};

struct chains {
	const struct route *routes;
	uint32_t *next; // by route: behind it in its chain
	struct chain chains[CHAINS];
	uint32_t count;
};

// Deals the routes out to chains. Routes to one leaf after the other, of two versions of IP, to
// hosts and to loopbacks, are four of them. Returns false if they are more than there may be.
static bool
deal(struct chains *c, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct chain *best = NULL;

		c->next[i] = CHAIN_END;
		for (uint32_t k = 0; k < c->count; k++) {
			struct chain *chain = &c->chains[k];

			if (compare_routes(&c->routes[chain->last], &c->routes[i]) <= 0 &&
			    (best == NULL ||
			     compare_routes(&c->routes[best->last], &c->routes[chain->last]) < 0))
				best = chain;
		}
		if (best != NULL) {
			c->next[best->last] = i;
			best->last = i;
		} else if (c->count == CHAINS) {
			return false;
		} else {
			c->chains[c->count++] = (struct chain){i, i};
		}
	}
	return true;
}

// Routes that compare as equal keep their order.
static struct chain
merge(struct chains *c, struct chain a, struct chain b)
{
	struct chain all = {CHAIN_END, CHAIN_END};
	uint32_t *at = &all.first;

	while (a.first != CHAIN_END && b.first != CHAIN_END) {
		int order = compare_routes(&c->routes[a.first], &c->routes[b.first]);
		struct chain *from = order < 0 || (order == 0 && a.first < b.first) ? &a : &b;

		*at = from->first;
		at = &c->next[from->first];
		from->first = *at;
	}
	*at = a.first != CHAIN_END ? a.first : b.first;
	all.last = a.first != CHAIN_END ? a.last : b.last;
	return all;
}

// What memory_grow() has made room for when a list is so long.
static struct route *
allocate(uint32_t count)
{
	size_t room = 1;

	while (room < count)
		room *= 2;
	return memory_resize(NULL, room, sizeof(struct route), "routes");
}

// Puts the routes in order if they consist of few chains.
static bool
sort_chains(struct route_list *list)
{
	struct chains c = {
		.routes = list->routes,
		.next = memory_array(list->count, sizeof(*c.next), "routes"),
	};
	bool dealt = deal(&c, list->count);
	struct route *sorted;
	uint32_t count = 0;

	if (dealt) {
		for (uint32_t step = 1; step < c.count; step *= 2)
			for (uint32_t k = 0; k + step < c.count; k += 2 * step)
				c.chains[k] = merge(&c, c.chains[k], c.chains[k + step]);
		sorted = allocate(list->count);
		for (uint32_t i = c.chains[0].first; i != CHAIN_END; i = c.next[i])
			sorted[count++] = list->routes[i];
		free(list->routes);
		list->routes = sorted;
	}
	free(c.next);
	return dealt;
}

static int
compare_placed(const void *a, const void *b)
{
	const struct route *one = *(const struct route *const *)a;
	const struct route *other = *(const struct route *const *)b;
	int order = compare_routes(one, other);

	return order != 0 ? order : (one > other) - (one < other);
}

// qsort() may exchange what compares as equal: it sorts their places, which tell them apart.
static void
sort_places(struct route_list *list)
{
	const struct route **places = memory_array(list->count, sizeof(*places), "routes");
	struct route *sorted = allocate(list->count);

	for (uint32_t i = 0; i < list->count; i++)
		places[i] = &list->routes[i];
	qsort(places, list->count, sizeof(*places), compare_placed);
	for (uint32_t i = 0; i < list->count; i++)
		sorted[i] = *places[i];
	free(places);
	free(list->routes);
	list->routes = sorted;
}

void
routes_sort(struct route_list *list)
{
	uint32_t kept = 0;

	if (list->count < 2)
		return;
	if (!sort_chains(list))
		sort_places(list);
	for (uint32_t i = 1; i < list->count; i++) {
		const struct route *route = &list->routes[i];

		if (compare(&list->routes[kept], route->vrf, &route->prefix) == 0)
			continue;
		if (++kept != i)
			list->routes[kept] = *route;
	}
	list->count = kept + 1;
}

void
routes_copy(struct route_list *to, const struct route_list *from)
{
	to->routes = allocate(from->count);
	if (from->count != 0)
		memcpy(to->routes, from->routes, from->count * sizeof(*from->routes));
	to->count = from->count;
}

// The first route not before this prefix.
static uint32_t
lower_bound(const struct route_list *list, uint16_t vrf, const struct config_prefix *prefix)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (compare(&list->routes[middle], vrf, prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct route *
routes_find(const struct route_list *list, uint16_t vrf, const struct config_prefix *prefix)
{
	uint32_t at = lower_bound(list, vrf, prefix);

	if (at < list->count && compare(&list->routes[at], vrf, prefix) == 0)
		return &list->routes[at];
	return NULL;
}

void
routes_set(struct route_list *list, const struct route *route)
{
	struct route *found = routes_find(list, route->vrf, &route->prefix);
	uint32_t at;

	if (found != NULL) {
		*found = *route;
		return;
	}
	list->routes = memory_grow(list->routes, list->count, sizeof(*list->routes), "routes");
	at = lower_bound(list, route->vrf, &route->prefix);
	memmove(&list->routes[at + 1], &list->routes[at],
		(list->count - at) * sizeof(*list->routes));
	list->routes[at] = *route;
	list->count++;
}

void
routes_remove(struct route_list *list, uint16_t vrf, const struct config_prefix *prefix)
{
	struct route *found = routes_find(list, vrf, prefix);
	uint32_t at;

	if (found == NULL)
		return;
	at = (uint32_t)(found - list->routes);
	list->count--;
	memmove(found, found + 1, (list->count - at) * sizeof(*list->routes));
}

const struct route *
routes_lookup(const struct route_list *list, uint16_t vrf, uint8_t version, const uint8_t *address)
{
	struct config_prefix prefix = address_host_prefix(version, address);

	for (;;) {
		const struct route *found = routes_find(list, vrf, &prefix);

		if (found != NULL || prefix.length == 0)
			return found;
		prefix.length--;
		prefix.address[prefix.length / 8] &= (uint8_t) ~(0x80u >> prefix.length % 8);
	}
}

void
routes_follow_tunnels(struct route_list *list, uint8_t underlay)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct route *route = &list->routes[i];
		const struct route *way;

		if (!route->recursive)
			continue;
		way = routes_lookup(list, TOPOLOGY_VRF_DEFAULT, underlay,
				    list->encaps[route->encap].remote);
		// One whose own neighbour is not known yet is no way for others.
		route->group = way == NULL || way->group == ROUTES_BLACKHOLE ||
					       list->groups[way->group].count == 0
				       ? ROUTES_BLACKHOLE
				       : way->group;
	}
}

bool
routes_join(const struct routes *routes, const struct topology *t, uint32_t from_host,
	    uint8_t from_port, uint32_t to_host, uint8_t to_port)
{
	const struct topo_port *from = topology_host_port(t, from_host, from_port);
	const struct topo_port *to = topology_host_port(t, to_host, to_port);
	const struct route_list *list = &routes->nodes[from->peer_node];
	const struct route *route;

	if (list->lid_count != 0)
		return topology_vrfs_joined(t, from->vrf, to->vrf) &&
		       list->lids[to->lid] != ROUTES_NO_LID;
	route = routes_lookup(list, from->vrf, 4, to->ip4);
	return topology_vrfs_joined(t, from->vrf, to->vrf) && route != NULL &&
	       route->group != ROUTES_BLACKHOLE;
}

void
routes_clear(struct route_list *list)
{
	free(list->routes);
	free(list->groups);
	free(list->members);
	free(list->encaps);
	free(list->lids);
	*list = (struct route_list){0};
}

void
routes_destroy(struct routes *routes)
{
	if (routes == NULL)
		return;
	for (uint32_t i = 0; i < routes->node_count; i++)
		routes_clear(&routes->nodes[i]);
	free(routes->nodes);
	free(routes);
}
