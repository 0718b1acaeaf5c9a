// SPDX-License-Identifier: BSD-3-Clause
// How suitable a member of a next-hop group is for packets of one traffic class: its load, as mode
// `adaptive` grades it, and its fitness, as `spray` and `random` see it. A member that is down is
// chosen only if all are. A member that is held by a pause, by an event, or by a notice of no next
// hop behind it is chosen only if all others are held or down. A member that is degraded, busy or
// noticed to be congested ranks behind its equals.
#pragma once

#include "utilisation.h"

#define SPRAY_HELD (UINT32_C(1) << 30) // worse than any depth
#define SPRAY_DOWN (UINT32_C(1) << 31)

// The depth of a member's queue, beyond all depths when it is held. Reads nothing of the port
// itself, because many are compared.
static inline uint32_t
spray_load(const struct node *n, const struct next_hop *hop, unsigned int tc)
{
	return n->depth[tc * n->port_count + hop->port] |
	       ((uint32_t)n->held[hop->port] >> tc & 1 ? SPRAY_HELD : 0);
}

// The least load's grade ends where the next begins; members below that tie.
static inline uint32_t
spray_tie_bound(const struct tables *t, uint32_t least)
{
	for (unsigned int i = 0; i < GRADES_MAX; i++)
		if (least < t->grades[i])
			return t->grades[i] < SPRAY_HELD ? t->grades[i] : SPRAY_HELD;
	return SPRAY_HELD;
}

// Which grade a depth is in: 0 below the first bound.
static inline uint32_t
spray_grade(const struct tables *t, uint32_t depth)
{
	uint32_t grade = 0;

	while (grade < GRADES_MAX && depth >= t->grades[grade])
		grade++;
	return grade;
}

// What notices say of a member: nothing, that it is congested, or that it is held.
enum spray_notice { SPRAY_NOTICE_NONE, SPRAY_NOTICE_CONGESTED, SPRAY_NOTICE_HELD };

static inline enum spray_notice
spray_noticed(const struct node *n, const struct next_hop *hop, unsigned int tc, ps_t now)
{
	const struct path_notice *notice;

	if (!(n->path_inputs & PATH_INPUT_NOTICES))
		return SPRAY_NOTICE_NONE;
	notice = &n->paths.notices[hop - n->current->next_hops];
	if (notice->until <= now)
		return SPRAY_NOTICE_NONE;
	if (notice->held >> tc & 1)
		return SPRAY_NOTICE_HELD;
	return notice->congested >> tc & 1 ? SPRAY_NOTICE_CONGESTED : SPRAY_NOTICE_NONE;
}

// How fit a member is for a class, where depths do not count.
enum spray_fitness { SPRAY_FIT_DOWN, SPRAY_FIT_HELD, SPRAY_FIT_PENALIZED, SPRAY_FIT_OPEN };

static inline enum spray_fitness
spray_fitness(const struct node *n, const struct next_hop *hop, unsigned int tc, ps_t now)
{
	enum spray_notice noticed;

	if (!n->ports[hop->port].up)
		return SPRAY_FIT_DOWN;
	if (n->held[hop->port] >> tc & 1)
		return SPRAY_FIT_HELD;
	if (likely(n->path_inputs == 0))
		return SPRAY_FIT_OPEN;
	noticed = spray_noticed(n, hop, tc, now);
	if (noticed == SPRAY_NOTICE_HELD)
		return SPRAY_FIT_HELD;
	return noticed == SPRAY_NOTICE_CONGESTED || n->port_penalty[hop->port] & PATH_DEGRADED
		       ? SPRAY_FIT_PENALIZED
		       : SPRAY_FIT_OPEN;
}

// The best that a group has; *count_best: how many members are so.
static inline enum spray_fitness
spray_best(const struct node *n, const struct next_hop *hops, unsigned int count, unsigned int tc,
	   ps_t now, unsigned int *count_best)
{
	unsigned int members[SPRAY_FIT_OPEN + 1] = {0};

	for (unsigned int i = 0; i < count; i++)
		members[spray_fitness(n, &hops[i], tc, now)]++;
	for (enum spray_fitness best = SPRAY_FIT_OPEN;; best--) {
		*count_best = members[best];
		if (members[best] != 0)
			return best;
	}
}
