// SPDX-License-Identifier: BSD-3-Clause
// The settings of a switch as a list: every key as a file writes it, with its value, where the
// value came from, and the value of the preset alone.
#pragma once

#include "control/config/config.h"

#include <jansson.h>

// {KEY: {"value": "150KB", "origin": ORIGIN, "preset": "150KB", "where": "line 12"}} for all keys
// below a switch's section but its presets and lists (histograms, pins, learn). ORIGIN:
// "overridden" if the value is not the preset's (or, without a preset, the default's), else
// "preset" or "default". A key that the preset has no value for is overridden if it is written.
// "preset" is null then; if the preset has the other one of alpha and static, it names that key:
// "alpha 8". "where" is settings_place(), or null. marks: of config_switch_marked(); revision: that
// the fabric came up as, or 0; preset: the settings of the preset alone.
json_t *settings_list(const struct switch_config *settings, const struct config_marks *marks,
		      uint32_t revision, const struct switch_config *preset);

// "line 12" of the file; "revision 4, line 12" where a fabric came up as that revision, which the
// user has not written; "live" for a value that was set since it was read (line 0).
json_t *settings_place(uint32_t revision, uint32_t line);

// "where" of a key.
json_t *settings_where(const struct config_marks *marks, uint32_t revision, const char *key);

// The overridden values of a list: {KEY: {"value", "preset", "where"}}.
json_t *settings_exceptions(const json_t *list);

#define SETTINGS_KEY_MAX 80 // of a key, with its NUL
