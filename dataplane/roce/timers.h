// SPDX-License-Identifier: BSD-3-Clause
// The timers of a NIC: one each for a queue pair, a stream and so on, as one heap behind the node's
// only timer. timers.c says how.
#pragma once

#include "dataplane/base/time.h"

#include <stdint.h>

enum timer_kind {
	TIMER_SENDER,
	TIMER_RECEIVER,
	TIMER_STREAM,
	TIMER_READER,
	TIMER_PACING,
	TIMER_PROGRAM,
	TIMER_HANDOVER,
	TIMER_MISBEHAVIOUR,
	TIMER_EXCHANGE,
	TIMER_GRANT,
	TIMER_PROBE,
};

// Part of what it belongs to. Worker: rw.
struct timer {
	ps_t due;       // when it fires, or PS_NEVER; may be moved to later by a plain store
	ps_t queued_at; // its entry's time, not after `due`; PS_NEVER when it has no entry
	uint32_t slot;  // of its entry in the heap
	uint32_t
		rank : 24; // decides between timers due at one instant: the order they were made in
	uint32_t kind : 8; // enum timer_kind
};

struct timer_entry {
	ps_t at; // timer->queued_at
	struct timer *timer;
};

struct timers {
	struct timer_entry *heap;
	uint32_t count;
	uint32_t capacity;
	uint32_t made;
};

// Makes room for one timer more and sets it up, not due. Returns 0, -ENOSPC past 2^24 timers, or
// -ENOMEM. Before the node runs.
int timers_add(struct timers *t, struct timer *timer, enum timer_kind kind);

void timers_destroy(struct timers *t);

// Cold part of timer_set().
void timers_queue(struct timers *t, struct timer *timer);

// Takes the first timer due by `now` off the heap, or returns NULL. Its `due` becomes PS_NEVER.
struct timer *timers_take(struct timers *t, ps_t now);

// When timers_take() may next give something; PS_NEVER when never.
static inline ps_t
timers_next(const struct timers *t)
{
	return t->count == 0 ? PS_NEVER : t->heap[0].at;
}

// Makes the timer due at `at` and nothing else. Free when it stands in the heap with an earlier
// time.
static inline void
timer_set(struct timers *t, struct timer *timer, ps_t at)
{
	timer->due = at;
	if (at < timer->queued_at)
		timers_queue(t, timer);
}

static inline void
timer_stop(struct timer *timer)
{
	timer->due = PS_NEVER;
}
