// SPDX-License-Identifier: BSD-3-Clause
// The parts of `show qos roce`, and the marks that say where a value comes from.
#pragma once

#include "show_view.h"

// ---- collecting --------------------------------------------------------------------------------

// Adds "preset" and "mode", and "preset-where" and "mode-where" as in settings_list().
void show_add_preset(json_t *to, const struct show_switch *w);
// The buffer pools of a switch (show_qos_pools.c).
json_t *show_qos_pools(const struct switch_config *c, const struct report_node *n);
// Bit per class that a priority maps to.
unsigned int show_used_classes(const struct switch_config *c);

// ---- printing ----------------------------------------------------------------------------------

#define SHOW_MARK_MAX 48

// Prints the settings of a switch or port (show_qos_print.c).
void show_print_qos(const char *name, const json_t *settings, FILE *to);

// Where a value of "values" comes from: "preset", "default", "overridden (line 12)". Returns text.
const char *show_mark_value(char text[static SHOW_MARK_MAX], const json_t *value);
bool show_mark_overridden(const char *mark);
// The same by its key.
const char *show_mark(char text[static SHOW_MARK_MAX], const json_t *settings, const char *key);
// The same for the keys PREFIX<n>SUFFIX together, n being the bits that are set: overridden where
// one of them is, else preset where one is.
const char *show_mark_all(char text[static SHOW_MARK_MAX], const json_t *settings,
			  const char *prefix, uint64_t bits, const char *suffix);
// Joins those keys to the mark in text.
void show_mark_join(char text[static SHOW_MARK_MAX], const json_t *settings, const char *prefix,
		    uint64_t bits, const char *suffix);

// Each prints one table with its title (show_qos_tables.c).
void show_print_maps(const json_t *settings, FILE *to);
void show_print_schedule(const json_t *settings, FILE *to);
void show_print_pools(const json_t *settings, FILE *to);
void show_print_exceptions(const json_t *settings, FILE *to);
