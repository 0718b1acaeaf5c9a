// SPDX-License-Identifier: BSD-3-Clause
// Within a ring, records are nearly in order of time, and rings of several workers belong together.
// So records are copied out of the rings, sorted, and passed on up to the instant before which no
// other can come. That instant is not what workers have published now, because records of that time
// may still be in a ring: a turn takes only so many. Instead, each turn notes for each ring how
// much of it the worker had published, and up to which instant (a mark). Once all before a mark has
// been taken, nothing earlier than its instant can follow.
//
// A turn is bounded, in records that come as in records that go, and takes from all rings alike. A
// worker that hangs may hold up the others' records, but only until too many wait: then the oldest
// are passed on.
#include "capture_drain.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define MARKS 64                   // of a ring; further turns go without
#define SHARE_BYTES (64u << 10)    // that one ring may cost before it is the next one's turn
#define COMPACT_BYTES (256u << 10) // not worth it for less

// All records before `time` are before `position`.
struct mark {
	uint64_t position;
	ps_t time;
};

struct source {
	struct capture_ring *ring; // NULL: none
	const ps_t *published;
	uint64_t end; // where this turn ends at the latest
	struct mark marks[MARKS];
	uint32_t first, count; // of the marks
	ps_t passed;           // that of the last mark that was reached
};

// A record that waits for its time.
struct kept {
	ps_t at;
	uint64_t order;  // in which it was taken
	uint32_t offset; // of its slot in the bytes
	uint32_t takers;
};

struct capture_drain {
	struct capture_drain_use use;
	struct source sources[LIVE_WORKERS_MAX];
	uint32_t next; // the source that is first in the next turn
	uint64_t order;
	struct kept *kept;
	size_t kept_count, kept_room;
	uint8_t *bytes, *spare; // slots, one after the other; both of bytes_room
	size_t bytes_count, bytes_room;
	size_t live_bytes; // of slots that are kept
};

struct capture_drain *
capture_drain_create(const struct capture_drain_use *use)
{
	struct capture_drain *d = memory_new(sizeof(*d), "captured packets");

	d->use = *use;
	return d;
}

void
capture_drain_destroy(struct capture_drain *d)
{
	if (d == NULL)
		return;
	free(d->kept);
	free(d->bytes);
	free(d->spare);
	free(d);
}

void
capture_drain_add(struct capture_drain *d, uint32_t index, struct capture_ring *ring,
		  const ps_t *published)
{
	d->sources[index] = (struct source){.ring = ring, .published = published};
}

// ---- taking -------------------------------------------------------------------------------------

static void
keep(struct capture_drain *d, const struct capture_slot *s, uint32_t takers)
{
	if (d->kept_count == d->kept_room) {
		d->kept_room = d->kept_room != 0 ? 2 * d->kept_room : 1024;
		d->kept =
			memory_resize(d->kept, d->kept_room, sizeof(*d->kept), "captured packets");
	}
	if (d->bytes_count + s->bytes > d->bytes_room) {
		d->bytes_room = 2 * (d->bytes_count + s->bytes);
		d->bytes = memory_resize(d->bytes, d->bytes_room, 1, "bytes of captured packets");
		d->spare = memory_resize(d->spare, d->bytes_room, 1, "bytes of captured packets");
	}
	memcpy(d->bytes + d->bytes_count, s, s->bytes);
	d->kept[d->kept_count++] = (struct kept){.at = s->at,
						 .order = d->order++,
						 .offset = (uint32_t)d->bytes_count,
						 .takers = takers};
	d->bytes_count += s->bytes;
	d->live_bytes += s->bytes;
}

static void
set_mark(struct source *s)
{
	// In this order: what is published before the instant is in the ring.
	const ps_t time = __atomic_load_n(s->published, __ATOMIC_ACQUIRE);

	s->end = capture_ring_end(s->ring);
	if (s->count < MARKS)
		s->marks[(s->first + s->count++) % MARKS] =
			(struct mark){.position = s->end, .time = time};
}

// Takes records of a ring. Returns what that cost; 0: it has no more.
static size_t
take_share(struct capture_drain *d, uint32_t index)
{
	struct source *source = &d->sources[index];
	const struct capture_slot *slot;
	uint64_t position;
	size_t cost = 0;

	while (cost < SHARE_BYTES && source->ring->head < source->end &&
	       (slot = capture_ring_peek(source->ring, &position)) != NULL) {
		uint32_t extra_cost = 0;
		const uint32_t takers =
			d->use.takers(d->use.context, slot, index, position, &extra_cost);

		cost += CAPTURE_RECORD_COST + extra_cost;
		if (takers != 0) {
			cost += slot->bytes * (1 + (size_t)__builtin_popcount(takers));
			keep(d, slot, takers);
		}
		capture_ring_release(source->ring);
	}
	return cost;
}

// Takes from all rings in turn. Returns the instant before which nothing can follow.
static ps_t
take(struct capture_drain *d)
{
	size_t cost = 0, round;
	ps_t horizon = PS_NEVER;

	for (uint32_t i = 0; i < LIVE_WORKERS_MAX; i++)
		if (d->sources[i].ring != NULL)
			set_mark(&d->sources[i]);
	do {
		round = 0;
		for (uint32_t i = 0; i < LIVE_WORKERS_MAX && cost < CAPTURE_TURN_BYTES; i++) {
			const uint32_t index = d->next;
			const size_t share = d->sources[index].ring != NULL ? take_share(d, index)
									    : 0;

			d->next = (index + 1) % LIVE_WORKERS_MAX;
			round += share;
			cost += share;
		}
	} while (round != 0 && cost < CAPTURE_TURN_BYTES);
	for (uint32_t i = 0; i < LIVE_WORKERS_MAX; i++) {
		struct source *s = &d->sources[i];

		if (s->ring == NULL)
			continue;
		while (s->count != 0 && s->marks[s->first].position <= s->ring->head) {
			s->passed = s->marks[s->first].time;
			s->first = (s->first + 1) % MARKS;
			s->count--;
		}
		horizon = time_min(horizon, s->passed);
	}
	return horizon;
}

// ---- passing on ---------------------------------------------------------------------------------

static int
compare_kept(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static const struct capture_slot *
slot_of(const struct capture_drain *d, const struct kept *k)
{
	return (const void *)(d->bytes + k->offset);
}

// Moves the slots that are kept together, when more are gone than kept.
static void
compact(struct capture_drain *d)
{
	uint8_t *from = d->bytes;
	size_t count = 0;

	if (d->kept_count != 0 && d->bytes_count < 2 * d->live_bytes + COMPACT_BYTES)
		return;
	for (size_t i = 0; i < d->kept_count; i++) {
		const struct capture_slot *s = slot_of(d, &d->kept[i]);

		memcpy(d->spare + count, s, s->bytes);
		d->kept[i].offset = (uint32_t)count;
		count += s->bytes;
	}
	d->bytes_count = count;
	d->bytes = d->spare;
	d->spare = from;
}

// Forgets the first records, and those that nobody takes any more.
static void
drop_first(struct capture_drain *d, size_t first)
{
	size_t count = 0;

	for (size_t i = first; i < d->kept_count; i++)
		if (d->kept[i].takers != 0)
			d->kept[count++] = d->kept[i];
		else
			d->live_bytes -= slot_of(d, &d->kept[i])->bytes;
	d->kept_count = count;
	compact(d);
}

void
capture_drain_turn(struct capture_drain *d)
{
	const size_t before = d->kept_count;
	const ps_t horizon = take(d);
	size_t i;

	if (d->kept_count != before)
		qsort(d->kept, d->kept_count, sizeof(*d->kept), compare_kept);
	for (i = 0;
	     i < d->kept_count && (d->kept[i].at < horizon || d->live_bytes > CAPTURE_KEPT_BYTES);
	     i++) {
		const struct capture_slot *s = slot_of(d, &d->kept[i]);

		d->use.deliver(d->use.context, s, d->kept[i].takers);
		d->live_bytes -= s->bytes;
	}
	if (i != 0)
		drop_first(d, i);
}

void
capture_drain_flush(struct capture_drain *d, uint32_t takers)
{
	for (size_t i = 0; i < d->kept_count; i++)
		if (d->kept[i].takers & takers)
			d->use.deliver(d->use.context, slot_of(d, &d->kept[i]),
				       d->kept[i].takers & takers);
	capture_drain_forget(d, takers);
}

void
capture_drain_forget(struct capture_drain *d, uint32_t takers)
{
	for (size_t i = 0; i < d->kept_count; i++)
		d->kept[i].takers &= ~takers;
	drop_first(d, 0);
}

bool
capture_drain_waits(const struct capture_drain *d)
{
	for (uint32_t i = 0; i < LIVE_WORKERS_MAX; i++)
		if (d->sources[i].ring != NULL && d->sources[i].ring->head < d->sources[i].end)
			return true;
	return false;
}

bool
capture_drain_is_past(const struct capture_drain *d, uint32_t index, uint64_t position)
{
	const struct capture_ring *ring = d->sources[index].ring;

	return ring == NULL || ring->head >= position;
}
