// SPDX-License-Identifier: BSD-3-Clause
// How often neighbours are probed, so that a table full of next hops that do not answer does not
// flood a link. Control thread.
#pragma once

#include "message.h"

#define PROBE_SLOTS 1024       // a power of 2
#define PROBE_INTERVAL_MS 1000 // the same neighbour is probed this often
#define PROBE_MAX 500          // all of them together in that time

// Zeros: nobody has been asked for.
struct probe_limiter {
	int64_t since_ms; // when `count` began
	uint32_t count;
	struct {
		uint64_t key; // of the neighbour; 0: none
		int64_t at_ms;
	} last[PROBE_SLOTS]; // where two share a place, the later forgets the earlier
};

// Whether a neighbour on a device (ifindex) may be asked for now, which is then taken as done.
bool probe_limiter_allow(struct probe_limiter *a, uint32_t device,
			 const struct learn_address *address, int64_t now_ms);
