// SPDX-License-Identifier: BSD-3-Clause
// JSON Schemas of keys: the ways to write a value, its default and its description. Words that YAML
// 1.1 takes for truth values (off) and numbers (ip: 4) are taken in either guise.
#include "json.h"

#include "control/base/memory.h"
#include "control/config/host_range.h"
#include "control/config/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

// ---- values of one word ----

static json_t *
any_of(json_t *ways)
{
	json_t *only = json_array_size(ways) == 1 ? json_incref(json_array_get(ways, 0)) : NULL;

	if (only == NULL)
		return json_pack("{s:o}", "anyOf", ways);
	json_decref(ways);
	return only;
}

static json_t *
pattern_schema(const char *pattern)
{
	return json_pack("{s:s,s:s}", "type", "string", "pattern", pattern);
}

// "^[0-9]+([.][0-9]+)?(K|M|G|T)$"
static json_t *
unit_schema(enum scalar_kind kind)
{
	char pattern[120] = "^[0-9]+([.][0-9]+)?(";
	const char *between = "";

	for (const struct scalar_unit *unit = scalar_units(kind); unit->name != NULL; unit++) {
		snprintf(pattern + strlen(pattern), sizeof(pattern) - strlen(pattern), "%s%s",
			 between, unit->name);
		between = "|";
	}
	strncat(pattern, ")$", sizeof(pattern) - strlen(pattern) - 1);
	return pattern_schema(pattern);
}

static bool
is_among(const char *word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

static bool
is_true(const char *word)
{
	return is_among(word, (const char *const[]){"on", "true", "yes", NULL});
}

static bool
is_false(const char *word)
{
	return is_among(word, (const char *const[]){"off", "false", "no", NULL});
}

static json_t *
word_value(const char *word)
{
	char why[SCALAR_WHY];
	int64_t number;

	if (scalar_integer(word, INT64_MIN, INT64_MAX, &number, why) == 0)
		return json_integer(number);
	if (is_true(word) || is_false(word))
		return json_boolean(is_true(word));
	return json_string(word);
}

// The words themselves, and what YAML may make of them.
static json_t *
choices_schema(const struct schema_choice *choices)
{
	json_t *words = json_array();
	bool any_true = false, any_false = false;

	for (const struct schema_choice *c = choices; c->name != NULL; c++) {
		json_t *read = word_value(c->name);

		json_array_append_new(words, json_string(c->name));
		if (json_is_integer(read))
			json_array_append(words, read);
		any_true |= is_true(c->name);
		any_false |= is_false(c->name);
		json_decref(read);
	}
	if (any_true)
		json_array_append_new(words, json_true());
	if (any_false)
		json_array_append_new(words, json_false());
	return json_pack("{s:o}", "enum", words);
}

static json_t *
amounts_schema(unsigned amounts)
{
	json_t *ways = json_array();

	for (const struct scalar_amount_form *f = scalar_amount_forms; f->name != NULL; f++) {
		if (!(amounts & 1u << f->kind))
			continue;
		json_array_append_new(ways, f->is_word ? json_pack("{s:s}", "const", f->name)
					    : f->kind == CONFIG_AMOUNT_BYTES
						    ? unit_schema(SCALAR_BYTES)
					    : f->kind == CONFIG_AMOUNT_PERCENT
						    ? unit_schema(SCALAR_PERCENT)
						    : choices_schema(schema_form_alpha.choices));
	}
	return any_of(ways);
}

// A name of letters and digits may be a number to YAML.
static json_t *
name_schema(const char *pattern)
{
	return json_pack("{s:[s,s],s:s}", "type", "string", "integer", "pattern", pattern);
}

// ---- values of several words, keys ----

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
	return any_of(ways);
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
		return json_pack("{s:[b,b,s,s,s,s,s,s]}", "enum", 1, 0, "on", "off", "true",
				 "false", "yes", "no");
	case SCHEMA_INTEGER:
		return json_pack("{s:s,s:I,s:I}", "type", "integer", "minimum",
				 (json_int_t)form->min, "maximum", (json_int_t)form->max);
	case SCHEMA_RATE:
	case SCHEMA_BYTES:
	case SCHEMA_DURATION:
	case SCHEMA_PERCENT:
		return unit_schema(schema_unit(form->type));
	case SCHEMA_ENUM:
		return choices_schema(form->choices);
	case SCHEMA_NAME:
		return name_schema(form->pattern != NULL ? form->pattern : JSON_NAME_PATTERN);
	case SCHEMA_PREFIX:
		return pattern_schema("^[0-9A-Fa-f.:]+/[0-9]{1,3}$");
	case SCHEMA_MAC:
		return pattern_schema("^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$");
	case SCHEMA_NUMBERED:
	case SCHEMA_NAMED:
		return named_schema(d, form, path);
	case SCHEMA_LIST:
		return list_of(d, form, path);
	case SCHEMA_SECTION:
	case SCHEMA_MAP:
		return form->sub != NULL ? json_map_schema(d, form->sub, path)
					 : choices_schema(form->choices);
	default:
		if (form->pattern != NULL)
			return pattern_schema(form->pattern);
		return json_pack("{s:[s,s,s],s:i}", "type", "string", "number", "boolean",
				 "minLength", 1);
	}
}

json_t *
json_form_schema(struct json_defs *d, const struct schema_form *form, const char *path)
{
	json_t *ways = json_array();

	for (; form != NULL; form = form->other)
		json_array_append_new(ways, one_way(d, form, path));
	return any_of(ways);
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
		return word_value(node->text);
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
json_key_schema(struct json_defs *d, const struct schema_key *key, const char *def,
		const char *path)
{
	struct schema_form form = describe_form(key);
	json_t *value;

	if (key->form == NULL && key->type == SCHEMA_AMOUNT)
		value = amounts_schema(key->amounts);
	else if (key->type == SCHEMA_NAMES)
		value = list_schema(name_schema(key->flags & SCHEMA_HOSTS ? HOST_RANGE_PATTERN
									  : JSON_ITEM_PATTERN),
				    true, key->flags & SCHEMA_UNIQUE, key->min, 0);
	else
		value = json_form_schema(d, &form, path);
	if (key->form == NULL && key->word != NULL)
		value = any_of(json_pack("[o,{s:s}]", value, "const", key->word));
	json_object_set_new(value, "description", description(key));
	if (def != NULL)
		json_object_set_new(value, "default", default_value(def));
	return value;
}
