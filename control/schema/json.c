// SPDX-License-Identifier: BSD-3-Clause
// The schema as JSON Schema, draft 2020-12 (https://json-schema.org/draft/2020-12), for editors and
// for whoever writes files by program. A map of keys is a definition under $defs, named by the path
// at which it was met first, so that sections that share keys share it. What a pattern cannot say, a
// number's range with its unit, stands in the description; so does nothing that a key's check against
// another would find: `roost check` stays the judge.
//
// Keys are text, as in JSON: {3: ...} of YAML is {"3": ...}. Words that YAML 1.1 takes for truth
// values (off) and numbers (ip: 4) are taken in either guise.
#include "describe.h"

#include "control/config/scalar.h"
#include "control/config/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

#define DEFS_MAX 256
#define DRAFT "https://json-schema.org/draft/2020-12/schema"
#define NAME_PATTERN "^[A-Za-z0-9][A-Za-z0-9_-]*$"
#define ITEM_PATTERN "^[A-Za-z0-9][A-Za-z0-9_.-]*$" // names of nodes, ports, queues, links
#define AMOUNT(kind) (1u << CONFIG_AMOUNT_##kind)

struct definitions {
	json_t *defs;
	struct {
		const struct schema *schema;
		char name[DESCRIBE_PATH_MAX];
	} seen[DEFS_MAX];
	unsigned count;
};

static json_t *form_schema(struct definitions *d, const struct schema_form *form, const char *path);

// One of several: itself when it is alone. Takes the array.
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
	const char *unit;

	for (unsigned i = 0; (unit = scalar_unit(kind, i)) != NULL; i++)
		snprintf(pattern + strlen(pattern), sizeof(pattern) - strlen(pattern), "%s%s",
			 i > 0 ? "|" : "", unit);
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
bool_schema(void)
{
	return json_pack("{s:[b,b,s,s,s,s,s,s]}", "enum", 1, 0, "on", "off", "true", "false", "yes",
			 "no");
}

// A word as YAML might read it.
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

		if (c->later) {
			json_decref(read);
			continue;
		}
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
	static const struct {
		unsigned amount;
		const char *word;
	} words[] = {
		{AMOUNT(UNLIMITED), "unlimited"}, {AMOUNT(AUTO), "auto"}, {AMOUNT(NONE), "none"}};
	json_t *ways = json_array();

	if (amounts & AMOUNT(BYTES))
		json_array_append_new(ways, unit_schema(SCALAR_BYTES));
	if (amounts & AMOUNT(PERCENT))
		json_array_append_new(ways, unit_schema(SCALAR_PERCENT));
	if (amounts & AMOUNT(ALPHA))
		json_array_append_new(ways, form_schema(NULL, &schema_form_alpha, ""));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (amounts & words[i].amount)
			json_array_append_new(ways, json_pack("{s:s}", "const", words[i].word));
	return any_of(ways);
}

static json_t *
integer_schema(const struct schema_form *form)
{
	return json_pack("{s:s,s:I,s:I}", "type", "integer", "minimum", (json_int_t)form->min,
			 "maximum", (json_int_t)form->max);
}

// A name of letters and digits may be a number to YAML.
static json_t *
name_schema(const char *pattern)
{
	return json_pack("{s:[s,s],s:s}", "type", "string", "integer", "pattern", pattern);
}

static json_t *
text_schema(const struct schema_form *form)
{
	if (form->pattern != NULL)
		return pattern_schema(form->pattern);
	return json_pack("{s:[s,s,s],s:i}", "type", "string", "number", "boolean", "minLength", 1);
}

// A list of at least min and at most max (0: any number) items. Takes the item's schema. What is
// one word may stand alone, and nothing for no item.
static json_t *
list_schema(json_t *item, bool alone, bool unique, int64_t min, int64_t max)
{
	json_t *list = json_pack("{s:s,s:O}", "type", "array", "items", item);
	json_t *ways = json_pack("[o]", list);

	if (min > 0)
		json_object_set_new(list, "minItems", json_integer(min));
	else
		json_array_append_new(ways, json_pack("{s:s}", "type", "null"));
	if (max > 0)
		json_object_set_new(list, "maxItems", json_integer(max));
	if (unique)
		json_object_set_new(list, "uniqueItems", json_true());
	if (alone)
		json_array_append(ways, item);
	json_decref(item);
	return any_of(ways);
}

// ---- maps ---------------------------------------------------------------------------------------

static json_t *key_schema(struct definitions *d, const struct schema_key *key, const char *path);

static void
add_properties(struct definitions *d, const struct schema *schema, const char *path, json_t *to)
{
	char inner[DESCRIBE_PATH_MAX];

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if (key->flags & SCHEMA_LATER)
			continue;
		describe_join(inner, path, key->name);
		json_object_set_new(to, key->name, key_schema(d, key, inner));
	}
}

// What all items need, whatever their kind.
static void
add_required(const struct schema *schema, json_t *object)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if ((key->required != 0 && key->kinds == 0) ||
		    (key->type == SCHEMA_SECTION && key->choices != NULL))
			json_array_append_new(names, json_string(key->name));
	}
	if (json_array_size(names) > 0)
		json_object_set(object, "required", names);
	json_decref(names);
}

static void
add_excluded(const struct schema *schema, json_t *all)
{
	for (unsigned i = 0; i < schema->count; i++)
		if (schema->keys[i].excludes != NULL)
			json_array_append_new(all, json_pack("{s:{s:[s,s]}}", "not", "required",
							     schema->keys[i].name,
							     schema->keys[i].excludes));
}

// If an item is of this kind, which keys it needs and which it has not.
static json_t *
kind_rule(const struct schema *schema, const char *word, uint32_t bit)
{
	json_t *condition, *has_not = json_object(), *needs = json_array();

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		if (key->flags & SCHEMA_LATER || key->kinds == 0)
			continue;
		if (!(key->kinds & bit))
			json_object_set_new(has_not, key->name, json_false());
		else if (key->required & bit)
			json_array_append_new(needs, json_string(key->name));
	}
	if (schema->tells != NULL)
		condition = json_pack("{s:[s]}", "required", word);
	else
		condition = json_pack("{s:{s:{s:s}},s:[s]}", "properties", "kind", "const", word,
				      "required", "kind");
	return json_pack("{s:o,s:{s:o,s:o}}", "if", condition, "then", "required", needs,
			 "properties", has_not);
}

static void
add_kinds(const struct schema *schema, json_t *object, json_t *all)
{
	json_t *one = json_array();
	const char *word;
	uint32_t bit;

	for (unsigned i = 0; describe_kind(schema, i, &word, &bit); i++) {
		json_array_append_new(all, kind_rule(schema, word, bit));
		json_array_append_new(one, json_pack("{s:[s]}", "required", word));
	}
	if (schema->tells != NULL)
		json_object_set(object, "oneOf", one);
	json_decref(one);
}

// Names that are no listed key: "^(?!(?:host|fabric)$)..."
static json_t *
others_patterns(struct definitions *d, const struct schema *schema, const char *path, bool listed)
{
	json_t *patterns = json_object();
	const struct schema_others *other = schema->others;

	for (; other != NULL && other->pattern != NULL; other++) {
		char pattern[1024] = "^(?!(?:", inner[DESCRIBE_PATH_MAX];

		if (other->listed != listed)
			continue;
		for (unsigned i = 0; i < schema->count; i++)
			snprintf(pattern + strlen(pattern), sizeof(pattern) - strlen(pattern),
				 "%s%s", i > 0 ? "|" : "", schema->keys[i].name);
		snprintf(pattern + strlen(pattern), sizeof(pattern) - strlen(pattern), ")$)%s",
			 other->pattern + 1);
		describe_join(inner, path, other->name);
		json_object_set_new(patterns, pattern, form_schema(d, &other->form, inner));
	}
	return patterns;
}

// Sections named as nodes: by place, or by any name where the topology lists its nodes.
static void
add_others(struct definitions *d, const struct schema *schema, const char *path, json_t *object)
{
	json_t *placed = others_patterns(d, schema, path, false);
	json_t *listed = others_patterns(d, schema, path, true);
	bool conditional = json_object_size(listed) > 0;

	if (json_object_size(placed) > 0)
		json_object_set(object, "patternProperties", placed);
	if (conditional) {
		json_object_set_new(object, "if",
				    json_pack("{s:{s:{s:{s:{s:{s:{s:[s,s]}},s:[s]}},s:[s]}},s:[s]}",
					      "properties", "fabric", "properties", "topology",
					      "properties", "kind", "enum", "explicit", "file",
					      "required", "kind", "required", "topology",
					      "required", "fabric"));
		json_object_set_new(object, "then",
				    json_pack("{s:O}", "patternProperties", listed));
	}
	json_object_set_new(object, conditional ? "unevaluatedProperties" : "additionalProperties",
			    json_false());
	json_decref(placed);
	json_decref(listed);
}

static json_t *
map_object(struct definitions *d, const struct schema *schema, const char *path)
{
	json_t *properties = json_object(), *all = json_array();
	json_t *object =
		json_pack("{s:[s,s],s:O}", "type", "object", "null", "properties", properties);

	add_properties(d, schema, path, properties);
	if (schema->beside != NULL)
		add_properties(d, schema->beside, path, properties);
	add_required(schema, object);
	add_excluded(schema, all);
	if (schema->beside != NULL)
		add_excluded(schema->beside, all);
	add_kinds(schema, object, all);
	if (json_object_get(object, "required") != NULL || json_object_get(object, "oneOf") != NULL)
		json_object_set_new(object, "type", json_string("object"));
	if (json_array_size(all) > 0)
		json_object_set(object, "allOf", all);
	add_others(d, schema, path, object);
	json_decref(properties);
	json_decref(all);
	return object;
}

// {"$ref": "#/$defs/fabric.links"}
static json_t *
map_schema(struct definitions *d, const struct schema *schema, const char *path)
{
	unsigned i;
	char reference[DESCRIBE_PATH_MAX + 16];

	for (i = 0; i < d->count; i++)
		if (d->seen[i].schema == schema)
			break;
	if (i == d->count && d->count < DEFS_MAX) {
		d->seen[i].schema = schema;
		snprintf(d->seen[i].name, sizeof(d->seen[i].name), "%s", path);
		d->count++;
		// In its place before what it holds.
		json_object_set_new(d->defs, path, json_object());
		json_object_set_new(d->defs, path, map_object(d, schema, path));
	}
	snprintf(reference, sizeof(reference), "#/$defs/%s", d->seen[i].name);
	return json_pack("{s:s}", "$ref", reference);
}

// A map by name or by number.
static json_t *
named_schema(struct definitions *d, const struct schema_form *form, const char *path)
{
	char inner[DESCRIBE_PATH_MAX];
	const char *pattern = form->type == SCHEMA_NUMBERED ? SCHEMA_PRIORITY_PATTERN
			      : form->pattern != NULL       ? form->pattern
							    : NAME_PATTERN;
	json_t *item;

	describe_join(inner, path,
		      form->type == SCHEMA_NUMBERED ? "N"
		      : form->words != NULL         ? form->words
						    : "NAME");
	item = form->item != NULL ? form_schema(d, form->item, inner)
				  : map_schema(d, form->sub, inner);
	return json_pack("{s:[s,s],s:{s:o},s:b}", "type", "object", "null", "patternProperties",
			 pattern, item, "additionalProperties", 0);
}

// ---- values -------------------------------------------------------------------------------------

static bool
is_word(const struct schema_form *form)
{
	return form->type != SCHEMA_MAP && form->type != SCHEMA_NAMED &&
	       form->type != SCHEMA_NUMBERED && form->type != SCHEMA_LIST;
}

static json_t *
list_of(struct definitions *d, const struct schema_form *form, const char *path)
{
	char inner[DESCRIBE_PATH_MAX];
	bool alone = false;

	describe_join(inner, path, "item");
	if (form->item == NULL)
		return list_schema(map_schema(d, form->sub, inner), false, false, form->min,
				   form->max);
	for (const struct schema_form *way = form->item; way != NULL; way = way->other)
		alone |= is_word(way);
	return list_schema(form_schema(d, form->item, inner), alone, false, form->min, form->max);
}

static json_t *
one_way(struct definitions *d, const struct schema_form *form, const char *path)
{
	switch (form->type) {
	case SCHEMA_BOOL:
		return bool_schema();
	case SCHEMA_INTEGER:
		return integer_schema(form);
	case SCHEMA_RATE:
		return unit_schema(SCALAR_RATE);
	case SCHEMA_BYTES:
		return unit_schema(SCALAR_BYTES);
	case SCHEMA_DURATION:
		return unit_schema(SCALAR_DURATION);
	case SCHEMA_PERCENT:
		return unit_schema(SCALAR_PERCENT);
	case SCHEMA_ENUM:
		return choices_schema(form->choices);
	case SCHEMA_NAME:
		return name_schema(form->pattern != NULL ? form->pattern : NAME_PATTERN);
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
		return form->sub != NULL ? map_schema(d, form->sub, path)
					 : choices_schema(form->choices);
	default:
		return text_schema(form);
	}
}

static json_t *
form_schema(struct definitions *d, const struct schema_form *form, const char *path)
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
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	json_t *result;

	if (to == NULL)
		return NULL;
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
	struct config_diag diag = {0};
	struct arena arena = {0};
	struct yaml_node *node = NULL;
	json_t *value = NULL;

	if (yaml_tree_parse(&node, &arena, text, strlen(text), "default", &diag) == 0)
		value = tree_value(node);
	config_diag_free(&diag);
	arena_free(&arena);
	return value;
}

static json_t *
key_schema(struct definitions *d, const struct schema_key *key, const char *path)
{
	struct schema_form form = describe_form(key);
	json_t *value;

	if (key->form == NULL && key->type == SCHEMA_AMOUNT)
		value = amounts_schema(key->amounts);
	else if (key->type == SCHEMA_NAMES)
		value = list_schema(name_schema(ITEM_PATTERN), true, key->flags & SCHEMA_UNIQUE,
				    key->min, 0);
	else
		value = form_schema(d, &form, path);
	if (key->form == NULL && key->word != NULL)
		value = any_of(json_pack("[o,{s:s}]", value, "const", key->word));
	json_object_set_new(value, "description", description(key));
	if (key->def != NULL)
		json_object_set_new(value, "default", default_value(key->def));
	return value;
}

json_t *
describe_json_schema(void)
{
	struct definitions d = {.defs = json_object()};

	json_object_set_new(d.defs, "fabric-file", map_object(&d, &schema_fabric_file, ""));
	json_object_set_new(d.defs, "switch-file",
			    map_object(&d, &schema_switch_file, "switch-file"));
	return json_pack(
		"{s:s,s:s,s:s,s:[{s:s},{s:s}],s:o}", "$schema", DRAFT, "title", "Roost",
		"description",
		"A fabric (`fabric:`), or one switch (`switch:` with `ports:`). Written by "
		"`roost schema`.",
		"oneOf", "$ref", "#/$defs/fabric-file", "$ref", "#/$defs/switch-file", "$defs",
		d.defs);
}
