// SPDX-License-Identifier: BSD-3-Clause
// A packet that is dropped while it is received is one record: its reason is written into the
// record that the worker has just made and not published yet. What is dropped later, such as by RED
// or a fault of the link that it leaves by, makes a record of its own.
#include "capture_tap.h"

#include "loop.h"
#include "dataplane/roce/payload.h"

#include <errno.h>
#include <stdlib.h>

// Whether a packet is wanted; *matched: by the function.
static bool
wants_packet(const struct capture_tap *t, unsigned int wants, struct rte_mbuf *m, bool *matched)
{
	*matched = wants & CAPTURE_WANTS_MATCHING && t->match(t->match_context, m);
	return *matched || wants & CAPTURE_WANTS_ALL;
}

// Counts a packet at a port and makes its record. NULL: there is no room.
static struct capture_slot *
put(struct capture_tap *t, struct rte_mbuf *m, uint16_t port, enum capture_kind kind,
    uint32_t snaplen)
{
	const uint32_t length = payload_captured_bytes(m);
	const uint32_t data_len = length < snaplen ? length : snaplen;
	struct capture_count *count = &t->counts[port];
	struct capture_slot *slot = capture_ring_reserve(t->ring, data_len);

	count->seen[kind]++;
	t->last = NULL;
	if (slot == NULL) {
		count->lost[kind]++;
		return NULL;
	}
	*slot = (struct capture_slot){
		.bytes = slot->bytes,
		.node = t->node,
		.wire_bytes = length,
		.data_len = (uint16_t)data_len,
		.port = port,
		.kind = (uint8_t)kind,
		.reason = CAPTURE_NO_REASON,
	};
	payload_capture(m, slot->data, data_len);
	return slot;
}

// Makes the record of a packet that passes a port, if it is wanted. NULL: there is none.
static struct capture_slot *
take_passing(struct capture_tap *t, enum capture_kind kind, const struct port *p,
	     struct rte_mbuf *m, ps_t at)
{
	const uint16_t port = p->index;
	struct capture_slot *slot;
	bool matched;

	if (!wants_packet(t, t->wants[port], m, &matched))
		return NULL;
	slot = put(t, m, port, kind, t->snaplens[port]);
	if (slot == NULL)
		return NULL;
	slot->at = at;
	slot->matched = matched;
	return slot;
}

// A pause frame, which has no place among an InfiniBand switch's packets.
static bool
is_foreign(const struct node *n, struct rte_mbuf *m)
{
	return n->current->lids != NULL && !(packet_meta(m)->flags & PACKET_INFINIBAND);
}

static void
received(void *context, struct node *n, struct port *p, struct rte_mbuf *m, ps_t at)
{
	struct capture_tap *t = context;
	struct capture_slot *slot = is_foreign(n, m) ? NULL
						     : take_passing(t, CAPTURE_RECEIVED, p, m, at);

	if (slot == NULL)
		return;
	t->last = slot; // it may be dropped
	t->last_packet = m;
}

static void
sent(void *context, struct node *n, struct port *p, struct rte_mbuf *m, ps_t at)
{
	struct capture_slot *slot =
		is_foreign(n, m) ? NULL : take_passing(context, CAPTURE_SENT, p, m, at);

	if (slot != NULL)
		slot->tc = packet_meta(m)->tc;
}

static void
note_drop(struct capture_slot *slot, const struct node *n, struct rte_mbuf *m,
	  enum drop_reason reason)
{
	const struct packet_meta *meta = packet_meta(m);

	slot->reason = (uint8_t)reason;
	slot->priority = meta->priority;
	slot->placed = drop_is_at_queue(reason) && meta->out_port < n->port_count;
	if (!slot->placed)
		return;
	slot->out_port = meta->out_port;
	slot->tc = meta->tc;
	slot->depth_bytes = (uint32_t)node_drop_depth(n, m, reason);
}

static void
dropped(void *context, struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t at)
{
	struct capture_tap *t = context;
	const struct packet_meta *meta = packet_meta(m);
	unsigned int wants = t->wants[meta->in_port];
	uint32_t snaplen = t->snaplens[meta->in_port];
	struct capture_slot *slot = t->last;
	bool matched;

	if (slot != NULL && t->last_packet == m && slot->port == meta->in_port &&
	    slot->reason == CAPTURE_NO_REASON) {
		t->counts[meta->in_port].seen[CAPTURE_DROPPED]++;
		note_drop(slot, n, m, reason);
		return;
	}
	if (drop_is_at_queue(reason) && meta->out_port < n->port_count) {
		wants |= t->wants[meta->out_port] & ~(unsigned int)CAPTURE_WANTS_DROPS;
		if (t->snaplens[meta->out_port] > snaplen)
			snaplen = t->snaplens[meta->out_port];
	}
	if (!wants_packet(t, wants, m, &matched) && !(wants & CAPTURE_WANTS_DROPS))
		return;
	slot = put(t, m, meta->in_port, CAPTURE_DROPPED, snaplen);
	if (slot == NULL)
		return;
	slot->at = at;
	slot->matched = matched;
	note_drop(slot, n, m, reason);
}

static void
flush(void *context)
{
	struct capture_tap *t = context;

	t->last = NULL;
	capture_ring_publish(t->ring);
}

int
capture_tap_create(struct capture_tap **out, struct capture_ring *ring, uint16_t port_count)
{
	struct capture_tap *t = calloc(1, sizeof(*t));

	if (t != NULL) {
		t->wants = calloc(port_count, sizeof(*t->wants));
		t->snaplens = calloc(port_count, sizeof(*t->snaplens));
		t->counts = calloc(port_count, sizeof(*t->counts));
	}
	if (t == NULL || t->wants == NULL || t->snaplens == NULL || t->counts == NULL) {
		capture_tap_destroy(t);
		return -ENOMEM;
	}
	t->ring = ring;
	t->port_count = port_count;
	t->tap = (struct node_tap){
		.received = received,
		.refused = received,
		.sent = sent,
		.dropped = dropped,
		.flush = flush,
		.context = t,
	};
	*out = t;
	return 0;
}

void
capture_tap_destroy(struct capture_tap *t)
{
	if (t == NULL)
		return;
	free(t->wants);
	free(t->snaplens);
	free(t->counts);
	free(t);
}

void
capture_tap_apply(struct node *n, struct capture_tap *t)
{
	bool any = false;

	if (n->tap != NULL)
		node_flush_tap(n);
	for (unsigned int i = 0; i < n->port_count; i++) {
		unsigned int wants = t != NULL ? t->wants[i] : 0;

		n->ports[i].tapped = (wants & ~(unsigned int)CAPTURE_WANTS_DROPS) != 0;
		any |= wants != 0;
	}
	if (any)
		t->node = n->index;
	n->tap = any ? &t->tap : NULL;
}
