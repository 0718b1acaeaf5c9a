// SPDX-License-Identifier: BSD-3-Clause
// The settings of a switch as a list: every key as a file writes it, with its value, where the
// value came from and what the preset alone would say.
#pragma once

#include "control/config/config.h"

#include <jansson.h>

// {KEY: {"value": "150KB", "origin": ORIGIN, "preset": "150KB", "where": "line 12"}} for all keys
// of `latency`, `buffer` and `qos` but its histograms. ORIGIN: "overridden" where the value is not
// the preset's (or, without a preset, the default's), else "preset" or "default". "preset" is null
// where the preset has no such key; "where" is "line N" of the file, "live" for what was set since
// it was read, or null for what stands in neither. marks: of config_switch_marked(); preset: the
// settings of the preset alone. NULL when memory ran out.
json_t *settings_list(const struct switch_config *settings, const struct config_mark *marks,
		      const struct switch_config *preset);

// Those of a list that are overridden: {KEY: {"value", "preset", "where"}}. NULL when memory ran
// out.
json_t *settings_exceptions(const json_t *list);

#define SETTINGS_KEY_MAX 80 // of a key, with its NUL

// Values as a file writes them, exactly: "150KB", "1500ns", "25G", "12.5%".
#define SETTINGS_TEXT_MAX 32
const char *settings_bytes(char text[static SETTINGS_TEXT_MAX], uint64_t bytes);
const char *settings_duration(char text[static SETTINGS_TEXT_MAX], uint64_t ps);
const char *settings_rate(char text[static SETTINGS_TEXT_MAX], uint64_t bits_per_s);
const char *settings_percent(char text[static SETTINGS_TEXT_MAX], uint32_t ppm);
