// SPDX-License-Identifier: BSD-3-Clause
// Reliable unordered delivery at the target, for Ultra Ethernet Transport and Multipath Reliable
// Connection. A packet within the window of PSNs is placed when it arrives, in any order; messages
// complete in order. It is acknowledged with the next ones: every ack_every packets, and at once
// when it came with CE, when the sender asks for it, when it makes a message complete, and for a
// duplicate. An acknowledgement names the last PSN before which nothing is missing, the packet that
// caused it, and 64 PSNs of which it says which have arrived. Those are chosen so that every packet
// is among them once: when the packets that wait to be acknowledged would not fit, what there is
// goes first. A trimmed packet is answered by a NACK.
#include "sprayed_receiver.h"

#include "mrc_frame.h"
#include "program.h"
#include "uet_credit.h"
#include "uet_frame.h"

#define SACK_PSNS 64
#define MPR_UNIT 128u // PSNs

_Static_assert(MPR_UNIT == UET_MPR_UNIT && MPR_UNIT == MRC_MPR_UNIT, "transports count alike");

void
sprayed_receiver_renew(struct sprayed_receiver *sr)
{
	*sr = (struct sprayed_receiver){.receiver = sr->receiver};
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
static struct sprayed_sack
report(const struct sprayed_receiver *sr, uint32_t psn, uint32_t first)
{
	const struct receiver *r = &sr->receiver;
	struct sprayed_sack sack = {
		.cack_psn = r->expected - 1,
		.acked_psn = psn,
		.received_bytes = sr->received_bytes,
		.out_of_order = r->ahead,
		.mpr = (uint8_t)(r->ring_mask / MPR_UNIT < UINT8_MAX ? r->ring_mask / MPR_UNIT
								     : UINT8_MAX),
	};

	if ((int32_t)(first - r->expected) < 0)
		first = r->expected;
	sack.first_psn = first;
	sack.bitmap = r->ahead != 0 ? placed_from(r, first) : 0;
	return sack;
}

static void
acknowledge(struct nic *nic, struct sprayed_receiver *sr, uint32_t psn,
	    const struct sprayed_answer *answer)
{
	struct sprayed_sack sack = report(sr, psn, sr->pending != 0 ? sr->lowest : psn);
	struct receiver *r = &sr->receiver;

	sr->pending = 0;
	nic_respond(nic_port_of(nic, &r->qp), speaks_mrc(nic)
						      ? mrc_make_sack(nic, sr, answer, &sack)
						      : uet_make_ack(nic, r, answer, &sack));
}

static void
refuse(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_answer *answer,
       enum sprayed_refusal why, uint32_t psn)
{
	struct receiver *r = &sr->receiver;

	r->result.naks++;
	nic_respond(nic_port_of(nic, &r->qp), speaks_mrc(nic)
						      ? mrc_make_nack(nic, sr, answer, why, psn)
						      : uet_make_nack(nic, r, answer, why, psn));
}

void
sprayed_receiver_probed(struct nic *nic, struct sprayed_receiver *sr,
			const struct sprayed_answer *answer, uint16_t number)
{
	struct receiver *r = &sr->receiver;
	struct sprayed_sack sack = report(sr, r->expected, r->expected);

	nic_respond(nic_port_of(nic, &r->qp), mrc_make_probed(nic, sr, answer, &sack, number));
}

static struct sprayed_answer
answer_to(const struct sprayed_data *d)
{
	return (struct sprayed_answer){
		.sport = d->sport,
		.label = d->label,
		.marked = d->marked,
		.resent = d->resent,
	};
}

// Keeps a packet of the window for the next acknowledgement.
static void
note_pending(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_data *d, ps_t now)
{
	uint32_t lowest = d->psn, highest = d->psn;

	if (sr->pending != 0) {
		if ((int32_t)(sr->lowest - lowest) < 0)
			lowest = sr->lowest;
		if ((int32_t)(sr->highest - highest) > 0)
			highest = sr->highest;
		if (highest - lowest >= SACK_PSNS) {
			struct sprayed_answer answer = {.sport = sr->last_sport,
							.label = sr->last_label,
							.waited = now - sr->last_at};

			acknowledge(nic, sr, sr->last, &answer);
			lowest = highest = d->psn;
		}
	}
	sr->lowest = lowest;
	sr->highest = highest;
	sr->last = d->psn;
	sr->last_sport = d->sport;
	sr->last_label = d->label;
	sr->last_at = now;
	sr->pending++;
}

static void
place(struct receiver *r, const struct sprayed_data *d)
{
	uint64_t bit, *word = ring_word(r->placed, r, d->psn, &bit);

	*word |= bit;
	r->ahead++;
	if (!d->ends)
		return;
	*ring_word(r->ends, r, d->psn, &bit) |= bit;
	if (d->immediate && r->cold != NULL && r->cold->immediates != NULL)
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
take_new(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_data *d, ps_t now)
{
	struct sprayed_answer answer = answer_to(d);
	struct receiver *r = &sr->receiver;
	uint32_t ended = 0, immediates, distance = d->psn - r->expected;

	if (distance != 0) {
		r->result.out_of_order++;
		if (distance > r->result.reorder_max)
			r->result.reorder_max = distance;
	}
	sr->received_bytes += d->payload;
	note_pending(nic, sr, d, now);
	place(r, d);
	immediates = advance(r, &ended);
	if (d->marked || d->asks || ended != 0 ||
	    sr->pending >= nic->cold->config.sprayed.ack_every)
		acknowledge(nic, sr, d->psn, &answer);
	if (immediates != 0 && r->cold != NULL && r->cold->feeder.inbox != NULL)
		while (immediates-- != 0)
			program_received(nic, &r->cold->feeder, now);
}

void
sprayed_receiver_take(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_data *d,
		      ps_t now)
{
	struct sprayed_answer answer = answer_to(d);
	struct receiver *r = &sr->receiver;
	int32_t distance = (int32_t)(d->psn - r->expected);

	if (d->has_target)
		uet_credit_need(nic, sr, d, now);
	if (distance >= 0 && (uint32_t)distance >= nic->cold->config.reorder_window) {
		refuse(nic, sr, &answer, SPRAYED_REFUSED_OUT_OF_WINDOW, d->psn);
		return;
	}
	if (distance < 0 || is_placed(r, d->psn)) {
		r->result.packets += !d->trimmed;
		r->result.duplicates += !d->trimmed;
		acknowledge(nic, sr, d->psn, &answer);
	} else if (d->trimmed) {
		uet_credit_trimmed(nic, sr, now);
		refuse(nic, sr, &answer, SPRAYED_REFUSED_TRIMMED, d->psn);
	} else {
		r->result.packets++;
		take_new(nic, sr, d, now);
	}
}
