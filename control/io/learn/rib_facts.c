// SPDX-License-Identifier: BSD-3-Clause
// Memory of the rib. Every fact is in one table by its key; a route also in the list of its prefix,
// a prefix in the sorted list (rib_order.c), a neighbour in the list of neighbours. A retracted
// route or neighbour leaves that list at once, and the table when it is dropped: in between it is a
// mark (rib.c). Routes share their ways: a million routes by one gateway have one way.
#include "rib_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

_Static_assert(sizeof(struct rib_key) == 28, "keys are compared as bytes");
_Static_assert(sizeof(struct learn_hop) == 32, "so are hops");

struct rib *
rib_create(const struct topo_node *place)
{
	struct rib *rib = memory_new(sizeof(*rib), "learned routes of a VRF");

	rib->place = place;
	for (unsigned int s = 0; s < RIB_SOURCES; s++)
		rib->generation[s] = 1;
	if (getrandom(&rib->seed, sizeof(rib->seed), GRND_NONBLOCK) != sizeof(rib->seed))
		rib->seed = (uint64_t)(uintptr_t)rib;
	return rib;
}

void
rib_destroy(struct rib *rib)
{
	if (rib == NULL)
		return;
	hash_free(&rib->facts);
	hash_free(&rib->ways);
	free(rib->order);
	free(rib);
}

// ---- ways ------------------------------------------------------------------------------------

static struct rib_way *
find_way(const struct rib *rib, const struct learn_way *way, uint64_t hash)
{
	for (struct hash_link *l = hash_chain(&rib->ways, hash); l != NULL; l = l->next) {
		struct rib_way *kept = (struct rib_way *)l;

		if (l->hash == hash && kept->blackhole == way->blackhole &&
		    kept->count == way->count &&
		    memcmp(kept->hops, way->hops, way->count * sizeof(way->hops[0])) == 0)
			return kept;
	}
	return NULL;
}

// The one copy of a way, with one more user. Returns 0 or -ENOSPC.
static int
take_way(struct rib *rib, const struct learn_way *way, struct rib_way **out)
{
	size_t hops_bytes = way->count * sizeof(way->hops[0]);
	uint64_t hash = hash_bytes(rib->seed + way->blackhole, way->hops, (uint32_t)hops_bytes);
	struct rib_way *kept = find_way(rib, way, hash);

	if (kept == NULL) {
		if (way->count > RIB_HOPS_MAX - rib->hops)
			return -ENOSPC;
		kept = memory_new(sizeof(*kept) + hops_bytes, "next hops");
		kept->link.hash = hash;
		kept->blackhole = way->blackhole;
		kept->count = way->count;
		memcpy(kept->hops, way->hops, hops_bytes);
		hash_put(&rib->ways, &kept->link);
		rib->hops += way->count;
	}
	kept->users++;
	*out = kept;
	return 0;
}

static void
give_way(struct rib *rib, struct rib_way *way)
{
	if (way == NULL || --way->users != 0)
		return;
	hash_remove(&rib->ways, &way->link);
	rib->hops -= way->count;
	free(way);
}

int
rib_set_way(struct rib *rib, struct rib_way **at, const struct learn_way *to)
{
	struct rib_way *way;
	int rc = take_way(rib, to, &way);

	if (rc != 0)
		return rc;
	rib->changes += way != *at;
	give_way(rib, *at);
	*at = way;
	return 0;
}

// ---- facts -----------------------------------------------------------------------------------

struct rib_key
rib_prefix_key(const struct config_prefix *p)
{
	struct rib_key key = {.kind = RIB_PREFIX, .version = p->version, .length = p->length};

	memcpy(key.address, p->address, sizeof(key.address));
	return key;
}

struct rib_key
rib_address_key(enum rib_kind kind, uint32_t device, const struct learn_address *address)
{
	struct rib_key key = {.kind = (uint8_t)kind, .version = address->version, .number = device};

	memcpy(key.address, address->bytes, sizeof(key.address));
	return key;
}

struct rib_fact *
rib_find_any(const struct rib *rib, const struct rib_key *key)
{
	uint64_t hash = hash_bytes(rib->seed, key, sizeof(*key));

	for (struct hash_link *l = hash_chain(&rib->facts, hash); l != NULL; l = l->next) {
		struct rib_fact *fact = (struct rib_fact *)l;

		if (l->hash == hash && memcmp(&fact->key, key, sizeof(*key)) == 0)
			return fact;
	}
	return NULL;
}

struct rib_fact *
rib_find(const struct rib *rib, const struct rib_key *key)
{
	struct rib_fact *fact = rib_find_any(rib, key);

	return fact == NULL || fact->gone ? NULL : fact;
}

static size_t
size_of(uint8_t kind)
{
	static const size_t sizes[] = {
		[RIB_PREFIX] = sizeof(struct rib_prefix),
		[RIB_ROUTE] = sizeof(struct rib_route),
		[RIB_NEXTHOP] = sizeof(struct rib_nexthop),
		[RIB_NEIGHBOUR] = sizeof(struct rib_neighbour),
		[RIB_LINK] = sizeof(struct rib_link),
		[RIB_ADDRESS] = sizeof(struct rib_fact),
	};

	return sizes[kind];
}

struct rib_fact *
rib_add_fact(struct rib *rib, const struct rib_key *key)
{
	struct rib_fact *fact = memory_new(size_of(key->kind), "a learned fact");

	fact->key = *key;
	fact->link.hash = hash_bytes(rib->seed, key, sizeof(*key));
	fact->gone = true; // until it is filled
	hash_put(&rib->facts, &fact->link);
	return fact;
}

int
rib_take_prefix(struct rib *rib, const struct config_prefix *p, struct rib_prefix **out)
{
	const struct rib_key key = rib_prefix_key(p);
	struct rib_prefix *prefix = (struct rib_prefix *)rib_find_any(rib, &key);

	if (prefix != NULL) {
		*out = prefix;
		return 0;
	}
	if (rib->listed + rib->added >= RIB_PREFIXES_MAX)
		return -ENOSPC;
	prefix = (struct rib_prefix *)rib_add_fact(rib, &key);
	prefix->prefix = *p;
	prefix->fact.gone = false;
	rib_list_prefix(rib, prefix);
	*out = prefix;
	return 0;
}

static uint32_t *
length_of(struct rib *rib, const struct rib_prefix *prefix)
{
	return &rib->lengths[prefix->prefix.version == 6][prefix->prefix.length];
}

void
rib_join_prefix(struct rib *rib, struct rib_route *route, struct rib_prefix *prefix)
{
	if (prefix->routes == NULL) {
		(*length_of(rib, prefix))++;
		rib->prefixes++;
	}
	route->prefix = prefix;
	route->next = prefix->routes;
	prefix->routes = route;
}

static void
leave_prefix(struct rib *rib, struct rib_route *route)
{
	struct rib_prefix *prefix = route->prefix;
	struct rib_route **at = &prefix->routes;

	while (*at != route)
		at = &(*at)->next;
	*at = route->next;
	route->prefix = NULL;
	if (prefix->routes == NULL) {
		(*length_of(rib, prefix))--;
		rib->prefixes--;
	}
}

void
rib_retract(struct rib *rib, struct rib_fact *fact)
{
	struct rib_route *route = (struct rib_route *)fact;
	struct rib_neighbour *neighbour = (struct rib_neighbour *)fact;

	if (fact->gone)
		return;
	fact->gone = true;
	rib->changes++;
	switch (fact->key.kind) {
	case RIB_ROUTE:
		leave_prefix(rib, route);
		give_way(rib, route->way);
		route->way = NULL;
		break;
	case RIB_NEXTHOP:
		give_way(rib, ((struct rib_nexthop *)fact)->way);
		((struct rib_nexthop *)fact)->way = NULL;
		break;
	case RIB_NEIGHBOUR:
		*neighbour->back = neighbour->next;
		if (neighbour->next != NULL)
			neighbour->next->back = neighbour->back;
		break;
	default:
		break;
	}
}

void
rib_drop_fact(struct rib *rib, struct rib_fact *fact)
{
	rib_retract(rib, fact);
	hash_remove(&rib->facts, &fact->link);
	free(fact);
}
