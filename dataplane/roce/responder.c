// SPDX-License-Identifier: BSD-3-Clause
// The responder of READs (InfiniBand Architecture Specification volume 1, sections 9.4.4, 9.7.5).
// Responses have the PSNs from the request's on, and nothing acknowledges them; a requester that
// misses one requests it again. So the responder keeps only the requests in progress.
//
// A request behind the last one waits for its turn. A request for packets that were requested
// before ends the one in progress and is answered from there on: that is how the requester goes
// back. In selective recovery, a request for one such packet is answered by that packet and changes
// nothing else. A request ahead of all others means that one was lost: a NAK reports that, once.
#include "responder.h"

#include "resends.h"

#define INVERSE_BITS 44

void
responder_init(struct responder *r, uint16_t path_mtu)
{
	r->inverse = (UINT64_C(1) << INVERSE_BITS) / path_mtu + 1;
}

// Packets of so many bytes, NIC_WRITE_PACKETS at most. The inverse is too large by less than 2^-44,
// the quotient by less than 2^30 times that: too little to reach the next whole number.
static uint32_t
packets_of(const struct responder *r, uint32_t bytes)
{
	__extension__ typedef unsigned __int128 wide;

	return bytes == 0 ? 1 : (uint32_t)((wide)(bytes - 1) * r->inverse >> INVERSE_BITS) + 1;
}

static void
send_nak(struct nic *nic, struct sender *s, struct responder *r)
{
	struct nic_port *np = nic_port_of(nic, &s->qp);

	if (r->nak_sent)
		return;
	r->nak_sent = true;
	nic_respond(np,
		    frame_make_ack(nic->node->packets, nic_template(np, &s->address), &s->address,
				   frame_ack_bytes(s->address.network, nic->ack_bytes),
				   s->psn_base + r->limit, ROCE_SYNDROME_NAK_PSN_SEQUENCE, r->msn));
}

static void
go_back(struct sender *s, struct responder *r, const struct request *request)
{
	r->count = 0;
	s->begin = s->next = s->acked = request->begin;
	s->end = request->end;
	s->last_payload = request->last_payload;
	resends_drop(s);
}

static void
send_single(struct sender *s, struct responder *r, const struct request *request)
{
	// A packet that is still to be sent needs nothing.
	if ((int32_t)(s->next - request->begin) <= 0 ||
	    !resends_add(s->cold->resends, request->begin))
		return;
	if (request->last_payload != s->path_mtu) {
		r->short_at = request->begin;
		r->short_payload = request->last_payload;
	}
	s->special |= SENDER_RESENDS;
}

int
responder_take(struct nic *nic, struct sender *s, uint32_t psn, uint32_t bytes, bool *taken)
{
	struct responder *r = s->cold->responder;
	int32_t behind = psn_diff(psn, s->psn_base + r->tail),
		beyond = psn_diff(psn, s->psn_base + r->limit);
	struct request request;
	uint32_t packets;

	if (bytes > (uint64_t)NIC_WRITE_PACKETS * s->path_mtu)
		return DROP_MALFORMED;
	if (beyond > 0) {
		send_nak(nic, s, r);
		return -1;
	}
	packets = packets_of(r, bytes);
	request.begin = r->limit + (uint32_t)beyond;
	request.end = request.begin + packets;
	request.last_payload = (uint16_t)(bytes - (packets - 1) * s->path_mtu);
	if (behind == 0 && r->count == RESPONDER_REQUESTS)
		return -1; // more than were agreed on
	*taken = true;
	r->nak_sent = false;
	if (behind == 0) {
		r->waiting[(r->first + r->count++) % RESPONDER_REQUESTS] = request;
	} else if (s->qp.recovery == NIC_RECOVERY_SELECTIVE && packets == 1) {
		send_single(s, r, &request);
		return -1;
	} else {
		go_back(s, r, &request);
	}
	r->tail = request.end;
	if ((int32_t)(r->tail - r->limit) > 0) {
		r->limit = r->tail;
		r->msn++; // not for a duplicate (section 9.7.7.1)
	}
	return -1;
}

void
responder_next(struct sender *s)
{
	struct responder *r = s->cold->responder;
	const struct request *request = &r->waiting[r->first];

	if (r->count == 0)
		return;
	r->first = (r->first + 1) % RESPONDER_REQUESTS;
	r->count--;
	s->begin = s->next = s->acked = request->begin;
	s->end = request->end;
	s->last_payload = request->last_payload;
}

struct request
responder_single(const struct sender *s, uint32_t index)
{
	const struct responder *r = s->cold->responder;

	return (struct request){
		.begin = index,
		.end = index + 1,
		.last_payload = index == r->short_at ? r->short_payload : s->path_mtu,
	};
}
