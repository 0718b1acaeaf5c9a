// SPDX-License-Identifier: BSD-3-Clause
// The clock of deadlines and pauses in the control plane. The fabric's own time is not this one: it
// is what the data plane is driven with.
#pragma once

#include <stdint.h>
#include <time.h>

// CLOCK_MONOTONIC in ms: it never goes back, whatever is done to the time of day. Any thread.
static inline int64_t
clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The same in us.
static inline int64_t
clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}
