// SPDX-License-Identifier: BSD-3-Clause
// Where packets go: a trie for each VRF and IP version from a node's routes, and the groups of next
// hops that they lead to. Only groups that a route uses are taken over.
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The group's number in the snapshot, by its number in the list; those that no route uses have
// none.
#define UNUSED UINT32_MAX

static int
group_mode(const struct tables_draft *draft, uint8_t *mode)
{
	switch (draft->settings->routing.mode) {
	case CONFIG_ROUTING_ECMP:
		*mode = GROUP_ECMP;
		return 0;
	case CONFIG_ROUTING_ECMP_QP:
		*mode = GROUP_ECMP_QP;
		return 0;
	case CONFIG_ROUTING_ADAPTIVE:
		*mode = GROUP_ADAPTIVE;
		return 0;
	case CONFIG_ROUTING_SPRAY:
		*mode = GROUP_SPRAY;
		return 0;
	case CONFIG_ROUTING_RANDOM:
		*mode = GROUP_RANDOM;
		return 0;
	default:
		tables_report(draft, false, (struct config_pos){0}, "routing.mode",
			      "%s is not available in this version",
			      config_routing_mode_name(draft->settings->routing.mode));
		return -EINVAL;
	}
}

// A blackhole is a group without members.
static int
add_groups(struct tables_draft *draft, const struct route_list *routes, uint32_t *numbers,
	   uint32_t *blackhole)
{
	struct tables *t = draft->t;
	uint8_t mode = GROUP_ECMP;
	int error = group_mode(draft, &mode);

	for (uint32_t i = 0; i < routes->group_count; i++)
		numbers[i] = UNUSED;
	t->groups = calloc(routes->group_count + 1u, sizeof(*t->groups));
	t->next_hops = calloc(routes->member_count + 1u, sizeof(*t->next_hops));
	if (t->groups == NULL || t->next_hops == NULL)
		return -ENOMEM;
	*blackhole = UNUSED;
	for (uint32_t i = 0; error == 0 && i < routes->count; i++) {
		uint32_t from = routes->routes[i].group;
		uint32_t *number = from == ROUTES_BLACKHOLE ? blackhole : &numbers[from];
		struct next_hop_group *group = &t->groups[t->group_count];

		if (*number != UNUSED)
			continue;
		*number = t->group_count++;
		*group = (struct next_hop_group){.first = t->next_hop_count, .mode = mode};
		for (uint32_t m = 0; from != ROUTES_BLACKHOLE && m < routes->groups[from].count;
		     m++) {
			const struct route_member *member =
				&routes->members[routes->groups[from].first + m];
			struct next_hop *hop = &t->next_hops[t->next_hop_count++];

			hop->port = member->port;
			memcpy(hop->mac, member->mac, 6);
			group->count++;
		}
	}
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
add_tries(struct tables_draft *draft, const struct route_list *routes, const uint32_t *numbers,
	  uint32_t blackhole)
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
			prefix->value = route->group == ROUTES_BLACKHOLE ? blackhole
									 : numbers[route->group];
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
	uint32_t *numbers = calloc(routes->group_count + 1u, sizeof(*numbers));
	struct tables *t = draft->t;
	uint32_t blackhole;
	int error = -ENOMEM;

	t->vrfs = calloc(draft->topology->vrf_count, sizeof(*t->vrfs));
	if (numbers != NULL && t->vrfs != NULL) {
		t->vrf_count = draft->topology->vrf_count;
		error = add_groups(draft, routes, numbers, &blackhole);
		if (error == 0)
			error = add_tries(draft, routes, numbers, blackhole);
	}
	free(numbers);
	return error;
}
