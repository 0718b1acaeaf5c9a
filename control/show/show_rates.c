// SPDX-License-Identifier: BSD-3-Clause
// Rates beside counters, for `show --watch`: how much each counter that only grows has grown since
// the answer before, over the fabric's clock at which the node was read.
#include "show_view.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

static bool
is_total(const char *name)
{
	size_t count;
	const struct counter *rows = counter_rows(&count);

	for (size_t i = 0; i < count; i++)
		if (rows[i].kind == COUNTER_TOTAL && strcmp(rows[i].name, name) == 0)
			return true;
	return false;
}

// One that begins anew, as of a host that was attached again, has grown from 0.
static json_t *
rate_json(const json_t *before, const json_t *now, uint64_t interval_ns)
{
	json_int_t was = json_integer_value(before), is = json_integer_value(now);

	return json_real((double)(is >= was ? is - was : is) * NS_PER_S / (double)interval_ns);
}

static json_t *
rates_json(const json_t *before, const json_t *now, uint64_t interval_ns)
{
	json_t *out = json_array();

	for (size_t i = 0; i < json_array_size(now); i++)
		json_array_append_new(out, rate_json(json_array_get(before, i),
						     json_array_get(now, i), interval_ns));
	return out;
}

static void add_to(const json_t *before, json_t *now, uint64_t interval_ns);

static void
add_to_members(const json_t *before, json_t *now, uint64_t interval_ns)
{
	json_t *rates = json_object(), *value;
	const char *name;

	json_object_foreach(now, name, value)
	{
		const json_t *was = json_object_get(before, name);
		bool numbers = json_is_array(value) && json_is_integer(json_array_get(value, 0));
		char *key;

		if (was == NULL)
			continue;
		if (!json_is_integer(value) && !numbers) {
			add_to(was, value, interval_ns);
			continue;
		}
		if (!is_total(name))
			continue;
		key = memory_format("%s" SHOW_PER_S, name);
		json_object_set_new(rates, key,
				    numbers ? rates_json(was, value, interval_ns)
					    : rate_json(was, value, interval_ns));
		free(key);
	}
	json_object_update(now, rates);
	json_decref(rates);
}

static void
add_to(const json_t *before, json_t *now, uint64_t interval_ns)
{
	json_t *element;
	size_t i;

	if (json_is_object(now))
		add_to_members(before, now, interval_ns);
	else if (json_is_array(now))
		json_array_foreach(now, i, element)
			add_to(json_array_get(before, i), element, interval_ns);
}

void
show_add_rates(const json_t *before, json_t *now)
{
	const json_t *then = json_object_get(before, "node_time_ns");
	const json_t *times = json_object_get(now, "node_time_ns");
	const json_t *were = json_object_get(before, "nodes");
	const char *node;
	json_t *value;

	json_object_foreach(json_object_get(now, "nodes"), node, value)
	{
		uint64_t from = show_number(then, node), to = show_number(times, node);

		if (from != 0 && to > from)
			add_to(json_object_get(were, node), value, to - from);
	}
}
