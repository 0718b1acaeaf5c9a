// SPDX-License-Identifier: BSD-3-Clause
// Pinned flows without effect. A switch follows an entry only while `via` is a next hop to the
// destination and packets of the source arrive at it. An entry that no switch follows has no
// effect, nor has `mode: pinned` where none of the switches that read it has an entry.
//
// Packets are followed from their source through every VRF of the switches on their way, as if all
// VRFs that know an address led to the same place, and in tunnels to the far ends that earlier
// switches have chosen. A source that is not a host of the fabric may be behind any switch. Only
// the routes at the start are checked: if events change routes or links, an entry may be meant for
// later, so no entry is reported.
#include "advice_internal.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"

#include <stdlib.h>
#include <string.h>

// An entry of the file, at all switches that read it.
struct use {
	const struct config_pin *pin;
	uint32_t first; // the first switch that has `via`, where it is not a next hop
	uint32_t count; // of such switches
	bool followed;
};

struct uses {
	const struct fabric *f;
	struct use *items;
	uint32_t count;
	bool *seen;          // by switch: packets arrive at it
	uint32_t *queue;     // of switches
	uint8_t (*ends)[16]; // far ends of the destination's tunnels, as many as leaves
	uint32_t end_count;
};

static bool
same_pin(const struct config_pin *a, const struct config_pin *b)
{
	return a == b ||
	       (diag_pos_compare(a->pos, b->pos) == 0 && strcmp(a->src.text, b->src.text) == 0 &&
		strcmp(a->dst.text, b->dst.text) == 0 && strcmp(a->via.text, b->via.text) == 0);
}

// Most switches read the same list, so the search starts behind *last, where the previous entry was
// found.
static struct use *
find_or_add(struct uses *all, const struct config_pin *pin, uint32_t *last)
{
	for (uint32_t i = 0; i < all->count; i++) {
		uint32_t at = (*last + 1 + i) % all->count;

		if (!same_pin(all->items[at].pin, pin))
			continue;
		*last = at;
		return &all->items[at];
	}
	all->items = memory_grow(all->items, all->count, sizeof(*all->items), "pinned flows");
	*last = all->count;
	all->items[all->count] = (struct use){.pin = pin};
	return &all->items[all->count++];
}

static void
add_group_ports(const struct tables *t, uint32_t number, struct reach_ports *ports)
{
	for (uint32_t i = 0; number != LPM_NONE && i < t->groups[number].count; i++)
		reach_add_port(ports, t->next_hops[t->groups[number].first + i].port);
}

// The ports by which a switch forwards a destination that arrives without encapsulation.
static struct reach_ports
next_ports(const struct tables *t, const struct reach_destination *to)
{
	struct reach_ports ports = {{0}};

	for (uint16_t vrf = 0; vrf < t->vrf_count; vrf++)
		add_group_ports(t, reach_look_up(t, vrf, to), &ports);
	return ports;
}

// Adds the far ends of the tunnels by which a switch forwards a destination.
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

// Adds the ports by which a switch forwards the tunnels known so far.
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

// Whether packets to the destination that enter the fabric at `entrance` may arrive at `node`.
static bool
arrives_at(struct uses *all, uint32_t node, uint32_t entrance, const struct reach_destination *to)
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

			if (!reach_has_port(&ports, p) || peer >= t->first_host || all->seen[peer])
				continue;
			all->seen[peer] = true;
			all->queue[tail++] = peer;
		}
	}
	return all->seen[node];
}

// An entry at one switch while its pairs are visited. Results for one pair are kept for the next,
// which often has the same destination and the same leaf.
struct visit {
	struct uses *all;
	struct use *use;
	uint32_t node;
	uint32_t pairs;
	const uint8_t *destination;
	struct reach_ports ports; // to the destination
	uint32_t entrance;
	bool arrives; // packets from the entrance
};

static bool
check_pair(void *context, const struct tables_pin_pair *pair)
{
	const struct reach_destination to = {.address = pair->destination,
					     .ip6 = pair->version == 6};
	struct visit *v = context;
	bool new = v->pairs++ == 0 || v->destination != pair->destination;

	v->destination = pair->destination;
	if (new || v->entrance != pair->entrance) {
		v->entrance = pair->entrance;
		v->arrives = arrives_at(v->all, v->node, pair->entrance, &to);
		v->ports = next_ports(v->all->f->tables[v->node], &to);
		add_tunnel_ports(v->all, v->all->f->tables[v->node], &v->ports);
	}
	v->use->followed = v->arrives && reach_has_port(&v->ports, pair->port);
	return !v->use->followed;
}

static void
check_entry(struct uses *all, uint32_t node, struct use *use)
{
	struct visit v = {.all = all, .use = use, .node = node};

	tables_visit_pin(all->f->topology, node, use->pin, check_pair, &v);
	if (v.pairs != 0 && use->count++ == 0)
		use->first = node;
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

static void
check_entries(const struct fabric *f, struct diag *diag)
{
	struct uses all = {
		.f = f,
		.seen = memory_array(f->topology->first_host, sizeof(*all.seen), "switches"),
		.queue = memory_array(f->topology->first_host, sizeof(*all.queue), "switches"),
		.ends = memory_array(f->topology->leaf_count, sizeof(*all.ends), "tunnels"),
	};

	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		const struct config_routing *routing = &f->switches[n].routing;
		uint32_t last = UINT32_MAX; // before the first

		for (unsigned i = 0; i < routing->pin_count; i++) {
			struct use *use = find_or_add(&all, &routing->pins[i], &last);

			if (!use->followed)
				check_entry(&all, n, use);
		}
	}
	for (uint32_t i = 0; i < all.count; i++)
		report_entry(f, &all.items[i], diag);
	free(all.items);
	free(all.seen);
	free(all.queue);
	free(all.ends);
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

// Whether one of the switches that read `mode: pinned` at this place has an entry. modes: by
// switch, the place; line 0: another mode.
static bool
has_entry(const struct fabric *f, const struct diag_pos *modes, struct diag_pos place)
{
	for (uint32_t n = 0; n < f->topology->first_host; n++)
		if (f->switches[n].routing.pin_count != 0 && diag_pos_compare(modes[n], place) == 0)
			return true;
	return false;
}

static void
check_modes(const struct fabric *f, struct diag *diag)
{
	const uint32_t switches = f->topology->first_host;
	struct diag_pos *modes = memory_array(switches, sizeof(*modes), "places of settings");

	for (uint32_t n = 0; n < switches; n++)
		if (f->switches[n].routing.mode == GROUP_PINNED)
			modes[n] = advice_pos(f, n, ADVICE_FIRST_SET, "routing.mode");
	for (uint32_t n = 0; n < switches; n++)
		if (f->switches[n].routing.mode == GROUP_PINNED &&
		    f->switches[n].routing.pin_count == 0 && !has_entry(f, modes, modes[n]))
			diag_warning(diag, f->config->file, modes[n], "routing.mode",
				     "pinned, but `routing.pinned` names no flow: all flows are "
				     "hashed, as with ecmp");
	free(modes);
}

void
advice_idle_pins(const struct fabric *f, struct diag *diag)
{
	if (!pins_may_change(f->config))
		check_modes(f, diag);
	if (!routes_may_change(f->config))
		check_entries(f, diag);
}
