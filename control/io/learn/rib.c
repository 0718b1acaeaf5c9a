// SPDX-License-Identifier: BSD-3-Clause
// Facts by key, in one table. A source reports changes as they happen and, on request or when it
// restarts, everything it has (a dump). The two overlap: a dump may show a state that has changed
// since, and may be read after the notification of that change. So during a dump a notification
// wins over the dump for the same key, a deletion leaves a mark, and facts that neither reported by
// the end are removed (mark and sweep, one generation a dump). Because changes are reported in
// order, the result is the kernel's last state in whatever order the two are read.
//
// Keys follow how the kernel keeps routes:
//   IPv4   prefix and metric. Others of the same key may be behind the first (`ip route append`);
//          when the first is deleted, only a dump shows the next.
//   IPv6   the same for routes that can be multipath; also the interface for those without a
//          gateway. A withdrawal removes the next hops that it names.
//   FPM    the prefix: zebra sends its best.
//
// The kernel does not report the IPv4 routes that it flushes with an interface, an address or a
// nexthop object. The rib is then doubtful, and its user has to make a dump.
#include "rib_internal.h"

#include <errno.h>
#include <string.h>

// Whether the route's interface is part of its key.
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
		key = rib_address_key(m->kind == LEARN_NEIGHBOUR ? RIB_NEIGHBOUR : RIB_ADDRESS,
				      m->device, &m->address);
		key.source = (uint8_t)source;
	}
	return key;
}

static int
fill_route(struct rib *rib, struct rib_route *route, const struct learn_message *m)
{
	bool fresh = route->fact.gone, netlink = route->fact.key.source == RIB_NETLINK;
	struct rib_way *before = route->way;
	struct rib_prefix *prefix;
	int rc;

	// A second route of an IPv4 key is before or behind the first.
	if (!fresh && netlink && m->prefix.version == 4 && !m->replaces && m->appends) {
		route->shadows = true;
		return 0;
	}
	rc = fresh ? rib_take_prefix(rib, &m->prefix, &prefix) : 0;
	if (rc == 0)
		rc = rib_set_way(rib, &route->way, &m->way);
	if (rc != 0)
		return rc;
	if (fresh) {
		route->shadows = false;
		rib_join_prefix(rib, route, prefix);
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
		rc = rib_set_way(rib, &((struct rib_nexthop *)fact)->way, &m->way);
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

// An IPv6 withdrawal may name some of the next hops. Returns whether others are left, in `left`.
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
			return rib_set_way(rib, &route->way, &left);
	}
	rib->doubtful |= told && !fact->gone &&
			 (fact->key.kind == RIB_NEXTHOP || fact->key.kind == RIB_ADDRESS ||
			  fact->key.kind == RIB_LINK);
	rib_retract(rib, fact);
	return 0;
}

// A route that replaces an IPv6 route may have replaced one of another key.
static void
doubt_replaced(struct rib *rib, const struct rib_fact *fact, const struct learn_message *m)
{
	const struct rib_key key = rib_prefix_key(&m->prefix);
	const struct rib_prefix *prefix;

	if (fact->key.source != RIB_NETLINK || fact->key.kind != RIB_ROUTE || !m->replaces ||
	    m->prefix.version != 6)
		return;
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
	fact = rib_find_any(rib, &key);
	if (dumped && fact != NULL && fact->notified == generation)
		return 0; // notifications since the dump began are newer
	if (dumped && fact != NULL && fact->seen == generation && key.kind == RIB_ROUTE) {
		((struct rib_route *)fact)->shadows = true; // the first is the one in force
		return 0;
	}
	if (fact == NULL && m->gone && !rib->reading[source])
		return 0;
	if (fact == NULL && rib->facts.count >= RIB_FACTS_MAX)
		return -ENOSPC;
	if (fact == NULL)
		fact = rib_add_fact(rib, &key);
	if (!m->gone)
		doubt_replaced(rib, fact, m);
	rc = m->gone ? withdraw(rib, fact, m) : fill(rib, fact, m);
	fact->seen = generation;
	if (!dumped)
		fact->notified = generation;
	if (fact->gone && !(rib->reading[source] && rc == 0))
		rib_drop_fact(rib, fact);
	return rc;
}

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
			    (fact->gone || fact->seen != generation))
				rib_drop_fact(rib, fact);
		}
	}
}

bool
rib_is_own(const struct rib *rib, uint32_t device, const struct learn_address *address)
{
	const struct rib_key key = rib_address_key(RIB_ADDRESS, device, address);

	return rib_find(rib, &key) != NULL;
}
