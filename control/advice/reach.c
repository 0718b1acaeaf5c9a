// SPDX-License-Identifier: BSD-3-Clause
// Where packets can go. Every destination is followed from the ports of hosts, in the VRF of the
// port, over all members of each next-hop group, in the encapsulation that packets get there
// (reach_encap.c). Destinations that every switch treats alike, such as the hosts of one leaf, are
// followed once: a hash over the groups that all switches send them to identifies them. (All groups
// that lead to hosts count as the same.)
#include "advice_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/random.h"

#include <stdlib.h>
#include <string.h>

// A port by which packets arrive from hosts: only its VRF matters.
struct entrance {
	uint32_t node;
	uint16_t vrf;
};

struct follow {
	struct reach *r;
	struct entrance *entrances;
	uint32_t entrance_count;
	uint64_t *sums; // of destinations followed: a hash table in which 0 is free
	uint32_t slots; // a power of two
	uint32_t followed;
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
	r->encaps = memory_array(1, sizeof(*r->encaps), "encapsulations");
	r->seen = memory_array(r->link_count, sizeof(*r->seen), "steps");
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
	free(r->encaps);
	free(r->seen);
	free(r->queue);
	free(r->loop);
	*r = (struct reach){0};
}

uint32_t
reach_look_up(const struct tables *t, uint16_t vrf, const struct reach_destination *d)
{
	return d->ip6 ? lpm_lookup6(t->vrfs[vrf].ip6, d->address)
		      : lpm_lookup4(t->vrfs[vrf].ip4, d->address);
}

static bool
leads_to_switch(const struct reach *r, uint32_t node, uint16_t port)
{
	return r->topology->nodes[node].ports[port].peer_node < r->topology->first_host;
}

// Adds the steps by which a switch sends the destination on to the queue, and their ports to
// `onward`, unless it is NULL.
static uint32_t
send_on(const struct follow *w, uint32_t node, struct reach_hop hop, struct reach_ports *onward,
	uint32_t tail)
{
	const struct next_hop *next_hops = w->r->tables[node]->next_hops;

	for (uint32_t i = 0; hop.group != NULL && i < hop.group->count; i++) {
		uint16_t port = next_hops[hop.group->first + i].port;
		uint32_t step = hop.encap * w->r->link_count + reach_link(w->r, node, port);

		if (!leads_to_switch(w->r, node, port))
			continue;
		if (onward != NULL)
			reach_add_port(onward, port);
		if (w->r->seen[step] == w->followed)
			continue;
		w->r->seen[step] = w->followed;
		w->r->queue[tail++] = step;
	}
	return tail;
}

static void
follow_one(struct follow *w, const struct reach_destination *d)
{
	struct reach *r = w->r;
	uint32_t head = 0, tail = 0;

	w->followed++;
	r->encap_count = 1;
	for (uint32_t i = 0; i < w->entrance_count; i++) {
		const struct entrance *e = &w->entrances[i];

		tail = send_on(w, e->node, reach_first_hop(r, r->tables[e->node], e->vrf, d), NULL,
			       tail);
	}
	while (head < tail) {
		uint32_t step = r->queue[head++], link = step % r->link_count;

		tail = send_on(w, reach_port(r, link)->peer_node, reach_next_hop(r, step, d),
			       &r->onward[link], tail);
	}
	if (r->loop_length != 0)
		return;
	reach_find_loop(r, d, r->queue, tail);
	r->looping = (struct config_prefix){.version = d->ip6 ? 6 : 4, .length = d->ip6 ? 128 : 32};
	memcpy(r->looping.address, d->address, d->ip6 ? 16 : 4);
}

static bool
stays(const struct follow *w, uint32_t node, uint32_t number)
{
	const struct tables *t = w->r->tables[node];
	const struct next_hop_group *group = &t->groups[number];

	for (uint32_t i = 0; i < group->count; i++)
		if (leads_to_switch(w->r, node, t->next_hops[group->first + i].port))
			return false;
	return true;
}

// Never 0.
static uint64_t
sum_of(const struct follow *w, const struct reach_destination *d)
{
	uint64_t sum = 1;

	for (uint32_t n = 0; n < w->r->topology->first_host; n++)
		for (uint16_t vrf = 0; vrf < w->r->tables[n]->vrf_count; vrf++) {
			uint32_t number = reach_look_up(w->r->tables[n], vrf, d);

			if (number != LPM_NONE && stays(w, n, number))
				number = LPM_NONE;
			sum = random_mix(sum ^ number);
		}
	return sum | 1;
}

// Whether a destination with this sum has been followed before; it counts as followed from now on.
static bool
known(struct follow *w, uint64_t sum)
{
	uint32_t slot = (uint32_t)(sum >> 32) & (w->slots - 1);

	while (w->sums[slot] != 0 && w->sums[slot] != sum)
		slot = (slot + 1) & (w->slots - 1);
	if (w->sums[slot] == sum)
		return true;
	w->sums[slot] = sum;
	return false;
}

static void
consider(struct follow *w, const uint8_t *address, bool ip6)
{
	const struct reach_destination d = {.address = address, .ip6 = ip6};

	if (!known(w, sum_of(w, &d)))
		follow_one(w, &d);
}

static void
find_entrances(struct follow *w)
{
	const struct topology *t = w->r->topology;

	w->entrances = memory_array(w->r->link_count, sizeof(*w->entrances), "ports of hosts");
	for (uint32_t n = 0; n < t->first_host; n++) {
		uint32_t first = w->entrance_count;

		for (uint16_t p = 0; p < t->nodes[n].port_count; p++) {
			const struct topo_port *port = &t->nodes[n].ports[p];
			uint32_t i = first;

			if (port->peer_node == TOPOLOGY_NONE || port->peer_node < t->first_host)
				continue;
			while (i < w->entrance_count && w->entrances[i].vrf != port->vrf)
				i++;
			if (i == w->entrance_count)
				w->entrances[w->entrance_count++] = (struct entrance){n, port->vrf};
		}
	}
}

static void
make_room(struct follow *w, uint32_t extra)
{
	const struct topology *t = w->r->topology;
	uint64_t most = extra;

	for (uint32_t h = 0; h < t->host_count; h++)
		most += 2u * topology_host(t, h)->port_count;
	w->slots = 1;
	while (w->slots < 2 * most + 2)
		w->slots *= 2;
	w->sums = memory_array(w->slots, sizeof(*w->sums), "destinations");
}

void
reach_follow(struct reach *r, const struct tables *const *tables, const struct config_prefix *extra,
	     uint32_t extra_count)
{
	struct follow w = {.r = r};
	const struct topology *t = r->topology;

	r->tables = tables;
	r->loop_length = 0;
	memset(r->onward, 0, r->link_count * sizeof(*r->onward));
	memset(r->seen, 0, (size_t)r->encap_room * r->link_count * sizeof(*r->seen));
	find_entrances(&w);
	make_room(&w, extra_count);
	for (uint32_t h = 0; h < t->host_count; h++) {
		const struct topo_node *host = topology_host(t, h);

		for (uint16_t p = 0; p < host->port_count; p++) {
			consider(&w, host->ports[p].ip4, false);
			consider(&w, host->ports[p].ip6, true);
		}
	}
	for (uint32_t i = 0; i < extra_count; i++)
		consider(&w, extra[i].address, extra[i].version == 6);
	free(w.entrances);
	free(w.sums);
}
