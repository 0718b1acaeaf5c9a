// SPDX-License-Identifier: BSD-3-Clause
// The parts of `show qos roce`, and where the values of settings come from.
#pragma once

#include "show_view.h"

// ---- collecting --------------------------------------------------------------------------------

// Adds "preset" and "mode", and "preset-where" and "mode-where" as in settings_list().
void show_add_preset(json_t *to, const struct show_switch *w);
// The buffer pools of a switch (show_qos_pools.c).
json_t *show_qos_pools(const struct switch_config *c, const struct report_node *n);

// ---- printing ----------------------------------------------------------------------------------

// The tables of the settings of a switch or port: settings, maps, scheduling, pools, exceptions.
extern const struct show_table show_qos_tables[];
// The maps, and the scheduling of priorities (show_qos_maps.c).
void show_add_maps(struct text_table *t, const struct show_row *row);
void show_add_schedule(struct text_table *t, const struct show_row *row);

// Where a value of "values" comes from, as a cell: "preset", "default", "overridden (line 12)".
void show_origin_cell(struct text_table *t, const json_t *value);
bool show_is_overridden(const json_t *value);
// The value of a key.
const json_t *show_setting(const json_t *settings, const char *key);
// The strongest of `best` and the values of the keys that `keys` stands for, "qos.tc.*.weight", its
// `*` being the bits that are set: the first that is overridden, else that is of the preset.
const json_t *show_strongest(const json_t *settings, const json_t *best, const char *keys,
			     uint64_t bits);
