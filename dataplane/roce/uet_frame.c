// SPDX-License-Identifier: BSD-3-Clause
#include "uet_frame.h"

#include "responder.h"

_Static_assert((int)SPRAYED_REFUSED_TRIMMED == (int)UET_NACK_TRIMMED &&
		       (int)SPRAYED_REFUSED_OUT_OF_WINDOW == (int)UET_NACK_OUT_OF_WINDOW,
	       "reasons are the same numbers");

static unsigned int
answer_flags(const struct sprayed_answer *answer)
{
	return (answer->marked ? UET_ANSWER_MARKED : 0u) | (answer->resent ? UET_ANSWER_RETX : 0u);
}

// UDP's port, which the NIC's templates have already; the source port is the packet's.
static void
start(struct nic *nic, const struct qp *qp, struct rte_mbuf *m, struct frame_address *a,
      uint32_t behind, uint32_t present, uint32_t wire_bytes, uint8_t **at)
{
	frame_start(m, nic_template(nic_port_of(nic, qp), a), a, PACKET_NO_PAYLOAD, behind, present,
		    wire_bytes, at);
	memset(*at, 0, present);
}

static void
write_message(const struct sender *s, struct uet_message *h, uint32_t offset,
	      const struct sprayed_place *place, uint32_t payload)
{
	uint32_t packets = place->end - place->begin, first = offset & ~(NIC_WRITE_PACKETS - 1);
	uint64_t length = (uint64_t)(packets - 1) * s->path_mtu + place->last_payload;
	uint64_t most = (uint64_t)NIC_WRITE_PACKETS * s->path_mtu;
	uint64_t left = length - (uint64_t)first * s->path_mtu;
	bool ends = offset + 1 == packets;
	unsigned int flags = 0;

	if (offset == first)
		flags |= UET_MESSAGE_START;
	if (ends || offset + 1 - first == NIC_WRITE_PACKETS)
		flags |= UET_MESSAGE_END;
	if (ends && s->qp.message == MESSAGE_WRITE_IMM)
		flags |= UET_MESSAGE_DATA;
	h->opcode = s->qp.message == MESSAGE_SEND ? UET_OP_SEND : UET_OP_WRITE;
	h->flags = (uint8_t)flags;
	roce_put16(h->id, place->begin + first);
	roce_put16(h->resource_index, s->address.peer_qpn & 0xfff);
	roce_put64(h->offset, (uint64_t)first * s->path_mtu);
	roce_put32(h->initiator, s->qp.qpn);
	roce_put32(h->key + 4, s->address.peer_qpn);
	if (!(flags & UET_MESSAGE_START)) {
		roce_put16(h->data + 2, payload);
		roce_put32(h->data + 4, (offset - first) * s->path_mtu);
	}
	roce_put32(h->length, (uint32_t)(left < most ? left : most));
}

void
uet_write(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index,
	  struct sprayed_place place, uint16_t entropy, bool ask)
{
	const struct sprayed *sp = s->cold->sprayed;
	uint32_t payload = index + 1 == place.end ? place.last_payload : s->path_mtu;
	uint32_t pds = sizeof(struct uet_request) +
		       (sp->credits ? (uint32_t)sizeof(struct uet_request_cc) : 0);
	uint32_t headers = pds + (uint32_t)sizeof(struct uet_message);
	unsigned int flags =
		(sprayed_packet_at(sp, index)->state == SPRAYED_LOST ? UET_REQUEST_RETX : 0) |
		(ask ? UET_REQUEST_ACK : 0);
	struct frame_address *a = &s->address;
	struct uet_request *h;
	uint8_t *at;

	a->udp_sport = rte_cpu_to_be_16((uint16_t)(sp->sport + entropy));
	start(nic, &s->qp, m, a, headers + payload, headers,
	      nic->header_bytes != FRAME_SIZE_REAL ? (uint32_t)nic->header_bytes + payload
						   : frame_bytes(a->network, headers + payload),
	      &at);
	h = (struct uet_request *)at;
	uet_prologue_init(&h->prologue, sp->credits ? UET_RUD_CC_REQUEST : UET_RUD_REQUEST,
			  UET_NEXT_REQUEST, flags);
	roce_put32(h->psn, s->psn_base + index);
	roce_put16(h->spdcid, uet_pdcid(s->qp.qpn));
	roce_put16(h->dpdcid, uet_pdcid(a->peer_qpn));
	if (sp->credits)
		roce_put24(((struct uet_request_cc *)(h + 1))->target,
			   (uint32_t)((sprayed_need(s) + UET_CREDIT_BYTES - 1) / UET_CREDIT_BYTES));
	write_message(s, (struct uet_message *)(at + pds), index - place.begin, &place, payload);
}

// An answer of `bytes`, or NULL.
static struct rte_mbuf *
start_answer(struct nic *nic, const struct qp *qp, struct frame_address *a, uint32_t bytes,
	     uint8_t **at)
{
	struct rte_mbuf *m = packet_alloc(nic->node->packets);

	if (likely(m != NULL))
		start(nic, qp, m, a, bytes, bytes,
		      nic->ack_bytes != FRAME_SIZE_REAL ? (uint32_t)nic->ack_bytes
							: frame_bytes(a->network, bytes),
		      at);
	return m;
}

struct rte_mbuf *
uet_make_ack(struct nic *nic, struct receiver *r, const struct sprayed_answer *answer,
	     const struct sprayed_sack *sack)
{
	ps_t waited_ns = answer->waited / PS_PER_NS;
	struct uet_ack_cc *h;
	struct rte_mbuf *m;
	uint8_t *at;

	r->address.udp_sport = answer->sport;
	m = start_answer(nic, &r->qp, &r->address, sizeof(*h), &at);
	if (unlikely(m == NULL))
		return NULL;
	h = (struct uet_ack_cc *)at;
	uet_prologue_init(&h->prologue, UET_ACK_CC, UET_NEXT_NONE, answer_flags(answer));
	roce_put16(h->ack_psn_offset, sack->acked_psn - sack->cack_psn);
	roce_put32(h->cack_psn, sack->cack_psn);
	roce_put16(h->spdcid, uet_pdcid(r->qp.qpn));
	roce_put16(h->dpdcid, uet_pdcid(r->address.peer_qpn));
	h->cc_type_flags = nic->cold->config.uet.credits ? 1 << 4 : 0;
	h->mpr = sack->mpr;
	roce_put16(h->sack_psn_offset, sack->first_psn - sack->cack_psn);
	roce_put64(h->sack_bitmap, sack->bitmap);
	roce_put16(h->service_time, (uint32_t)(waited_ns < UINT16_MAX ? waited_ns : UINT16_MAX));
	roce_put24(h->received, (uint32_t)(sack->received_bytes / UET_CREDIT_BYTES));
	roce_put16(h->out_of_order, sack->out_of_order);
	return m;
}

struct rte_mbuf *
uet_make_nack(struct nic *nic, struct receiver *r, const struct sprayed_answer *answer,
	      uint8_t code, uint32_t psn)
{
	struct uet_nack *h;
	struct rte_mbuf *m;
	uint8_t *at;

	r->address.udp_sport = answer->sport;
	m = start_answer(nic, &r->qp, &r->address, sizeof(*h), &at);
	if (unlikely(m == NULL))
		return NULL;
	h = (struct uet_nack *)at;
	uet_prologue_init(&h->prologue, UET_NACK, UET_NEXT_NONE, answer_flags(answer));
	h->code = code;
	roce_put32(h->psn, psn);
	roce_put16(h->spdcid, uet_pdcid(r->qp.qpn));
	roce_put16(h->dpdcid, uet_pdcid(r->address.peer_qpn));
	return m;
}

struct rte_mbuf *
uet_make_credit(struct nic *nic, const struct qp *qp, struct frame_address *a,
		enum uet_control kind, uint64_t bytes)
{
	struct uet_credit *h;
	uint8_t *at;
	struct rte_mbuf *m = start_answer(nic, qp, a, sizeof(*h), &at);

	if (unlikely(m == NULL))
		return NULL;
	h = (struct uet_credit *)at;
	uet_prologue_init(&h->prologue, UET_CONTROL, kind, 0);
	roce_put16(h->spdcid, uet_pdcid(qp->qpn));
	roce_put16(h->dpdcid, uet_pdcid(a->peer_qpn));
	roce_put32(h->payload, (uint32_t)(bytes / UET_CREDIT_BYTES) & UET_CREDIT_MASK);
	return m;
}
