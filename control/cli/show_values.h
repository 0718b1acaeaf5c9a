// SPDX-License-Identifier: BSD-3-Clause
// Values of an answer, and as cells of a table. An answer comes from another process: what is
// missing or of another type counts as 0, or as an empty text.
#pragma once

#include "control/report/text_table.h"

#include <jansson.h>

#define VALUE_NAME_MAX 128 // "leaf1.swp3" with its NUL

static inline uint64_t
value_get(const json_t *of, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(of, key));

	return value > 0 ? (uint64_t)value : 0;
}

// Of an array.
static inline uint64_t
value_at(const json_t *of, const char *key, size_t index)
{
	json_int_t value = json_integer_value(json_array_get(json_object_get(of, key), index));

	return value > 0 ? (uint64_t)value : 0;
}

static inline const char *
value_string(const json_t *of, const char *key)
{
	const char *text = json_string_value(json_object_get(of, key));

	return text != NULL ? text : "";
}

// The sum of an object's members.
uint64_t value_sum(const json_t *of);

// Each adds a member as the next cell.
void value_text(struct text_table *t, const json_t *of, const char *key);
void value_count(struct text_table *t, const json_t *of, const char *key);
void value_bytes(struct text_table *t, const json_t *of, const char *key);
void value_rate(struct text_table *t, const json_t *of, const char *key);

// Adds a duration as the next cell.
void value_duration(struct text_table *t, uint64_t ns);
