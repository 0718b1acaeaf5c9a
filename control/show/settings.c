// SPDX-License-Identifier: BSD-3-Clause
// A list is made by walking the struct in the order of its keys; the preset's is made by the same
// walk, so that a key's values are compared as text, as the user would. A limit is an alpha or a
// static size: the one counts as changed where the preset has the other.
#include "settings_part.h"

#include <stdio.h>
#include <string.h>

static const char *
value_in(const json_t *list, const char *key)
{
	return json_string_value(json_object_get(json_object_get(list, key), "value"));
}

// What the preset says of a key, or with its name of what stands in the key's place there.
static json_t *
preset_value(const json_t *preset, const char *key)
{
	const char *last = strrchr(key, '.'), *name, *value = value_in(preset, key);
	char other[SETTINGS_KEY_MAX];

	if (value != NULL)
		return json_string(value);
	if (last == NULL || (strcmp(last, ".alpha") != 0 && strcmp(last, ".static") != 0))
		return json_null();
	name = strcmp(last, ".alpha") == 0 ? "static" : "alpha";
	snprintf(other, sizeof(other), "%.*s.%s", (int)(last - key), key, name);
	value = value_in(preset, other);
	return value != NULL ? json_sprintf("%s %s", name, value) : json_null();
}

static bool
is_overridden(const json_t *one, const json_t *preset)
{
	if (json_is_string(preset))
		return !json_equal(json_object_get(one, "value"), preset);
	return json_is_string(json_object_get(one, "where"));
}

json_t *
settings_list(const struct switch_config *settings, const struct config_mark *marks,
	      const struct switch_config *preset)
{
	json_t *list = settings_walk(settings, marks);
	json_t *expected = settings_walk(preset, NULL);
	const char *key;
	json_t *one;
	int status = list == NULL || expected == NULL ? -1 : 0;

	json_object_foreach(list, key, one)
	{
		json_t *value = preset_value(expected, key);

		if (is_overridden(one, value))
			status |= json_object_set_new(one, "origin", json_string("overridden"));
		status |= json_object_set_new(one, "preset", value);
	}
	json_decref(expected);
	if (status == 0)
		return list;
	json_decref(list);
	return NULL;
}

json_t *
settings_exceptions(const json_t *list)
{
	json_t *out = json_object();
	const char *key;
	json_t *one;
	int status = out != NULL ? 0 : -1;

	json_object_foreach((json_t *)(uintptr_t)list, key, one)
	{
		const char *origin = json_string_value(json_object_get(one, "origin"));

		if (origin != NULL && strcmp(origin, "overridden") == 0)
			status |= json_object_set_new(
				out, key,
				json_pack("{s:O,s:O,s:O}", "value", json_object_get(one, "value"),
					  "preset", json_object_get(one, "preset"), "where",
					  json_object_get(one, "where")));
	}
	if (status == 0)
		return out;
	json_decref(out);
	return NULL;
}
