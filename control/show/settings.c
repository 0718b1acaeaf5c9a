// SPDX-License-Identifier: BSD-3-Clause
// The list follows the rows of the schema, for the preset's settings as for the switch's, so that a
// key's values are compared as a file writes them. A limit is an alpha or a static size: the one
// is overridden if the preset has the other.
#include "settings.h"

#include "control/config/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct list {
	json_t *out;
	const struct config_marks *marks; // NULL: of the preset alone
	uint32_t revision;
};

json_t *
settings_place(uint32_t revision, uint32_t line)
{
	if (line == 0)
		return json_string("live");
	return revision != 0 ? json_sprintf("revision %" PRIu32 ", line %" PRIu32, revision, line)
			     : json_sprintf("line %" PRIu32, line);
}

json_t *
settings_where(const struct config_marks *marks, uint32_t revision, const char *key)
{
	struct config_mark mark = config_marks_find(marks, key);

	if (mark.origin != CONFIG_ORIGIN_FILE)
		return json_null();
	return settings_place(revision, mark.pos.line);
}

static void
add(void *context, const char *key, const char *value)
{
	struct list *list = context;
	json_t *one;

	if (strncmp(key, "preset", strlen("preset")) == 0)
		return;
	one = json_pack("{s:s}", "value", value);
	if (list->marks != NULL) {
		bool is_default = config_marks_find(list->marks, key).origin ==
				  CONFIG_ORIGIN_DEFAULT;

		json_object_set_new(one, "origin", json_string(is_default ? "default" : "preset"));
		json_object_set_new(one, "where", settings_where(list->marks, list->revision, key));
	}
	json_object_set_new(list->out, key, one);
}

static json_t *
list_of(const struct switch_config *settings, const struct config_marks *marks, uint32_t revision)
{
	struct list list = {.out = json_object(), .marks = marks, .revision = revision};

	encode_each(&schema_switch, settings, add, &list);
	return list.out;
}

static const char *
value_in(const json_t *list, const char *key)
{
	return json_string_value(json_object_get(json_object_get(list, key), "value"));
}

// The preset's value of a key, or "alpha 8" if it has the other key of a limit.
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
settings_list(const struct switch_config *settings, const struct config_marks *marks,
	      uint32_t revision, const struct switch_config *preset)
{
	json_t *list = list_of(settings, marks, revision);
	json_t *expected = list_of(preset, NULL, 0);
	const char *key;
	json_t *one;

	json_object_foreach(list, key, one)
	{
		json_t *value = preset_value(expected, key);

		if (is_overridden(one, value))
			json_object_set_new(one, "origin", json_string("overridden"));
		json_object_set_new(one, "preset", value);
	}
	json_decref(expected);
	return list;
}

json_t *
settings_exceptions(const json_t *list)
{
	json_t *out = json_object();
	const char *key;
	json_t *one;

	json_object_foreach((json_t *)(uintptr_t)list, key, one)
	{
		const char *origin = json_string_value(json_object_get(one, "origin"));

		if (origin != NULL && strcmp(origin, "overridden") == 0)
			json_object_set_new(out, key,
					    json_pack("{s:O,s:O,s:O}", "value",
						      json_object_get(one, "value"), "preset",
						      json_object_get(one, "preset"), "where",
						      json_object_get(one, "where")));
	}
	return out;
}
