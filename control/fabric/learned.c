// SPDX-License-Identifier: BSD-3-Clause
#include "learned.h"

#include "control/base/memory.h"
#include "fabric_internal.h"

#include <stdlib.h>
#include <string.h>

struct learned_vrf {
	uint16_t vrf;
	struct route_list list;
};

struct learned_node {
	struct learned_vrf *vrfs; // ascending
	uint32_t count;
};

static struct learned_vrf *
find_vrf(const struct fabric *f, uint32_t node, uint16_t vrf)
{
	struct learned_node *n = f->learned == NULL ? NULL : &f->learned[node];

	for (uint32_t i = 0; n != NULL && i < n->count; i++)
		if (n->vrfs[i].vrf == vrf)
			return &n->vrfs[i];
	return NULL;
}

void
fabric_learn(struct fabric *f, uint32_t node, uint16_t vrf)
{
	struct learned_node *n;
	uint32_t at = 0;

	if (f->learned == NULL)
		f->learned = memory_array(f->topology->first_host, sizeof(*f->learned),
					  "switches that learn routes");
	if (find_vrf(f, node, vrf) != NULL)
		return;
	n = &f->learned[node];
	n->vrfs = memory_grow(n->vrfs, n->count, sizeof(*n->vrfs), "VRFs that learn routes");
	while (at < n->count && n->vrfs[at].vrf < vrf)
		at++;
	memmove(&n->vrfs[at + 1], &n->vrfs[at], (n->count - at) * sizeof(*n->vrfs));
	n->vrfs[at] = (struct learned_vrf){.vrf = vrf};
	n->count++;
}

void
fabric_set_learned(struct fabric *f, uint32_t node, uint16_t vrf, struct route_list *list)
{
	struct learned_vrf *v = find_vrf(f, node, vrf);

	routes_clear(&v->list);
	v->list = *list;
	*list = (struct route_list){0};
}

void
fabric_forget_learned(struct fabric *f)
{
	for (uint32_t i = 0; f->learned != NULL && i < f->topology->first_host; i++) {
		for (uint32_t k = 0; k < f->learned[i].count; k++)
			routes_clear(&f->learned[i].vrfs[k].list);
		free(f->learned[i].vrfs);
	}
	free(f->learned);
	f->learned = NULL;
}

// ---- merging ---------------------------------------------------------------------------------

// memcpy() for lists that hold nothing as well: those are NULL.
static void
put(void *to, const void *from, size_t bytes)
{
	if (bytes > 0)
		memcpy(to, from, bytes);
}

// Makes room for the contents of all lists, and copies the fabric's own groups and encapsulations.
static void
copy_groups(struct route_list *out, const struct route_list *own, const struct learned_node *n)
{
	uint32_t encaps = own->encap_count;
	uint32_t routes = own->count, groups = own->group_count, members = own->member_count;

	for (uint32_t i = 0; i < n->count; i++) {
		routes += n->vrfs[i].list.count;
		groups += n->vrfs[i].list.group_count;
		members += n->vrfs[i].list.member_count;
		encaps += n->vrfs[i].list.encap_count;
	}
	out->routes = memory_array(routes + 1u, sizeof(*out->routes), "routes");
	out->groups = memory_array(groups + 1u, sizeof(*out->groups), "next-hop groups");
	out->members = memory_array(members + 1u, sizeof(*out->members), "next hops");
	out->encaps = memory_array(encaps + 1u, sizeof(*out->encaps), "encapsulations");
	out->capacity = routes + 1;
	out->group_capacity = groups + 1;
	out->member_capacity = members + 1;
	out->encap_capacity = encaps + 1;
	put(out->groups, own->groups, own->group_count * sizeof(*out->groups));
	put(out->members, own->members, own->member_count * sizeof(*out->members));
	put(out->encaps, own->encaps, own->encap_count * sizeof(*out->encaps));
	out->group_count = own->group_count;
	out->member_count = own->member_count;
	out->encap_count = own->encap_count;
}

// Appends the groups of a learned list; returns the number that its first has there.
static uint32_t
add_groups(struct route_list *out, const struct route_list *learned)
{
	uint32_t first = out->group_count;

	for (uint32_t i = 0; i < learned->group_count; i++)
		out->groups[first + i] = (struct route_group){
			.first = out->member_count + learned->groups[i].first,
			.count = learned->groups[i].count,
		};
	put(&out->members[out->member_count], learned->members,
	    learned->member_count * sizeof(*out->members));
	out->group_count += learned->group_count;
	out->member_count += learned->member_count;
	return first;
}

// Appends a learned route, whose list's groups begin at `first`. There is room for its encapsulation.
static void
add_route(struct route_list *out, const struct route_list *learned, uint32_t at, uint32_t first)
{
	struct route *to = &out->routes[out->count++];

	*to = learned->routes[at];
	to->group += to->group == ROUTES_BLACKHOLE ? 0 : first;
	if (to->encap != ROUTES_PLAIN)
		to->encap = routes_add_encap(out, &learned->encaps[to->encap]);
}

static int
compare(const struct config_prefix *a, const struct config_prefix *b)
{
	int order;

	if (a->version != b->version)
		return a->version < b->version ? -1 : 1;
	order = memcmp(a->address, b->address, a->version == 4 ? 4 : 16);
	return order != 0 ? order : (int)a->length - (int)b->length;
}

// One VRF that learns. own[0 .. count): the fabric's own routes of it.
static void
merge_vrf(struct route_list *out, const struct route *own, uint32_t count,
	  const struct route_list *learned)
{
	uint32_t first = add_groups(out, learned), at = 0;

	for (uint32_t i = 0; i < count; i++) {
		int order = -1;

		if (own[i].source == ROUTE_COMPUTED)
			continue;
		for (; at < learned->count; at++) {
			order = compare(&learned->routes[at].prefix, &own[i].prefix);
			if (order >= 0)
				break;
			add_route(out, learned, at, first);
		}
		at += at < learned->count && order == 0;
		out->routes[out->count++] = own[i];
	}
	for (; at < learned->count; at++)
		add_route(out, learned, at, first);
}

const struct route_list *
fabric_merge_learned(const struct fabric *f, uint32_t node, const struct route_list *own,
		     struct route_list *scratch)
{
	const struct learned_node *n = f->learned == NULL ? NULL : &f->learned[node];
	const uint8_t underlay = routes_underlay(f->topology);
	uint32_t at = 0;

	*scratch = (struct route_list){0};
	if (n == NULL || n->count == 0)
		return own;
	copy_groups(scratch, own, n);
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t from;

		for (; at < own->count && own->routes[at].vrf < n->vrfs[i].vrf; at++)
			scratch->routes[scratch->count++] = own->routes[at];
		for (from = at; at < own->count && own->routes[at].vrf == n->vrfs[i].vrf;)
			at++;
		merge_vrf(scratch, &own->routes[from], at - from, &n->vrfs[i].list);
	}
	for (; at < own->count; at++)
		scratch->routes[scratch->count++] = own->routes[at];
	// A tunnel takes the route to its far end.
	if (underlay != 0)
		routes_follow_tunnels(scratch, underlay);
	return scratch;
}
