// SPDX-License-Identifier: BSD-3-Clause
// Which lane sends next, by two tables of lanes with weights (InfiniBand Architecture
// Specification, volume 1, section 7.6.9): in place of strict priority and DWRR. Each table is a
// weighted round robin: an entry may begin packets of its lane until they have used up its weight,
// in units of 64 B of which every packet takes as many as it needs, rounded up; then, or when its
// lane has nothing that can go, the next entry has its turn with its full weight. The high table
// goes first. Once it has sent `limit` x 4096 B, a packet of the low one goes before the next of
// the high one, if there is one that can; the count begins anew with each packet of the low table.
// A limit of 0 lets one packet of the high table pass.
#pragma once

#include "scheduler.h"
#include "dataplane/base/credit.h"

#define LANE_ARBITER_UNIT_BYTES 64
#define LANE_ARBITER_LIMIT_UNITS (4096 / LANE_ARBITER_UNIT_BYTES)

// The first entries have the first turns: at the start, and when the tables change.
static inline void
lane_arbiter_begin(const struct lane_tables *t, struct credits *c)
{
	for (unsigned int i = 0; i < LANE_TABLES; i++)
		c->turns[i] = (struct lane_turn){
			.at = (uint8_t)(t->counts[i] != 0 ? t->counts[i] - 1 : 0)};
	c->high_left = t->limit != 0 ? t->limit * LANE_ARBITER_LIMIT_UNITS : 1;
}

static inline int32_t
lane_arbiter_units(uint32_t wire_bytes)
{
	return (int32_t)((wire_bytes + LANE_ARBITER_UNIT_BYTES - 1) / LANE_ARBITER_UNIT_BYTES);
}

// The next entry of a table whose lane is among the eligible; false if there is none.
static inline bool
lane_arbiter_turn(const struct lane_tables *t, struct credits *c, unsigned int table,
		  unsigned int eligible)
{
	const unsigned int count = t->counts[table];
	struct lane_turn *turn = &c->turns[table];
	unsigned int at = turn->at;

	if (count == 0)
		return false;
	if (turn->left > 0 && eligible >> t->entries[table][at].lane & 1)
		return true;
	for (unsigned int i = 0; i < count; i++) {
		at = at + 1 < count ? at + 1 : 0;
		if (t->entries[table][at].weight == 0 ||
		    !(eligible >> t->entries[table][at].lane & 1))
			continue;
		turn->at = (uint8_t)at;
		turn->left = t->entries[table][at].weight;
		return true;
	}
	return false;
}

// The queue to take from; a queue of a switch is a lane. `eligible`: not 0, and every lane of them
// is in one of the tables. Its packet uses nothing of a turn before lane_arbiter_sent().
static inline unsigned int
lane_arbiter_pick(const struct lane_tables *t, struct credits *c, unsigned int eligible)
{
	const bool low_first = t->limit != LANE_LIMIT_UNLIMITED && c->high_left <= 0;

	c->picked = low_first;
	if (!lane_arbiter_turn(t, c, c->picked, eligible)) {
		c->picked = !c->picked;
		if (!lane_arbiter_turn(t, c, c->picked, eligible)) {
			c->picked = LANE_TABLES;
			return scheduler_highest(eligible);
		}
	}
	return t->entries[c->picked][c->turns[c->picked].at].lane;
}

// A packet of the lane that was picked last is sent.
static inline void
lane_arbiter_sent(const struct lane_tables *t, struct credits *c, uint32_t wire_bytes)
{
	const int32_t units = lane_arbiter_units(wire_bytes);

	if (c->picked == LANE_TABLES)
		return;
	c->turns[c->picked].left -= units;
	if (c->picked == 1)
		c->high_left = t->limit != 0 ? t->limit * LANE_ARBITER_LIMIT_UNITS : 1;
	else if (c->high_left > 0)
		c->high_left -= units;
}
