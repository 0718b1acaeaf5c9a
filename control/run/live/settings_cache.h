// SPDX-License-Identifier: BSD-3-Clause
// The settings of a live fabric's switches, where each value comes from, and what their presets
// alone would be. Control thread.
#pragma once

#include "control/show/show.h"
#include "live_fabric.h"

struct settings_cache;

// Makes *m, or makes it anew where settings have changed since. Returns 0 or -ENOMEM with *m NULL.
int settings_cache_update(struct settings_cache **m, const struct live_fabric *live);

// *count of them; NULL of NULL.
const struct show_switch *settings_cache_switches(const struct settings_cache *m,
						  unsigned int *count);

// NULL is fine.
void settings_cache_destroy(struct settings_cache *m);
