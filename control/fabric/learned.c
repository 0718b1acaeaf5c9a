// SPDX-License-Identifier: BSD-3-Clause
#include "fabric.h"

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

// Appends the groups of another list; returns the number that its first has there.
static uint32_t
add_groups(struct route_list *out, const struct route_list *from)
{
	uint32_t first = out->group_count;

	for (uint32_t i = 0; i < from->group_count; i++)
		routes_append_group(out, &from->members[from->groups[i].first],
				    from->groups[i].count);
	return first;
}

// Appends a learned route, whose list's groups begin at `first`.
static void
add_route(struct route_list *out, const struct route_list *learned, uint32_t at, uint32_t first)
{
	struct route route = learned->routes[at];

	route.group += route.group == ROUTES_BLACKHOLE ? 0 : first;
	if (route.encap != ROUTES_PLAIN)
		route.encap = routes_add_encap(out, &learned->encaps[route.encap]);
	routes_append(out, &route);
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
		routes_append(out, &own[i]);
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
	add_groups(scratch, own);
	for (uint32_t i = 0; i < own->encap_count; i++)
		routes_append_encap(scratch, &own->encaps[i]);
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t from;

		for (; at < own->count && own->routes[at].vrf < n->vrfs[i].vrf; at++)
			routes_append(scratch, &own->routes[at]);
		for (from = at; at < own->count && own->routes[at].vrf == n->vrfs[i].vrf;)
			at++;
		merge_vrf(scratch, &own->routes[from], at - from, &n->vrfs[i].list);
	}
	for (; at < own->count; at++)
		routes_append(scratch, &own->routes[at]);
	// A tunnel takes the route to its far end.
	if (underlay != 0)
		routes_follow_tunnels(scratch, underlay);
	return scratch;
}
