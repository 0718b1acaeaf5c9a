// SPDX-License-Identifier: BSD-3-Clause
// The settings of a live fabric's switches, where each value comes from, and what their presets
// alone would be. Control thread.
#pragma once

#include "control/show/show.h"
#include "lab.h"

struct marks;

// Makes *m, or makes it anew where settings have changed since. Returns 0 or -ENOMEM with *m NULL.
int marks_take(struct marks **m, const struct lab *lab);

// *count of them; NULL of NULL.
const struct show_switch *marks_switches(const struct marks *m, unsigned int *count);

// NULL is fine.
void marks_destroy(struct marks *m);
