// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of a live fabric's NICs, each NIC's as they stood between two turns of its
// worker. Control thread.
#pragma once

#include "control/show/show.h"
#include "lab.h"

struct looks;

// Has the workers look at all of them. Returns 0 or -ENOMEM.
int looks_take(struct looks **out, struct lab *lab);

// *count of them; NULL of NULL.
const struct show_nic *looks_nics(const struct looks *l, unsigned int *count);

// NULL is fine.
void looks_destroy(struct looks *l);
