// SPDX-License-Identifier: BSD-3-Clause
#include "mrc_frame.h"

#include "mrc_sender.h"

_Static_assert((int)SPRAYED_REFUSED_TRIMMED == (int)MRC_NACK_TRIMMED &&
		       (int)SPRAYED_REFUSED_OUT_OF_WINDOW == (int)MRC_NACK_OUT_OF_WINDOW,
	       "reasons are the same numbers");

// The flow label of an entropy value, which only IPv6 has: its low 16 bits.
static void
put_flow_label(const struct rte_mbuf *m, const struct frame_address *a, uint16_t label)
{
	uint8_t *ip = packet_data((struct rte_mbuf *)(uintptr_t)m) + FRAME_ETHERNET_BYTES;

	if (a->network == FRAME_IP6)
		roce_put16(ip + 2, label);
}

// A packet to `a` that leaves by a port of the NIC: `behind` bytes behind UDP, of which `present`
// are written; *at: behind the BTH.
static void
start(const struct nic_port *np, struct rte_mbuf *m, struct frame_address *a, uint8_t opcode,
      uint32_t behind, uint32_t present, uint32_t wire_bytes, uint8_t **at)
{
	frame_start(m, nic_template(np, a), a, PACKET_NO_PAYLOAD | PACKET_ROCE, behind, present,
		    wire_bytes, at);
	memset(*at, 0, present);
	packet_meta(m)->opcode = opcode;
}

static uint8_t
write_opcode(const struct sender *s, uint32_t offset, uint32_t packets)
{
	uint32_t of_one = offset & (NIC_WRITE_PACKETS - 1);
	bool first = of_one == 0, whole = offset + 1 == packets;
	bool last = whole || of_one == NIC_WRITE_PACKETS - 1;
	bool immediate = whole && s->qp.message == MESSAGE_WRITE_IMM;

	if (first)
		return last ? (immediate ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY)
			    : MRC_OP_WRITE_FIRST;
	if (last)
		return immediate ? MRC_OP_WRITE_LAST_IMM : MRC_OP_WRITE_LAST;
	return MRC_OP_WRITE_MIDDLE;
}

void
mrc_write(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index,
	  struct sprayed_place place, uint16_t entropy, bool ask)
{
	const struct sprayed *sp = s->cold->sprayed;
	struct frame_address *a = &mrc_plane_of(sp->mrc, entropy)->address;
	uint32_t payload = index + 1 == place.end ? place.last_payload : s->path_mtu;
	uint32_t offset = index - place.begin;
	uint8_t opcode = write_opcode(s, offset, place.end - place.begin);
	uint32_t headers = (uint32_t)(sizeof(struct roce_bth) + sizeof(struct mrc_message) +
				      sizeof(struct roce_reth)) +
			   (mrc_op_has_immdt(opcode) ? (uint32_t)sizeof(struct roce_immdt) : 0);
	uint32_t extra = headers - (uint32_t)sizeof(struct roce_bth);
	struct mrc_message *message;
	uint8_t *at;

	a->udp_sport = rte_cpu_to_be_16((uint16_t)(sp->mrc->sport + entropy));
	start(nic_port_of(nic, &s->qp), m, a, opcode, frame_data_behind_udp(payload, extra),
	      headers, frame_data_bytes(a->network, nic->header_bytes, payload, extra), &at);
	put_flow_label(m, a, entropy);
	frame_put_bth(at, opcode, roce_pad_bytes(payload), a, ask, s->psn_base + index);
	if (sprayed_packet_at(sp, index)->state == SPRAYED_LOST)
		((struct roce_bth *)at)->ack_req |= MRC_BTH_RETX;
	message = (struct mrc_message *)(at + sizeof(struct roce_bth));
	roce_put16(message->msn, place.begin + (offset & ~(NIC_WRITE_PACKETS - 1)));
	roce_reth_init((struct roce_reth *)(message + 1), (uint64_t)offset * s->path_mtu,
		       a->peer_qpn, payload);
	if (mrc_op_has_immdt(opcode))
		roce_put32(at + headers - sizeof(struct roce_immdt), s->qp.qpn);
}

// A packet of `bytes` behind the BTH without payload, or NULL.
static struct rte_mbuf *
start_small(struct nic *nic, const struct nic_port *np, struct frame_address *a, uint8_t opcode,
	    uint32_t bytes, uint32_t psn, uint8_t **at)
{
	struct rte_mbuf *m = packet_alloc(nic->node->packets);
	uint32_t present = (uint32_t)sizeof(struct roce_bth) + bytes;
	uint32_t behind = present + ROCE_ICRC_BYTES;

	if (unlikely(m == NULL))
		return NULL;
	start(np, m, a, opcode, behind, present,
	      nic->ack_bytes != FRAME_SIZE_REAL ? (uint32_t)nic->ack_bytes
						: frame_bytes(a->network, behind),
	      at);
	frame_put_bth(*at, opcode, 0, a, false, psn);
	*at += sizeof(struct roce_bth);
	return m;
}

static struct rte_mbuf *
start_answer(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_answer *answer,
	     uint8_t opcode, uint32_t bytes, uint32_t psn, uint8_t **at)
{
	const struct qp *qp = &sr->receiver.qp;
	struct frame_address *a = sprayed_receiver_address(sr, qp->port);
	struct rte_mbuf *m;

	a->udp_sport = answer->sport;
	m = start_small(nic, nic_port_of(nic, qp), a, opcode, bytes, psn, at);
	if (likely(m != NULL))
		put_flow_label(m, a, answer->label);
	return m;
}

static void
put_entropy(uint8_t to[4], const struct sprayed_answer *answer)
{
	memcpy(to, &answer->sport, sizeof(answer->sport));
	roce_put16(to + 2, answer->label);
}

static struct mrc_sack *
put_sack(const struct receiver *r, const struct sprayed_answer *answer,
	 const struct sprayed_sack *sack, uint8_t *at)
{
	struct mrc_sack *h = (struct mrc_sack *)at;

	if (answer->marked)
		h->flags = MRC_PATH_SKIP_ONCE << MRC_SACK_FEEDBACK_SHIFT;
	put_entropy(h->entropy, answer);
	roce_put16(h->source, r->qp.qpn);
	roce_put16(h->destination, r->address.peer_qpn);
	roce_put24(h->cack_psn, sack->cack_psn & ROCE_PSN_MASK);
	h->mpr = sack->mpr;
	roce_put16(h->sack_psn_offset, sack->first_psn - sack->cack_psn);
	roce_put64(h->sack_bitmap, sack->bitmap);
	roce_put16(h->out_of_order, sack->out_of_order & 0x7fff);
	roce_put24(h->received, (uint32_t)(sack->received_bytes / MRC_RECEIVED_BYTES));
	return h;
}

struct rte_mbuf *
mrc_make_sack(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_answer *answer,
	      const struct sprayed_sack *sack)
{
	struct mrc_sack *h;
	struct rte_mbuf *m;
	uint8_t *at;

	m = start_answer(nic, sr, answer, MRC_OP_SACK, sizeof(*h), sack->cack_psn, &at);
	if (unlikely(m == NULL))
		return NULL;
	h = put_sack(&sr->receiver, answer, sack, at);
	roce_put16(h->ack_psn_offset, sack->acked_psn - sack->cack_psn);
	return m;
}

struct rte_mbuf *
mrc_make_probed(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_answer *answer,
		const struct sprayed_sack *sack, uint16_t number)
{
	struct mrc_sack *h;
	struct rte_mbuf *m;
	uint8_t *at;

	m = start_answer(nic, sr, answer, MRC_OP_SACK, sizeof(*h), sack->cack_psn, &at);
	if (unlikely(m == NULL))
		return NULL;
	h = put_sack(&sr->receiver, answer, sack, at);
	h->flags |= MRC_SACK_PROBED;
	roce_put16(h->ack_psn_offset, number);
	return m;
}

struct rte_mbuf *
mrc_make_nack(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_answer *answer,
	      uint8_t reason, uint32_t psn)
{
	struct mrc_nack *h;
	struct rte_mbuf *m;
	uint8_t *at;

	m = start_answer(nic, sr, answer, MRC_OP_NACK, sizeof(*h), psn, &at);
	if (unlikely(m == NULL))
		return NULL;
	if (answer->resent)
		((struct roce_bth *)(at - sizeof(struct roce_bth)))->ack_req |= MRC_BTH_RETX;
	h = (struct mrc_nack *)at;
	h->reason = reason;
	put_entropy(h->entropy, answer);
	roce_put16(h->source, sr->receiver.qp.qpn);
	roce_put16(h->destination, sr->receiver.address.peer_qpn);
	roce_put24(h->psn, psn & ROCE_PSN_MASK);
	return m;
}

struct rte_mbuf *
mrc_make_probe(struct nic *nic, struct mrc_sender *x, uint16_t entropy)
{
	struct mrc_plane *p = mrc_plane_of(x, entropy);
	struct mrc_probe *h;
	struct rte_mbuf *m;
	uint8_t *at;

	p->address.udp_sport = rte_cpu_to_be_16((uint16_t)(x->sport + entropy));
	m = start_small(nic, &nic->ports[p->port], &p->address, MRC_OP_PROBE, sizeof(*h), 0, &at);
	if (unlikely(m == NULL))
		return NULL;
	put_flow_label(m, &p->address, entropy);
	h = (struct mrc_probe *)at;
	roce_put16(h->number, entropy);
	roce_put16(h->source, x->sender->qp.qpn);
	roce_put16(h->destination, x->sender->address.peer_qpn);
	return m;
}
