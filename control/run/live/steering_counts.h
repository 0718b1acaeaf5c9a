// SPDX-License-Identifier: BSD-3-Clause
// What the ports with the kernel beside them have counted, for `roost show steering`. Control
// thread; private to control/live/.
#pragma once

#include "live_fabric.h"

#include "control/show/show.h"

struct steering_counts;

// Asks them all. Returns 0, -ENOMEM or -errno.
int steering_counts_take(struct steering_counts **out, const struct live_fabric *live);

// In the order of the devices. NULL and 0 of NULL.
const struct show_steering *steering_counts_list(const struct steering_counts *steered,
						 unsigned int *count);

// NULL is fine.
void steering_counts_destroy(struct steering_counts *steered);
