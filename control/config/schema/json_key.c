// SPDX-License-Identifier: BSD-3-Clause
// JSON Schemas of keys: the ways to write a value, its default and its description.
#include "json.h"

#include "control/base/memory.h"
#include "control/config/host_range.h"
#include "control/config/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

// A list of at least min and at most max (0: any number) items. Takes the item's schema. What is
// one word may stand alone, and nothing for no item.
static json_t *
list_schema(json_t *item, bool alone, bool unique, int64_t min, int64_t max)
{
	json_t *list = json_pack("{s:[s,s],s:O}", "type", "array", "null", "items", item);
	json_t *ways = json_pack("[o]", list);

	if (min > 0) {
		json_object_set_new(list, "type", json_string("array"));
		json_object_set_new(list, "minItems", json_integer(min));
	}
	if (max > 0)
		json_object_set_new(list, "maxItems", json_integer(max));
	if (unique)
		json_object_set_new(list, "uniqueItems", json_true());
	if (alone)
		json_array_append(ways, item);
	json_decref(item);
	return json_any_of(ways);
}

// A map by name or by number.
static json_t *
named_schema(struct json_defs *d, const struct schema_form *form, const char *path)
{
	char inner[DESCRIBE_PATH_MAX];
	const char *pattern = form->type == SCHEMA_NUMBERED ? SCHEMA_PRIORITY_PATTERN
			      : form->pattern != NULL       ? form->pattern
							    : JSON_NAME_PATTERN;
	json_t *item;

	describe_join(inner, path,
		      form->type == SCHEMA_NUMBERED ? "N"
		      : form->words != NULL         ? form->words
						    : "NAME");
	item = form->item != NULL ? json_form_schema(d, form->item, inner)
				  : json_map_schema(d, form->sub, inner);
	return json_pack("{s:[s,s],s:{s:o},s:b}", "type", "object", "null", "patternProperties",
			 pattern, item, "additionalProperties", 0);
}

static bool
is_word(const struct schema_form *form)
{
	return form->type != SCHEMA_MAP && form->type != SCHEMA_NAMED &&
	       form->type != SCHEMA_NUMBERED && form->type != SCHEMA_LIST;
}

static json_t *
list_of(struct json_defs *d, const struct schema_form *form, const char *path)
{
	char inner[DESCRIBE_PATH_MAX];
	bool alone = false;

	describe_join(inner, path, "item");
	if (form->item == NULL)
		return list_schema(json_map_schema(d, form->sub, inner), false, false, form->min,
				   form->max);
	for (const struct schema_form *way = form->item; way != NULL; way = way->other)
		alone |= is_word(way);
	return list_schema(json_form_schema(d, form->item, inner), alone, false, form->min,
			   form->max);
}

static json_t *
one_way(struct json_defs *d, const struct schema_form *form, const char *path)
{
	switch (form->type) {
	case SCHEMA_BOOL:
		return json_bool_schema();
	case SCHEMA_INTEGER:
		return json_integer_schema(form);
	case SCHEMA_RATE:
	case SCHEMA_BYTES:
	case SCHEMA_DURATION:
	case SCHEMA_PERCENT:
		return json_unit_schema(schema_unit(form->type));
	case SCHEMA_ENUM:
		return json_choices_schema(form->choices);
	case SCHEMA_NAME:
		return json_name_schema(form->pattern != NULL ? form->pattern : JSON_NAME_PATTERN);
	case SCHEMA_PREFIX:
		return json_pattern_schema("^[0-9A-Fa-f.:]+/[0-9]{1,3}$");
	case SCHEMA_MAC:
		return json_pattern_schema("^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$");
	case SCHEMA_NUMBERED:
	case SCHEMA_NAMED:
		return named_schema(d, form, path);
	case SCHEMA_LIST:
		return list_of(d, form, path);
	case SCHEMA_SECTION:
	case SCHEMA_MAP:
		return form->sub != NULL ? json_map_schema(d, form->sub, path)
					 : json_choices_schema(form->choices);
	default:
		return json_text_schema(form);
	}
}

json_t *
json_form_schema(struct json_defs *d, const struct schema_form *form, const char *path)
{
	json_t *ways = json_array();

	for (; form != NULL; form = form->other)
		json_array_append_new(ways, one_way(d, form, path));
	return json_any_of(ways);
}

// help, then type and range in words.
static json_t *
description(const struct schema_key *key)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);
	json_t *result;

	fprintf(to, "%s (", key->help);
	describe_type(to, key, false);
	describe_range(to, key, ": ");
	fputs(")", to);
	fclose(to);
	result = json_string(text);
	free(text);
	return result;
}

// A tree as JSON.
static json_t *
tree_value(const struct yaml_node *node)
{
	json_t *value;

	if (node->kind == YAML_SCALAR)
		return json_word_value(node->text);
	value = node->kind == YAML_MAP ? json_object() : json_array();
	for (unsigned i = 0; i < node->count; i++)
		if (node->kind == YAML_MAP)
			json_object_set_new(value, node->pairs[i].key,
					    tree_value(node->pairs[i].value));
		else
			json_array_append_new(value, tree_value(node->items[i]));
	return value;
}

static json_t *
default_value(const char *text)
{
	struct diag diag = {0};
	struct arena arena = {0};
	struct yaml_node *node = NULL;
	json_t *value = NULL;

	if (yaml_tree_parse(&node, &arena, text, strlen(text), "default", &diag) == 0)
		value = tree_value(node);
	diag_free(&diag);
	arena_free(&arena);
	return value;
}

json_t *
json_key_schema(struct json_defs *d, const struct schema_key *key, const char *path)
{
	struct schema_form form = describe_form(key);
	json_t *value;

	if (key->form == NULL && key->type == SCHEMA_AMOUNT)
		value = json_amounts_schema(key->amounts);
	else if (key->type == SCHEMA_NAMES)
		value = list_schema(json_name_schema(key->flags & SCHEMA_HOSTS ? HOST_RANGE_PATTERN
									       : JSON_ITEM_PATTERN),
				    true, key->flags & SCHEMA_UNIQUE, key->min, 0);
	else
		value = json_form_schema(d, &form, path);
	if (key->form == NULL && key->word != NULL)
		value = json_any_of(json_pack("[o,{s:s}]", value, "const", key->word));
	json_object_set_new(value, "description", description(key));
	if (key->def != NULL)
		json_object_set_new(value, "default", default_value(key->def));
	return value;
}
