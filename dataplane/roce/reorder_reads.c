// SPDX-License-Identifier: BSD-3-Clause
#include "reorder_reads.h"

#include "dataplane/base/random.h"
#include "dataplane/base/roce_headers.h"

#include <string.h>

#define WAYS 8u
// Circles that are looked at for one packet.
#define LOOKED_AT_MAX 64
// A PSN further from the last one is that of a queue pair that has begun anew.
#define SPAN_MAX (1 << 16)

void
reads_init(struct reorder_reads *reads)
{
	reads->unsure = READS_NONE;
}

// ---- circles that are not sure ------------------------------------------------------------------

static void
doubt(struct reorder_reads *reads, struct reads_circle *c)
{
	c->is_sure = false;
	c->before = READS_NONE;
	c->behind = reads->unsure;
	if (c->behind != READS_NONE)
		reads->circles[c->behind].before = (uint32_t)(c - reads->circles);
	reads->unsure = (uint32_t)(c - reads->circles);
}

static void
trust(struct reorder_reads *reads, struct reads_circle *c)
{
	if (c->is_sure)
		return;
	c->is_sure = true;
	if (c->before == READS_NONE)
		reads->unsure = c->behind;
	else
		reads->circles[c->before].behind = c->behind;
	if (c->behind != READS_NONE)
		reads->circles[c->behind].before = c->before;
}

void
reads_release(struct reorder_reads *reads, uint32_t circle)
{
	struct reads_circle *c = &reads->circles[circle];

	c->flow = READS_NONE;
	if (c->is_sure)
		doubt(reads, c);
}

// ---- what the host sends ------------------------------------------------------------------------

static struct reads_circle *
find(struct reorder_reads *reads, const struct reorder_key *key, struct reads_circle **oldest)
{
	struct reads_circle *bucket =
		&reads->circles[(reorder_key_hash(key) & (READS_CIRCLES / WAYS - 1)) * WAYS];

	*oldest = bucket;
	for (uint32_t i = 0; i < WAYS; i++) {
		if (reorder_key_equal(&bucket[i].key, key))
			return &bucket[i];
		if ((*oldest)->key.qp != 0 &&
		    (bucket[i].key.qp == 0 || bucket[i].used_at < (*oldest)->used_at))
			*oldest = &bucket[i];
	}
	return NULL;
}

// Replaces the one that has been idle for longest, if need be.
static void
make(struct reorder_reads *reads, struct reads_circle *c, const struct reorder_key *key,
     uint32_t psn, uint32_t *lost)
{
	if (c->key.qp != 0) {
		*lost = c->flow;
		trust(reads, c);
	}
	c->key = *key;
	c->flow = READS_NONE;
	c->last = c->end = psn;
	c->first = c->count = 0;
	doubt(reads, c);
}

// What it has sent from a PSN on, the host will send again.
static void
cut(struct reads_circle *c, uint32_t psn)
{
	while (c->count != 0 &&
	       psn_diff(c->psns[(c->first + c->count - 1) & (READS_IN_FLIGHT - 1)], psn) >= 0)
		c->count--;
}

uint32_t
reads_note(struct reorder_reads *reads, const struct reorder_key *key,
	   const struct reorder_order *o, ps_t now, uint32_t *lost)
{
	struct reads_circle *oldest, *c = find(reads, key, &oldest);
	int32_t distance;

	*lost = READS_NONE;
	if (c == NULL) {
		if (!o->responded)
			return READS_NONE;
		c = oldest;
		make(reads, c, key, o->psn, lost);
	}
	distance = psn_diff(o->psn, c->end);
	if (distance > SPAN_MAX || psn_diff(o->psn, c->last) < -SPAN_MAX)
		make(reads, c, key, o->psn, lost);
	c->used_at = now;
	cut(c, o->psn);
	c->last = o->psn;
	c->end = psn_add(o->psn, o->responded ? (int32_t)reorder_responses(o->read_bytes, 256) : 1);
	if (!o->responded)
		return READS_NONE;
	// The responses to the oldest have been lost, and the host has not noticed.
	if (c->count == READS_IN_FLIGHT) {
		c->first++;
		c->count--;
	}
	c->psns[(c->first + c->count++) & (READS_IN_FLIGHT - 1)] = o->psn;
	return (uint32_t)(c - reads->circles);
}

// ---- what comes back ----------------------------------------------------------------------------

bool
reads_next(const struct reads_circle *c, uint32_t *psn)
{
	if (c->count != 0)
		*psn = c->psns[c->first & (READS_IN_FLIGHT - 1)];
	return c->count != 0;
}

bool
reads_cover(const struct reads_circle *c, uint32_t psn)
{
	uint32_t next;

	return reads_next(c, &next) && psn_diff(psn, next) >= 0 && psn_diff(psn, c->end) < 0;
}

uint32_t
reads_find(const struct reorder_reads *reads, const struct reorder_key *key,
	   const struct reorder_order *o)
{
	uint32_t found = READS_NONE, looked_at = 0;

	for (uint32_t i = reads->unsure; i != READS_NONE; i = reads->circles[i].behind) {
		const struct reads_circle *c = &reads->circles[i];

		if (++looked_at > LOOKED_AT_MAX)
			return READS_NONE;
		if (!reorder_key_same_peer(&c->key, key) || !reads_cover(c, o->psn) ||
		    (o->ack && c->flow != READS_NONE))
			continue;
		if (found != READS_NONE)
			return READS_NONE;
		found = i;
	}
	return found;
}

uint32_t
reads_bind(struct reorder_reads *reads, uint32_t circle, uint32_t flow)
{
	uint32_t before = reads->circles[circle].flow;

	reads->circles[circle].flow = flow;
	return before;
}

void
reads_passed(struct reorder_reads *reads, uint32_t circle, uint32_t psn)
{
	struct reads_circle *c = &reads->circles[circle];
	uint32_t next;

	trust(reads, c);
	while (reads_next(c, &next) && psn_diff(next, psn) <= 0) {
		c->first++;
		c->count--;
	}
}
