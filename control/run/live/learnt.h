// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric has learned, for `roost show neighbour`. Control thread; private to
// control/live/.
#pragma once

#include "control/show/show.h"
#include "lab.h"

struct learnt;

// Takes it down as it stands. Returns 0 or -ENOMEM.
int learnt_take(struct learnt **out, const struct lab *lab);
// NULL is fine, and has nothing.
void learnt_destroy(struct learnt *l);

const struct show_neighbour *learnt_neighbours(const struct learnt *l, unsigned int *count);
const struct show_learning *learnt_sources(const struct learnt *l, unsigned int *count);
