// SPDX-License-Identifier: BSD-3-Clause
// The schema as JSON Schema, draft 2020-12 (https://json-schema.org/draft/2020-12), for editors and
// for programs that write files. A map of keys is a definition under $defs, named by the path
// at which it was met first, so that sections that share keys share it. What a pattern cannot say,
// a number's range with its unit, stands in the description. Conditions that involve several keys
// are left out: `roost check` stays the judge. Keys are text, as in JSON: {3: ...} of YAML is {"3":
// ...}.
#include "json.h"

#include <string.h>

#define DRAFT "https://json-schema.org/draft/2020-12/schema"

static void
add_properties(struct json_defs *d, const struct schema *schema, const char *path, json_t *to)
{
	char inner[DESCRIBE_PATH_MAX];

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];

		describe_join(inner, path, key->name);
		json_object_set_new(to, key->name,
				    json_key_schema(d, key, schema_default(schema, key), inner));
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

		if (key->kinds == 0)
			continue;
		if (!(key->kinds & bit))
			json_object_set_new(has_not, key->name, json_false());
		else if (key->required & bit)
			json_array_append_new(needs, json_string(key->name));
	}
	if (schema->kind_keys != NULL)
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
	if (schema->kind_keys != NULL)
		json_object_set(object, "oneOf", one);
	json_decref(one);
}

// "host|fabric", the keys that stand in the schema.
static void
add_alternatives(char *to, size_t size, const struct schema *schema)
{
	for (unsigned i = 0; i < schema->count; i++)
		snprintf(to + strlen(to), size - strlen(to), "%s%s", i > 0 ? "|" : "",
			 schema->keys[i].name);
}

// Names that are no such key, "^(?!(?:host|fabric)$)...". What the file lists is no name by place
// either, so that no section is checked twice.
static json_t *
others_patterns(struct json_defs *d, const struct schema *schema, const char *path, bool listed)
{
	json_t *patterns = json_object();

	for (const struct schema_others *o = schema->others; o != NULL && o->pattern != NULL; o++) {
		char pattern[1024] = "^(?!(?:", inner[DESCRIBE_PATH_MAX];
		size_t size = sizeof(pattern);

		if (o->listed != listed)
			continue;
		add_alternatives(pattern, size, schema);
		strncat(pattern, ")$)", size - strlen(pattern) - 1);
		for (const struct schema_others *p = schema->others; listed && p != o; p++)
			if (!p->listed)
				snprintf(pattern + strlen(pattern), size - strlen(pattern),
					 "(?!%s)", p->pattern + 1);
		snprintf(pattern + strlen(pattern), size - strlen(pattern), "%s", o->pattern + 1);
		describe_join(inner, path, o->name);
		json_object_set_new(patterns, pattern, json_form_schema(d, &o->form, inner));
	}
	return patterns;
}

// Nothing but the keys of `object`, names by place, and those of `listed`, which may be NULL. A
// value that is wrong is reported by `object`, and its key is not called unknown for it.
static json_t *
closed(const json_t *object, const struct schema *schema, json_t *listed)
{
	json_t *names = json_object(), *patterns = json_object();
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(object, "properties"), name, value)
		json_object_set_new(names, name, json_true());
	for (const struct schema_others *o = schema->others; o->pattern != NULL; o++)
		if (!o->listed)
			json_object_set_new(patterns, o->pattern, json_true());
	if (listed != NULL)
		json_object_update(patterns, listed);
	return json_pack("{s:o,s:o,s:b}", "properties", names, "patternProperties", patterns,
			 "additionalProperties", 0);
}

// Sections named as nodes: by place, or by any name where the topology lists its nodes.
static void
add_others(struct json_defs *d, const struct schema *schema, const char *path, json_t *object)
{
	json_t *placed = others_patterns(d, schema, path, false);
	json_t *listed = others_patterns(d, schema, path, true);

	if (json_object_size(placed) > 0)
		json_object_set(object, "patternProperties", placed);
	if (json_object_size(listed) > 0) {
		json_object_set_new(object, "if",
				    json_pack("{s:{s:{s:{s:{s:{s:{s:[s,s]}},s:[s]}},s:[s]}},s:[s]}",
					      "properties", "fabric", "properties", "topology",
					      "properties", "kind", "enum", "explicit", "file",
					      "required", "kind", "required", "topology",
					      "required", "fabric"));
		json_object_set_new(object, "then", closed(object, schema, listed));
		json_object_set_new(object, "else", closed(object, schema, NULL));
	} else {
		json_object_set_new(object, "additionalProperties", json_false());
	}
	json_decref(placed);
	json_decref(listed);
}

json_t *
json_map_object(struct json_defs *d, const struct schema *schema, const char *path)
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
json_t *
json_map_schema(struct json_defs *d, const struct schema *schema, const char *path)
{
	unsigned i;
	char reference[DESCRIBE_PATH_MAX + 16];

	for (i = 0; i < d->count; i++)
		if (d->seen[i].schema == schema)
			break;
	if (i == d->count && d->count < JSON_DEFS_MAX) {
		d->seen[i].schema = schema;
		snprintf(d->seen[i].name, sizeof(d->seen[i].name), "%s", path);
		d->count++;
		// In its place before what it holds.
		json_object_set_new(d->defs, path, json_object());
		json_object_set_new(d->defs, path, json_map_object(d, schema, path));
	}
	snprintf(reference, sizeof(reference), "#/$defs/%s", d->seen[i].name);
	return json_pack("{s:s}", "$ref", reference);
}

json_t *
describe_json_schema(void)
{
	struct json_defs d = {.defs = json_object()};

	json_object_set_new(d.defs, "fabric-file", json_map_object(&d, &schema_fabric_file, ""));
	json_object_set_new(d.defs, "switch-file",
			    json_map_object(&d, &schema_switch_file, "switch-file"));
	// `properties` only for editors, which else would not offer `fabric` in an empty file.
	return json_pack("{s:s,s:s,s:s,s:{s:b},s:{s:[s]},s:{s:s},s:{s:s},s:o}", "$schema", DRAFT,
			 "title", "Roost", "description",
			 "A fabric (`fabric:`), or one switch (`switch:` with `ports:`). Written "
			 "by `roost schema`.",
			 "properties", "fabric", true, "if", "required", "fabric", "then", "$ref",
			 "#/$defs/fabric-file", "else", "$ref", "#/$defs/switch-file", "$defs",
			 d.defs);
}
