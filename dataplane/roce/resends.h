// SPDX-License-Identifier: BSD-3-Clause
// The single packets that selective recovery is to send again: a ring of bits by packet. Those that
// wait lie within the ring's length of one another; what does not fit is left to the
// retransmission timer. Worker only.
#pragma once

#include "qp.h"

#include <stdbool.h>
#include <stdint.h>

struct resends {
	uint64_t *bits;
	uint32_t mask; // length - 1; at least 64 bits
	uint32_t low;  // none waits before,
	uint32_t high; // nor from here on
	uint32_t count;
};

static inline uint64_t *
resends_word(const struct resends *r, uint32_t index, uint64_t *bit)
{
	uint32_t slot = index & r->mask;

	*bit = UINT64_C(1) << slot % 64;
	return &r->bits[slot / 64];
}

// Adds a packet; false when it waits already or is too far from the others.
static inline bool
resends_add(struct resends *r, uint32_t index)
{
	uint64_t bit, *word = resends_word(r, index, &bit);

	if (r->count == 0) {
		r->low = index;
		r->high = index + 1;
	} else if ((int32_t)(index - r->low) < 0) {
		if (r->high - index > r->mask + 1)
			return false;
		r->low = index;
	} else if (index - r->low > r->mask) {
		return false;
	}
	if (*word & bit)
		return false;
	if ((int32_t)(index - r->high) >= 0)
		r->high = index + 1;
	*word |= bit;
	r->count++;
	return true;
}

// The first that waits; there is one. It waits no longer.
static inline uint32_t
resends_take(struct resends *r)
{
	uint64_t bit, *word = resends_word(r, r->low, &bit);

	while (!(*word & bit)) {
		r->low += *word == 0 ? 64 - r->low % 64 : 1;
		word = resends_word(r, r->low, &bit);
	}
	*word &= ~bit;
	r->count--;
	return r->low++;
}

// A packet needs not be sent again after all; false when it does not wait.
static inline bool
resends_cancel(struct resends *r, uint32_t index)
{
	uint64_t bit, *word = resends_word(r, index, &bit);

	if (r->count == 0 || (int32_t)(index - r->low) < 0 || (int32_t)(index - r->high) >= 0 ||
	    !(*word & bit))
		return false;
	*word &= ~bit;
	r->count--;
	return true;
}

// None before `index` needs to be sent any more.
static inline void
resends_forget(struct resends *r, uint32_t index)
{
	while (r->count != 0 && (int32_t)(index - r->low) > 0) {
		uint64_t bit, *word = resends_word(r, r->low, &bit);

		if (*word == 0 && index - r->low > 64) {
			r->low += 64 - r->low % 64;
			continue;
		}
		if (*word & bit) {
			*word &= ~bit;
			r->count--;
		}
		r->low++;
	}
}

// No packet of the sender is to be sent again by itself any more.
static inline void
resends_drop(struct sender *s)
{
	if (!(s->special & SENDER_RESENDS))
		return;
	resends_forget(s->cold->resends, s->cold->resends->high);
	s->special &= (uint8_t)~SENDER_RESENDS;
}
