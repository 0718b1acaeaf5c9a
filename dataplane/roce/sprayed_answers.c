// SPDX-License-Identifier: BSD-3-Clause
#include "sprayed_answers.h"

#include "pacing.h"
#include "sender.h"
#include "sender_review.h"

static bool
under_way(const struct sender *s, uint32_t index)
{
	return (int32_t)(index - s->acked) >= 0 && (int32_t)(s->next - index) > 0;
}

// The entropy value of the packet that caused an acknowledgement, which may be acknowledged
// already.
static void
learn(struct sender *s, uint32_t index, bool marked)
{
	struct sprayed *sp = s->cold->sprayed;

	if (s->next - index - 1 > sp->mask)
		return;
	sprayed_learn(sp, sprayed_packet_at(sp, index)->entropy,
		      marked ? ENTROPY_MARKED : ENTROPY_GOOD);
}

static void
feed_back(struct sender *s, uint32_t arrived, ps_t round_trip, bool marked, ps_t now)
{
	struct congestion *c = &s->cold->pacing->c;
	const struct congestion_feedback f = {
		.bytes = (uint64_t)arrived * s->path_mtu,
		.in_flight = (uint64_t)s->cold->sprayed->in_flight * s->path_mtu,
		.round_trip = round_trip,
		.marked = marked,
	};

	if (c->algorithm->fed_back != NULL)
		c->algorithm->fed_back(c, &f, now);
}

void
sprayed_take_ack(struct nic *nic, struct sender *s, const struct sprayed_ack *a, ps_t now)
{
	uint32_t before = s->acked, arrived = 0;
	ps_t round_trip = 0;

	if ((int32_t)(a->end - s->next) > 0)
		return; // of something that was never sent
	if (a->of_packet && under_way(s, a->acked))
		round_trip = sprayed_round_trip(s->cold->sprayed, a->acked, now);
	round_trip = round_trip > a->waited ? round_trip - a->waited : 0;
	for (uint32_t i = before; (int32_t)(a->end - i) > 0; i++)
		arrived += sprayed_arrived(s, i);
	for (uint64_t bitmap = a->bitmap; bitmap != 0; bitmap &= bitmap - 1) {
		uint32_t i = a->first + (uint32_t)__builtin_ctzll(bitmap);

		if (under_way(s, i))
			arrived += sprayed_arrived(s, i);
	}
	if (a->of_packet && under_way(s, a->acked))
		arrived += sprayed_arrived(s, a->acked);
	if (a->of_packet)
		learn(s, a->acked, a->marked);
	if (s->special & SENDER_PACED && (a->of_packet || arrived != 0))
		feed_back(s, arrived, round_trip, a->marked, now);
	if ((int32_t)(a->end - before) > 0)
		sender_arrived(nic, s, a->end, now);
	sender_review(nic, s, now);
}

void
sprayed_take_nack(struct nic *nic, struct sender *s, const struct sprayed_nack *n, ps_t now)
{
	const struct sprayed *sp = s->cold->sprayed;
	uint64_t in_flight = (uint64_t)sp->in_flight * s->path_mtu;
	struct congestion *c;

	// One that is answered already, or that has been sent again since.
	if (!under_way(s, n->index) || n->resent != (sprayed_packet_at(sp, n->index)->sends > 1))
		return;
	if (n->early) {
		// There may be no room before what is missing has arrived: the timer sends it
		// again.
		if (sprayed_packet_at(sp, n->index)->state == SPRAYED_IN_FLIGHT) {
			s->result.naks++;
			learn(s, n->index, false);
		}
		return;
	}
	if (!sprayed_lose(s, n->index, n->news))
		return;
	s->result.naks++;
	if (s->special & SENDER_PACED && n->trimmed) {
		c = &s->cold->pacing->c;
		if (c->algorithm->trimmed != NULL)
			c->algorithm->trimmed(c, s->path_mtu, in_flight, now);
	}
	sender_review(nic, s, now);
}
