// SPDX-License-Identifier: BSD-3-Clause
// What a packet is follows from its prologue. Every header is checked against the bytes that are
// there and against what UDP claims; a trimmed packet has fewer, and its PDS header is enough.
#include "uet.h"

#include "dataplane/base/headers.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/stages/stage.h"
#include "exchange.h"
#include "sprayed_answers.h"
#include "sprayed_receiver.h"
#include "uet_credit.h"
#include "uet_frame.h"

// A packet's parts behind UDP.
struct parts {
	const uint8_t *pds;
	unsigned int type;
	unsigned int pds_bytes;
	uint32_t claimed; // bytes behind UDP's header, as that says
	uint32_t there;   // of them, in memory
	bool trimmed;
};

// Returns -1, or the reason to drop the packet.
static int
find_parts(struct rte_mbuf *m, struct parts *out)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *udp = packet_data(m) + meta->l4_off;
	uint32_t before = meta->l4_off + FRAME_UDP_BYTES;
	int fewer;

	*out = (struct parts){
		.pds = udp + FRAME_UDP_BYTES,
		.claimed = header_get16(udp + 4) - FRAME_UDP_BYTES,
		.there = meta->data_len > before ? meta->data_len - before : 0,
		.trimmed = meta->flags & PACKET_TRIMMED_UPSTREAM,
	};
	fewer = out->trimmed ? DROP_TRIMMED : DROP_TRUNCATED;
	if (unlikely(meta->flags & PACKET_BAD_PAYLOAD))
		return DROP_BAD_ICRC;
	if (out->claimed < sizeof(struct uet_prologue))
		return DROP_MALFORMED;
	if (out->there < sizeof(struct uet_prologue))
		return fewer;
	out->type = uet_type((const struct uet_prologue *)out->pds);
	out->pds_bytes = uet_header_bytes(out->type);
	if (out->pds_bytes == 0)
		return DROP_NOT_FOR_HOST;
	if (out->claimed < out->pds_bytes)
		return DROP_MALFORMED;
	return out->there < out->pds_bytes ? fewer : -1;
}

static int
take_data(struct nic *nic, struct rte_mbuf *m, struct qp *qp, const struct parts *p, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	const struct uet_request *h = (const struct uet_request *)p->pds;
	const struct uet_message *message = (const struct uet_message *)(p->pds + p->pds_bytes);
	uint32_t headers = p->pds_bytes + (uint32_t)sizeof(*message);
	unsigned int flags = uet_flags(&h->prologue);
	struct sprayed_receiver *sr = (struct sprayed_receiver *)qp;
	struct sprayed_data d;

	if (uet_next(&h->prologue) != UET_NEXT_REQUEST || p->claimed < headers)
		return DROP_MALFORMED;
	if (!p->trimmed && p->there < headers)
		return DROP_TRUNCATED;
	if (qp == NULL || qp->role != QP_RECEIVER ||
	    roce_get16(h->spdcid) != uet_pdcid(sr->receiver.address.peer_qpn))
		return DROP_NO_QUEUE_PAIR;
	d = (struct sprayed_data){
		.psn = roce_get32(h->psn),
		.payload = p->claimed - headers,
		.wire_bytes = meta->wire_bytes,
		.marked = meta->ecn == ECN_CE,
		.resent = flags & UET_REQUEST_RETX,
		.asks = flags & UET_REQUEST_ACK,
		.trimmed = p->trimmed,
		.has_target = p->type == UET_RUD_CC_REQUEST,
		.ends = !p->trimmed && message->flags & UET_MESSAGE_END,
		.immediate = !p->trimmed && message->flags & UET_MESSAGE_DATA,
	};
	memcpy(&d.sport, p->pds - FRAME_UDP_BYTES, sizeof(d.sport));
	if (d.has_target)
		d.target = roce_get24(((const struct uet_request_cc *)(h + 1))->target);
	packet_free(nic->node->packets, m);
	sprayed_receiver_take(nic, sr, &d, now);
	return STAGE_CONSUMED;
}

// The number of the sender's packet that has a PSN.
static uint32_t
index_of(const struct sender *s, uint32_t psn)
{
	return psn - s->psn_base;
}

static void
take_ack(struct nic *nic, struct sender *s, const struct uet_ack_cc *h, ps_t now)
{
	uint32_t cack = roce_get32(h->cack_psn);
	const struct sprayed_ack a = {
		.end = index_of(s, cack) + 1,
		.first = index_of(s, cack + (uint32_t)(int16_t)roce_get16(h->sack_psn_offset)),
		.bitmap = roce_get64(h->sack_bitmap),
		.of_packet = true,
		.acked = index_of(s, cack + (uint32_t)(int16_t)roce_get16(h->ack_psn_offset)),
		.waited = (ps_t)roce_get16(h->service_time) * PS_PER_NS,
		.marked = uet_flags(&h->prologue) & UET_ANSWER_MARKED,
	};

	sprayed_take_ack(nic, s, &a, now);
}

static void
take_nack(struct nic *nic, struct sender *s, const struct uet_nack *h, ps_t now)
{
	const struct sprayed_nack n = {
		.index = index_of(s, roce_get32(h->psn)),
		.resent = uet_flags(&h->prologue) & UET_ANSWER_RETX,
		.trimmed = h->code == UET_NACK_TRIMMED,
		.early = h->code == UET_NACK_OUT_OF_WINDOW,
		.news = h->code == UET_NACK_TRIMMED ? ENTROPY_TRIMMED : ENTROPY_GOOD,
	};

	sprayed_take_nack(nic, s, &n, now);
}

// An answer for a sender. All of them have PDCIDs at the same place.
static int
take_answer(struct nic *nic, struct rte_mbuf *m, struct qp *qp, const struct parts *p, ps_t now)
{
	struct sender *s = (struct sender *)qp;
	union {
		struct uet_ack_cc ack;
		struct uet_nack nack;
	} copy;

	if (qp == NULL || qp->role != QP_SENDER ||
	    roce_get16(((const struct uet_request *)p->pds)->spdcid) !=
		    uet_pdcid(s->address.peer_qpn))
		return DROP_NO_QUEUE_PAIR;
	memcpy(&copy, p->pds, p->pds_bytes);
	packet_free(nic->node->packets, m);
	if (p->type == UET_ACK_CC)
		take_ack(nic, s, &copy.ack, now);
	else
		take_nack(nic, s, &copy.nack, now);
	return STAGE_CONSUMED;
}

static int
take_control(struct nic *nic, struct rte_mbuf *m, struct qp *qp, const struct parts *p, ps_t now)
{
	struct uet_credit h = *(const struct uet_credit *)p->pds;
	uint32_t units = roce_get32(h.payload) & UET_CREDIT_MASK;
	bool request = uet_next(&h.prologue) == UET_CONTROL_CREDIT_REQUEST;

	if (!request && uet_next(&h.prologue) != UET_CONTROL_CREDIT)
		return DROP_NOT_FOR_HOST;
	if (qp == NULL || qp->role != (request ? QP_RECEIVER : QP_SENDER))
		return DROP_NO_QUEUE_PAIR;
	packet_free(nic->node->packets, m);
	if (request)
		uet_credit_asked(nic, (struct sprayed_receiver *)qp, units, now);
	else
		uet_credit_take(nic, (struct sender *)qp, units, now);
	return STAGE_CONSUMED;
}

static int
take_by(struct nic *nic, struct rte_mbuf *m, struct qp *qp, uint8_t port, const struct parts *p,
	ps_t now)
{
	if (unlikely(qp != NULL && qp->port != port))
		return DROP_NOT_FOR_HOST; // another of its ports
	switch (p->type) {
	case UET_RUD_REQUEST:
	case UET_RUD_CC_REQUEST:
		return take_data(nic, m, qp, p, now);
	case UET_CONTROL:
		return take_control(nic, m, qp, p, now);
	default:
		return take_answer(nic, m, qp, p, now);
	}
}

static int
take_from_exchange(struct nic *nic, const struct exchange_packet *p, struct qp *qp, ps_t now)
{
	return take_by(nic, p->m, qp, p->port, p->parts, now);
}

// What an exchange has to know of a packet: whether it is for a receiver, by RoCEv2's opcodes. One
// that asks for credit may find it closed, if the last acknowledgement was lost.
static uint8_t
exchange_opcode(const struct parts *p)
{
	const struct uet_prologue *prologue = (const struct uet_prologue *)p->pds;
	bool data = p->type == UET_RUD_REQUEST || p->type == UET_RUD_CC_REQUEST ||
		    (p->type == UET_CONTROL && uet_next(prologue) == UET_CONTROL_CREDIT_REQUEST);

	return data ? ROCE_OP_WRITE_ONLY_IMM : ROCE_OP_ACK;
}

int
uet_take(struct nic *nic, struct rte_mbuf *m, uint8_t port, ps_t now)
{
	struct parts parts;
	uint32_t qpn;
	int verdict = find_parts(m, &parts);

	if (unlikely(verdict >= 0))
		return verdict;
	qpn = uet_qpn(roce_get16(((const struct uet_request *)parts.pds)->dpdcid));
	if (unlikely(qpn >= NIC_QPN_EXCHANGES)) {
		const struct exchange_packet p = {m, qpn, exchange_opcode(&parts), port, &parts};

		return exchange_take(nic, &p, take_from_exchange, now);
	}
	return take_by(nic, m, nic_find_qp(nic, qpn), port, &parts, now);
}
