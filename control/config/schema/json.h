// SPDX-License-Identifier: BSD-3-Clause
// The parts of the JSON Schema; private to control/schema/.
#pragma once

#include "describe.h"

#include "control/config/scalar.h"

#define JSON_DEFS_MAX 256
#define JSON_NAME_PATTERN "^[A-Za-z0-9][A-Za-z0-9_-]*$"
#define JSON_ITEM_PATTERN "^[A-Za-z0-9][A-Za-z0-9_.-]*$" // names of nodes, ports, queues, links

// The maps of keys that have been met, each a definition under $defs.
struct json_defs {
	json_t *defs;
	struct {
		const struct schema *schema;
		char name[DESCRIBE_PATH_MAX];
	} seen[JSON_DEFS_MAX];
	unsigned count;
};

// Each returns a schema that is the caller's. path: where it was met.
json_t *json_map_schema(struct json_defs *d, const struct schema *schema, const char *path);
json_t *json_map_object(struct json_defs *d, const struct schema *schema, const char *path);
json_t *json_form_schema(struct json_defs *d, const struct schema_form *form, const char *path);
json_t *json_key_schema(struct json_defs *d, const struct schema_key *key, const char *path);

// ---- values of one word (json_word.c) ----

// One of several: itself when it is alone. Takes the array.
json_t *json_any_of(json_t *ways);
json_t *json_pattern_schema(const char *pattern);
json_t *json_bool_schema(void);
json_t *json_choices_schema(const struct schema_choice *choices);
json_t *json_amounts_schema(unsigned amounts);
json_t *json_integer_schema(const struct schema_form *form);
json_t *json_unit_schema(enum scalar_kind kind);
json_t *json_name_schema(const char *pattern);
json_t *json_text_schema(const struct schema_form *form);
// A word as YAML might read it.
json_t *json_word_value(const char *word);
