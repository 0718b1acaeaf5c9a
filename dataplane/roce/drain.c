// SPDX-License-Identifier: BSD-3-Clause
// The receive buffer is a FIFO of whole packets. The host takes the first of it at the drain rate,
// to the picosecond: the fraction that a packet leaves goes to the one behind it as long as there
// is one. Packets are placed and answered when they have been taken, in the order they came in;
// acknowledgements and CNPs wait as data do, only pause frames end before. A stall stops what it
// interrupts, which goes on behind it.
//
// A packet counts until it has been taken. A priority that holds more than xoff_bytes is paused,
// if the link's flow control has it; it is resumed when it is down to xon_bytes. What does not fit
// the buffer is dropped. On a link with credits the receive buffers of the lanes are the buffer,
// and credits hold the sender: nothing is dropped.
#include "drain.h"

#include "dataplane/base/priority.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/stages/stage.h"

void
drain_init(struct drain *d, const struct drain_config *config)
{
	*d = (struct drain){
		.config = config,
		.done_at = PS_NEVER,
		.stall_at = config->stall_every != 0 ? config->stall_every : PS_NEVER,
	};
}

// When a packet has been taken that the host turns to at `from`. Those times never fall.
static ps_t
drain_work(struct drain *d, ps_t from, uint32_t bytes)
{
	const struct drain_config *c = d->config;
	uint64_t length = c->byte_time * bytes + d->fraction;
	ps_t done = from + (length >> BYTE_TIME_FRACTION_BITS);

	d->fraction = length & ((1 << BYTE_TIME_FRACTION_BITS) - 1);
	if (c->stall_every == 0)
		return done;
	// Stalls that are over, in which nothing was to be done.
	if (from >= d->stall_at + c->stall_for)
		d->stall_at += ((from - d->stall_at - c->stall_for) / c->stall_every + 1) *
			       c->stall_every;
	if (from >= d->stall_at) {
		done += d->stall_at + c->stall_for - from;
		d->stall_at += c->stall_every;
	}
	// Each stall before the end puts that off, into the next perhaps.
	if (done > d->stall_at) {
		ps_t between = c->stall_every - c->stall_for;
		uint64_t stalls = (done - d->stall_at + between - 1) / between;

		done += stalls * c->stall_for;
		d->stall_at += stalls * c->stall_every;
	}
	return done;
}

// The bytes of a priority have changed.
static void
drain_pause(struct node *n, struct port *p, struct drain *d, struct xoff *x, unsigned int priority,
	    ps_t now)
{
	uint8_t pausable = p->profile->link_pause ? 0xff : p->profile->obeyed;
	uint8_t bit = (uint8_t)(1u << priority), before = d->full;

	if (d->priority_bytes[priority] > d->config->xoff_bytes)
		d->full |= bit & pausable;
	else if (d->priority_bytes[priority] <= d->config->xon_bytes)
		d->full &= (uint8_t)~bit;
	if (d->full != before)
		xoff_want(n, p, x, XOFF_DRAIN, d->full, now);
}

int
drain_take(struct node *n, struct port *p, struct drain *d, struct xoff *x, struct rte_mbuf *m,
	   ps_t now)
{
	struct packet_meta *meta = packet_meta(m);

	if (p->credits == NULL && d->bytes + meta->wire_bytes > d->config->buffer_bytes)
		return DROP_RECEIVE_BUFFER;
	if (d->head == NULL) {
		d->fraction = 0;
		d->done_at = drain_work(d, now, meta->wire_bytes);
		if (d->done_at == now) {
			d->done_at = PS_NEVER;
			return STAGE_NEXT;
		}
		d->head = m;
	} else {
		packet_meta(d->tail)->next = m;
	}
	d->tail = m;
	meta->next = NULL;
	if (!(meta->flags & PACKET_INFINIBAND))
		meta->priority = priority_of_packet(p->profile, meta);
	d->packets++;
	d->bytes += meta->wire_bytes;
	if (d->bytes > d->bytes_max)
		d->bytes_max = d->bytes;
	d->priority_bytes[meta->priority] += meta->wire_bytes;
	drain_pause(n, p, d, x, meta->priority, now);
	if (p->credits != NULL)
		p->credits->arriving = 0;
	return STAGE_CONSUMED;
}

// What a packet held of its lane's receive buffer is free.
static void
drain_release(struct node *n, struct port *p, const struct packet_meta *meta, ps_t now)
{
	const unsigned int lane = meta->lane - (unsigned int)PACKET_LANE_FIRST;

	if (lane < PRIORITIES)
		credits_release(n, p, lane, credits_blocks(n, meta->wire_bytes), now);
}

struct rte_mbuf *
drain_next(struct node *n, struct port *p, struct drain *d, struct xoff *x, ps_t now)
{
	struct rte_mbuf *m = d->head;
	struct packet_meta *meta;

	if (d->done_at > now)
		return NULL;
	meta = packet_meta(m);
	d->head = meta->next;
	d->packets--;
	d->bytes -= meta->wire_bytes;
	d->priority_bytes[meta->priority] -= meta->wire_bytes;
	drain_pause(n, p, d, x, meta->priority, now);
	d->done_at = d->head == NULL ? PS_NEVER
				     : drain_work(d, d->done_at, packet_meta(d->head)->wire_bytes);
	if (p->credits != NULL)
		drain_release(n, p, meta, now);
	return m;
}
