// SPDX-License-Identifier: BSD-3-Clause
// Values of an answer, and as cells of a table. An answer comes from another process: what is
// missing or of another type counts as 0, or as an empty text.
#pragma once

#include "control/base/text_table.h"

#include <jansson.h>

#define VALUE_NAME_MAX 128 // "leaf1.swp3" with its NUL
#define VALUE_LIST_MAX 512
#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))

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

// Adds nanoseconds as the next cell, as microseconds with nothing rounded: "1342.156".
void value_us(struct text_table *t, uint64_t ns);

// The same for an instant that is a member of an array of them, or a member itself; "-" where there
// was none (-1).
void value_instant(struct text_table *t, const json_t *instant);

// A set of bits as "0-2,6", or "-" when it is empty; and the numbers in an array likewise.
const char *value_set(char text[static VALUE_LIST_MAX], uint64_t bits);
const char *value_numbers(char text[static VALUE_LIST_MAX], const json_t *of);

// A bit for each place, up to 63, of an array that holds `value`.
uint64_t value_places(const json_t *of, uint64_t value);
