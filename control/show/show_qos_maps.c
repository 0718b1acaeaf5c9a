// SPDX-License-Identifier: BSD-3-Clause
// The tables of `qos roce` that have a row for each priority: what maps to it, and how it is
// scheduled.
#include "show_qos.h"

#include <inttypes.h>
#include <string.h>

#define PRIORITY_COUNT 8

// The role of a priority in RoCE: paused by PFC, or that of CNPs (DSCP 48).
static const char *
role_of(const json_t *settings, uint64_t priority)
{
	const json_t *pfc = json_object_get(json_object_get(settings, "pfc"), "pfc-priority");
	const json_t *one;
	bool any = false;
	size_t i;

	json_array_foreach(pfc, i, one)
	{
		any = true;
		if ((uint64_t)json_integer_value(one) == priority)
			return "roce";
	}
	if (!any && priority == 3)
		return "roce";
	return show_number_at(settings, "dscp-to-sp", 48) == priority ? "cnp" : "";
}

// A bit for each place, up to 63, of an array that holds `value`.
static uint64_t
places(const json_t *of, uint64_t value)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < json_array_size(of) && i < 64; i++) {
		const json_t *one = json_array_get(of, i);

		if (json_is_integer(one) && (uint64_t)json_integer_value(one) == value)
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

void
show_add_maps(struct text_table *t, const struct show_row *row)
{
	const json_t *settings = row->value, *origin;

	for (uint64_t i = 0; i < PRIORITY_COUNT; i++) {
		uint64_t pcp = places(json_object_get(settings, "pcp-to-sp"), i);
		uint64_t dscp = places(json_object_get(settings, "dscp-to-sp"), i);

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%s", "");
		show_append_set(t, pcp);
		text_table_cell(t, "%s", "");
		show_append_set(t, dscp);
		text_table_cell(t, "%" PRIu64, i);
		origin = show_strongest(settings, NULL, "qos.dscp-to-priority.*", dscp);
		show_origin_cell(t, show_strongest(settings, origin, "qos.pcp-to-priority.*", pcp));
	}
}

static const json_t *
class_of(const json_t *settings, uint64_t tc)
{
	const json_t *classes = json_object_get(settings, "traffic-class");

	for (size_t i = 0; i < json_array_size(classes); i++)
		if (show_number(json_array_get(classes, i), "traffic-class") == tc)
			return json_array_get(classes, i);
	return NULL;
}

void
show_add_schedule(struct text_table *t, const struct show_row *row)
{
	static const char *const class_keys[] = {"qos.tc.*.scheduler", "qos.tc.*.weight",
						 "qos.tc.*.min-rate", "qos.tc.*.max-rate"};
	const json_t *settings = row->value;

	for (size_t i = 0; i < PRIORITY_COUNT; i++) {
		uint64_t tc = show_number_at(settings, "sp-to-tc", i) & 63, bit = UINT64_C(1) << i;
		const struct show_row class = {.value = class_of(settings, tc)};
		const json_t *origin;

		text_table_cell(t, "%s", role_of(settings, i));
		text_table_cell(t, "%zu", i);
		text_table_cell(t, "%" PRIu64, show_number_at(settings, "sp-to-pg", i));
		text_table_cell(t, "%" PRIu64, tc);
		if (strcmp(show_string(class.value, "scheduler"), "strict") == 0)
			text_table_cell(t, "strict-priority");
		else
			text_table_cell(t, "DWRR-%.4g%%",
					json_number_value(json_object_get(class.value, "share")));
		show_cell(t, &class, "min-rate-bps", SHOW_LIMIT);
		show_cell(t, &class, "max-rate-bps", SHOW_LIMIT);
		origin = show_strongest(settings, NULL, "qos.priority-to-tc.*", bit);
		origin = show_strongest(settings, origin, "qos.priority-to-pg.*", bit);
		for (size_t k = 0; k < sizeof(class_keys) / sizeof(*class_keys); k++)
			origin = show_strongest(settings, origin, class_keys[k], UINT64_C(1) << tc);
		show_origin_cell(t, origin);
	}
}
