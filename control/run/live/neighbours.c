// SPDX-License-Identifier: BSD-3-Clause
#include "neighbours.h"

#include "control/base/memory.h"
#include "control/io/learn/learn.h"

#include <arpa/inet.h>
#include <linux/neighbour.h>
#include <stdlib.h>
#include <string.h>

struct neighbours {
	struct show_neighbour *neighbours;
	unsigned int neighbour_count;
	struct show_learning *sources;
	unsigned int source_count;
};

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

static void
add_source(struct neighbours *l, const struct live_fabric *live, const struct learn_view *v)
{
	l->sources[l->source_count++] = (struct show_learning){
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

static void
add_neighbours(struct neighbours *l, const struct live_fabric *live, const struct learn_view *v)
{
	for (const struct rib_neighbour *n = v->rib->neighbours; n != NULL; n = n->next) {
		const struct rib_key link_key = {.kind = RIB_LINK, .number = n->fact.key.number};
		const struct rib_link *link = (const struct rib_link *)rib_find(v->rib, &link_key);
		struct show_neighbour *s = &l->neighbours[l->neighbour_count];

		// Multicast groups and the loopback's own are nobody's neighbours.
		if (n->state & NUD_NOARP)
			continue;
		*s = (struct show_neighbour){
			.node = live->topology->nodes[v->node].name,
			.vrf = live->topology->vrfs[v->vrf].name,
			.state = state_name(n->state),
			.usable = n->usable,
		};
		memcpy(s->mac, n->mac, sizeof(s->mac));
		snprintf(s->interface, sizeof(s->interface), "%s", link == NULL ? "?" : link->name);
		inet_ntop(n->fact.key.version == 4 ? AF_INET : AF_INET6, n->fact.key.address,
			  s->address, sizeof(s->address));
		l->neighbour_count++;
	}
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

struct neighbours *
neighbours_take(const struct live_fabric *live)
{
	struct neighbours *l = memory_new(sizeof(*l), "neighbours");
	uint32_t vrfs = learn_count(live->learner), count = 0;

	for (uint32_t i = 0; i < vrfs; i++)
		for (const struct rib_neighbour *n = learn_look(live->learner, i).rib->neighbours;
		     n != NULL; n = n->next)
			count++;
	l->sources = memory_array(vrfs, sizeof(*l->sources), "VRFs");
	l->neighbours = memory_array(count, sizeof(*l->neighbours), "neighbours");
	for (uint32_t i = 0; i < vrfs; i++) {
		const struct learn_view v = learn_look(live->learner, i);

		add_source(l, live, &v);
		add_neighbours(l, live, &v);
	}
	qsort(l->neighbours, l->neighbour_count, sizeof(*l->neighbours), compare);
	return l;
}

void
neighbours_destroy(struct neighbours *l)
{
	if (l == NULL)
		return;
	free(l->sources);
	free(l->neighbours);
	free(l);
}

const struct show_neighbour *
neighbours_list(const struct neighbours *l, unsigned int *count)
{
	*count = l == NULL ? 0 : l->neighbour_count;
	return l == NULL ? NULL : l->neighbours;
}

const struct show_learning *
neighbours_sources(const struct neighbours *l, unsigned int *count)
{
	*count = l == NULL ? 0 : l->source_count;
	return l == NULL ? NULL : l->sources;
}
