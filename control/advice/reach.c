// SPDX-License-Identifier: BSD-3-Clause
// Where packets can really go. Every destination is followed from the ports of hosts, by the VRF of
// the port that a packet comes in by, over all members of each next-hop group, in the encapsulation
// that it gets there (reach_encap.c). Destinations that every switch treats alike, as it does the
// hosts of one leaf, are followed once: they are known by a sum over the groups that all switches
// send them to. (Groups that lead to hosts count as one and the same.)
#include "advice_internal.h"

#include "dataplane/base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A port that packets come from hosts by: only its VRF matters.
struct entrance {
	uint32_t node;
	uint16_t vrf;
};

struct follow {
	struct reach *r;
	const struct tables *const *tables;
	struct entrance *entrances;
	uint32_t entrance_count;
	uint64_t *sums; // of destinations followed; a power of two slots, 0 is free
	uint32_t slots;
	uint32_t followed;
};

int
reach_create(struct reach *r, const struct topology *t)
{
	*r = (struct reach){.topology = t};
	r->first = calloc(t->first_host + 1u, sizeof(*r->first));
	if (r->first == NULL)
		return -ENOMEM;
	for (uint32_t n = 0; n < t->first_host; n++) {
		r->first[n] = r->link_count;
		r->link_count += t->nodes[n].port_count;
	}
	r->owner = calloc(r->link_count + 1u, sizeof(*r->owner));
	r->onward = calloc(r->link_count + 1u, sizeof(*r->onward));
	r->encaps = calloc(1, sizeof(*r->encaps));
	r->encap_count = r->encap_room = 1;
	r->seen = calloc(r->link_count + 1u, sizeof(*r->seen));
	r->queue = calloc(r->link_count + 1u, sizeof(*r->queue));
	r->loop = calloc(r->link_count + 1u, sizeof(*r->loop));
	if (r->owner == NULL || r->onward == NULL || r->encaps == NULL || r->seen == NULL ||
	    r->queue == NULL || r->loop == NULL) {
		reach_destroy(r);
		return -ENOMEM;
	}
	for (uint32_t n = 0; n < t->first_host; n++)
		for (uint16_t p = 0; p < t->nodes[n].port_count; p++)
			r->owner[r->first[n] + p] = n;
	return 0;
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

// Puts the steps by which a switch sends the destination on into the queue, and their links into
// `onward`, NULL for none.
static uint32_t
send_on(const struct follow *w, uint32_t node, const struct next_hop_group *group,
	uint32_t encap_index, struct reach_ports *onward, uint32_t tail)
{
	const struct tables *t = w->tables[node];

	for (uint32_t i = 0; group != NULL && i < group->count; i++) {
		uint16_t port = t->next_hops[group->first + i].port;
		uint32_t step = encap_index * w->r->link_count + reach_link(w->r, node, port);

		if (!leads_to_switch(w->r, node, port))
			continue;
		if (onward != NULL)
			onward->bits[port / 64] |= UINT64_C(1) << port % 64;
		if (w->r->seen[step] == w->followed)
			continue;
		w->r->seen[step] = w->followed;
		w->r->queue[tail++] = step;
	}
	return tail;
}

static int
note_loop(struct follow *w, const struct reach_destination *d, uint32_t steps)
{
	struct reach *r = w->r;
	int length = reach_find_loop(r, w->tables, d, r->queue, steps, r->loop);

	if (length <= 0)
		return length;
	r->loop_length = (uint32_t)length;
	r->looping = (struct config_prefix){.version = d->ip6 ? 6 : 4, .length = d->ip6 ? 128 : 32};
	memcpy(r->looping.address, d->address, d->ip6 ? 16 : 4);
	return 0;
}

static int
follow_one(struct follow *w, const struct reach_destination *d)
{
	const struct next_hop_group *group;
	struct reach *r = w->r;
	uint32_t head = 0, tail = 0, encap_index;
	int rc = 0;

	w->followed++;
	r->encap_count = 1;
	for (uint32_t i = 0; rc == 0 && i < w->entrance_count; i++) {
		const struct entrance *e = &w->entrances[i];

		rc = reach_first_hop(r, w->tables[e->node], e->vrf, d, &group, &encap_index);
		if (rc == 0)
			tail = send_on(w, e->node, group, encap_index, NULL, tail);
	}
	while (rc == 0 && head < tail) {
		uint32_t step = r->queue[head++], link = step % r->link_count;

		rc = reach_next_hop(r, w->tables, step, d, &group, &encap_index);
		if (rc == 0)
			tail = send_on(w, reach_port(r, link)->peer_node, group, encap_index,
				       &r->onward[link], tail);
	}
	if (rc != 0)
		return rc;
	return r->loop_length == 0 ? note_loop(w, d, tail) : 0;
}

static bool
stays(const struct follow *w, uint32_t node, uint32_t number)
{
	const struct tables *t = w->tables[node];
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
		for (uint16_t vrf = 0; vrf < w->tables[n]->vrf_count; vrf++) {
			uint32_t number = reach_look_up(w->tables[n], vrf, d);

			if (number != LPM_NONE && stays(w, n, number))
				number = LPM_NONE;
			sum = random_mix(sum ^ number);
		}
	return sum | 1;
}

// True when a destination of this sum has been followed already; it has now.
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

static int
consider(struct follow *w, const uint8_t *address, bool ip6)
{
	const struct reach_destination d = {.address = address, .ip6 = ip6};

	return known(w, sum_of(w, &d)) ? 0 : follow_one(w, &d);
}

static int
find_entrances(struct follow *w)
{
	const struct topology *t = w->r->topology;

	w->entrances = calloc(w->r->link_count + 1u, sizeof(*w->entrances));
	if (w->entrances == NULL)
		return -ENOMEM;
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
	return 0;
}

static int
make_room(struct follow *w, uint32_t extra)
{
	const struct topology *t = w->r->topology;
	uint64_t most = extra;

	for (uint32_t h = 0; h < t->host_count; h++)
		most += 2u * topology_host(t, h)->port_count;
	w->slots = 1;
	while (w->slots < 2 * most + 2)
		w->slots *= 2;
	w->sums = calloc(w->slots, sizeof(*w->sums));
	return w->sums == NULL ? -ENOMEM : 0;
}

int
reach_follow(struct reach *r, const struct tables *const *tables, const struct config_prefix *extra,
	     uint32_t extra_count)
{
	struct follow w = {.r = r, .tables = tables};
	const struct topology *t = r->topology;
	int rc = find_entrances(&w);

	memset(r->onward, 0, r->link_count * sizeof(*r->onward));
	memset(r->seen, 0, (size_t)r->encap_room * r->link_count * sizeof(*r->seen));
	r->loop_length = 0;
	if (rc == 0)
		rc = make_room(&w, extra_count);
	for (uint32_t h = 0; rc == 0 && h < t->host_count; h++) {
		const struct topo_node *host = topology_host(t, h);

		for (uint16_t p = 0; rc == 0 && p < host->port_count; p++) {
			rc = consider(&w, host->ports[p].ip4, false);
			if (rc == 0)
				rc = consider(&w, host->ports[p].ip6, true);
		}
	}
	for (uint32_t i = 0; rc == 0 && i < extra_count; i++)
		rc = consider(&w, extra[i].address, extra[i].version == 6);
	free(w.entrances);
	free(w.sums);
	return rc;
}
