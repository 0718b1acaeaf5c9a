// SPDX-License-Identifier: BSD-3-Clause
// What an attached host lacks is a NIC that obeys the fabric's pauses and sends at the rate of its
// link: Linux does neither on a veth or a tap. So the fabric has that NIC, and the host's device is
// behind it.
//
// From the host: a packet waits in the queue of the priority that the leaf will give it, by the
// same tables, and leaves as a NIC's scheduler says, at the rate of the link, unless the leaf has
// paused its priority. Each priority has a buffer of its own, so that a paused one stops no other.
// Where that is full, a device that can hold packets is not read (edge_room()). Any other goes on
// delivering, and what finds no room is dropped as the host's own loss, DROP_HOST_BUFFER, here: the
// fabric has not had it.
//
// Towards the host: packets leave as fast as the device takes them. A lossless priority that has
// filled its buffer up to XOFF is paused at the leaf, so that nothing of it is lost on the way to a
// slow host. Others are dropped when their buffer is full, DROP_RECEIVE_BUFFER.
//
// A host that goes back N may have its packets put in order first (reorder.c). What waits for its
// turn counts as waiting in its queue.
//
// What cannot be parsed passes, with the priority of an unmarked packet: whether it is wrong is the
// leaf's to say, or the host's.
#include "edge.h"

#include "dataplane/base/headers.h"
#include "dataplane/base/priority.h"
#include "dataplane/queueing/pause_frame.h"
#include "dataplane/queueing/port_tx.h"
#include "dataplane/stages/control_frames.h"
#include "dataplane/stages/parse.h"

#include <errno.h>
#include <stdlib.h>

// Pause frames of a host that may wait for the link: it could send more than the link carries.
#define EDGE_PAUSE_FRAMES_MAX 16

int
edge_create(struct edge **out, struct node *node, uint16_t links,
	    const struct edge_buffer buffers[])
{
	struct edge *e;

	if (links == 0 || links > EDGE_LINKS_MAX || node->port_count != 2 * links)
		return -EINVAL;
	for (uint16_t i = 0; i < links; i++)
		if (buffers[i].xon > buffers[i].xoff || buffers[i].xoff >= buffers[i].limit)
			return -EINVAL;
	e = calloc(1, sizeof(*e));
	if (e == NULL)
		return -ENOMEM;
	e->links = links;
	for (uint16_t i = 0; i < links; i++) {
		e->link[i].buffer = buffers[i];
		xoff_init(&e->link[i].pauses);
	}
	node->edge = e;
	*out = e;
	return 0;
}

int
edge_set_reorder(struct edge *edge, struct node *node, uint16_t link,
		 const struct reorder_settings *settings)
{
	struct edge_link *l = &edge->link[link];
	int rc;

	if (link >= edge->links || l->reorder != NULL)
		return -EINVAL;
	rc = reorder_create(&l->reorder, settings);
	if (rc == 0)
		node->ports[link].reorder = reorder_counters(l->reorder);
	return rc;
}

// What waits for a port whose link is down.
static void
clear_port(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct queue *q = &p->queues[tc];

		while (q->head != NULL) {
			struct rte_mbuf *m = queue_pop(p, tc);

			if (q->head == NULL)
				scheduler_emptied(q);
			*node_depth(n, p, tc) -= packet_meta(m)->cells;
			node_drop(n, m, DROP_LINK_DOWN, now);
		}
	}
	while (p->pfc_head != NULL)
		packet_free(n->packets, pause_frame_take(p));
}

// What waits for its turn.
static void
clear_reorder(struct node *n, const struct port *host, struct reorder *r, ps_t now)
{
	while (reorder_next(r) != PS_NEVER) {
		struct rte_mbuf *m = reorder_expire(r, reorder_next(r));

		while (m != NULL) {
			struct rte_mbuf *next = packet_meta(m)->next;

			*node_depth(n, host, packet_meta(m)->tc) -= packet_meta(m)->cells;
			node_drop(n, m, DROP_LINK_DOWN, now);
			m = next;
		}
	}
}

static void
clear_link(struct node *n, uint16_t link, ps_t now)
{
	struct edge_link *l = &n->edge->link[link];
	struct port *port = &n->ports[link], *host = edge_other_port(n, port);

	if (l->reorder != NULL)
		clear_reorder(n, host, l->reorder, now);
	clear_port(n, host, now);
	clear_port(n, port, now);
	xoff_init(&l->pauses);
	l->full = 0;
}

struct reorder *
edge_set_link(struct node *n, uint16_t link, const struct edge_buffer *buffer,
	      struct reorder *reorder, ps_t now)
{
	struct edge_link *l = &n->edge->link[link];
	struct reorder *before = l->reorder;

	clear_link(n, link, now);
	l->buffer = *buffer;
	l->reorder = reorder;
	n->ports[link].reorder = reorder != NULL ? reorder_counters(reorder) : NULL;
	return before;
}

void
edge_destroy(struct edge *edge)
{
	if (edge == NULL)
		return;
	for (uint16_t i = 0; i < edge->links; i++)
		reorder_destroy(edge->link[i].reorder);
	free(edge);
}

uint16_t
edge_room(const struct node *n, const struct port *host, uint32_t waiting, uint16_t most)
{
	const struct port *link = edge_other_port(n, host);
	const uint32_t limit = n->edge->link[link->index].buffer.limit;
	uint32_t packet = tables_cells(n->current, link->profile->mtu + HEADER_ETHERNET_BYTES +
							   HEADER_TAG_BYTES);
	uint32_t deepest = waiting * packet;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		uint32_t depth = n->depth[tc * n->port_count + link->index] + waiting * packet;

		deepest = depth > deepest ? depth : deepest;
	}
	for (; most != 0; most /= 2)
		if (deepest + most * packet <= limit)
			return most;
	return 0;
}

// ---- from one side to the other -----------------------------------------------------------------

static bool
is_control(const struct rte_mbuf *m, const uint8_t *data)
{
	return packet_meta((struct rte_mbuf *)(uintptr_t)m)->data_len >= HEADER_ETHERNET_BYTES &&
	       header_reserved_address(data) && header_get16(data + 12) == HEADER_TYPE_MAC_CONTROL;
}

// A pause that the host sends is the leaf's to obey.
static int
pass_pause(struct node *n, struct port *host, struct rte_mbuf *m, ps_t now)
{
	struct port *link = edge_other_port(n, host);
	unsigned int waiting = 0;

	if (link->out == NULL || !link->up)
		return DROP_LINK_DOWN;
	for (struct rte_mbuf *at = link->pfc_head; at != NULL; at = packet_meta(at)->next)
		if (++waiting == EDGE_PAUSE_FRAMES_MAX)
			return DROP_HOST_BUFFER;
	host->control_rx++;
	pause_frame_send_other(n, link, m, now);
	return STAGE_CONSUMED;
}

int
stage_edge_control(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	if (likely(!is_control(m, packet_data(m))))
		return STAGE_NEXT;
	return edge_is_host_side(n, in) ? pass_pause(n, in, m, now)
					: control_frames_receive(n, in, m, now);
}

int
stage_edge_classify(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct port_profile *profile = in->profile;
	struct packet_meta *meta = packet_meta(m);
	bool known = stage_parse(n, in, m, now) == STAGE_NEXT &&
		     !header_reserved_address(packet_data(m));

	meta->priority = likely(known) ? priority_of_packet(profile, meta) : profile->port_priority;
	meta->tc = n->current->priority_to_tc[meta->priority];
	return STAGE_NEXT;
}

// The depth of a queue towards the host has changed.
static void
update_pause(struct node *n, const struct port *host, unsigned int tc, ps_t now)
{
	struct port *link = edge_other_port(n, host);
	struct edge_link *l = &n->edge->link[link->index];
	const uint8_t pausable = link->profile->link_pause ? 0xff : link->profile->obeyed;
	const uint8_t bit = (uint8_t)(1u << tc), before = l->full;
	const uint32_t depth = n->depth[tc * n->port_count + host->index];

	if (depth > l->buffer.xoff)
		l->full |= bit & pausable;
	else if (depth <= l->buffer.xon)
		l->full &= (uint8_t)~bit;
	if (likely(l->full == before))
		return;
	xoff_want(n, link, &l->pauses, XOFF_DRAIN, l->full, now);
	node_arm_timer(n, l->pauses.refresh_at);
}

// Packets that the buffer holds already join their queues.
static void
queue_in_order(struct node *n, struct port *host, struct rte_mbuf *m, ps_t now)
{
	while (m != NULL) {
		struct rte_mbuf *next = packet_meta(m)->next;
		unsigned int tc = packet_meta(m)->tc;

		if (likely(host->out != NULL && host->up)) {
			queue_push(host, tc, m);
		} else {
			*node_depth(n, host, tc) -= packet_meta(m)->cells;
			update_pause(n, host, tc, now);
			node_drop(n, m, DROP_LINK_DOWN, now);
		}
		m = next;
	}
	if (port_should_send(n, host, now))
		edge_send(n, host, now);
}

// A packet for the host that the buffer has room for. It waits for its turn as long as the leaf
// need not pause its priority: what is missing may be behind the pause.
static void
order(struct node *n, struct port *host, struct rte_mbuf *m, ps_t now)
{
	const struct edge_link *l = &n->edge->link[edge_other_port(n, host)->index];
	bool has_room = *node_depth(n, host, packet_meta(m)->tc) <= l->buffer.xoff;

	queue_in_order(n, host, reorder_take(l->reorder, m, has_room, now), now);
	node_arm_timer(n, reorder_next(l->reorder));
}

int
stage_edge_queue(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct port *out = edge_other_port(n, in);
	const bool to_host = !edge_is_host_side(n, in);
	const struct edge_link *l = &n->edge->link[to_host ? in->index : out->index];
	struct packet_meta *meta = packet_meta(m);

	// A link that is down, unlike a device that is not there, loses packets when they leave.
	if (unlikely(out->out == NULL || (to_host && !out->up)))
		return DROP_LINK_DOWN;
	meta->cells = tables_cells(n->current, meta->wire_bytes);
	meta->out_port = out->index;
	if (unlikely(*node_depth(n, out, meta->tc) + meta->cells > l->buffer.limit))
		return to_host ? DROP_RECEIVE_BUFFER : DROP_HOST_BUFFER;
	port_note_depth(n, out, m);
	if (to_host)
		update_pause(n, out, meta->tc, now);
	// A probe is of no queue pair: it neither waits for a turn nor changes whose turn it is.
	if (unlikely(l->reorder != NULL) && !(meta->flags & PACKET_PROBE)) {
		if (to_host) {
			order(n, out, m, now);
			return STAGE_CONSUMED;
		}
		queue_in_order(n, in, reorder_note_sent(l->reorder, m, now), now);
		node_arm_timer(n, reorder_next(l->reorder));
	}
	queue_push(out, meta->tc, m);
	if (port_should_send(n, out, now))
		edge_send(n, out, now);
	return STAGE_CONSUMED;
}

void
edge_send(struct node *n, struct port *p, ps_t now)
{
	const int chosen = port_choose(n, p, now);
	const unsigned int tc = (unsigned int)chosen;
	struct rte_mbuf *m;
	struct queue *q;

	if (chosen < 0)
		return;
	q = &p->queues[tc];
	m = queue_pop(p, tc);
	if (q->head == NULL)
		scheduler_emptied(q);
	*node_depth(n, p, tc) -= packet_meta(m)->cells;
	q->packets++;
	q->bytes += packet_meta(m)->wire_bytes;
	n->last_sent = now;
	port_transmit(n, p, m, now);
	if (edge_is_host_side(n, p))
		update_pause(n, p, tc, now);
	port_arm_next(n, p);
}

ps_t
edge_timer(struct node *n, ps_t now)
{
	struct edge *e = n->edge;
	ps_t next = PS_NEVER;

	for (uint16_t i = 0; i < e->links; i++) {
		struct edge_link *l = &e->link[i];

		if (l->pauses.refresh_at <= now)
			xoff_refresh(n, &n->ports[i], &l->pauses, now);
		next = time_min(next, l->pauses.refresh_at);
		if (l->reorder == NULL)
			continue;
		if (reorder_next(l->reorder) <= now)
			queue_in_order(n, edge_other_port(n, &n->ports[i]),
				       reorder_expire(l->reorder, now), now);
		next = time_min(next, reorder_next(l->reorder));
	}
	return next;
}
