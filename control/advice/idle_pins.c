// SPDX-License-Identifier: BSD-3-Clause
// Flows pinned to what is no way. A switch obeys a pin only while its `via` is a next hop to the
// destination, and only packets of the source that come to it; an entry that no switch so obeys
// changes nothing. Nor does `mode: pinned` where no switch that it is written for has an entry.
//
// Packets are followed from their source by every VRF of the switches on their way, as if each that
// knows an address led to the same place, and in tunnels by the far ends that the switches before
// have named. A source that is no host of the fabric may be behind any switch. Routes are looked at
// as they are at the start: where events set routes or take links away, an entry may be meant for
// later, and none is warned of.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An entry of the file, at all switches that read it.
struct use {
	const struct config_pin *pin;
	uint32_t first; // switch at which `via` is no next hop, of those that have it
	uint32_t count; // of these
	bool followed;
};

struct uses {
	const struct fabric *f;
	struct use *items;
	uint32_t count;
	bool *seen;          // by switch: packets come to it
	uint32_t *queue;     // of switches
	uint8_t (*ends)[16]; // of tunnels that the destination's packets are put in; by leaf
	uint32_t end_count;
};

static bool
same_pin(const struct config_pin *a, const struct config_pin *b)
{
	return a == b ||
	       (a->pos.line == b->pos.line && a->pos.column == b->pos.column &&
		strcmp(a->src.text, b->src.text) == 0 && strcmp(a->dst.text, b->dst.text) == 0 &&
		strcmp(a->via.text, b->via.text) == 0);
}

// Switches mostly read the same list: an entry is looked for behind *last, where the one before it
// was found.
static struct use *
find_or_add(struct uses *all, const struct config_pin *pin, uint32_t *last)
{
	struct use *grown;

	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t at = (*last + 1 + i) % all->count;

		if (!same_pin(all->items[at].pin, pin))
			continue;
		*last = at;
		return &all->items[at];
	}
	grown = realloc(all->items, (all->count + 1) * sizeof(*grown));
	if (grown == NULL)
		return NULL;
	all->items = grown;
	*last = all->count;
	grown[all->count] = (struct use){.pin = pin};
	return &grown[all->count++];
}

static void
add_group_ports(const struct tables *t, uint32_t number, struct reach_ports *ports)
{
	for (uint32_t i = 0; number != LPM_NONE && i < t->groups[number].count; i++) {
		uint16_t port = t->next_hops[t->groups[number].first + i].port;

		ports->bits[port / 64] |= UINT64_C(1) << port % 64;
	}
}

// The ports by which a switch sends a destination on that comes as it is.
static struct reach_ports
next_ports(const struct tables *t, const struct reach_destination *to)
{
	struct reach_ports ports = {{0}};

	for (uint16_t vrf = 0; vrf < t->vrf_count; vrf++)
		add_group_ports(t, reach_look_up(t, vrf, to), &ports);
	return ports;
}

// Notes the far ends of the tunnels that a switch puts a destination's packets in.
static void
note_ends(struct uses *all, const struct tables *t, const struct reach_destination *to)
{
	for (uint16_t vrf = 0; vrf < t->vrf_count && t->tunnels != NULL; vrf++) {
		uint32_t number = reach_look_up(t, vrf, to), i = 0;
		const struct encap *encap;

		if (number == LPM_NONE)
			continue;
		encap = &t->tunnels->encaps[t->groups[number].encap];
		while (i < all->end_count && memcmp(all->ends[i], encap->remote, 16) != 0)
			i++;
		if (encap->kind == ENCAP_VXLAN && i == all->end_count &&
		    i < all->f->topology->leaf_count)
			memcpy(all->ends[all->end_count++], encap->remote, 16);
	}
}

// The same by which it sends the tunnels noted so far.
static void
add_tunnel_ports(const struct uses *all, const struct tables *t, struct reach_ports *ports)
{
	for (uint32_t i = 0; i < all->end_count; i++) {
		const struct reach_destination end = {
			.address = all->ends[i],
			.ip6 = t->tunnels != NULL && t->tunnels->version == 6,
		};

		add_group_ports(t, reach_look_up(t, TOPOLOGY_VRF_DEFAULT, &end), ports);
	}
}

static inline bool
has_port(const struct reach_ports *ports, uint16_t port)
{
	return ports->bits[port / 64] >> port % 64 & 1;
}

// Whether packets to the destination that come into the fabric at `entrance` may come to `node`.
static bool
comes_to(struct uses *all, uint32_t node, uint32_t entrance, const struct reach_destination *to)
{
	const struct topology *t = all->f->topology;
	uint32_t head = 0, tail = 0;

	if (entrance == TOPOLOGY_NONE || entrance == node)
		return true;
	memset(all->seen, 0, t->first_host * sizeof(*all->seen));
	all->seen[entrance] = true;
	all->queue[tail++] = entrance;
	all->end_count = 0;
	while (head < tail && !all->seen[node]) {
		uint32_t at = all->queue[head++];
		struct reach_ports ports = next_ports(all->f->tables[at], to);

		note_ends(all, all->f->tables[at], to);
		add_tunnel_ports(all, all->f->tables[at], &ports);
		for (uint16_t p = 0; p < t->nodes[at].port_count; p++) {
			uint32_t peer = t->nodes[at].ports[p].peer_node;

			if (!has_port(&ports, p) || peer >= t->first_host || all->seen[peer])
				continue;
			all->seen[peer] = true;
			all->queue[tail++] = peer;
		}
	}
	return all->seen[node];
}

// An entry at one switch, while its pairs are visited. What is known of the pair before holds for
// the next one, to the same destination, and mostly from the same leaf.
struct visit {
	struct uses *all;
	struct use *use;
	uint32_t node;
	uint32_t pairs;
	const uint8_t *destination;
	struct reach_ports ports; // to it
	uint32_t entrance;
	bool comes; // from there
};

static bool
check_pair(void *context, const struct tables_pin_pair *pair)
{
	const struct reach_destination to = {.address = pair->destination,
					     .ip6 = pair->version == 6};
	struct visit *v = context;
	bool new = v->pairs++ == 0 || v->destination != pair->destination;

	if (new) {
		v->destination = pair->destination;
	}
	if (new || v->entrance != pair->entrance) {
		v->entrance = pair->entrance;
		v->comes = comes_to(v->all, v->node, pair->entrance, &to);
		v->ports = next_ports(v->all->f->tables[v->node], &to);
		add_tunnel_ports(v->all, v->all->f->tables[v->node], &v->ports);
	}
	v->use->followed = v->comes && has_port(&v->ports, pair->port);
	return !v->use->followed;
}

static int
check_entry(struct uses *all, uint32_t node, struct use *use)
{
	struct visit v = {.all = all, .use = use, .node = node};
	int rc = tables_visit_pin(all->f->topology, node, use->pin, check_pair, &v);

	if (v.pairs != 0 && use->count++ == 0)
		use->first = node;
	return rc;
}

static void
report_entry(const struct fabric *f, const struct use *use, struct diag *diag)
{
	const struct config_pin *pin = use->pin;
	char others[ADVICE_OTHERS];

	if (use->followed)
		return;
	if (use->count == 0)
		diag_warning(diag, f->config->file, pin->via.pos, "routing.pinned",
			     "has no effect: no switch with this setting has %s or a link to it",
			     pin->via.text);
	else
		diag_warning(
			diag, f->config->file, pin->via.pos, "routing.pinned",
			"has no effect: on %s%s, %s is not a next hop for packets from %s to %s",
			f->topology->nodes[use->first].name,
			advice_others(use->count - 1, "switch", "switches", others), pin->via.text,
			pin->src.text, pin->dst.text);
}

static bool
routes_may_change(const struct config *config)
{
	for (unsigned i = 0; i < config->event_count; i++) {
		const struct config_event *event = &config->events[i];

		if (event->kind == CONFIG_EVENT_ROUTE ||
		    (event->kind == CONFIG_EVENT_LINK && event->changes & CONFIG_LINK_STATE))
			return true;
	}
	return false;
}

static int
check_entries(const struct fabric *f, struct diag *diag)
{
	struct uses all = {.f = f,
			   .seen = calloc(f->topology->first_host + 1u, sizeof(*all.seen)),
			   .queue = calloc(f->topology->first_host + 1u, sizeof(*all.queue)),
			   .ends = calloc(f->topology->leaf_count + 1u, sizeof(*all.ends))};
	int rc = all.seen == NULL || all.queue == NULL || all.ends == NULL ? -ENOMEM : 0;

	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		const struct config_routing *routing = &f->switches[n].routing;
		uint32_t last = UINT32_MAX; // before the first

		for (unsigned i = 0; rc == 0 && i < routing->pin_count; i++) {
			struct use *use = find_or_add(&all, &routing->pins[i], &last);

			if (use == NULL)
				rc = -ENOMEM;
			else if (!use->followed)
				rc = check_entry(&all, n, use);
		}
	}
	for (uint32_t i = 0; rc == 0 && i < all.count; i++)
		report_entry(f, &all.items[i], diag);
	free(all.items);
	free(all.seen);
	free(all.queue);
	free(all.ends);
	return rc;
}

// A `set` event may bring pins.
static bool
pins_may_change(const struct config *config)
{
	for (unsigned i = 0; i < config->event_count; i++)
		if (config->events[i].kind == CONFIG_EVENT_SET &&
		    strstr(config->events[i].key.text, ".routing") != NULL)
			return true;
	return false;
}

// By the place that says `mode: pinned`: switches with pins and without.
static int
check_modes(const struct fabric *f, struct diag *diag)
{
	enum { WITHOUT, WITH };
	struct advice_findings all = {.count = 0};
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < f->topology->first_host; n++) {
		const struct config_routing *routing = &f->switches[n].routing;
		struct advice_finding one = {.figures = {routing->pin_count != 0 ? WITH : WITHOUT}};

		if (routing->mode != CONFIG_ROUTING_PINNED)
			continue;
		one.pos = advice_pos(f, n, "routing.mode");
		rc = advice_add_finding(&all, &one);
	}
	for (uint32_t i = 0; rc == 0 && i < all.count; i++) {
		bool pinned = all.items[i].figures[0] == WITH;

		for (uint32_t k = 0; !pinned && k < all.count; k++)
			pinned = all.items[k].figures[0] == WITH &&
				 all.items[k].pos.line == all.items[i].pos.line &&
				 all.items[k].pos.column == all.items[i].pos.column;
		if (!pinned)
			diag_warning(diag, f->config->file, all.items[i].pos, "routing.mode",
				     "pinned, but `routing.pinned` names no flow: all flows are "
				     "hashed, as with ecmp");
	}
	free(all.items);
	return rc;
}

int
advice_idle_pins(const struct fabric *f, struct diag *diag)
{
	int rc = pins_may_change(f->config) ? 0 : check_modes(f, diag);

	return rc != 0 || routes_may_change(f->config) ? rc : check_entries(f, diag);
}
