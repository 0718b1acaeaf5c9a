// SPDX-License-Identifier: BSD-3-Clause
// A next hop counts if its interface is a port of the switch (by name) and is up. If its
// neighbour's MAC is known too, it is a member of the group; otherwise it is left out and the
// kernel probes it. So a route
//   - without a next hop that counts is absent: a less specific route gets its packets;
//   - without a member, and a route to a connected network, drops as `no-neighbour` and makes the
//     kernel probe the destination;
//   - otherwise leads to its members.
// Between switches, packets have the encapsulation of the VRF (routes/static_encap.c). The tag of a
// VLAN is only for next hops that are switches, so a route's next hops must be all switches or
// none. No learned route leads through a tunnel, because it does not say where the tunnel ends.
//
// Each neighbour on a connected network, found by longest prefix, has a route of its own.
// Link-local and multicast prefixes are not routed.
//
// The next hops that routes share (a way) are resolved once a pass, however many routes share them.
#include "resolve.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 4    // of nested groups
#define STEPS_MAX 4096 // next hops of a route, with those of nested groups each time

enum verdict { ABSENT, BLACKHOLE, GLEAN, GROUP, TAGGED };

struct resolving {
	struct rib *rib;
	const struct resolve_vrf *vrf;
	const struct resolve_hooks *hooks;
	struct route_list *out;
	uint32_t tag;                       // in out->encaps, or ROUTES_PLAIN
	const struct config_prefix *prefix; // that is being resolved
	// Of the way that is being resolved:
	enum rib_source source;
	struct route_member members[LEARN_HOPS_MAX];
	uint32_t member_count;
	uint32_t steps; // that are left
	bool onward;    // a next hop that counts is a switch
	bool aside;     // a next hop that counts is not a switch
	bool drops;     // a nexthop object is a blackhole
};

static const struct rib_link *
find_port(const struct rib *rib, uint32_t device)
{
	const struct rib_key key = {.kind = RIB_LINK, .number = device};
	const struct rib_link *link = (const struct rib_link *)rib_find(rib, &key);

	return link == NULL || link->port == RIB_PORT_NONE || !link->usable ? NULL : link;
}

static const struct rib_neighbour *
find_neighbour(const struct rib *rib, uint32_t device, const struct learn_address *address)
{
	const struct rib_key key = rib_address_key(RIB_NEIGHBOUR, device, address);
	const struct rib_neighbour *n = (const struct rib_neighbour *)rib_find(rib, &key);

	return n == NULL || !n->usable ? NULL : n;
}

static const struct rib_way *
find_nexthop(const struct rib *rib, enum rib_source source, uint32_t id)
{
	const struct rib_key key = {.kind = RIB_NEXTHOP, .source = (uint8_t)source, .number = id};
	const struct rib_nexthop *nexthop = (const struct rib_nexthop *)rib_find(rib, &key);

	return nexthop == NULL ? NULL : nexthop->way;
}

static bool
leads_on(const struct resolving *r, uint16_t port)
{
	return r->vrf->encap != CONFIG_ENCAP_PLAIN && r->hooks->leads_on != NULL &&
	       r->hooks->leads_on(r->hooks->context, port);
}

static void
add_member(struct resolving *r, uint16_t port, const uint8_t mac[6], uint64_t weight)
{
	struct route_member *m = NULL;

	for (uint32_t i = 0; i < r->member_count && m == NULL; i++)
		if (r->members[i].port == port && memcmp(r->members[i].mac, mac, 6) == 0)
			m = &r->members[i];
	if (m == NULL) {
		if (r->member_count == LEARN_HOPS_MAX)
			return;
		m = &r->members[r->member_count++];
		*m = (struct route_member){.port = port};
		memcpy(m->mac, mac, 6);
	}
	weight += m->weight;
	m->weight = weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

static void
add_hop(struct resolving *r, const struct learn_hop *hop, uint64_t weight)
{
	const struct rib_link *link = find_port(r->rib, hop->device);
	const struct rib_neighbour *n;

	if (link == NULL)
		return;
	if (leads_on(r, link->port))
		r->onward = true;
	else
		r->aside = true;
	if (hop->gateway.version == 0)
		return;
	n = find_neighbour(r->rib, hop->device, &hop->gateway);
	if (n != NULL)
		add_member(r, link->port, n->mac, weight);
	else if (r->hooks->want != NULL)
		r->hooks->want(r->hooks->context, hop->device, &hop->gateway);
}

// Weights of nested groups multiply; an unknown nexthop object is ignored.
static void
add_hops(struct resolving *r, const struct rib_way *way, uint64_t weight, unsigned depth)
{
	r->drops |= way->blackhole;
	for (uint32_t i = 0; i < way->count && r->steps > 0; i++) {
		const struct learn_hop *hop = &way->hops[i];
		uint64_t part = weight * hop->weight;
		const struct rib_way *inner;

		r->steps--;
		part = part < UINT32_MAX ? part : UINT32_MAX;
		if (hop->id == 0) {
			add_hop(r, hop, part);
			continue;
		}
		inner = depth < DEPTH_MAX ? find_nexthop(r->rib, r->source, hop->id) : NULL;
		if (inner != NULL)
			add_hops(r, inner, part, depth + 1);
	}
}

static int
compare_members(const void *a, const void *b)
{
	const struct route_member *x = a, *y = b;

	return x->port != y->port ? (int)x->port - (int)y->port : memcmp(x->mac, y->mac, 6);
}

// Sorted, so that the group does not depend on the order in which things were learned.
static uint32_t
append_group(struct resolving *r)
{
	qsort(r->members, r->member_count, sizeof(r->members[0]), compare_members);
	return routes_append_group(r->out, r->members, r->member_count);
}

static void
refuse(struct resolving *r, struct rib_way *way, enum resolve_refusal why)
{
	if (r->hooks->refuse == NULL)
		return;
	if (!way->refused)
		r->hooks->refuse(r->hooks->context, r->prefix, why);
	way->refused = true;
}

// Whether a route cannot have the next hops that add_hops() found.
static bool
is_refused(const struct resolving *r, const struct rib_way *way, enum resolve_refusal *why)
{
	if (r->member_count > GROUP_MEMBERS_MAX || way->count > GROUP_MEMBERS_MAX || r->steps == 0)
		*why = RESOLVE_TOO_MANY;
	else if (r->onward && r->vrf->encap == CONFIG_ENCAP_VXLAN)
		*why = RESOLVE_NO_FAR_END;
	else if (r->onward && r->aside)
		*why = RESOLVE_TAG_OF_SOME;
	else
		return false;
	return true;
}

static enum verdict
judge(struct resolving *r, struct rib_way *way)
{
	enum resolve_refusal why;

	r->member_count = 0;
	r->steps = STEPS_MAX;
	r->onward = r->aside = r->drops = false;
	add_hops(r, way, 1, 0);
	if (is_refused(r, way, &why)) {
		refuse(r, way, why);
		return ABSENT;
	}
	if (r->hooks->refuse != NULL)
		way->refused = false;
	if (!r->onward && !r->aside)
		return r->drops ? BLACKHOLE : ABSENT;
	way->group = append_group(r);
	if (r->member_count == 0)
		return GLEAN;
	return r->onward ? TAGGED : GROUP;
}

static enum verdict
verdict_of(struct resolving *r, const struct rib_route *route)
{
	struct rib_way *way = route->way;

	// Ids of nexthop objects mean something else in another source.
	if (way->pass != r->rib->pass || way->source != route->fact.key.source) {
		r->source = (enum rib_source)route->fact.key.source;
		way->pass = r->rib->pass;
		way->source = route->fact.key.source;
		way->verdict = (uint8_t)judge(r, way);
	}
	return (enum verdict)way->verdict;
}

static bool
is_routed(const struct config_prefix *p)
{
	static const uint8_t link_local4[2] = {169, 254};

	if (p->version == 4)
		return !(p->length >= 4 && p->address[0] >> 4 == 14) &&
		       !(p->length >= 16 && memcmp(p->address, link_local4, 2) == 0);
	return !(p->length >= 8 && p->address[0] == 0xff) &&
	       !(p->length >= 10 && p->address[0] == 0xfe && (p->address[1] & 0xc0) == 0x80);
}

static uint8_t
source_of(const struct rib_route *route)
{
	return route->fact.key.source == RIB_FPM ? ROUTE_FPM : ROUTE_NETLINK;
}

static void
append_route(struct resolving *r, const struct config_prefix *prefix, uint32_t group,
	     uint32_t encap, uint8_t source)
{
	routes_append(r->out, &(struct route){.prefix = *prefix,
					      .vrf = r->vrf->index,
					      .source = source,
					      .group = group,
					      .encap = encap});
}

// ---- connected networks ----------------------------------------------------------------------

// The route that an address takes, by longest prefix; absent routes do not count.
static const struct rib_route *
look_up(struct resolving *r, const struct learn_address *address, unsigned *length)
{
	unsigned bits = address->version == 4 ? 32 : 128;
	struct rib_key key = rib_address_key(RIB_PREFIX, 0, address);

	for (unsigned left = bits + 1; left-- > 0;) {
		const struct rib_prefix *prefix;
		const struct rib_route *best;

		if (left < bits)
			key.address[left / 8] &= (uint8_t) ~(0x80u >> left % 8);
		if (r->rib->lengths[address->version == 6][left] == 0)
			continue;
		key.length = (uint8_t)left;
		prefix = (const struct rib_prefix *)rib_find(r->rib, &key);
		best = prefix == NULL ? NULL : rib_best(prefix);
		*length = left;
		if (best != NULL && verdict_of(r, best) != ABSENT)
			return best;
	}
	return NULL;
}

// Whether the destination itself is on a device, by a route whose next hops are not too many.
static bool
leads_onto(const struct resolving *r, enum rib_source source, const struct rib_way *way,
	   uint32_t device, unsigned depth)
{
	for (uint32_t i = 0; i < way->count; i++) {
		const struct learn_hop *hop = &way->hops[i];
		const struct rib_way *inner;

		if (hop->id == 0 && hop->device == device && hop->gateway.version == 0)
			return true;
		inner = hop->id == 0 || depth == DEPTH_MAX ? NULL
							   : find_nexthop(r->rib, source, hop->id);
		if (inner != NULL && leads_onto(r, source, inner, device, depth + 1))
			return true;
	}
	return false;
}

// The route to a neighbour. One of the first `known` routes, which are sorted, may have the same
// prefix; it is replaced.
static void
append_neighbour(struct resolving *r, uint32_t known, const struct config_prefix *prefix,
		 uint32_t encap, uint8_t source)
{
	const struct route_list sorted = {.routes = r->out->routes, .count = known};
	struct route *route = routes_find(&sorted, r->vrf->index, prefix);
	uint32_t group = append_group(r);

	if (route != NULL) {
		route->group = group;
		route->encap = encap;
		return;
	}
	append_route(r, prefix, group, encap, source);
}

static void
append_neighbours(struct resolving *r)
{
	const uint32_t known = r->out->count;

	for (const struct rib_neighbour *n = r->rib->neighbours; n != NULL; n = n->next) {
		const struct rib_key *key = &n->fact.key;
		const struct rib_link *link = find_port(r->rib, key->number);
		struct learn_address address = {.version = key->version};
		struct config_prefix prefix = {.version = key->version,
					       .length = key->version == 4 ? 32 : 128};
		const struct rib_route *by;
		unsigned length;

		if (!n->usable || link == NULL)
			continue;
		memcpy(address.bytes, key->address, sizeof(address.bytes));
		memcpy(prefix.address, key->address, sizeof(prefix.address));
		by = is_routed(&prefix) ? look_up(r, &address, &length) : NULL;
		if (by == NULL ||
		    !leads_onto(r, (enum rib_source)by->fact.key.source, by->way, key->number, 0))
			continue;
		r->member_count = 0;
		add_member(r, link->port, n->mac, 1);
		append_neighbour(r, known, &prefix, leads_on(r, link->port) ? r->tag : ROUTES_PLAIN,
				 source_of(by));
	}
}

uint32_t
resolve_device(struct rib *rib, const struct learn_address *address)
{
	struct route_list scratch = {0};
	const struct resolve_vrf vrf = {.encap = CONFIG_ENCAP_PLAIN};
	const struct resolve_hooks none = {0};
	struct resolving r = {.rib = rib, .vrf = &vrf, .hooks = &none, .out = &scratch};
	const struct rib_route *by;
	const struct rib_way *way;
	unsigned length;
	uint32_t device = 0;

	rib->pass++; // what is cached refers to another list
	by = look_up(&r, address, &length);
	way = by == NULL ? NULL : by->way;
	if (way != NULL && way->count == 1 && way->hops[0].id != 0)
		way = find_nexthop(rib, (enum rib_source)by->fact.key.source, way->hops[0].id);
	for (uint32_t i = 0; way != NULL && i < way->count && device == 0; i++)
		if (way->hops[i].id == 0 && way->hops[i].gateway.version == 0 &&
		    find_port(rib, way->hops[i].device) != NULL)
			device = way->hops[i].device;
	routes_clear(&scratch);
	return device;
}

// ---- all of it -------------------------------------------------------------------------------

static void
append_prefixes(struct resolving *r)
{
	for (uint32_t i = 0; i < r->rib->listed; i++) {
		const struct rib_prefix *prefix = r->rib->order[i];
		const struct rib_route *best = rib_best(prefix);
		enum verdict verdict;

		if (best == NULL || !is_routed(&prefix->prefix))
			continue;
		r->prefix = &prefix->prefix;
		verdict = verdict_of(r, best);
		if (verdict == ABSENT)
			continue;
		append_route(r, &prefix->prefix,
			     verdict == BLACKHOLE ? ROUTES_BLACKHOLE : best->way->group,
			     verdict == TAGGED ? r->tag : ROUTES_PLAIN, source_of(best));
	}
}

void
resolve_routes(struct rib *rib, const struct resolve_vrf *vrf, const struct resolve_hooks *hooks,
	       struct route_list *out)
{
	const struct route_encap tag = {.kind = CONFIG_ENCAP_VLAN, .id = vrf->vid};
	struct resolving r = {
		.rib = rib, .vrf = vrf, .hooks = hooks, .out = out, .tag = ROUTES_PLAIN};
	uint32_t sorted;

	rib_sort(rib);
	rib->pass++;
	if (vrf->encap == CONFIG_ENCAP_VLAN)
		r.tag = routes_append_encap(out, &tag);
	append_prefixes(&r);
	sorted = out->count;
	append_neighbours(&r);
	if (out->count != sorted)
		routes_sort(out); // a neighbour may be known on two interfaces of one network
}
