// SPDX-License-Identifier: BSD-3-Clause
// The clock of deadlines and pauses in the control plane. The fabric's own time is not this one: it
// is what the data plane is driven with.
#pragma once

#include <stdint.h>

// CLOCK_MONOTONIC in ms: it never goes back, whatever is done to the time of day. Any thread.
int64_t clock_ms(void);
