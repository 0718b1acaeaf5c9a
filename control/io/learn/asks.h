// SPDX-License-Identifier: BSD-3-Clause
// How often neighbours are asked for, so that a table full of next hops that do not answer does not
// flood a link. Control thread.
#pragma once

#include "message.h"

#define ASKS_PLACES 1024 // a power of 2
#define ASKS_MS 1000     // the same neighbour is asked for this often
#define ASKS_MAX 500     // all of them together in that time

// Zeros: nobody has been asked for.
struct asks {
	int64_t since_ms; // when `count` began
	uint32_t count;
	struct {
		uint64_t key; // of the neighbour; 0: none
		int64_t at_ms;
	} last[ASKS_PLACES]; // where two share a place, the later forgets the earlier
};

// Whether a neighbour on a device (ifindex) may be asked for now, which is then taken as done.
bool asks_may(struct asks *a, uint32_t device, const struct learn_address *address, int64_t now_ms);
