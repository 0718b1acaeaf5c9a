// SPDX-License-Identifier: BSD-3-Clause
// Reliable unordered delivery at the target. A packet within the window of PSNs is placed when it
// arrives, in any order; messages complete in order. It is acknowledged with the next ones: every
// ack_every packets, and at once when it came with CE, when the sender asks for it, when it makes a
// message complete, and for a duplicate. An acknowledgement names the last PSN before
// which nothing is missing, the packet that caused it, and 64 PSNs of which it says which have
// arrived. Those are chosen so that every packet is among them once: when the packets that wait to
// be acknowledged would not fit, what there is goes first. A trimmed packet is answered by a NACK.
#include "uet_receiver.h"

#include "mrc_frame.h"
#include "program.h"
#include "uet_credit.h"
#include "uet_frame.h"

#define SACK_PSNS 64

void
uet_receiver_renew(struct uet_receiver *u)
{
	*u = (struct uet_receiver){.receiver = u->receiver};
}

static uint64_t *
ring_word(uint64_t *ring, const struct receiver *r, uint32_t psn, uint64_t *bit)
{
	uint32_t slot = psn & r->ring_mask;

	*bit = UINT64_C(1) << slot % 64;
	return &ring[slot / 64];
}

static bool
is_placed(const struct receiver *r, uint32_t psn)
{
	uint64_t bit, *word = ring_word(r->placed, r, psn, &bit);

	return *word & bit;
}

// The 64 bits of the ring from a PSN on that is within it. Beyond its end none has arrived: those
// bits belong to what is expected first.
static uint64_t
placed_from(const struct receiver *r, uint32_t psn)
{
	uint32_t slot = psn & r->ring_mask, words = (r->ring_mask + 1) / 64;
	uint32_t within = r->expected + r->ring_mask + 1 - psn;
	uint64_t bits = r->placed[slot / 64] >> slot % 64;

	if (slot % 64 != 0)
		bits |= r->placed[(slot / 64 + 1) % words] << (64 - slot % 64);
	return within < 64 ? bits & ((UINT64_C(1) << within) - 1) : bits;
}

static bool
speaks_mrc(const struct nic *nic)
{
	return nic->cold->config.transport == NIC_TRANSPORT_MRC;
}

// What has arrived, with a bitmap that begins at `first` or later.
static struct uet_sack
report(const struct uet_receiver *u, uint32_t psn, uint32_t first)
{
	const struct receiver *r = &u->receiver;
	struct uet_sack sack = {
		.cack_psn = r->expected - 1,
		.acked_psn = psn,
		.received_bytes = u->received_bytes,
		.out_of_order = r->ahead,
		.mpr = (uint8_t)(r->ring_mask / UET_MPR_UNIT < UINT8_MAX
					 ? r->ring_mask / UET_MPR_UNIT
					 : UINT8_MAX),
	};

	if ((int32_t)(first - r->expected) < 0)
		first = r->expected;
	sack.first_psn = first;
	sack.bitmap = r->ahead != 0 ? placed_from(r, first) : 0;
	return sack;
}

static void
acknowledge(struct nic *nic, struct uet_receiver *u, uint32_t psn, const struct uet_answer *answer)
{
	struct uet_sack sack = report(u, psn, u->pending != 0 ? u->lowest : psn);
	struct receiver *r = &u->receiver;

	u->pending = 0;
	nic_respond(nic_port_of(nic, &r->qp), speaks_mrc(nic)
						      ? mrc_make_sack(nic, u, answer, &sack)
						      : uet_make_ack(nic, r, answer, &sack));
}

static void
refuse(struct nic *nic, struct uet_receiver *u, const struct uet_answer *answer, uint8_t code,
       uint32_t psn)
{
	struct receiver *r = &u->receiver;

	r->result.naks++;
	nic_respond(nic_port_of(nic, &r->qp), speaks_mrc(nic)
						      ? mrc_make_nack(nic, u, answer, code, psn)
						      : uet_make_nack(nic, r, answer, code, psn));
}

void
uet_receiver_probed(struct nic *nic, struct uet_receiver *u, const struct uet_answer *answer,
		    uint16_t number)
{
	struct receiver *r = &u->receiver;
	struct uet_sack sack = report(u, r->expected, r->expected);

	nic_respond(nic_port_of(nic, &r->qp), mrc_make_probed(nic, u, answer, &sack, number));
}

static struct uet_answer
answer_to(const struct uet_data *d)
{
	return (struct uet_answer){
		.sport = d->sport,
		.label = d->label,
		.flags = (uint8_t)((d->marked ? UET_ANSWER_MARKED : 0) |
				   (d->resent ? UET_ANSWER_RETX : 0)),
	};
}

// Keeps a packet of the window for the next acknowledgement.
static void
note_pending(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now)
{
	uint32_t lowest = d->psn, highest = d->psn;

	if (u->pending != 0) {
		if ((int32_t)(u->lowest - lowest) < 0)
			lowest = u->lowest;
		if ((int32_t)(u->highest - highest) > 0)
			highest = u->highest;
		if (highest - lowest >= SACK_PSNS) {
			struct uet_answer answer = {.sport = u->last_sport,
						    .label = u->last_label,
						    .waited = now - u->last_at};

			acknowledge(nic, u, u->last, &answer);
			lowest = highest = d->psn;
		}
	}
	u->lowest = lowest;
	u->highest = highest;
	u->last = d->psn;
	u->last_sport = d->sport;
	u->last_label = d->label;
	u->last_at = now;
	u->pending++;
}

static void
place(struct receiver *r, const struct uet_data *d)
{
	uint64_t bit, *word = ring_word(r->placed, r, d->psn, &bit);

	*word |= bit;
	r->ahead++;
	if (!(d->message & UET_MESSAGE_END))
		return;
	*ring_word(r->ends, r, d->psn, &bit) |= bit;
	if (d->message & UET_MESSAGE_DATA && r->cold != NULL && r->cold->immediates != NULL)
		*ring_word(r->cold->immediates, r, d->psn, &bit) |= bit;
}

static bool
take_bit(uint64_t *ring, const struct receiver *r, uint32_t psn)
{
	uint64_t bit, *word;

	if (ring == NULL)
		return false;
	word = ring_word(ring, r, psn, &bit);
	if (!(*word & bit))
		return false;
	*word &= ~bit;
	return true;
}

// Moves past what has arrived; *ended: messages. Returns how many of them a program waits for.
static uint32_t
advance(struct receiver *r, uint32_t *ended)
{
	uint32_t immediates = 0;

	while (r->ahead != 0 && take_bit(r->placed, r, r->expected)) {
		uint32_t psn = r->expected++;

		r->ahead--;
		if (!take_bit(r->ends, r, psn))
			continue;
		r->begin = r->expected;
		r->msn++;
		++*ended;
		immediates += take_bit(r->cold != NULL ? r->cold->immediates : NULL, r, psn);
	}
	return immediates;
}

static void
take_new(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now)
{
	struct uet_answer answer = answer_to(d);
	struct receiver *r = &u->receiver;
	uint32_t ended = 0, immediates, distance = d->psn - r->expected;

	if (distance != 0) {
		r->result.out_of_order++;
		if (distance > r->result.reorder_max)
			r->result.reorder_max = distance;
	}
	u->received_bytes += d->payload;
	note_pending(nic, u, d, now);
	place(r, d);
	immediates = advance(r, &ended);
	if (d->marked || d->asks || ended != 0 || u->pending >= nic->cold->config.uet.ack_every)
		acknowledge(nic, u, d->psn, &answer);
	if (immediates != 0 && r->cold != NULL && r->cold->feeder.inbox != NULL)
		while (immediates-- != 0)
			program_received(nic, &r->cold->feeder, now);
}

void
uet_receiver_take(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now)
{
	struct uet_answer answer = answer_to(d);
	struct receiver *r = &u->receiver;
	int32_t distance = (int32_t)(d->psn - r->expected);

	if (d->has_target)
		uet_credit_need(nic, u, d, now);
	if (distance >= 0 && (uint32_t)distance >= nic->cold->config.reorder_window) {
		refuse(nic, u, &answer, UET_NACK_OUT_OF_WINDOW, d->psn);
		return;
	}
	if (distance < 0 || is_placed(r, d->psn)) {
		r->result.packets += !d->trimmed;
		r->result.duplicates += !d->trimmed;
		acknowledge(nic, u, d->psn, &answer);
	} else if (d->trimmed) {
		uet_credit_trimmed(nic, u, now);
		refuse(nic, u, &answer, UET_NACK_TRIMMED, d->psn);
	} else {
		r->result.packets++;
		take_new(nic, u, d, now);
	}
}
