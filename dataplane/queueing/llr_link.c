// SPDX-License-Identifier: BSD-3-Clause
// Frames and ordered sets of link-level retry on the wire. An ordered set is 8 bytes between
// frames. It is no frame: no counter of packets and no capture has it. Neither have they the marks
// that stand for frames which the receiver discards.
#include "llr_internal.h"

#include "pause_frame.h"
#include "transmit.h"

#include "dataplane/base/headers.h"

#include <string.h>

struct rte_mbuf *
llr_make_mark(struct node *n, const struct port *p, uint8_t set)
{
	const struct llr_mark mark = {.address = {0x01, 0x80, 0xc2, 0, 0, 0x01}, .set = set};
	struct rte_mbuf *m = packet_alloc(n->packets);
	struct packet_meta *meta;

	if (m == NULL)
		return NULL;
	packet_init_frame(m, 0, sizeof(mark));
	meta = packet_meta(m);
	meta->wire_bytes = 0;
	meta->in_port = p->index;
	meta->tenant = TENANT_NONE;
	meta->lane = PACKET_LANE_LLR;
	memcpy(packet_data(m), &mark, sizeof(mark));
	return m;
}

static ps_t
leaves(const struct port *p, uint32_t bytes, ps_t now)
{
	return now +
	       time_of_bytes(p->profile->byte_time, p->profile->preamble + bytes + p->profile->fcs);
}

// Puts what arrives as a whole on the wire. False: there is no room.
static bool
put(struct node *n, struct port *p, struct rte_mbuf *m, ps_t left)
{
	const ps_t arrival = left + p->out->delay;

	if (wire_put(p->out, m, arrival) != 0)
		return false;
	n->sent = time_min(n->sent, arrival);
	return true;
}

static void
count_frame(struct node *n, struct port *p, struct rte_mbuf *m, uint32_t bytes, ps_t now)
{
	p->tx_packets++;
	p->tx_bytes += bytes;
	if (p->tapped)
		port_show_sent(n, p, m, now, leaves(p, bytes, now));
}

// As on a link without retry.
static bool
transmit_plain(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const uint32_t bytes = packet_meta(m)->wire_bytes;

	if (p->out->faulty && port_lose(n, p, m, now))
		return false;
	if (!put(n, p, m, leaves(p, bytes, now))) {
		port_drop_begun(n, p, m, DROP_NO_MBUF, now);
		return false;
	}
	count_frame(n, p, m, bytes, now);
	return true;
}

// The frame that the far end accepts next. Where there is no room, it is as if it were lost.
static void
deliver(struct node *n, struct port *p, struct llr_frame *frame, ps_t now)
{
	struct rte_mbuf *m = frame->held;

	port_corrupt_payload(n, p, m);
	packet_meta(m)->flags |= PACKET_RETRIED;
	if (!put(n, p, m, leaves(p, frame->bytes, now)))
		return;
	count_frame(n, p, m, frame->bytes, now);
	frame->held = NULL;
	p->llr->accepted++;
}

static void
send_mark(struct node *n, struct port *p, uint32_t sequence, bool bad, ps_t left)
{
	struct rte_mbuf *m = llr_make_mark(n, p, LLR_SETS);
	struct llr_mark *mark;

	if (m == NULL)
		return; // as if it were lost
	mark = (struct llr_mark *)packet_data(m);
	mark->sequence = sequence;
	mark->bad = bad;
	if (!put(n, p, m, left))
		packet_free(n->packets, m);
}

void
llr_send_frame(struct node *n, struct port *p, uint32_t sequence, ps_t now)
{
	struct llr *l = p->llr;
	struct llr_frame *frame = &l->frames[sequence & l->mask];
	const uint32_t bits = 8 * (frame->bytes + p->profile->fcs);
	enum port_fate fate = PORT_FATE_GOOD;
	const bool poisoned = frame->held != NULL &&
			      packet_meta(frame->held)->flags & PACKET_BAD_FCS;

	l->tx_poisoned += poisoned;
	l->tx_ok += !poisoned;
	if (p->out->faulty)
		fate = port_draw_fate(n, p, frame->held, bits);
	if (fate == PORT_FATE_LOST)
		return;
	if (fate == PORT_FATE_GOOD && sequence == l->accepted) {
		deliver(n, p, frame, now);
		return;
	}
	send_mark(n, p, sequence, fate != PORT_FATE_GOOD, leaves(p, frame->bytes, now));
}

bool
port_transmit_retry(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	struct llr *l = p->llr;
	uint32_t sequence;

	if (!p->up || p->out->down)
		return transmit_plain(n, p, m, now);
	if (l->tx_state == LLR_TX_INIT) {
		if (l->profile->action != LLR_ACTION_DISCARD)
			return transmit_plain(n, p, m, now);
		l->tx_discard++;
		port_drop_begun(n, p, m, DROP_LLR_DISCARD, now);
		return false;
	}
	sequence = l->next++;
	l->frames[sequence & l->mask] =
		(struct llr_frame){.held = m, .bytes = packet_meta(m)->wire_bytes};
	l->outstanding += packet_meta(m)->wire_bytes;
	llr_send_frame(n, p, sequence, now);
	llr_note_sent(n, p, now);
	return true;
}

// ---- ordered sets -------------------------------------------------------------------------------

void
llr_request_set(struct node *n, struct port *p, enum llr_set set, ps_t now)
{
	struct llr *l = p->llr;
	struct rte_mbuf *m;

	if (l->waiting >> set & 1 || p->out == NULL || !p->up)
		return;
	m = llr_make_mark(n, p, (uint8_t)set);
	if (m == NULL)
		return; // as if it were lost
	l->waiting |= (uint8_t)(1u << set);
	pause_frame_send_other(n, p, m, now);
}

// What a set says is written when it begins to leave, so that it is the latest. The least spacing
// counts from here, not from the request: the set may have waited for the transmitter.
static void
write_set(struct llr *l, struct llr_mark *mark, ps_t now)
{
	switch (mark->set) {
	case LLR_INIT:
		mark->sequence = l->next;
		break;
	case LLR_ACK:
		l->deferred = false;
		l->spaced_until = now + l->profile->spacing;
		if (l->rx_state == LLR_RX_SEND_NACK) {
			mark->set = LLR_NACK;
			l->rx_state = LLR_RX_NACK_SENT;
		}
		mark->sequence = l->expected;
		break;
	default:
		mark->sequence = l->expected;
		break;
	}
}

void
port_transmit_set(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	struct llr_mark *mark = (struct llr_mark *)packet_data(m);
	const ps_t left = now + time_of_bytes(p->profile->byte_time, LLR_SET_BYTES);
	struct llr *l = p->llr;
	bool stale;

	__atomic_store_n(&p->tx_free, left, __ATOMIC_RELAXED);
	l->waiting &= (uint8_t) ~(1u << mark->set);
	write_set(l, mark, now);
	l->sets_tx[mark->set]++;
	l->extra_bytes += LLR_SET_BYTES;
	// The link has been down: what waited says nothing that is still true.
	stale = l->rx_state == LLR_RX_OFF && mark->set != LLR_INIT;
	if (stale ||
	    (p->out->faulty && port_draw_fate(n, p, NULL, 8 * LLR_SET_BYTES) != PORT_FATE_GOOD) ||
	    !put(n, p, m, left))
		packet_free(n->packets, m);
}

// ---- receiving ----------------------------------------------------------------------------------

static void
receive_mark(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct llr_mark mark = *(const struct llr_mark *)packet_data(m);
	struct llr *l = in->llr;

	in->rx_packets--; // no frame that anyone sees
	packet_free(n->packets, m);
	if (!in->up)
		return;
	if (mark.set < LLR_SETS) {
		llr_take_set(n, in, (enum llr_set)mark.set, mark.sequence, now);
		return;
	}
	l->rx_bad += mark.bad;
	l->rx_ok += !mark.bad;
	if (l->rx_state != LLR_RX_OFF)
		llr_take_other(n, in, mark.sequence, mark.bad, now);
}

enum llr_arrival
llr_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct packet_meta *meta = packet_meta(m);
	struct llr *l = in->llr;

	if (meta->lane == PACKET_LANE_LLR) {
		receive_mark(n, in, m, now);
		return LLR_TAKEN;
	}
	if (!(meta->flags & PACKET_RETRIED))
		return LLR_FRAME;
	meta->flags &= ~(uint32_t)PACKET_RETRIED;
	if (!in->up || l->rx_state == LLR_RX_OFF)
		return LLR_LATE;
	l->rx_poisoned += !!(meta->flags & PACKET_BAD_FCS);
	l->rx_ok += !(meta->flags & PACKET_BAD_FCS);
	llr_take_expected(n, in, now);
	return LLR_FRAME;
}
