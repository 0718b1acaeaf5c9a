// SPDX-License-Identifier: BSD-3-Clause
// Facts by key, in one table. A source tells changes as they happen and, when it is asked or begins
// anew, all it knows. The two overlap: what a dump reads may have changed since, and its answer may
// be read after the change was told. So while a dump goes on what was told counts, whatever the
// dump says of the same key, and what is taken back leaves a mark; what neither has said by the end
// is no more (mark and sweep, one generation a dump). Changes are told in order, so that in
// whatever order the two are read the last word is the kernel's last.
//
// Keys follow how the kernel keeps routes:
//   IPv4   prefix and metric. More of one key may stand behind the first (`ip route append`); when
//          that goes, only a dump tells who is next.
//   IPv6   the same for routes that can be multipath; each interface of its own for those without a
//          gateway. A withdrawal takes away the next hops it names.
//   FPM    the prefix: zebra sends its best.
//
// The kernel is silent when it flushes IPv4 routes because an interface, an address or a nexthop
// object went: that leaves the rib doubtful, and its keeper has to read anew.
#include "rib.h"

#include "dataplane/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

_Static_assert(sizeof(struct rib_key) == 28, "keys are compared as bytes");
_Static_assert(sizeof(struct learn_hop) == 32, "so are hops");

int
rib_create(struct rib **out, const struct topo_node *place)
{
	struct rib *rib = calloc(1, sizeof(*rib));

	if (rib == NULL)
		return -ENOMEM;
	rib->place = place;
	for (unsigned int s = 0; s < RIB_SOURCES; s++)
		rib->generation[s] = 1;
	if (getrandom(&rib->seed, sizeof(rib->seed), GRND_NONBLOCK) != sizeof(rib->seed))
		rib->seed = (uint64_t)(uintptr_t)rib;
	*out = rib;
	return 0;
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

// The one copy of a way, with a user more. Returns 0, -ENOSPC or -ENOMEM.
static int
take_way(struct rib *rib, const struct learn_way *way, struct rib_way **out)
{
	uint64_t hash = hash_bytes(rib->seed + way->blackhole, way->hops,
				   (uint32_t)(way->count * sizeof(way->hops[0])));
	struct rib_way *kept = find_way(rib, way, hash);

	if (kept == NULL) {
		if (way->count > RIB_HOPS_MAX - rib->hops)
			return -ENOSPC;
		kept = calloc(1, sizeof(*kept) + way->count * sizeof(way->hops[0]));
		if (kept == NULL)
			return -ENOMEM;
		kept->link.hash = hash;
		kept->blackhole = way->blackhole;
		kept->count = way->count;
		memcpy(kept->hops, way->hops, way->count * sizeof(way->hops[0]));
		if (hash_put(&rib->ways, &kept->link) != 0) {
			free(kept);
			return -ENOMEM;
		}
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

// ---- facts -----------------------------------------------------------------------------------

static struct rib_fact *
find_fact(const struct rib *rib, const struct rib_key *key, uint64_t hash)
{
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
	struct rib_fact *fact = find_fact(rib, key, hash_bytes(rib->seed, key, sizeof(*key)));

	return fact == NULL || fact->gone ? NULL : fact;
}

static struct rib_fact *
add_fact(struct rib *rib, const struct rib_key *key, size_t bytes)
{
	struct rib_fact *fact = calloc(1, bytes);

	if (fact == NULL)
		return NULL;
	fact->key = *key;
	fact->link.hash = hash_bytes(rib->seed, key, sizeof(*key));
	fact->gone = true; // until it is filled
	if (hash_put(&rib->facts, &fact->link) != 0) {
		free(fact);
		return NULL;
	}
	return fact;
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

static int
prefix_compare(const void *a, const void *b)
{
	const struct config_prefix *x = &(*(struct rib_prefix *const *)a)->prefix;
	const struct config_prefix *y = &(*(struct rib_prefix *const *)b)->prefix;
	int order;

	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	order = memcmp(x->address, y->address, sizeof(x->address));
	return order != 0 ? order : (int)x->length - (int)y->length;
}

static int
list_prefix(struct rib *rib, struct rib_prefix *prefix)
{
	uint32_t count = rib->listed + rib->added;

	if (count == rib->room) {
		uint32_t room = rib->room == 0 ? 64 : 2 * rib->room;
		struct rib_prefix **grown = realloc(rib->order, room * sizeof(struct rib_prefix *));

		if (grown == NULL)
			return -ENOMEM;
		rib->order = grown;
		rib->room = room;
	}
	rib->order[count] = prefix;
	rib->added++;
	prefix->listed = true;
	return 0;
}

// The prefix of a route; made when it is new.
static int
find_prefix(struct rib *rib, const struct config_prefix *p, struct rib_prefix **out)
{
	struct rib_key key = {.kind = RIB_PREFIX, .version = p->version, .length = p->length};
	struct rib_prefix *prefix;

	memcpy(key.address, p->address, sizeof(key.address));
	prefix =
		(struct rib_prefix *)find_fact(rib, &key, hash_bytes(rib->seed, &key, sizeof(key)));
	if (prefix != NULL) {
		*out = prefix;
		return 0;
	}
	if (rib->listed + rib->added >= RIB_PREFIXES_MAX)
		return -ENOSPC;
	prefix = (struct rib_prefix *)add_fact(rib, &key, sizeof(*prefix));
	if (prefix == NULL)
		return -ENOMEM;
	prefix->prefix = *p;
	prefix->fact.gone = false;
	if (list_prefix(rib, prefix) != 0) {
		hash_remove(&rib->facts, &prefix->fact.link);
		free(prefix);
		return -ENOMEM;
	}
	*out = prefix;
	return 0;
}

static uint32_t *
length_of(struct rib *rib, const struct rib_prefix *prefix)
{
	return &rib->lengths[prefix->prefix.version == 6][prefix->prefix.length];
}

static void
join_prefix(struct rib *rib, struct rib_route *route, struct rib_prefix *prefix)
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

// Takes back what the fact stood for; it stays in the table.
static void
retract(struct rib *rib, struct rib_fact *fact)
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

static void
drop_fact(struct rib *rib, struct rib_fact *fact)
{
	retract(rib, fact);
	hash_remove(&rib->facts, &fact->link);
	free(fact);
}

void
rib_destroy(struct rib *rib)
{
	if (rib == NULL)
		return;
	for (uint32_t i = 0; i < rib->facts.size; i++) {
		for (struct hash_link *l = rib->facts.buckets[i], *next; l != NULL; l = next) {
			next = l->next;
			free(l);
		}
	}
	for (uint32_t i = 0; i < rib->ways.size; i++) {
		for (struct hash_link *l = rib->ways.buckets[i], *next; l != NULL; l = next) {
			next = l->next;
			free(l);
		}
	}
	hash_free(&rib->facts);
	hash_free(&rib->ways);
	free(rib->order);
	free(rib);
}

// ---- what is said ----------------------------------------------------------------------------

static void
set_address(struct rib_key *key, const struct learn_address *address)
{
	key->version = address->version;
	memcpy(key->address, address->bytes, sizeof(key->address));
}

// Whether the kernel keeps the route apart from others of its prefix and metric.
static bool
stands_alone(const struct learn_message *m)
{
	return m->prefix.version == 6 && !m->way.blackhole && m->way.count == 1 &&
	       m->way.hops[0].id == 0 && m->way.hops[0].gateway.version == 0;
}

static struct rib_key
key_of(enum rib_source source, const struct learn_message *m)
{
	struct rib_key key = {.source = (uint8_t)source};

	switch (m->kind) {
	case LEARN_ROUTE:
		key.kind = RIB_ROUTE;
		key.version = m->prefix.version;
		key.length = m->prefix.length;
		memcpy(key.address, m->prefix.address, sizeof(key.address));
		if (source == RIB_FPM)
			break;
		key.number = m->metric;
		key.device = stands_alone(m) ? m->way.hops[0].device : 0;
		break;
	case LEARN_NEXTHOP:
		key.kind = RIB_NEXTHOP;
		key.number = m->id;
		break;
	case LEARN_LINK:
		key.kind = RIB_LINK;
		key.number = m->device;
		break;
	default:
		key.kind = m->kind == LEARN_NEIGHBOUR ? RIB_NEIGHBOUR : RIB_ADDRESS;
		key.number = m->device;
		set_address(&key, &m->address);
	}
	return key;
}

static int
set_way(struct rib *rib, struct rib_way **at, const struct learn_way *to)
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

static int
fill_route(struct rib *rib, struct rib_route *route, const struct learn_message *m)
{
	bool fresh = route->fact.gone, netlink = route->fact.key.source == RIB_NETLINK;
	struct rib_way *before = route->way;
	struct rib_prefix *prefix;
	int rc;

	// A second route of an IPv4 key stands before or behind the first.
	if (!fresh && netlink && m->prefix.version == 4 && !m->replaces && m->appends) {
		route->shadows = true;
		return 0;
	}
	rc = fresh ? find_prefix(rib, &m->prefix, &prefix) : 0;
	if (rc == 0)
		rc = set_way(rib, &route->way, &m->way);
	if (rc != 0)
		return rc;
	if (fresh) {
		route->shadows = false;
		join_prefix(rib, route, prefix);
	} else if (netlink && m->prefix.version == 4 && !m->replaces && before != route->way) {
		route->shadows = true;
	}
	rib->changes += !fresh && route->metric != m->metric;
	route->metric = m->metric;
	return 0;
}

static void
fill_neighbour(struct rib *rib, struct rib_neighbour *n, const struct learn_message *m)
{
	if (n->fact.gone) {
		n->next = rib->neighbours;
		n->back = &rib->neighbours;
		if (n->next != NULL)
			n->next->back = &n->next;
		rib->neighbours = n;
		n->usable = false;
	}
	rib->changes += n->usable != m->usable ||
			(m->usable && memcmp(n->mac, m->mac, sizeof(n->mac)) != 0);
	n->state = m->state;
	n->usable = m->usable;
	memcpy(n->mac, m->mac, sizeof(n->mac));
}

static void
fill_link(struct rib *rib, struct rib_link *link, const struct learn_message *m)
{
	uint16_t port = RIB_PORT_NONE;

	for (uint16_t p = 0; p < rib->place->port_count; p++)
		if (strcmp(rib->place->ports[p].name, m->name) == 0)
			port = p;
	rib->changes += link->fact.gone || link->usable != m->usable || link->port != port;
	rib->doubtful |= !link->fact.gone && link->usable && !m->usable;
	link->port = port;
	link->usable = m->usable;
	memcpy(link->name, m->name, sizeof(link->name));
}

static int
fill(struct rib *rib, struct rib_fact *fact, const struct learn_message *m)
{
	int rc = 0;

	switch (fact->key.kind) {
	case RIB_ROUTE:
		rc = fill_route(rib, (struct rib_route *)fact, m);
		break;
	case RIB_NEXTHOP:
		rc = set_way(rib, &((struct rib_nexthop *)fact)->way, &m->way);
		break;
	case RIB_NEIGHBOUR:
		fill_neighbour(rib, (struct rib_neighbour *)fact, m);
		break;
	case RIB_LINK:
		fill_link(rib, (struct rib_link *)fact, m);
		break;
	default:
		break;
	}
	if (rc == 0)
		fact->gone = false;
	return rc;
}

// An IPv6 withdrawal may be of some of the next hops. Returns whether others are left, in `left`.
static bool
subtract(const struct rib_way *way, const struct learn_way *taken, struct learn_way *left)
{
	left->blackhole = way->blackhole;
	left->count = 0;
	for (uint32_t i = 0; i < way->count; i++) {
		bool found = false;

		for (uint32_t k = 0; k < taken->count && !found; k++)
			found = way->hops[i].device == taken->hops[k].device &&
				way->hops[i].id == taken->hops[k].id &&
				memcmp(&way->hops[i].gateway, &taken->hops[k].gateway,
				       sizeof(way->hops[i].gateway)) == 0;
		if (!found)
			left->hops[left->count++] = way->hops[i];
	}
	return left->count != 0 && left->count != way->count;
}

static int
withdraw(struct rib *rib, struct rib_fact *fact, const struct learn_message *m)
{
	struct rib_route *route = (struct rib_route *)fact;
	bool told = fact->key.source == RIB_NETLINK;
	struct learn_way left;

	if (told && fact->key.kind == RIB_ROUTE && !fact->gone) {
		rib->doubtful |= route->shadows;
		if (m->prefix.version == 6 && !m->way.blackhole && m->way.count != 0 &&
		    subtract(route->way, &m->way, &left))
			return set_way(rib, &route->way, &left);
	}
	rib->doubtful |= told && !fact->gone &&
			 (fact->key.kind == RIB_NEXTHOP || fact->key.kind == RIB_ADDRESS ||
			  fact->key.kind == RIB_LINK);
	retract(rib, fact);
	return 0;
}

// What replaces an IPv6 route may have taken the place of one that is kept apart from it.
static void
doubt_replaced(struct rib *rib, const struct rib_fact *fact, const struct learn_message *m)
{
	struct rib_key key = {
		.kind = RIB_PREFIX, .version = m->prefix.version, .length = m->prefix.length};
	const struct rib_prefix *prefix;

	if (fact->key.source != RIB_NETLINK || fact->key.kind != RIB_ROUTE || !m->replaces ||
	    m->prefix.version != 6)
		return;
	memcpy(key.address, m->prefix.address, sizeof(key.address));
	prefix = (const struct rib_prefix *)rib_find(rib, &key);
	for (const struct rib_route *r = prefix == NULL ? NULL : prefix->routes; r != NULL;
	     r = r->next)
		rib->doubtful |= &r->fact != fact && r->fact.key.source == RIB_NETLINK &&
				 r->metric == m->metric;
}

int
rib_apply(struct rib *rib, enum rib_source source, const struct learn_message *m, bool dumped)
{
	const uint32_t generation = rib->generation[source];
	struct rib_fact *fact;
	struct rib_key key;
	int rc;

	if (m->kind == LEARN_NOTHING)
		return 0;
	key = key_of(source, m);
	fact = find_fact(rib, &key, hash_bytes(rib->seed, &key, sizeof(key)));
	if (dumped && fact != NULL && fact->noticed == generation)
		return 0; // what was told since the dump began is newer
	if (dumped && fact != NULL && fact->said == generation && key.kind == RIB_ROUTE) {
		((struct rib_route *)fact)->shadows = true; // the first is the one in force
		return 0;
	}
	if (fact == NULL && m->gone && !rib->reading[source])
		return 0;
	if (fact == NULL && rib->facts.count >= RIB_FACTS_MAX)
		return -ENOSPC;
	if (fact == NULL)
		fact = add_fact(rib, &key, size_of(key.kind));
	if (fact == NULL)
		return -ENOMEM;
	if (!m->gone)
		doubt_replaced(rib, fact, m);
	rc = m->gone ? withdraw(rib, fact, m) : fill(rib, fact, m);
	fact->said = generation;
	if (!dumped)
		fact->noticed = generation;
	if (fact->gone && !(rib->reading[source] && rc == 0))
		drop_fact(rib, fact);
	return rc;
}

// ---- generations -----------------------------------------------------------------------------

void
rib_begin(struct rib *rib, enum rib_source source)
{
	rib->generation[source]++;
	rib->reading[source] = true;
	if (source == RIB_NETLINK)
		rib->doubtful = false;
}

void
rib_end(struct rib *rib, enum rib_source source)
{
	const uint32_t generation = rib->generation[source];

	rib->reading[source] = false;
	for (uint32_t i = 0; i < rib->facts.size; i++) {
		for (struct hash_link *l = rib->facts.buckets[i], *next; l != NULL; l = next) {
			struct rib_fact *fact = (struct rib_fact *)l;

			next = l->next;
			if (fact->key.kind != RIB_PREFIX && fact->key.source == source &&
			    (fact->gone || fact->said != generation))
				drop_fact(rib, fact);
		}
	}
}

// ---- reading ---------------------------------------------------------------------------------

// Takes prefixes without routes out of a part of the list; returns how many are left.
static uint32_t
weed(struct rib *rib, struct rib_prefix **part, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (part[i]->routes != NULL) {
			part[kept++] = part[i];
			continue;
		}
		hash_remove(&rib->facts, &part[i]->fact.link);
		free(part[i]);
	}
	return kept;
}

int
rib_sort(struct rib *rib)
{
	struct rib_prefix **added = NULL;
	uint32_t new = rib->added, at, from;
	bool empty = rib->listed + new != rib->prefixes; // some have no routes any more

	if (!empty && new == 0)
		return 0;
	if (new != 0) {
		added = malloc(new * sizeof(struct rib_prefix *));
		if (added == NULL)
			return -ENOMEM;
		memcpy(added, &rib->order[rib->listed], new * sizeof(struct rib_prefix *));
		new = empty ? weed(rib, added, new) : new;
		qsort(added, new, sizeof(struct rib_prefix *), prefix_compare);
	}
	if (empty)
		rib->listed = weed(rib, rib->order, rib->listed);
	from = rib->listed;
	rib->added = 0;
	rib->listed += new;
	// From behind, so that nothing is overwritten before it has been moved.
	for (at = rib->listed; new != 0;) {
		bool older = from != 0 &&
			     prefix_compare(&rib->order[from - 1], &added[new - 1]) > 0;

		rib->order[--at] = older ? rib->order[--from] : added[--new];
	}
	free(added);
	return 0;
}

const struct rib_route *
rib_best(const struct rib_prefix *prefix)
{
	const struct rib_route *best = prefix->routes;

	for (const struct rib_route *r = best; r != NULL; r = r->next) {
		const struct rib_key *a = &r->fact.key, *b = &best->fact.key;

		if (r->metric != best->metric ? r->metric < best->metric
		    : a->source != b->source  ? a->source < b->source
					      : a->device < b->device)
			best = r;
	}
	return best;
}

bool
rib_is_own(const struct rib *rib, uint32_t device, const struct learn_address *address)
{
	struct rib_key key = {.kind = RIB_ADDRESS, .number = device};

	set_address(&key, address);
	return rib_find(rib, &key) != NULL;
}
