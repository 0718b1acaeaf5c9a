// SPDX-License-Identifier: BSD-3-Clause
// A running maximum with two readers, each of which clears it separately: the user, for one
// experiment, and the persistent record (as SONiC's USER and PERSISTENT watermark tables). The
// dataplane only updates the running maximum. A clear by one reader restarts it, after its value
// has been saved for the other.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// What the running maximum was before it was restarted, since each reader's last clear.
struct watermark_before {
	uint32_t user;
	uint32_t persistent;
};

static inline uint32_t
watermark_greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

// The greatest value since the user's last clear.
static inline uint32_t
watermark_user(const struct watermark_before *before, uint32_t max)
{
	return watermark_greater(before->user, max);
}

// The greatest value since the persistent record's last clear.
static inline uint32_t
watermark_persistent(const struct watermark_before *before, uint32_t max)
{
	return watermark_greater(before->persistent, max);
}

// Clears the one or the other; `value`: the present one, where the maximum starts again.
static inline void
watermark_clear(struct watermark_before *before, uint32_t *max, uint32_t value, bool persistent)
{
	uint32_t *cleared = persistent ? &before->persistent : &before->user;
	uint32_t *kept = persistent ? &before->user : &before->persistent;

	*kept = watermark_greater(*kept, *max);
	*cleared = 0;
	*max = value;
}
