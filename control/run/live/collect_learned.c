// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "control/io/learn/learn.h"

#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <stdlib.h>
#include <string.h>

// As `ip neighbour` calls it.
static const char *
state_name(uint16_t state)
{
	static const struct {
		uint16_t bit;
		const char *name;
	} names[] = {
		{NUD_PERMANENT, "permanent"}, {NUD_NOARP, "noarp"},
		{NUD_REACHABLE, "reachable"}, {NUD_STALE, "stale"},
		{NUD_DELAY, "delay"},         {NUD_PROBE, "probe"},
		{NUD_FAILED, "failed"},       {NUD_INCOMPLETE, "incomplete"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (state & names[i].bit)
			return names[i].name;
	return "none";
}

static const char *
source_name(unsigned source)
{
	return source == CONFIG_LEARN_NETLINK ? "netlink"
	       : source == CONFIG_LEARN_FPM   ? "fpm"
					      : "both";
}

static struct show_learning
source_of(const struct live_fabric *live, const struct learn_view *v)
{
	return (struct show_learning){
		.node = live->topology->nodes[v->node].name,
		.vrf = live->topology->vrfs[v->vrf].name,
		.netns = v->config->netns.text,
		.source = source_name(v->config->source),
		.prefixes = v->rib->prefixes,
		.messages = v->counts->messages,
		.dumps = v->counts->dumps,
		.overruns = v->counts->overruns,
		.refused = v->counts->refused,
		.asked = v->counts->asked,
		.published = v->published,
		.fpm_connected = v->fpm_connected,
	};
}

static struct show_neighbour
neighbour_of(const struct live_fabric *live, const struct learn_view *v,
	     const struct rib_neighbour *n)
{
	const struct rib_key link_key = {.kind = RIB_LINK, .number = n->fact.key.number};
	const struct rib_link *link = (const struct rib_link *)rib_find(v->rib, &link_key);
	struct show_neighbour out = {
		.node = live->topology->nodes[v->node].name,
		.vrf = live->topology->vrfs[v->vrf].name,
		.state = state_name(n->state),
		.usable = n->usable,
	};

	memcpy(out.mac, n->mac, sizeof(out.mac));
	snprintf(out.interface, sizeof(out.interface), "%s", link == NULL ? "?" : link->name);
	inet_ntop(n->fact.key.version == 4 ? AF_INET : AF_INET6, n->fact.key.address, out.address,
		  sizeof(out.address));
	return out;
}

// By switch, VRF, interface and address.
static int
compare(const void *a, const void *b)
{
	const struct show_neighbour *x = a, *y = b;
	int order = strcmp(x->node, y->node);

	if (order == 0)
		order = strcmp(x->vrf, y->vrf);
	if (order == 0)
		order = strverscmp(x->interface, y->interface);
	return order != 0 ? order : strverscmp(x->address, y->address);
}

void
collect_learned(struct show_state *s, struct arena *arena, const struct live_fabric *live)
{
	uint32_t vrfs = learn_count(live->learner);
	struct show_learning *sources = arena_alloc(arena, vrfs * sizeof(*sources));
	struct show_neighbour *neighbours = NULL;

	for (uint32_t i = 0; i < vrfs; i++) {
		const struct learn_view v = learn_look(live->learner, i);

		sources[s->learning_count++] = source_of(live, &v);
		for (const struct rib_neighbour *n = v.rib->neighbours; n != NULL; n = n->next) {
			// Multicast groups and addresses of the loopback are not neighbours.
			if (n->state & NUD_NOARP)
				continue;
			neighbours = arena_grow(arena, neighbours, s->neighbour_count,
						sizeof(*neighbours));
			neighbours[s->neighbour_count++] = neighbour_of(live, &v, n);
		}
	}
	if (s->neighbour_count != 0)
		qsort(neighbours, s->neighbour_count, sizeof(*neighbours), compare);
	s->neighbours = neighbours;
	s->learnings = sources;
}
