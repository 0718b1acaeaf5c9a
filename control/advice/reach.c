// SPDX-License-Identifier: BSD-3-Clause
// Where packets can go. Every destination, an address or a LID, is followed from the VRFs of hosts'
// ports, over all members of each next-hop group, in the encapsulation that packets get there
// (reach_encap.c). Destinations that every switch treats alike, such as the hosts of one leaf, are
// followed once (reach_classes.c).
#include "advice_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

struct follow {
	struct reach *r;
	uint64_t *classes; // of destinations followed: a hash table in which 0 is free
	uint32_t slots;    // a power of two
	uint32_t followed;
	uint32_t tail; // of the queue
};

void
reach_create(struct reach *r, const struct topology *t)
{
	*r = (struct reach){.topology = t, .encap_count = 1, .encap_room = 1};
	r->first = memory_array(t->first_host, sizeof(*r->first), "switches");
	for (uint32_t n = 0; n < t->first_host; n++) {
		r->first[n] = r->link_count;
		r->link_count += t->nodes[n].port_count;
	}
	r->owner = memory_array(r->link_count, sizeof(*r->owner), "links");
	r->onward = memory_array(r->link_count, sizeof(*r->onward), "links");
	r->arrivals = memory_array(r->link_count, sizeof(*r->arrivals), "VRFs of switches");
	r->end = memory_array(r->link_count, sizeof(*r->end), "links");
	r->encaps = memory_array(1, sizeof(*r->encaps), "encapsulations");
	r->steps = memory_array(r->link_count, sizeof(*r->steps), "steps");
	r->queue = memory_array(r->link_count, sizeof(*r->queue), "steps");
	r->loop = memory_array(r->link_count, sizeof(*r->loop), "links");
	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			r->owner[r->first[n] + p] = n;
}

void
reach_destroy(struct reach *r)
{
	free(r->first);
	free(r->owner);
	free(r->onward);
	free(r->arrivals);
	free(r->end);
	free(r->encaps);
	free(r->steps);
	free(r->queue);
	free(r->loop);
	*r = (struct reach){0};
}

uint32_t
reach_look_up(const struct tables *t, uint16_t vrf, const struct reach_destination *d)
{
	if (d->lid != 0)
		return d->lid < t->lid_count && t->lids[d->lid] < LID_OWN ? t->lids[d->lid]
									  : LPM_NONE;
	return d->ip6 ? lpm_lookup6(t->vrfs[vrf].ip6, d->address)
		      : lpm_lookup4(t->vrfs[vrf].ip4, d->address);
}

// ---- arrivals ----------------------------------------------------------------------------------

// The arrival of packets that come in by a switch's port; those of the switch begin at `from`.
static uint32_t
find_arrival(struct reach *r, uint32_t node, uint16_t port, uint32_t from)
{
	const struct tables *t = r->tables[node];
	const uint16_t vrf = t->ports[port].vrf;
	const bool underlay = t->ports[port].underlay && t->tunnels != NULL;
	uint32_t i = from;

	while (i < r->arrival_count &&
	       (r->arrivals[i].vrf != vrf || r->arrivals[i].underlay != underlay))
		i++;
	if (i == r->arrival_count)
		r->arrivals[r->arrival_count++] =
			(struct reach_arrival){.node = node, .vrf = vrf, .underlay = underlay};
	return i;
}

static void
find_arrivals(struct reach *r)
{
	const struct topology *t = r->topology;

	r->arrival_count = 0;
	for (uint32_t link = 0; link < r->link_count; link++)
		r->end[link] = TOPOLOGY_NONE;
	for (uint32_t n = 0; n < t->first_host; n++) {
		uint32_t from = r->arrival_count;

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];
			uint32_t arrival;

			if (port->peer_node == TOPOLOGY_NONE)
				continue;
			arrival = find_arrival(r, n, p, from);
			if (port->peer_node < t->first_host)
				r->end[reach_link(r, port->peer_node, port->peer_port)] = arrival;
			else
				r->arrivals[arrival].entrance = true;
		}
	}
}

// ---- one destination ---------------------------------------------------------------------------

// The first time that the destination comes there, the step is queued.
static struct reach_step *
take_step(struct follow *w, uint32_t number, const struct reach_destination *d)
{
	struct reach *r = w->r;
	struct reach_step *step = &r->steps[number];
	const struct next_hop *next_hops;
	struct reach_hop hop;
	uint32_t node;

	if (step->seen == w->followed)
		return step;
	hop = reach_next_hop(r, number, d);
	step = &r->steps[number]; // there may be more encapsulations now
	*step = (struct reach_step){.seen = w->followed, .hop = hop};
	r->queue[w->tail++] = number;
	node = r->arrivals[number % r->arrival_count].node;
	next_hops = r->tables[node]->next_hops;
	for (uint32_t i = 0; hop.group != NULL && i < hop.group->count; i++) {
		uint16_t port = next_hops[hop.group->first + i].port;

		if (r->end[reach_link(r, node, port)] != TOPOLOGY_NONE)
			reach_add_port(&step->ports, port);
	}
	return step;
}

// Takes the steps behind one, and notes how the links to them go on.
static void
go_on(struct follow *w, uint32_t number, const struct reach_destination *d)
{
	struct reach *r = w->r;
	const struct reach_ports ports = r->steps[number].ports;
	uint32_t node = r->arrivals[number % r->arrival_count].node;
	uint32_t encap = r->steps[number].hop.encap;

	for (unsigned int word = 0; word < PORTS_MAX / 64; word++)
		for (uint64_t rest = ports.bits[word]; rest != 0; rest &= rest - 1) {
			uint16_t port = (uint16_t)(64 * word + (unsigned)__builtin_ctzll(rest));
			uint32_t link = reach_link(r, node, port);
			const struct reach_step *next =
				take_step(w, encap * r->arrival_count + r->end[link], d);

			for (unsigned int i = 0; i < PORTS_MAX / 64; i++)
				r->onward[link].bits[i] |= next->ports.bits[i];
		}
}

static void
follow_one(struct follow *w, const struct reach_destination *d)
{
	struct reach *r = w->r;

	w->followed++;
	w->tail = 0;
	r->encap_count = 1;
	for (uint32_t i = 0; i < r->arrival_count; i++)
		if (r->arrivals[i].entrance)
			take_step(w, i, d);
	for (uint32_t head = 0; head < w->tail; head++)
		go_on(w, r->queue[head], d);
}

// Follows the destination again, and notes it if its packets come back to where they were.
static void
search_one(struct follow *w, const struct reach_destination *d)
{
	struct reach *r = w->r;

	follow_one(w, d);
	reach_find_loop(r, w->tail);
	if (r->loop_length == 0)
		return;
	r->looping_lid = d->lid;
	if (d->lid != 0)
		return;
	r->looping = (struct config_prefix){.version = d->ip6 ? 6 : 4, .length = d->ip6 ? 128 : 32};
	memcpy(r->looping.address, d->address, d->ip6 ? 16 : 4);
}

// ---- all ----------------------------------------------------------------------------------------

// Whether a destination of this class has been followed; it counts as followed from now on.
static bool
is_known(struct follow *w, uint64_t class)
{
	uint32_t slot = (uint32_t)(class >> 32) & (w->slots - 1);

	while (w->classes[slot] != 0 && w->classes[slot] != class)
		slot = (slot + 1) & (w->slots - 1);
	if (w->classes[slot] == class)
		return true;
	w->classes[slot] = class;
	return false;
}

// The LIDs of all ports of hosts. For free().
static struct reach_destination *
list_lids(const struct topology *t, uint32_t *count)
{
	struct reach_destination *all;
	uint32_t most = 0, n = 0;

	for (uint32_t h = 0; h < t->host_count; h++)
		most += topology_host(t, h)->port_count;
	all = memory_array(most, sizeof(*all), "destinations");
	for (uint32_t h = 0; h < t->host_count; h++)
		for (uint16_t p = 0; p < topology_host(t, h)->port_count; p++)
			all[n++].lid = topology_host(t, h)->ports[p].lid;
	*count = n;
	return all;
}

// The addresses of all ports of hosts, and those of `extra`. For free(). Neighbours have the same
// IP version, so that they are looked up in the same tries, which are still in the caches.
static struct reach_destination *
list_destinations(const struct topology *t, const struct config_prefix *extra, uint32_t extra_count,
		  uint32_t *count)
{
	struct reach_destination *all;
	uint32_t most = extra_count, n = 0;

	for (uint32_t h = 0; h < t->host_count; h++)
		most += 2u * topology_host(t, h)->port_count;
	all = memory_array(most, sizeof(*all), "destinations");
	for (unsigned int version = 4; version <= 6; version += 2)
		for (uint32_t h = 0; h < t->host_count; h++) {
			const struct topo_node *host = topology_host(t, h);

			for (uint16_t p = 0; p < host->port_count; p++)
				all[n++] = (struct reach_destination){
					.address = version == 6 ? host->ports[p].ip6
								: host->ports[p].ip4,
					.ip6 = version == 6,
				};
		}
	for (uint32_t i = 0; i < extra_count; i++)
		all[n++] = (struct reach_destination){extra[i].address, extra[i].version == 6, 0};
	*count = n;
	return all;
}

// Whether links lead on to each other in a cycle, be it by packets of several destinations. If not,
// there is no routing loop, which is a cycle by packets of one.
static bool
has_cycle(struct reach *r)
{
	bool *members = memory_array(r->link_count, sizeof(*members), "links");
	uint32_t length;

	memset(members, true, r->link_count * sizeof(*members));
	length = reach_find_cycle(r, members, r->loop);
	free(members);
	return length != 0;
}

void
reach_follow(struct reach *r, const struct tables *const *tables, const struct config_prefix *extra,
	     uint32_t extra_count)
{
	struct follow w = {.r = r, .slots = 1};
	struct reach_destination *all;
	uint32_t count;

	r->tables = tables;
	r->loop_length = 0;
	find_arrivals(r);
	memset(r->onward, 0, r->link_count * sizeof(*r->onward));
	memset(r->steps, 0, (size_t)r->encap_room * r->arrival_count * sizeof(*r->steps));
	all = topology_is_infiniband(r->topology)
		      ? list_lids(r->topology, &count)
		      : list_destinations(r->topology, extra, extra_count, &count);
	reach_classify(r, all, count);
	while (w.slots < 2 * count + 2)
		w.slots *= 2;
	w.classes = memory_array(w.slots, sizeof(*w.classes), "classes of destinations");
	for (uint32_t i = 0; i < count; i++)
		if (!is_known(&w, all[i].class))
			follow_one(&w, &all[i]);
	if (has_cycle(r)) {
		memset(w.classes, 0, w.slots * sizeof(*w.classes));
		for (uint32_t i = 0; i < count && r->loop_length == 0; i++)
			if (!is_known(&w, all[i].class))
				search_one(&w, &all[i]);
	}
	free(w.classes);
	free(all);
}
