// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

#include "control/base/memory.h"
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

static json_t *
learning_json(const struct learn_view *v)
{
	return json_pack("{s:s?,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b,s:I}", "netns",
			 v->config->netns.text, "source", source_name(v->config->source),
			 "prefixes", (json_int_t)v->rib->prefixes, "messages",
			 (json_int_t)v->counts->messages, "dumps", (json_int_t)v->counts->dumps,
			 "overruns", (json_int_t)v->counts->overruns, "refused",
			 (json_int_t)v->counts->refused, "asked", (json_int_t)v->counts->asked,
			 "published", (json_int_t)v->published, "fpm_connected", v->fpm_connected,
			 "fpm_refused", (json_int_t)v->fpm_refused);
}

struct neighbour {
	const char *node, *vrf, *interface;
	const struct rib_neighbour *of;
	char address[INET6_ADDRSTRLEN];
};

static struct neighbour
neighbour_of(const struct topology *t, const struct learn_view *v, const struct rib_neighbour *n)
{
	const struct rib_key link_key = {.kind = RIB_LINK, .number = n->fact.key.number};
	const struct rib_link *link = (const struct rib_link *)rib_find(v->rib, &link_key);
	struct neighbour out = {.node = t->nodes[v->node].name,
				.vrf = t->vrfs[v->vrf].name,
				.interface = link == NULL ? "?" : link->name,
				.of = n};

	inet_ntop(n->fact.key.version == 4 ? AF_INET : AF_INET6, n->fact.key.address, out.address,
		  sizeof(out.address));
	return out;
}

// By switch, VRF, interface and address.
static int
compare(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;
	int order = strcmp(x->node, y->node);

	if (order == 0)
		order = strcmp(x->vrf, y->vrf);
	if (order == 0)
		order = strverscmp(x->interface, y->interface);
	return order != 0 ? order : strverscmp(x->address, y->address);
}

static void
add_neighbour(json_t *learned, const struct neighbour *n)
{
	json_t *vrfs = show_child(json_object_get(learned, n->node), "neighbours");
	json_t *out = json_pack("{s:s,s:s,s:s,s:b,s:n}", "address", n->address, "interface",
				n->interface, "state", state_name(n->of->state), "usable",
				n->of->usable, "mac");

	if (n->of->usable)
		show_set_mac(out, n->of->mac);
	if (json_object_get(vrfs, n->vrf) == NULL)
		json_object_set_new(vrfs, n->vrf, json_array());
	json_array_append_new(json_object_get(vrfs, n->vrf), out);
}

json_t *
collect_learned(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct neighbour *neighbours = NULL;
	json_t *out = json_object();
	size_t count = 0;

	for (uint32_t i = 0; i < learn_count(live->learner); i++) {
		const struct learn_view v = learn_look(live->learner, i);

		json_object_set_new(show_child(show_child(out, t->nodes[v.node].name), "learning"),
				    t->vrfs[v.vrf].name, learning_json(&v));
		for (const struct rib_neighbour *n = v.rib->neighbours; n != NULL; n = n->next) {
			// Multicast groups and addresses of the loopback are not neighbours.
			if (n->state & NUD_NOARP)
				continue;
			neighbours =
				memory_grow(neighbours, count, sizeof(*neighbours), "neighbours");
			neighbours[count++] = neighbour_of(t, &v, n);
		}
	}
	if (count != 0)
		qsort(neighbours, count, sizeof(*neighbours), compare);
	for (size_t i = 0; i < count; i++)
		add_neighbour(out, &neighbours[i]);
	free(neighbours);
	return out;
}
