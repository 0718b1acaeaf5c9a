// SPDX-License-Identifier: BSD-3-Clause
// What a packet is follows from its BTH's opcode. Every header is checked against the bytes that
// are there and against what UDP claims; a trimmed packet has fewer, and its BTH is enough.
//
// A sender learns of a loss by a NACK, where a switch has trimmed the packet, or by its
// retransmission timer. It does not infer one from gaps of the bitmap: packets of many paths arrive
// in any order. Receivers here send SACKs alone; a Transport ACK from elsewhere counts for what it
// says.
#include "mrc.h"

#include "dataplane/base/headers.h"
#include "dataplane/queueing/ecn.h"
#include "dataplane/stages/stage.h"
#include "exchange.h"
#include "icrc.h"
#include "mrc_frame.h"
#include "mrc_sender.h"
#include "sprayed_answers.h"
#include "sprayed_receiver.h"

#include <errno.h>

// A packet's parts behind UDP.
struct parts {
	const struct roce_bth *bth;
	uint8_t opcode;
	uint32_t header_bytes; // BTH and what extends it
	uint32_t claimed;      // bytes behind UDP's header, as that says
	uint16_t label;        // the flow label's low 16 bits
	bool trimmed;
	bool marked;
};

// Returns -1, or the reason to drop the packet.
static int
find_parts(struct rte_mbuf *m, struct parts *out)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *udp = packet_data(m) + meta->l4_off;
	uint32_t before = meta->l4_off + FRAME_UDP_BYTES, there;

	there = meta->data_len > before ? meta->data_len - before : 0;
	*out = (struct parts){
		.bth = (const struct roce_bth *)(udp + FRAME_UDP_BYTES),
		.claimed = header_get16(udp + 4) - FRAME_UDP_BYTES,
		.trimmed = meta->flags & PACKET_TRIMMED_UPSTREAM,
		.marked = meta->ecn == ECN_CE,
	};
	if (meta->flags & PACKET_IPV6)
		out->label = header_get16(packet_data(m) + meta->l3_off + 2);
	if (there < sizeof(struct roce_bth))
		return out->trimmed ? DROP_TRIMMED : DROP_TRUNCATED;
	out->opcode = out->bth->opcode;
	out->header_bytes = mrc_header_bytes(out->opcode, out->bth);
	if (out->header_bytes == 0)
		return DROP_NOT_FOR_HOST;
	if (roce_bth_version(out->bth) != 0 ||
	    out->claimed < out->header_bytes + roce_bth_pad(out->bth) + ROCE_ICRC_BYTES)
		return DROP_MALFORMED;
	if (out->trimmed)
		return mrc_op_is_write(out->opcode) ? -1 : DROP_TRIMMED;
	return there < out->header_bytes ? DROP_TRUNCATED : -1;
}

// A packet made elsewhere, or one that a link has corrupted: as find_parts().
static int
check_icrc(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	int error;

	if (meta->flags & PACKET_BAD_PAYLOAD)
		return DROP_BAD_ICRC;
	if (meta->flags & (PACKET_NO_PAYLOAD | PACKET_TRIMMED_UPSTREAM))
		return -1;
	error = icrc_verify(packet_data(m), meta->data_len);
	if (error == 0)
		return -1;
	return error == -EBADMSG    ? DROP_BAD_ICRC
	       : error == -EMSGSIZE ? DROP_TRUNCATED
				    : DROP_MALFORMED;
}

// The PSN of 32 bits that is nearest to another one.
static uint32_t
extend(uint32_t near, uint32_t psn)
{
	return near + (uint32_t)psn_diff(psn, near);
}

static int
take_data(struct nic *nic, struct rte_mbuf *m, struct receiver *r, const struct parts *p, ps_t now)
{
	const uint8_t *udp = (const uint8_t *)p->bth - FRAME_UDP_BYTES;
	struct sprayed_data d = {
		.psn = extend(r->expected, roce_bth_psn(p->bth)),
		.payload = p->claimed - p->header_bytes - roce_bth_pad(p->bth) - ROCE_ICRC_BYTES,
		.wire_bytes = packet_meta(m)->wire_bytes,
		.label = p->label,
		.marked = p->marked,
		.resent = p->bth->ack_req & MRC_BTH_RETX,
		.asks = roce_bth_ack_req(p->bth),
		.trimmed = p->trimmed,
		.ends = !p->trimmed && mrc_op_ends_message(p->opcode),
		.immediate = !p->trimmed && mrc_op_has_immdt(p->opcode),
	};

	memcpy(&d.sport, udp, sizeof(d.sport));
	packet_free(nic->node->packets, m);
	sprayed_receiver_take(nic, (struct sprayed_receiver *)r, &d, now);
	return STAGE_CONSUMED;
}

static int
take_probe(struct nic *nic, struct rte_mbuf *m, struct receiver *r, const struct parts *p)
{
	const uint8_t *udp = (const uint8_t *)p->bth - FRAME_UDP_BYTES;
	const struct mrc_probe *h = (const struct mrc_probe *)(p->bth + 1);
	struct sprayed_answer answer = {.label = p->label, .marked = p->marked};
	uint16_t number = roce_get16(h->number);

	if (roce_get16(h->source) != (r->address.peer_qpn & UINT16_MAX))
		return DROP_NO_QUEUE_PAIR;
	memcpy(&answer.sport, udp, sizeof(answer.sport));
	packet_free(nic->node->packets, m);
	sprayed_receiver_probed(nic, (struct sprayed_receiver *)r, &answer, number);
	return STAGE_CONSUMED;
}

// What is for a receiver.
static int
take_request(struct nic *nic, struct rte_mbuf *m, struct qp *qp, uint8_t port,
	     const struct parts *p, ps_t now)
{
	struct receiver *r = (struct receiver *)qp;

	if (qp == NULL || qp->role != QP_RECEIVER)
		return DROP_NO_QUEUE_PAIR;
	if (sprayed_receiver_address((struct sprayed_receiver *)r, port)->peer_qpn == 0)
		return DROP_NOT_FOR_HOST; // another of its ports
	qp->port = port;                  // by which answers go back
	if (p->opcode == MRC_OP_PROBE)
		return take_probe(nic, m, r, p);
	return take_data(nic, m, r, p, now);
}

// The number of the sender's packet that has a PSN.
static uint32_t
index_of(const struct sender *s, uint32_t psn)
{
	return extend(s->psn_base + s->acked, psn) - s->psn_base;
}

static void
take_sack(struct nic *nic, struct sender *s, const struct mrc_sack *h, ps_t now)
{
	uint32_t cack = index_of(s, roce_get24(h->cack_psn));
	uint32_t feedback = h->flags >> MRC_SACK_FEEDBACK_SHIFT & 3;
	bool probed = h->flags & MRC_SACK_PROBED;
	const struct sprayed_ack a = {
		.end = cack + 1,
		.first = cack + (uint32_t)(int16_t)roce_get16(h->sack_psn_offset),
		.bitmap = roce_get64(h->sack_bitmap),
		.of_packet = !probed,
		.acked = cack + (uint32_t)(int16_t)roce_get16(h->ack_psn_offset),
		.marked = feedback != MRC_PATH_GOOD,
	};

	if (probed && feedback != MRC_PATH_ALWAYS_SKIP)
		mrc_sender_probed(s->cold->sprayed->mrc, roce_get16(h->ack_psn_offset),
				  feedback != MRC_PATH_GOOD);
	sprayed_take_ack(nic, s, &a, now);
}

static void
take_nack(struct nic *nic, struct sender *s, const struct mrc_nack *h, bool resent, ps_t now)
{
	const struct sprayed_nack n = {
		.index = index_of(s, roce_get24(h->psn)),
		.resent = resent,
		.trimmed = h->reason == MRC_NACK_TRIMMED || h->reason == MRC_NACK_TRIMMED_LASTHOP,
		.early = h->reason == MRC_NACK_OUT_OF_WINDOW,
		.news = h->reason == MRC_NACK_TRIMMED ? ENTROPY_TRIMMED : ENTROPY_GOOD,
	};

	sprayed_take_nack(nic, s, &n, now);
}

// What is for a sender.
static int
take_answer(struct nic *nic, struct rte_mbuf *m, struct qp *qp, const struct parts *p, ps_t now)
{
	struct sender *s = (struct sender *)qp;
	bool resent = p->bth->ack_req & MRC_BTH_RETX;
	uint8_t opcode = p->opcode;
	uint32_t psn = roce_bth_psn(p->bth);
	uint32_t peer;
	union {
		struct mrc_sack sack;
		struct mrc_nack nack;
		struct roce_aeth aeth;
	} copy;

	if (qp == NULL || qp->role != QP_SENDER)
		return DROP_NO_QUEUE_PAIR;
	peer = s->address.peer_qpn & UINT16_MAX;
	memcpy(&copy, p->bth + 1, p->header_bytes - sizeof(*p->bth));
	if ((opcode == MRC_OP_SACK && roce_get16(copy.sack.source) != peer) ||
	    (opcode == MRC_OP_NACK && roce_get16(copy.nack.source) != peer))
		return DROP_NO_QUEUE_PAIR;
	packet_free(nic->node->packets, m);
	if (opcode == MRC_OP_SACK) {
		take_sack(nic, s, &copy.sack, now);
	} else if (opcode == MRC_OP_NACK) {
		take_nack(nic, s, &copy.nack, resent, now);
	} else if (roce_aeth_kind(&copy.aeth) == ROCE_SYNDROME_ACK) {
		const struct sprayed_ack a = {.end = index_of(s, psn) + 1};

		sprayed_take_ack(nic, s, &a, now);
	}
	return STAGE_CONSUMED;
}

static int
take_by(struct nic *nic, struct rte_mbuf *m, struct qp *qp, uint8_t port, const struct parts *p,
	ps_t now)
{
	if (mrc_op_is_write(p->opcode) || p->opcode == MRC_OP_PROBE)
		return take_request(nic, m, qp, port, p, now);
	return take_answer(nic, m, qp, p, now);
}

static int
take_from_exchange(struct nic *nic, const struct exchange_packet *p, struct qp *qp, ps_t now)
{
	return take_by(nic, p->m, qp, p->port, p->parts, now);
}

// What an exchange has to know of a packet: whether it is data, by RoCEv2's opcodes.
static uint8_t
exchange_opcode(const struct parts *p)
{
	bool request = mrc_op_is_write(p->opcode) || p->opcode == MRC_OP_PROBE;

	return request ? ROCE_OP_WRITE_ONLY_IMM : ROCE_OP_ACK;
}

int
mrc_take(struct nic *nic, struct rte_mbuf *m, uint8_t port, ps_t now)
{
	struct parts parts;
	uint32_t qpn;
	int verdict = find_parts(m, &parts);

	if (verdict < 0)
		verdict = check_icrc(m);
	if (unlikely(verdict >= 0))
		return verdict;
	qpn = roce_bth_dest_qp(parts.bth);
	if (unlikely(qpn >= NIC_QPN_EXCHANGES)) {
		const struct exchange_packet p = {m, qpn, exchange_opcode(&parts), port, &parts};

		return exchange_take(nic, &p, take_from_exchange, now);
	}
	return take_by(nic, m, nic_find_qp(nic, qpn), port, &parts, now);
}
