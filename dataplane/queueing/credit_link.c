// SPDX-License-Identifier: BSD-3-Clause
// What a frame of credits says is written when it begins to leave, so that it is the latest. An
// update takes 8 bytes on the wire, and counts as so many, but for one from outside.
#include "credit_link.h"

#include "credit_frame.h"
#include "credits.h"
#include "llr.h"
#include "transmit.h"

// Puts an update on the wire: as port_transmit(), but for its length.
static bool
transmit_update(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const ps_t left = now +
			  time_of_bytes(p->profile->byte_time, CREDIT_FRAME_ORDERED_SET_BYTES);
	const ps_t arrival = left + p->out->delay;

	__atomic_store_n(&p->tx_free, left, __ATOMIC_RELAXED);
	if (p->out->faulty && port_lose_bits(n, p, m, 8 * CREDIT_FRAME_ORDERED_SET_BYTES, now))
		return false;
	packet_meta(m)->arrived = arrival; // a cut-through switch, too, takes all of it
	if (wire_put(p->out, m, arrival) != 0) {
		port_drop_begun(n, p, m, DROP_NO_MBUF, now);
		return false;
	}
	p->tx_packets++;
	p->tx_bytes += CREDIT_FRAME_ORDERED_SET_BYTES;
	if (p->tapped)
		port_show_sent(n, p, m, now, left);
	n->sent = time_min(n->sent, arrival);
	return true;
}

// What the far end should have got when this frame arrives: it overtakes what link-level retry
// holds.
static uint32_t
said_sent(const struct node *n, const struct port *p, unsigned int lane)
{
	return p->credits->lanes[lane].sent - llr_held_blocks(n, p, lane);
}

static bool
send_update(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const unsigned int lane = packet_meta(m)->pg;
	struct credits *c = p->credits;
	struct credit_lane *l = &c->lanes[lane];
	bool sent;

	credits_update_leaves(n, c, lane, now);
	l->advertised = credits_limit(n, p, lane);
	l->resend_at = now + c->profile->resend;
	if (n->current->credits->kind == CREDIT_INFINIBAND)
		credit_frame_write_infiniband(m, lane, said_sent(n, p, lane), l->advertised);
	else
		credit_frame_write_freed(m, lane, l->advertised - c->profile->granted[lane]);
	sent = transmit_update(n, p, m, now);
	l->updates_tx += sent;
	return sent;
}

static bool
send_sync(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	for (unsigned int lane = 0; lane < PRIORITIES; lane++)
		credit_frame_write_sent(m, lane, said_sent(n, p, lane));
	return port_transmit_frame(n, p, m, now, true);
}

void
port_transmit_credits(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	const bool update = packet_meta(m)->lane == PACKET_LANE_UPDATE;
	const bool sent = update ? send_update(n, p, m, now) : send_sync(n, p, m, now);

	p->control_tx += sent;
	p->tx_multicast += sent;
	p->control_lost += !sent;
}

bool
credit_link_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct credit_tables *t = n->current->credits;
	struct credit_frame frame;

	if (packet_meta(m)->lane == PACKET_LANE_UPDATE)
		in->rx_bytes -= packet_meta(m)->wire_bytes - CREDIT_FRAME_ORDERED_SET_BYTES;
	if (!credit_frame_read(m, &frame) ||
	    (frame.kind == CREDIT_FRAME_INFINIBAND) != (t->kind == CREDIT_INFINIBAND))
		return false;
	switch (frame.kind) {
	case CREDIT_FRAME_INFINIBAND:
		credits_take_sent(n, in, frame.lane, frame.sent[0], now);
		credits_take_limit(n, in, frame.lane, frame.value, now);
		break;
	case CREDIT_FRAME_FREED:
		credits_take_freed(n, in, frame.lane, frame.value, now);
		break;
	default:
		for (unsigned int bits = t->lanes; bits != 0; bits &= bits - 1) {
			const unsigned int lane = (unsigned int)__builtin_ctz(bits);

			credits_take_sent(n, in, lane, frame.sent[lane], now);
		}
		break;
	}
	return true;
}
