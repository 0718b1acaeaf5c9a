// SPDX-License-Identifier: BSD-3-Clause
// The responder of the reliable connection, and DCQCN's notification point.
//
// In-order placement: a packet ahead of the expected one is discarded, and one NAK asks for the
// expected one; no other NAK goes before that has arrived. Out-of-order placement: a packet ahead,
// within the reorder window, is placed, which takes a bit; the acknowledgement stays before the
// first that is missing. That one counts as lost, and a NAK asks for it, when a packet beyond the
// window arrives, or when reorder_timeout has passed since the first packet behind it came, or
// since it became the first missing one, if that was later.
//
// An acknowledgement goes for every ack_every packets, for a message's last packet, and where the
// requester asks for one. A duplicate counts as a packet there, so that a lost acknowledgement is
// made good. An ACK and a NAK both acknowledge everything before the PSN that is missing.
//
// A packet that was marked makes a CNP, at most one per cnp_interval and queue pair (Zhu et al.:
// Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 3.1).
#include "receiver.h"

static void
respond(struct nic *nic, struct rte_mbuf *m)
{
	struct port *p = nic->port;

	if (unlikely(m == NULL)) {
		p->drops[DROP_NO_PACKET]++;
		return;
	}
	nic->responses |= (uint8_t)(1u << packet_meta(m)->tc);
	queue_push(p, packet_meta(m)->tc, m);
}

static void
send_ack(struct nic *nic, struct receiver *r, uint32_t psn, uint8_t syndrome)
{
	uint32_t bytes = frame_ack_bytes(r->address.ip6, nic->ack_bytes);

	r->unacknowledged = 0;
	respond(nic, frame_make_ack(nic->node->packets, nic_template(nic, &r->address), &r->address,
				    bytes, psn, syndrome, r->msn));
}

static void
send_nak(struct nic *nic, struct receiver *r)
{
	if (r->nak_sent)
		return;
	r->nak_sent = true;
	r->result.naks++;
	send_ack(nic, r, r->expected, ROCE_SYNDROME_NAK_PSN_SEQUENCE);
}

static void
send_cnp(struct nic *nic, struct receiver *r, ps_t now)
{
	const struct nic_config *c = &nic->config;

	if (now < r->cnp_next)
		return;
	r->cnp_next = now + c->cnp_interval;
	r->result.cnps++;
	respond(nic, frame_make_cnp(nic->node->packets, nic_template(nic, &r->address), &r->address,
				    c->cnp_dscp, c->cnp_priority, c->cnp_tc));
}

static bool
ends_message(uint8_t opcode)
{
	return opcode == ROCE_OP_WRITE_LAST || opcode == ROCE_OP_WRITE_ONLY;
}

static uint64_t
ring_bit(const struct receiver *r, uint32_t psn, uint32_t *word)
{
	uint32_t slot = psn & r->ring_mask;

	*word = slot / 64;
	return UINT64_C(1) << slot % 64;
}

// Moves past the packets that were placed behind the one that was missing. True when a message
// ended.
static bool
receiver_drain(struct receiver *r)
{
	bool ended = false;

	while (r->ahead != 0) {
		uint32_t word;
		uint64_t bit = ring_bit(r, r->expected, &word);

		if (!(r->placed[word] & bit))
			break;
		if (r->ends[word] & bit) {
			ended = true;
			r->msn++;
		}
		r->placed[word] &= ~bit;
		r->ends[word] &= ~bit;
		r->ahead--;
		r->unacknowledged++;
		r->expected = psn_add(r->expected, 1);
	}
	return ended;
}

static void
take_expected(struct nic *nic, struct receiver *r, uint8_t opcode, bool ack_req, ps_t now)
{
	bool due = ack_req;

	r->expected = psn_add(r->expected, 1);
	r->unacknowledged++;
	r->nak_sent = false;
	if (ends_message(opcode)) {
		r->msn++;
		due = true;
	}
	if (unlikely(r->ahead != 0)) {
		due |= receiver_drain(r);
		if (r->ahead != 0)
			nic_set_timer(nic, &r->timer, now + nic->config.reorder_timeout);
		else
			timer_stop(&r->timer);
	}
	if (due || r->unacknowledged >= nic->ack_every)
		send_ack(nic, r, psn_add(r->expected, -1), ROCE_SYNDROME_ACK_NO_CREDITS);
}

static void
take_duplicate(struct nic *nic, struct receiver *r, uint8_t opcode, bool ack_req)
{
	r->result.duplicates++;
	r->unacknowledged++;
	if (ack_req || ends_message(opcode) || r->unacknowledged >= nic->ack_every)
		send_ack(nic, r, psn_add(r->expected, -1), ROCE_SYNDROME_ACK_NO_CREDITS);
}

// A packet `distance` ahead of the expected one.
static void
take_ahead(struct nic *nic, struct receiver *r, uint32_t psn, uint32_t distance, uint8_t opcode,
	   ps_t now)
{
	uint32_t word;
	uint64_t bit;

	r->result.out_of_order++;
	if (distance > r->result.reorder_max)
		r->result.reorder_max = distance;
	if (r->placed == NULL || distance >= nic->config.reorder_window) {
		send_nak(nic, r);
		return;
	}
	bit = ring_bit(r, psn, &word);
	if (r->placed[word] & bit) {
		r->result.duplicates++;
		return;
	}
	r->placed[word] |= bit;
	if (ends_message(opcode))
		r->ends[word] |= bit;
	if (r->ahead++ == 0)
		nic_set_timer(nic, &r->timer, now + nic->config.reorder_timeout);
}

void
receiver_take(struct nic *nic, struct receiver *r, uint32_t psn, uint8_t opcode, bool ack_req,
	      bool ce, ps_t now)
{
	int32_t distance = psn_diff(psn, r->expected);

	r->result.packets++;
	if (unlikely(ce))
		send_cnp(nic, r, now);
	if (likely(distance == 0))
		take_expected(nic, r, opcode, ack_req, now);
	else if (distance < 0)
		take_duplicate(nic, r, opcode, ack_req);
	else
		take_ahead(nic, r, psn, (uint32_t)distance, opcode, now);
}

void
receiver_timeout(struct nic *nic, struct receiver *r)
{
	send_nak(nic, r);
}
