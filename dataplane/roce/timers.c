// SPDX-License-Identifier: BSD-3-Clause
// A binary heap of timers, armed lazily. An acknowledgement pushes its queue pair's retransmission
// timeout into the future; that must cost a store and no more. So an entry of the heap holds a time
// not after its timer's: when it comes up early it goes back in with the time that the timer has by
// then, or leaves when the timer was stopped. Each timer has at most one entry, so the heap's room
// is known before the run. Only a timer that moves to an earlier time than its entry's moves the
// entry at once.
//
// Timers due at one instant fire in the order they were made in: flows that start together start in
// the order of the file.
#include "timers.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define TIMERS_MAX (1u << 24)

int
timers_add(struct timers *t, struct timer *timer, enum timer_kind kind)
{
	if (t->made == TIMERS_MAX)
		return -ENOSPC;
	if (t->made == t->capacity) {
		uint32_t capacity = t->capacity == 0 ? 4 : t->capacity * 2;
		struct timer_entry *heap = realloc(t->heap, capacity * sizeof(*heap));

		if (heap == NULL)
			return -ENOMEM;
		t->heap = heap;
		t->capacity = capacity;
	}
	*timer = (struct timer){
		.due = PS_NEVER,
		.queued_at = PS_NEVER,
		.rank = t->made++,
		.kind = kind,
	};
	return 0;
}

void
timers_destroy(struct timers *t)
{
	free(t->heap);
	*t = (struct timers){0};
}

static bool
entry_before(const struct timer_entry *a, const struct timer_entry *b)
{
	return a->at != b->at ? a->at < b->at : a->timer->rank < b->timer->rank;
}

static void
entry_place(struct timers *t, uint32_t slot, struct timer_entry entry)
{
	t->heap[slot] = entry;
	entry.timer->slot = slot;
	entry.timer->queued_at = entry.at;
}

static void
sift_up(struct timers *t, uint32_t slot, struct timer_entry entry)
{
	while (slot > 0 && entry_before(&entry, &t->heap[(slot - 1) / 2])) {
		entry_place(t, slot, t->heap[(slot - 1) / 2]);
		slot = (slot - 1) / 2;
	}
	entry_place(t, slot, entry);
}

static void
sift_down(struct timers *t, struct timer_entry entry)
{
	uint32_t slot = 0;

	for (;;) {
		uint32_t child = 2 * slot + 1;

		if (child + 1 < t->count && entry_before(&t->heap[child + 1], &t->heap[child]))
			child++;
		if (child >= t->count || !entry_before(&t->heap[child], &entry))
			break;
		entry_place(t, slot, t->heap[child]);
		slot = child;
	}
	entry_place(t, slot, entry);
}

void
timers_queue(struct timers *t, struct timer *timer)
{
	struct timer_entry entry = {.at = timer->due, .timer = timer};

	sift_up(t, timer->queued_at == PS_NEVER ? t->count++ : timer->slot, entry);
}

struct timer *
timers_take(struct timers *t, ps_t now)
{
	while (t->count > 0 && t->heap[0].at <= now) {
		struct timer *timer = t->heap[0].timer;

		if (timer->due > now && timer->due != PS_NEVER) {
			sift_down(t, (struct timer_entry){.at = timer->due, .timer = timer});
			continue;
		}
		bool fires = timer->due <= now;

		timer->queued_at = PS_NEVER;
		timer->due = PS_NEVER;
		if (--t->count > 0)
			sift_down(t, t->heap[t->count]);
		if (fires)
			return timer;
	}
	return NULL;
}
