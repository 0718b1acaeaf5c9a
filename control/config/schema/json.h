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
json_t *json_key_schema(struct json_defs *d, const struct schema_key *key, const char *def,
			const char *path);
