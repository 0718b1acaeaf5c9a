// SPDX-License-Identifier: BSD-3-Clause
// Source: the states of entropy values in OCP MRC 1.0 (section 9), at second hand.
//
//	GOOD         goes in turn
//	SKIP         is passed over once, and is GOOD again then
//	ASSUMED_BAD  is not used; an answered probe makes it GOOD, or SKIP if the probe was marked
//	DENIED       is not used; only configuration sets and ends it
//
// A mark or a trimmed packet makes a GOOD value SKIP: there is congestion on its path. A packet
// of which nothing was heard makes a GOOD or SKIP value ASSUMED_BAD: its path may be gone. Values
// go in turn, each round in another order, so that queue pairs do not stay in step.
//
// A plane without a usable value is not chosen. Where no plane has one, packets go nevertheless, by
// values in turn of planes that are not denied, so that a message ends once a path is back.
#include "path_states.h"

#include <rte_branch_prediction.h>

#include <string.h>

static void
new_round(struct path_states *p)
{
	p->turn = 0;
	p->order = (uint16_t)(random_u32(&p->random) & p->mask);
}

void
path_states_init(struct path_states *p, uint16_t values, bool denied, struct random random,
		 uint8_t *states)
{
	*p = (struct path_states){
		.random = random,
		.states = states,
		.mask = (uint16_t)(values - 1),
		.usable = denied ? 0 : values,
	};
	memset(states, denied ? PATH_DENIED : PATH_GOOD, values);
	new_round(p);
}

static uint16_t
next_in_turn(struct path_states *p)
{
	uint16_t value = p->turn ^ p->order;

	if (unlikely(p->turn++ == p->mask))
		new_round(p);
	return value;
}

uint16_t
path_states_next(struct path_states *p)
{
	uint16_t value = next_in_turn(p);

	if (unlikely(p->usable == 0))
		return value;
	// A second round at most: it has no SKIP.
	while (unlikely(p->states[value] != PATH_GOOD)) {
		if (p->states[value] == PATH_SKIP)
			p->states[value] = PATH_GOOD;
		value = next_in_turn(p);
	}
	return value;
}

void
path_states_learn(struct path_states *p, uint16_t value, enum entropy_news news)
{
	uint8_t *state = &p->states[value & p->mask];

	if (*state > PATH_SKIP || news == ENTROPY_GOOD)
		return;
	if (news != ENTROPY_LOST) {
		*state = PATH_SKIP;
		return;
	}
	*state = PATH_ASSUMED_BAD;
	p->usable--;
	p->bad++;
}

void
path_states_probed(struct path_states *p, uint16_t value, bool marked)
{
	uint8_t *state = &p->states[value & p->mask];

	if (*state != PATH_ASSUMED_BAD)
		return;
	*state = marked ? PATH_SKIP : PATH_GOOD;
	p->usable++;
	p->bad--;
}

uint16_t
path_states_next_bad(const struct path_states *p, uint16_t from)
{
	from &= p->mask;
	while (p->states[from] != PATH_ASSUMED_BAD)
		from = (uint16_t)((from + 1) & p->mask);
	return from;
}
