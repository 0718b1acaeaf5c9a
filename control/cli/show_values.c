// SPDX-License-Identifier: BSD-3-Clause
#include "show_values.h"

#include <inttypes.h>
#include <string.h>

#define PS_PER_NS 1000

uint64_t
value_sum(const json_t *of)
{
	const char *key;
	json_t *member;
	uint64_t sum = 0;

	json_object_foreach((json_t *)(uintptr_t)of, key, member) sum += value_get(of, key);
	return sum;
}

void
value_text(struct text_table *t, const json_t *of, const char *key)
{
	text_table_cell(t, "%s", value_string(of, key));
}

void
value_count(struct text_table *t, const json_t *of, const char *key)
{
	text_table_cell(t, "%" PRIu64, value_get(of, key));
}

void
value_bytes(struct text_table *t, const json_t *of, const char *key)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", text_bytes(text, value_get(of, key)));
}

// A port without a rate of its own is as fast as its device.
void
value_rate(struct text_table *t, const json_t *of, const char *key)
{
	char text[TEXT_VALUE_MAX];
	uint64_t rate = value_get(of, key);

	text_table_cell(t, "%s", rate != 0 ? text_rate(text, rate) : "device");
}

void
value_duration(struct text_table *t, uint64_t ns)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", text_duration(text, ns * PS_PER_NS));
}

void
value_us(struct text_table *t, uint64_t ns)
{
	text_table_cell(t, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

void
value_instant(struct text_table *t, const json_t *instant)
{
	if (json_is_integer(instant) && json_integer_value(instant) >= 0)
		value_us(t, (uint64_t)json_integer_value(instant));
	else
		text_table_cell(t, "-");
}

const char *
value_set(char text[static VALUE_LIST_MAX], uint64_t bits)
{
	size_t used = 0;

	strcpy(text, "-");
	for (unsigned int first = 0; first < 64; first++) {
		unsigned int last = first;

		if (!(bits >> first & 1))
			continue;
		while (last < 63 && bits >> (last + 1) & 1)
			last++;
		used += (size_t)snprintf(text + used, VALUE_LIST_MAX - used, "%s%u",
					 used != 0 ? "," : "", first);
		if (last != first)
			used += (size_t)snprintf(text + used, VALUE_LIST_MAX - used, "%s%u",
						 last == first + 1 ? "," : "-", last);
		first = last;
	}
	return text;
}

const char *
value_numbers(char text[static VALUE_LIST_MAX], const json_t *of)
{
	const json_t *one;
	uint64_t bits = 0;
	size_t i;

	json_array_foreach(of, i,
			   one) if (json_integer_value(one) >= 0 && json_integer_value(one) < 64)
		bits |= UINT64_C(1) << json_integer_value(one);
	return value_set(text, bits);
}

uint64_t
value_places(const json_t *of, uint64_t value)
{
	const json_t *one;
	uint64_t bits = 0;
	size_t i;

	json_array_foreach(of, i, one) if (i < 64 && json_is_integer(one) &&
					   (uint64_t)json_integer_value(one) == value)
		bits |= UINT64_C(1) << i;
	return bits;
}
