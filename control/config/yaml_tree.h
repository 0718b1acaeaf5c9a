// SPDX-License-Identifier: BSD-3-Clause
// A YAML document as a tree that knows where in the file each key and value stands.
#pragma once

#include "control/base/arena.h"
#include "config.h"

#define YAML_TREE_DEPTH_MAX 32
#define YAML_TREE_NODES_MAX 2000000
#define YAML_TREE_BYTES_MAX (32u << 20)
#define YAML_TREE_TEXT_MAX 4096 // characters of one key or value

enum yaml_kind { YAML_SCALAR, YAML_MAP, YAML_LIST };

struct yaml_pair {
	char *key;
	struct diag_pos key_pos;
	struct yaml_node *value;
};

struct yaml_node {
	enum yaml_kind kind;
	bool null; // a key without a value, or ~
	struct diag_pos pos;
	char *text; // SCALAR
	unsigned count;
	unsigned capacity;
	struct yaml_pair *pairs;  // MAP
	struct yaml_node **items; // LIST
};

// Reads one document. name stands for the file in messages. Returns 0, -EINVAL with the errors in
// diag. Aliases, tags, second documents and keys that are not words are refused. An
// empty text is an error here, since no file of ours may be empty.
int yaml_tree_parse(struct yaml_node **out, struct arena *arena, const char *text, size_t length,
		    const char *name, struct diag *diag);
// The pair with this key, or NULL (also when node is NULL or no map).
struct yaml_pair *yaml_tree_get(const struct yaml_node *node, const char *key);
// Appends to a map or a list.
void yaml_tree_add_pair(struct arena *arena, struct yaml_node *map, struct yaml_pair pair);
void yaml_tree_add_item(struct arena *arena, struct yaml_node *list, struct yaml_node *item);
