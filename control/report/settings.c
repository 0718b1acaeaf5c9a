// SPDX-License-Identifier: BSD-3-Clause
// A list is made by walking the struct in the order of its keys; the preset's is made by the same
// walk, so that a key's values are compared as text, as the user would. A limit is an alpha or a
// static size: whichever stands in the other's place is compared with it.
#include "settings_part.h"

#include <stdio.h>
#include <string.h>

// What the preset says of a key, or of what stands in its place there.
static const char *
value_in(const json_t *list, const char *key)
{
	const char *value = json_string_value(json_object_get(json_object_get(list, key), "value"));
	const char *last = strrchr(key, '.');
	char other[SETTINGS_KEY_MAX];

	if (value != NULL || last == NULL ||
	    (strcmp(last, ".alpha") != 0 && strcmp(last, ".static") != 0))
		return value;
	snprintf(other, sizeof(other), "%.*s.%s", (int)(last - key), key,
		 strcmp(last, ".alpha") == 0 ? "static" : "alpha");
	return json_string_value(json_object_get(json_object_get(list, other), "value"));
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
		const char *value = value_in(expected, key);

		status |= json_object_set_new(one, "preset",
					      value != NULL ? json_string(value) : json_null());
		if (value == NULL || json_object_get(expected, key) == NULL ||
		    strcmp(value, json_string_value(json_object_get(one, "value"))) != 0)
			status |= json_object_set_new(one, "origin", json_string("overridden"));
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
