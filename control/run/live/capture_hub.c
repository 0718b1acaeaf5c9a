// SPDX-License-Identifier: BSD-3-Clause
// One hub serves all captures of a fabric. A node of which anything is captured has a tap
// (dataplane/node/capture_tap.h), and each worker that runs such nodes has one ring, into which its
// taps copy packets (capture_taps.c). The hub empties the rings a few hundred times a second and
// sorts what it finds by time (capture_drain.c), and passes each packet on to the captures that
// want it. So a packet is copied once, however many captures there are, and a node of which nothing
// is captured has no tap.
#include "capture_hub_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct capture_hub *
capture_hub_create(struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct capture_hub *hub = memory_new(sizeof(*hub), "captures");

	hub->live = live;
	hub->nodes = memory_array(t->node_count, sizeof(*hub->nodes), "nodes");
	hub->first = memory_array(t->node_count + 1, sizeof(*hub->first), "nodes");
	for (uint32_t i = 0; i < t->node_count; i++) {
		// An edge NIC has a port to the host behind each link.
		hub->nodes[i].ports =
			(uint16_t)(t->nodes[i].port_count * (i < t->first_host ? 1 : 2));
		hub->first[i + 1] = hub->first[i] + hub->nodes[i].ports;
	}
	hub->port_count = hub->first[t->node_count];
	return hub;
}

struct live_fabric *
capture_hub_fabric(const struct capture_hub *hub)
{
	return hub->live;
}

// ---- totals -------------------------------------------------------------------------------------

// Subtracts what totals were from what they are.
static void
update_totals(struct capture *c)
{
	const struct capture_hub *hub = c->hub;

	for (uint32_t i = 0; i < hub->live->topology->node_count; i++)
		for (uint16_t p = 0; p < hub->nodes[i].ports; p++) {
			struct capture_total now = capture_taps_count(c, i, p);
			struct capture_total *total = &c->totals[hub->first[i] + p];

			total->seen = now.seen - total->seen;
			total->lost = now.lost - total->lost;
		}
}

struct capture_total
capture_total_at(const struct capture *c, struct topo_ref port)
{
	return c->totals[c->hub->first[port.node] + port.port];
}

struct capture_total
capture_total(const struct capture *c, uint32_t place)
{
	return capture_total_at(c, c->ports[place]);
}

struct capture_total
capture_total_all(const struct capture *c)
{
	struct capture_total all = {0};

	for (uint32_t i = 0; i < c->hub->port_count; i++) {
		if (c->places != NULL && c->places[i] == 0)
			continue;
		all.seen += c->totals[i].seen;
		all.lost += c->totals[i].lost;
	}
	return all;
}

// ---- from rings to captures ---------------------------------------------------------------------

static bool
find_place(const struct capture *c, uint32_t node, uint16_t port, uint32_t *place)
{
	uint32_t found;

	if (port >= c->hub->nodes[node].ports)
		return false;
	if (c->places == NULL) {
		*place = 0;
		return true;
	}
	found = c->places[c->hub->first[node] + port];
	*place = found - 1u;
	return found != 0;
}

// Whether a capture takes a record, and as what.
static bool
wants_slot(const struct capture *c, const struct capture_slot *s, struct captured *out)
{
	const unsigned int which = c->want.which;
	const bool is_drop = s->reason != CAPTURE_NO_REASON;

	out->kind = (enum capture_kind)s->kind;
	out->port = (struct topo_ref){.node = s->node, .port = s->port};
	if (find_place(c, s->node, s->port, &out->place)) {
		if (s->kind == CAPTURE_SENT)
			return which & CAPTURE_WHICH_TX;
		if (which & CAPTURE_WHICH_RX)
			return true;
		out->kind = is_drop ? CAPTURE_DROPPED : CAPTURE_RECEIVED;
		if (is_drop && which & CAPTURE_WHICH_DROPS)
			return true;
	}
	if (!is_drop || !s->placed || !(which & CAPTURE_WHICH_TX) ||
	    !find_place(c, s->node, s->out_port, &out->place))
		return false;
	out->kind = CAPTURE_DROPPED;
	return true;
}

// The captures that take a record of a worker's ring, a bit each, and what they cost.
static uint32_t
find_takers(void *context, const struct capture_slot *s, uint32_t worker, uint64_t position,
	    uint32_t *cost)
{
	const struct capture_hub *hub = context;
	struct captured ignored;
	uint32_t takers = 0;

	for (unsigned int i = 0; i < CAPTURES_MAX; i++) {
		const struct capture *c = hub->captures[i];

		if (c != NULL && position >= c->from[worker] && position < c->to[worker] &&
		    (s->matched || c->want.match == NULL) && wants_slot(c, s, &ignored)) {
			takers |= 1u << i;
			*cost += c->want.cost;
		}
	}
	return takers;
}

static void
deliver_to(const struct capture *c, const struct capture_slot *s)
{
	struct captured packet = {
		.at = s->at,
		.reason = s->reason != CAPTURE_NO_REASON ? s->reason : -1,
		.out_port = s->placed ? s->out_port : -1,
		.priority = s->priority,
		.tc = s->tc,
		.depth_bytes = s->depth_bytes,
		.wire_bytes = s->wire_bytes,
		.data_len = s->data_len < c->want.snaplen ? s->data_len : c->want.snaplen,
		.data = s->data,
	};

	if (wants_slot(c, s, &packet))
		c->want.take(c->want.context, &packet);
}

static void
deliver(void *context, const struct capture_slot *s, uint32_t takers)
{
	const struct capture_hub *hub = context;

	for (; takers != 0; takers &= takers - 1)
		deliver_to(hub->captures[__builtin_ctz(takers)], s);
}

void
capture_hub_poll(struct capture_hub *hub)
{
	if (hub->count == 0)
		return;
	capture_taps_follow(hub);
	hub->populating = capture_taps_populate(hub);
	capture_drain_turn(hub->drain);
}

int
capture_hub_wait_ms(const struct capture_hub *hub, int wait_ms)
{
	if (hub->count == 0)
		return wait_ms;
	if (hub->populating || capture_drain_waits(hub->drain))
		return 0;
	return wait_ms < 0 || wait_ms > CAPTURE_POLL_MS ? CAPTURE_POLL_MS : wait_ms;
}

// ---- captures -----------------------------------------------------------------------------------

static unsigned int
index_of(const struct capture_hub *hub, const struct capture *c)
{
	unsigned int index = 0;

	while (hub->captures[index] != c)
		index++;
	return index;
}

int
capture_hub_begin(struct capture_hub *hub, const struct capture_want *want, struct capture **out)
{
	const struct capture_drain_use use = {find_takers, deliver, hub};
	struct capture *c;

	*out = NULL;
	for (unsigned int i = 0; i < CAPTURES_MAX; i++)
		if (hub->captures[i] != NULL && hub->captures[i]->want.match != NULL &&
		    want->match != NULL)
			return -EBUSY;
	if (hub->count == CAPTURES_MAX)
		return -EBUSY;
	c = memory_new(sizeof(*c), "a capture");
	*c = (struct capture){.hub = hub, .want = *want};
	c->totals = memory_array(hub->port_count, sizeof(*c->totals), "ports");
	if (want->ports != NULL) {
		c->ports = memory_copy(want->ports, want->count, sizeof(*c->ports), "ports");
		c->places = memory_array(hub->port_count, sizeof(*c->places), "ports");
	}
	for (uint32_t i = 0; want->ports != NULL && i < want->count; i++)
		c->places[hub->first[c->ports[i].node] + c->ports[i].port] = i + 1;
	if (hub->drain == NULL)
		hub->drain = capture_drain_create(&use);
	hub->captures[index_of(hub, NULL)] = c;
	hub->count++;
	capture_taps_apply(hub);
	hub->populating = true;
	update_totals(c);
	memcpy(c->from, hub->positions, sizeof(c->from));
	memset(c->to, 0xff, sizeof(c->to));
	*out = c;
	return 0;
}

void
capture_hub_stop(struct capture_hub *hub, struct capture *c)
{
	if (c->ending)
		return;
	c->ending = true;
	capture_taps_apply(hub);
	memcpy(c->to, hub->positions, sizeof(c->to));
	// The totals were those at the beginning.
	update_totals(c);
}

bool
capture_hub_finish(struct capture_hub *hub, struct capture *c)
{
	for (uint32_t w = 0; w < hub->live->worker_count; w++)
		if (!capture_drain_is_past(hub->drain, w, c->to[w]))
			return false;
	// A worker that is behind adds nothing to it any more.
	capture_drain_flush(hub->drain, 1u << index_of(hub, c));
	capture_hub_remove(hub, c);
	return true;
}

void
capture_hub_remove(struct capture_hub *hub, struct capture *c)
{
	const unsigned int index = index_of(hub, c);

	capture_hub_stop(hub, c);
	capture_drain_forget(hub->drain, 1u << index);
	hub->captures[index] = NULL;
	hub->count--;
	if (hub->count != 0)
		return;
	capture_drain_destroy(hub->drain);
	hub->drain = NULL;
	capture_taps_free(hub);
}

void
capture_hub_end(struct capture_hub *hub, struct capture *c)
{
	if (c == NULL)
		return;
	capture_hub_stop(hub, c);
	while (!capture_hub_finish(hub, c))
		capture_drain_turn(hub->drain);
}

void
capture_free(struct capture *c)
{
	if (c == NULL)
		return;
	free(c->ports);
	free(c->places);
	free(c->totals);
	free(c);
}

void
capture_hub_destroy(struct capture_hub *hub)
{
	if (hub == NULL)
		return;
	for (unsigned int i = 0; i < CAPTURES_MAX; i++) {
		struct capture *c = hub->captures[i];

		if (c != NULL)
			capture_hub_remove(hub, c);
		capture_free(c);
	}
	free(hub->nodes);
	free(hub->first);
	free(hub);
}
