// SPDX-License-Identifier: BSD-3-Clause
// What the ports with the kernel beside them have counted, for `roost show steering`. Control
// thread; private to control/live/.
#pragma once

#include "lab.h"

#include "control/show/show.h"

struct steered;

// Asks them all. Returns 0, -ENOMEM or -errno.
int steered_take(struct steered **out, const struct lab *lab);

// In the order of the devices. NULL and 0 of NULL.
const struct show_steering *steered_list(const struct steered *steered, unsigned int *count);

// NULL is fine.
void steered_destroy(struct steered *steered);
