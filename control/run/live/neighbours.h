// SPDX-License-Identifier: BSD-3-Clause
// What a live fabric has learned, for `roost show neighbour`. Control thread; private to
// control/live/.
#pragma once

#include "control/show/show.h"
#include "live_fabric.h"

struct neighbours;

// Copies the present state.
struct neighbours *neighbours_take(const struct live_fabric *live);
// NULL is fine, and has nothing.
void neighbours_destroy(struct neighbours *l);

const struct show_neighbour *neighbours_list(const struct neighbours *l, unsigned int *count);
const struct show_learning *neighbours_sources(const struct neighbours *l, unsigned int *count);
