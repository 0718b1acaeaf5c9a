// SPDX-License-Identifier: BSD-3-Clause
#include "show_values.h"

#include <inttypes.h>

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
