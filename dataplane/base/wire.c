// SPDX-License-Identifier: BSD-3-Clause
#include "wire.h"

#include <errno.h>
#include <stdlib.h>

#define WIRE_SLOTS_FIRST 4 // 64 B: a quiet wire stays within one cache line
#define WIRE_SLOTS_MAX (UINT32_C(1) << 24)

ps_t wire_unwatched;

static __thread struct wire *grown_wires; // by this thread, to be settled

int
wire_create(struct wire **out, ps_t delay, bool shared, uint32_t slots)
{
	struct wire *w;
	uint32_t capacity = WIRE_SLOTS_FIRST;

	if (delay == 0 || slots > WIRE_SLOTS_MAX)
		return -EINVAL;
	while (shared && capacity < slots)
		capacity *= 2;
	w = aligned_alloc(64, sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	*w = (struct wire){
		.delay = delay,
		.mask = capacity - 1,
		.limit = shared ? capacity : UINT32_MAX,
		.drop_ip_id_low = -1,
		.due = &wire_unwatched,
		.wake = &wire_unwatched,
	};
	w->put_mask = w->mask;
	w->visible = shared ? &w->published : &w->tail;
	w->slots = aligned_alloc(64, capacity * sizeof(*w->slots));
	if (w->slots == NULL) {
		free(w);
		return -ENOMEM;
	}
	w->put_slots = w->slots;
	*out = w;
	return 0;
}

void
wire_destroy(struct wire *w)
{
	if (w == NULL)
		return;
	if (w->grown)
		free(w->put_slots);
	free(w->slots);
	free(w);
}

// A ring of twice the putter's, with what is on the wire; NULL: no memory.
static struct wire_slot *
larger_ring(const struct wire *w)
{
	uint32_t capacity = (w->put_mask + 1) * 2;
	struct wire_slot *slots = aligned_alloc(64, capacity * sizeof(*slots));

	// Of a phased wire, more may have been taken since; copying that does no harm.
	for (uint32_t i = w->head_seen; slots != NULL && i != w->tail; i++)
		slots[i & (capacity - 1)] = w->put_slots[i & w->put_mask];
	return slots;
}

int
wire_grow(struct wire *w)
{
	struct wire_slot *slots;

	if (w->visible == &w->published && !w->phased)
		return -ENOBUFS; // another worker may be reading the slots
	slots = larger_ring(w);
	if (slots == NULL) {
		packet_memory_note_lack();
		return -ENOMEM;
	}
	if (!w->phased || w->grown)
		free(w->put_slots);
	w->put_slots = slots;
	w->put_mask = w->put_mask * 2 + 1;
	if (!w->phased) {
		w->slots = slots;
		w->mask = w->put_mask;
	} else if (!w->grown) {
		w->grown = true;
		w->next_grown = grown_wires;
		grown_wires = w;
	}
	return 0;
}

int
wire_widen(struct wire *w, uint32_t slots)
{
	uint32_t capacity = w->mask + 1;
	struct wire_slot *wide;

	if (slots > WIRE_SLOTS_MAX)
		return -EINVAL;
	while (capacity < slots)
		capacity *= 2;
	wide = aligned_alloc(64, capacity * sizeof(*wide));
	if (wide == NULL)
		return -ENOMEM;
	for (uint32_t i = w->head; i != w->tail; i++)
		wide[i & (capacity - 1)] = w->slots[i & w->mask];
	free(w->slots);
	w->slots = w->put_slots = wide;
	w->mask = w->put_mask = capacity - 1;
	w->limit = capacity;
	return 0;
}

void
wire_set_phased(struct wire *w, bool phased)
{
	w->phased = phased;
	w->published = w->published_tail = w->tail;
	w->visible = phased ? &w->published : &w->tail;
}

struct wire *
wire_take_grown(void)
{
	struct wire *first = grown_wires;

	grown_wires = NULL;
	return first;
}

void
wire_settle(struct wire *w)
{
	free(w->slots);
	w->slots = w->put_slots;
	w->mask = w->put_mask;
	w->published = w->published_tail = w->tail;
	w->next_grown = NULL;
	w->grown = false;
}

__extension__ typedef unsigned __int128 wide_uint;

// Either of two independent errors, of probabilities a and b.
static uint64_t
either(uint64_t a, uint64_t b)
{
	const wide_uint sum = (wide_uint)a + b - (uint64_t)((wide_uint)a * b >> 64);

	return sum > UINT64_MAX ? UINT64_MAX : (uint64_t)sum;
}

// Of 2^k bits u(k+1) = 2 u(k) - u(k)^2; the bits of the number say of which powers it is made.
uint64_t
wire_error_probability(uint64_t bit_errors, uint32_t bits)
{
	uint64_t power = bit_errors, all = 0;

	for (; bits != 0; bits >>= 1) {
		if (bits & 1)
			all = either(all, power);
		power = either(power, power);
	}
	return all;
}
