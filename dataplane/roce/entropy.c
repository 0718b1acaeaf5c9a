// SPDX-License-Identifier: BSD-3-Clause
// Sources: REPS (Bonato et al., "REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing
// and Failure Mitigation", 2025) and the UEC's simulator (uet-htsim, htsim/sim/uec_mp.cpp), whose
// words for what is here are oblivious, REPS and mixed.
//
// Oblivious: values in turn, each round in another order, so that senders that begin together do
// not stay in step. REPS: a value whose packet came back without a mark is used again, once; if
// there is none, a random one. Mixed: such a value; if there is none, the next of the round that
// has no penalty. A mark is a penalty of 1, a trimmed packet one of 4, a lost packet one of 15,
// which is the largest. For each packet that passes penalized values over, the first of them loses
// 1.
//
// The ring of good values holds as many as there are values; a further one is not kept.
#include "entropy.h"

#include <rte_branch_prediction.h>

#include <stdbool.h>
#include <string.h>

#define PENALTY_MAX 15u

size_t
entropy_bytes(uint16_t values)
{
	return values * (sizeof(uint16_t) + sizeof(uint8_t));
}

static void
new_round(struct entropy *e)
{
	e->turn = 0;
	e->order = (uint16_t)(random_u32(&e->random) & e->mask);
}

void
entropy_init(struct entropy *e, enum entropy_mode mode, uint16_t values, struct random random,
	     void *memory)
{
	*e = (struct entropy){
		.random = random,
		.mode = (uint8_t)mode,
		.mask = (uint16_t)(values - 1),
		.good = memory,
		.penalties = (uint8_t *)((uint16_t *)memory + values),
	};
	memset(e->penalties, 0, values);
	new_round(e);
}

static uint16_t
next_in_turn(struct entropy *e)
{
	uint16_t value = e->turn ^ e->order;

	if (unlikely(e->turn++ == e->mask))
		new_round(e);
	return value;
}

// One that has no penalty, or any if all have.
static uint16_t
next_without_penalty(struct entropy *e)
{
	uint16_t value = next_in_turn(e);

	if (likely(e->penalties[value] == 0))
		return value;
	e->penalties[value]--;
	value = next_in_turn(e);
	for (uint32_t i = 0; i <= e->mask && e->penalties[value] != 0; i++)
		value = next_in_turn(e);
	return value;
}

uint16_t
entropy_next(struct entropy *e)
{
	uint16_t value;

	if (e->mode == ENTROPY_ROUND)
		return next_in_turn(e);
	if (e->count == 0)
		return e->mode == ENTROPY_REPS ? (uint16_t)(random_u32(&e->random) & e->mask)
					       : next_without_penalty(e);
	value = e->good[e->first & e->mask];
	e->first++;
	e->count--;
	return value;
}

void
entropy_learn(struct entropy *e, uint16_t value, enum entropy_news news)
{
	static const uint8_t penalties[] = {
		[ENTROPY_GOOD] = 0,
		[ENTROPY_MARKED] = 1,
		[ENTROPY_TRIMMED] = 4,
		[ENTROPY_LOST] = PENALTY_MAX,
	};
	uint32_t penalty;

	value &= e->mask;
	if (e->mode == ENTROPY_ROUND)
		return;
	penalty = e->penalties[value] + (uint32_t)penalties[news];
	e->penalties[value] = (uint8_t)(penalty < PENALTY_MAX ? penalty : PENALTY_MAX);
	if (news != ENTROPY_GOOD || e->count > e->mask)
		return;
	e->good[(e->first + e->count) & e->mask] = value;
	e->count++;
}
