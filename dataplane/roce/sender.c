// SPDX-License-Identifier: BSD-3-Clause
// The requester of WRITEs and SENDs over the reliable connection (InfiniBand Architecture
// Specification volume 1, section 9.7), and what a responder of READs has in common with it. A
// repetition of a flow is one message, or several of NIC_WRITE_PACKETS when it is long. Packets are
// made when the transmitter is free for them, from `next` on, so that going back to a packet is one
// store and nothing is queued. They keep their numbers, opcodes and PSNs when they are sent again.
//
// Recovery. Go-back-N: a NAK, or a timeout since the last progress, sets `next` back to the first
// packet that is not acknowledged. Selective: a NAK requests its own packet alone and acknowledges
// nothing; that packet goes before all others; a timeout goes back as above. Go-back-0: as
// go-back-N, but acknowledgements inside a message do not count, so that the sender always goes
// back to the first packet of a message.
//
// Features that few senders have (enum sender_special) take one check a packet, and are out of
// line.
#include "sender.h"

#include "message.h"
#include "mrc_frame.h"
#include "mrc_sender.h"
#include "pacing.h"
#include "program.h"
#include "resends.h"
#include "responder.h"
#include "sender_review.h"
#include "sprayed.h"
#include "sprayed_timeout.h"
#include "uet_frame.h"

static int32_t
after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

// The packet `next` counts as sent.
static inline void
sender_advance(struct nic *nic, struct sender *s, ps_t now)
{
	s->next++;
	if (likely(after(s->next, s->high) > 0))
		s->high = s->next;
	else
		s->result.retransmitted++;
	if (s->timer.due == PS_NEVER)
		nic_set_timer(nic, &s->timer, now + nic->rto);
}

// A packet that goes again by itself.
static void
write_single(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index)
{
	if (s->special & SENDER_RESPONDER) {
		struct request single = responder_single(s, index);

		message_write(nic, s, m, index, single.begin, single.end, single.last_payload);
	} else if (s->special & SENDER_PROGRAM) {
		struct message_place place = message_place_find(s, index);

		message_write(nic, s, m, index, place.begin, place.end, place.last_payload);
	} else {
		message_write(nic, s, m, index, s->begin, s->end, s->last_payload);
	}
}

// The next packet of a sender whose packets are acknowledged singly.
static __attribute__((noinline)) struct rte_mbuf *
make_sprayed(struct nic *nic, struct sender *s, ps_t now)
{
	struct rte_mbuf *m = packet_alloc(nic->node->packets);
	struct sprayed_place place = {s->begin, s->end, s->last_payload};
	uint32_t index = s->next;
	struct sprayed *sp = s->cold->sprayed;
	struct mrc_sender *mrc = sp->mrc;
	uint16_t entropy = mrc != NULL ? mrc_sender_next(mrc) : entropy_next(&sp->entropy);
	bool ask;

	if (s->special & SENDER_RESENDS) {
		index = resends_take(s->cold->resends);
		if (s->cold->resends->count == 0)
			s->special &= (uint8_t)~SENDER_RESENDS;
		if (s->special & SENDER_PROGRAM) {
			struct message_place found = message_place_find(s, index);

			place = (struct sprayed_place){found.begin, found.end, found.last_payload};
		}
	}
	ask = sprayed_asks(s, index);
	if (ask)
		sp->asked = index;
	if (likely(m != NULL)) {
		if (mrc != NULL)
			mrc_write(nic, s, m, index, place, entropy, ask);
		else
			uet_write(nic, s, m, index, place, entropy, ask);
	}
	if (index == s->next)
		sender_advance(nic, s, now);
	else
		s->result.retransmitted++;
	sprayed_sent(nic, s, index, entropy, now);
	if (mrc != NULL)
		mrc_sender_turn(nic, mrc);
	sender_review_until(nic, s, now, now);
	if (mrc != NULL)
		mrc_sender_wake(nic, s, now);
	return m;
}

static __attribute__((noinline)) struct rte_mbuf *
make_special(struct nic *nic, struct sender *s, ps_t now)
{
	const struct port_profile *profile = nic_port_of(nic, &s->qp)->port->profile;
	struct rte_mbuf *m = packet_alloc(nic->node->packets);
	uint32_t index = s->next;
	bool again = true;
	ps_t horizon = now;

	if (s->special & SENDER_RESENDS) {
		index = resends_take(s->cold->resends);
		if (s->cold->resends->count == 0)
			s->special &= (uint8_t)~SENDER_RESENDS;
		if (likely(m != NULL))
			write_single(nic, s, m, index);
		s->result.retransmitted++;
	} else {
		again = index != s->high;
		if (likely(m != NULL))
			message_write(nic, s, m, index, s->begin, s->end, s->last_payload);
		sender_advance(nic, s, now);
		if (s->special & SENDER_RESPONDER)
			s->acked = s->next; // nothing acknowledges responses
	}
	if (s->special & SENDER_PACED && m != NULL) {
		uint32_t occupancy = packet_meta(m)->wire_bytes + profile->preamble + profile->fcs +
				     profile->gap;

		if (pacing_times(s, index, again, now))
			message_request_ack(m);
		pacing_sent(s, occupancy, now);
		horizon = now + time_of_bytes(profile->byte_time, occupancy);
	}
	sender_review_until(nic, s, now, horizon);
	return m;
}

struct rte_mbuf *
sender_make(struct nic *nic, struct sender *s, ps_t now)
{
	struct rte_mbuf *m;

	if (unlikely(s->special & ~SENDER_PROGRAM))
		return s->special & SENDER_SPRAYED ? make_sprayed(nic, s, now)
						   : make_special(nic, s, now);
	m = packet_alloc(nic->node->packets);
	if (likely(m != NULL))
		message_write(nic, s, m, s->next, s->begin, s->end, s->last_payload);
	sender_advance(nic, s, now);
	if (!sender_has_next(s))
		sender_review_until(nic, s, now, now);
	return m;
}

static void
sender_start(struct nic *nic, struct sender *s, ps_t now)
{
	s->open = true;
	s->started = now - s->handover;
	s->begin = s->end;
	s->end += s->packets;
	sender_review(nic, s, now);
}

// The repetition's last byte was acknowledged.
static void
sender_complete(struct nic *nic, struct sender *s, ps_t now)
{
	s->open = false;
	s->result.repetitions++;
	s->result.busy += now - s->started;
	timer_stop(&s->timer);
	sender_review(nic, s, now);
	if (--s->repetitions_left == 0) {
		s->result.completed = now;
		nic->cold->open_flows--;
	} else if (s->gap + s->handover != 0) {
		nic_set_timer(nic, &s->timer, now + s->gap + s->handover);
	} else {
		sender_start(nic, s, now);
	}
}

// Whether the step of `acked` from `before` stays inside the message that `next` is in: then no
// message of a program has become complete, and what is kept of them need not be looked at.
static bool
inside_message(const struct sender *s, uint32_t before)
{
	return after(before, s->begin) >= 0 && after(s->acked, s->end) < 0;
}

// `acked` has moved on, for a sender that has more to do then.
static __attribute__((noinline)) void
special_progress(struct nic *nic, struct sender *s, uint32_t before, ps_t now)
{
	if (s->special & SENDER_PACED)
		pacing_acknowledged(s, s->acked, now);
	if (s->special & SENDER_RESENDS) {
		resends_forget(s->cold->resends, s->acked);
		if (s->cold->resends->count == 0)
			s->special &= (uint8_t)~SENDER_RESENDS;
	}
	if (s->special & SENDER_PROGRAM && !inside_message(s, before))
		program_acked(nic, s, now);
}

void
sender_arrived(struct nic *nic, struct sender *s, uint32_t index, ps_t now)
{
	uint32_t before = s->acked;

	s->acked = index;
	// It had gone back, and what it was to send again has arrived after all.
	if (unlikely(after(s->next, index) < 0))
		s->next = index;
	if (unlikely(s->special != 0))
		special_progress(nic, s, before, now);
	if (index == s->end && !(s->special & SENDER_PROGRAM)) {
		sender_complete(nic, s, now);
		return;
	}
	if (likely(s->special == 0))
		sender_review_until(nic, s, now, now);
	else
		sender_review(nic, s, now);
	if (s->acked == s->next)
		timer_stop(&s->timer);
	else
		nic_set_timer(nic, &s->timer, now + nic->rto);
}

// The first packet of the WRITE or SEND that packet `index` is in, or `index` itself where one
// ends; all before it were sent.
static uint32_t
first_of_message(struct sender *s, uint32_t index)
{
	uint32_t begin = s->begin, end = s->end;

	if (s->special & SENDER_PROGRAM && after(s->high, index) > 0) {
		struct message_place place = message_place_find(s, index);

		begin = place.begin;
		end = place.end;
	}
	if (index == end || after(index, begin) < 0)
		return index;
	return begin + ((index - begin) & ~(NIC_WRITE_PACKETS - 1));
}

void
sender_acknowledge(struct nic *nic, struct sender *s, uint32_t psn, ps_t now)
{
	int32_t count = psn_diff(psn, s->psn_base + s->acked) + 1;
	uint32_t index = s->acked + (uint32_t)count;

	// An old acknowledgement, or one of something that was never sent.
	if (count <= 0 || after(index, s->high) > 0)
		return;
	if (unlikely(s->qp.recovery == NIC_RECOVERY_GO_BACK_0)) {
		bool all = index == s->next;

		if (s->special & SENDER_PACED)
			pacing_acknowledged(s, index, now);
		index = first_of_message(s, index);
		if (after(index, s->acked) <= 0) {
			// No progress that would count, but a sign of life; and what is not under
			// way cannot be lost, however long the next packet has to wait.
			if (all)
				timer_stop(&s->timer);
			else if (s->timer.due != PS_NEVER)
				nic_set_timer(nic, &s->timer, now + nic->rto);
			sender_review(nic, s, now);
			return;
		}
	}
	sender_arrived(nic, s, index, now);
}

static void
sender_send_again(struct nic *nic, struct sender *s, ps_t now)
{
	s->next = s->acked;
	resends_drop(s);
	if (s->special & SENDER_PROGRAM)
		message_place_rewind(s);
	if (s->special & SENDER_PACED) {
		s->cold->pacing->heard = s->acked;
		pacing_resends(s, s->acked);
		pacing_lost(s, now);
	}
	timer_stop(&s->timer); // runs again from the next packet sent
	sender_review(nic, s, now);
}

// Selective recovery: the packet goes again, unless it is going to anyway.
static void
sender_send_single(struct nic *nic, struct sender *s, uint32_t index, ps_t now)
{
	if (after(s->next, index) <= 0 || !resends_add(s->cold->resends, index))
		return;
	s->special |= SENDER_RESENDS;
	if (s->special & SENDER_PACED) {
		pacing_resends(s, index);
		pacing_lost(s, now);
	}
	sender_review(nic, s, now);
}

void
sender_take_nak(struct nic *nic, struct sender *s, uint32_t psn, ps_t now)
{
	int32_t count = psn_diff(psn, s->psn_base + s->acked);
	uint32_t index = s->acked + (uint32_t)count;

	if (count < 0 || after(index, s->high) >= 0)
		return;
	s->result.naks++;
	if (s->qp.recovery == NIC_RECOVERY_SELECTIVE) {
		sender_send_single(nic, s, index, now);
		return;
	}
	if (s->qp.recovery == NIC_RECOVERY_GO_BACK_0)
		index = first_of_message(s, index);
	if (after(index, s->acked) > 0)
		sender_arrived(nic, s, index, now);
	sender_send_again(nic, s, now);
}

void
sender_take_cnp(struct nic *nic, struct sender *s, ps_t now)
{
	s->result.cnps++;
	if (s->special & SENDER_PACED) {
		pacing_notified(s, now);
		sender_review(nic, s, now);
	}
}

void
sender_timeout(struct nic *nic, struct sender *s, ps_t now)
{
	if (!s->open) {
		sender_start(nic, s, now);
		return;
	}
	if (s->special & SENDER_SPRAYED) {
		sprayed_timeout(nic, s, now);
		return;
	}
	s->result.timeouts++;
	sender_send_again(nic, s, now);
}

void
sender_pacing_timeout(struct nic *nic, struct pacing *p, ps_t now)
{
	pacing_run(p, now);
	sender_review(nic, p->sender, now);
}

int
sender_take_request(struct nic *nic, struct sender *s, uint32_t psn, uint32_t bytes, ps_t now)
{
	bool taken = false;
	int verdict = responder_take(nic, s, psn, bytes, &taken);

	if (taken)
		sender_review(nic, s, now);
	return verdict;
}
