// SPDX-License-Identifier: BSD-3-Clause
// The settings of a switch as a list: every key as a file writes it, with its value, where the
// value came from and what the preset alone would say.
#pragma once

#include "control/config/config.h"

#include <jansson.h>

// {KEY: {"value": "150KB", "origin": ORIGIN, "preset": "150KB", "where": "line 12"}} for all keys
// of `latency`, `buffer`, `qos` but its histograms, and `routing` but its pins. ORIGIN:
// "overridden" where the value is not the preset's (or, without a preset, the default's), else
// "preset" or "default". What a preset has no value for is overridden where it is written. "preset"
// is null there, and names the key where the preset has the other of alpha and static: "alpha 8";
// "where" is "line N" of the file, "live" for what was set since it was read, or null for what
// stands in neither. marks: of config_switch_marked(); preset: the settings of the preset alone.
// NULL when memory ran out.
json_t *settings_list(const struct switch_config *settings, const struct config_mark *marks,
		      const struct switch_config *preset);

// "where" of a value with this mark. NULL when memory ran out.
json_t *settings_where(const struct config_mark *mark);

// Those of a list that are overridden: {KEY: {"value", "preset", "where"}}. NULL when memory ran
// out.
json_t *settings_exceptions(const json_t *list);

#define SETTINGS_KEY_MAX 80 // of a key, with its NUL
