// SPDX-License-Identifier: BSD-3-Clause
// The requester of READs (InfiniBand Architecture Specification volume 1, sections 9.4.4, 9.7.5). A
// request takes as many PSNs as it has responses. Responses are placed as in a receiver
// (placement.c), but a reader sends no acknowledgements, and instead of a NAK it sends a new
// request for the missing packets: all of them, or in selective recovery the one packet. When no
// response has come for the retransmission time, it requests all missing packets again.
#include "reader.h"

#include "cnp.h"
#include "placement.h"
#include "read_requests.h"

static void
reader_start(struct nic *nic, struct reader *r, ps_t now)
{
	r->open = true;
	r->started = now - r->handover;
	r->received = 0;
	placement_begin_message(&r->receiver);
	read_requests_again(nic, r, 0);
	nic_set_timer(nic, &r->timer, now + nic->rto);
}

static void
reader_complete(struct nic *nic, struct reader *r, ps_t now)
{
	r->open = false;
	r->result.repetitions++;
	r->result.busy += now - r->started;
	timer_stop(&r->timer);
	if (--r->repetitions_left == 0) {
		r->result.completed = now;
		nic->cold->open_flows--;
	} else if (r->gap + r->handover != 0) {
		nic_set_timer(nic, &r->timer, now + r->gap + r->handover);
	} else {
		reader_start(nic, r, now);
	}
}

// The expected packet has come.
static void
take_expected(struct nic *nic, struct reader *r, ps_t now)
{
	struct receiver *place = &r->receiver;

	place->expected = psn_add(place->expected, 1);
	place->nak_sent = false;
	r->received++;
	if (unlikely(place->ahead != 0))
		r->received += placement_advance(nic, place, now).packets;
	if (r->received == r->packets) {
		reader_complete(nic, r, now);
		return;
	}
	if (unlikely((int32_t)(r->received - r->older_end) >= 0)) {
		placement_begin_message(place);
		place->begin = psn_add(place->expected, (int32_t)(r->older_end - r->received));
		r->older_end = r->requested;
		read_requests_more(nic, r);
	}
	nic_set_timer(nic, &r->timer, now + nic->rto);
}

void
reader_take(struct nic *nic, struct reader *r, uint32_t psn, bool ce, ps_t now)
{
	struct receiver *place = &r->receiver;
	int32_t distance = psn_diff(psn, place->expected);

	place->result.packets++;
	if (unlikely(ce))
		cnp_send(nic, place, now);
	if (unlikely(distance < 0 || !r->open || (uint32_t)distance >= r->requested - r->received))
		place->result.duplicates++; // or of no request at all
	else if (likely(distance == 0))
		take_expected(nic, r, now);
	else
		placement_take_ahead(nic, place, psn, (uint32_t)distance,
				     ROCE_OP_READ_RESPONSE_MIDDLE, now);
}

void
reader_take_nak(struct nic *nic, struct reader *r, uint32_t psn, ps_t now)
{
	int32_t distance = psn_diff(psn, r->receiver.expected);

	if (!r->open || distance < 0 || (uint32_t)distance >= r->requested - r->received)
		return;
	r->result.naks++;
	read_requests_again(nic, r, r->received + (uint32_t)distance);
	nic_set_timer(nic, &r->timer, now + nic->rto);
}

void
reader_timeout(struct nic *nic, struct reader *r, ps_t now)
{
	if (!r->open) {
		reader_start(nic, r, now);
		return;
	}
	r->result.timeouts++;
	if (r->receiver.qp.recovery == NIC_RECOVERY_GO_BACK_0)
		read_requests_forget(r);
	read_requests_again(nic, r, r->received);
	nic_set_timer(nic, &r->timer, now + nic->rto);
}
