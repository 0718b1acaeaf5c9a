// SPDX-License-Identifier: BSD-3-Clause
// Where an edit goes in the tree, and what becomes of what stands there.
#include "set_internal.h"

#include "control/config/host_range.h"
#include "control/config/scalar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct yaml_node *
set_chain(const struct set_request *request, unsigned from, struct yaml_node *value)
{
	struct arena *arena = versions_arena(request->config);

	for (unsigned i = request->count; i > from && value != NULL; i--) {
		struct yaml_node *map = arena_alloc(arena, sizeof(*map));

		if (map == NULL)
			return NULL;
		*map = (struct yaml_node){.kind = YAML_MAP, .pos = request->edit->value_pos};
		if (yaml_tree_add_pair(arena, map,
				       (struct yaml_pair){.key = request->tokens[i - 1],
							  .key_pos = request->edit->pos,
							  .value = value}) < 0)
			return NULL;
		value = map;
	}
	return value;
}

// Gives a parsed value the place of the edit and words that last.
static int
settle_value(const struct set_request *request, struct yaml_node *node)
{
	const struct diag_pos pos = request->edit->value_pos;
	int error = 0;

	node->pos = pos;
	if (node->kind == YAML_SCALAR) {
		node->text = versions_text(request->config, node->text, strlen(node->text));
		return node->text != NULL ? 0 : -ENOMEM;
	}
	for (unsigned i = 0; error == 0 && i < node->count; i++) {
		if (node->kind == YAML_MAP) {
			struct yaml_pair *pair = &node->pairs[i];

			pair->key_pos = pos;
			pair->key = versions_text(request->config, pair->key, strlen(pair->key));
			error = pair->key != NULL ? settle_value(request, pair->value) : -ENOMEM;
		} else {
			error = settle_value(request, node->items[i]);
		}
	}
	return error;
}

// A list or map in flow style, or a quoted word. What is wrong with it is wrong where the text
// stands: its own lines and columns are nobody's.
static struct yaml_node *
parse_value(const struct set_request *request, const char *text, bool *out_of_memory)
{
	struct diag diag = {0};
	struct yaml_node *node = NULL;
	int result = yaml_tree_parse(&node, versions_arena(request->config), text, strlen(text), "",
				     &diag);

	*out_of_memory = result == -ENOMEM;
	for (unsigned i = 0; i < diag.count; i++) {
		const char *why = diag.messages[i].words;
		bool file = strncmp(why, "the file ", 9) == 0;

		diag_error(request->diag, request->config->file, request->edit->value_pos,
			   request->edit->key, "\"%.80s\": %s%s", text, file ? "it " : "",
			   file ? why + 9 : why);
	}
	diag_free(&diag);
	return result == 0 ? node : NULL;
}

struct yaml_node *
set_value(const struct set_request *request, bool *out_of_memory)
{
	const char *text = request->edit->value;
	struct yaml_node *node;

	*out_of_memory = false;
	if (text[0] != '\0' && strchr("[{\"'", text[0]) != NULL) {
		node = parse_value(request, text, out_of_memory);
	} else {
		node = arena_alloc(versions_arena(request->config), sizeof(*node));
		*out_of_memory = node == NULL;
		if (node != NULL)
			*node = (struct yaml_node){.kind = YAML_SCALAR,
						   .text = (char *)(uintptr_t)text};
	}
	if (node == NULL || settle_value(request, node) == 0)
		return node;
	*out_of_memory = true;
	return NULL;
}

// Keys of switches whose value is a map, or on or off: writing one of the map's keys does not undo
// the word, nor the word the map. The word then stands in the map as `enabled`.
static bool
is_switched(const struct set_request *request, const char *key)
{
	return !request->tenants && (strcmp(key, "ecn") == 0 || strcmp(key, "trim") == 0 ||
				     strcmp(key, "watchdog") == 0);
}

const char *
set_excluded_by(const char *key)
{
	static const char *const pairs[][2] = {{"alpha", "static"}, {"detect", "robustness"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int j = 0; j < 2; j++)
			if (strcmp(key, pairs[i][j]) == 0)
				return pairs[i][!j];
	return NULL;
}

// The section of the edit, made where it is missing. NULL without memory.
static struct yaml_node *
open_section(const struct set_request *request)
{
	struct arena *arena = versions_arena(request->config);
	int error;
	struct yaml_node *section = versions_section(request->config, request->tokens[0], &error);

	if (error != 0)
		return NULL;
	if (section != NULL && section->kind == YAML_MAP)
		return section;
	if (section == NULL) {
		section = arena_alloc(arena, sizeof(*section));
		if (section == NULL ||
		    yaml_tree_add_pair(arena, request->config->private->root,
				       (struct yaml_pair){request->tokens[0], request->edit->pos,
							  section}) < 0)
			return NULL;
	}
	*section = (struct yaml_node){.kind = YAML_MAP, .pos = request->edit->pos};
	return section;
}

// A tenant's key at the first `count` words that has no keys below it.
static int
refuse_below(const struct set_request *request, unsigned count, const struct yaml_node *node)
{
	char key[160] = "";
	size_t used = 0;

	for (unsigned i = 0; i < count && used < sizeof(key); i++)
		used += (size_t)snprintf(key + used, sizeof(key) - used, "%s%s", i != 0 ? "." : "",
					 request->tokens[i]);
	diag_error(request->diag, request->config->file, request->edit->pos, key,
		   "is %s, not a map: it has no \"%.64s\"",
		   node->kind == YAML_LIST ? "a list" : "one value", request->tokens[count]);
	return -EINVAL;
}

int
set_insert(struct set_request *request, struct yaml_node *value)
{
	struct arena *arena = versions_arena(request->config);
	struct yaml_node *map = open_section(request), *word = NULL;
	struct yaml_pair *pair;
	unsigned i;

	if (map == NULL)
		return -ENOMEM;
	// The deepest map of the key's path that is there.
	for (i = 1;; i++) {
		pair = yaml_tree_get(map, request->tokens[i]);
		if (pair == NULL || pair->value->kind != YAML_MAP)
			break;
		if (i + 1 == request->count && is_switched(request, pair->key) &&
		    value->kind == YAML_SCALAR && request->count < SET_TOKENS_MAX)
			request->tokens[request->count++] = "enabled";
		if (i + 1 == request->count)
			break;
		map = pair->value;
	}
	if (request->tenants && pair != NULL && i + 1 < request->count && !pair->value->null)
		return refuse_below(request, i + 1, pair->value);
	// Only a word can stand where a map is to be: the change has decoded by itself.
	if (pair != NULL && i + 1 < request->count && !pair->value->null &&
	    is_switched(request, pair->key))
		word = pair->value;
	if (pair == NULL && i + 1 == request->count && !request->tenants &&
	    set_excluded_by(request->tokens[i]) != NULL)
		pair = yaml_tree_get(map, set_excluded_by(request->tokens[i]));
	value = set_chain(request, i + 1, value);
	if (value == NULL)
		return -ENOMEM;
	if (word != NULL && yaml_tree_get(value, "enabled") == NULL &&
	    yaml_tree_add_pair(arena, value,
			       (struct yaml_pair){"enabled", request->edit->pos, word}) < 0)
		return -ENOMEM;
	if (pair == NULL)
		return yaml_tree_add_pair(
			arena, map,
			(struct yaml_pair){request->tokens[i], request->edit->pos, value});
	*pair = (struct yaml_pair){request->tokens[i], request->edit->pos, value};
	return 0;
}

static void
take_pair(struct yaml_node *map, const char *key)
{
	unsigned i = 0;

	while (strcmp(map->pairs[i].key, key) != 0)
		i++;
	map->count--;
	memmove(&map->pairs[i], &map->pairs[i + 1], (map->count - i) * sizeof(*map->pairs));
}

// What is not there cannot be taken away.
static int
refuse_absent(const struct set_request *request, const struct yaml_node *map, const char *key)
{
	const char *near[64];
	unsigned count = 0;
	char hint[80] = "";

	for (; map != NULL && map->kind == YAML_MAP && count < map->count && count < 64; count++)
		near[count] = map->pairs[count].key;
	if (count != 0)
		decode_hint(hint, key, near, count);
	if (request->tenants && request->count > 2 && key == request->tokens[1])
		diag_error(request->diag, request->config->file, request->edit->pos, NULL,
			   "there is no tenant %.64s%s", key, hint);
	else
		diag_error(request->diag, request->config->file, request->edit->pos,
			   request->edit->key, "is not set%s", hint);
	return -EINVAL;
}

int
set_remove(struct set_request *request)
{
	struct yaml_node *maps[SET_TOKENS_MAX + 1] = {request->config->private->root};
	unsigned keep = request->tenants ? 1 : 0, at = request->count;
	int error;

	for (unsigned i = 0; i < request->count; i++) {
		struct yaml_pair *pair = yaml_tree_get(maps[i], request->tokens[i]);

		if (pair == NULL)
			return refuse_absent(request, maps[i], request->tokens[i]);
		maps[i + 1] = i == 0 ? versions_section(request->config, request->tokens[0], &error)
				     : pair->value;
		if (maps[i + 1] == NULL)
			return error;
	}
	// A map that is left without keys goes too, but for a section and a tenant.
	do
		take_pair(maps[at - 1], request->tokens[at - 1]);
	while (--at > 1 + keep && maps[at]->count == 0);
	return 0;
}

// The n-th host of a range.
static int
add_host(const struct set_request *request, struct yaml_node *list, const struct host_range *range,
	 unsigned n)
{
	struct arena *arena = versions_arena(request->config);
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));
	char name[3 * CONFIG_NAME_MAX + 1];
	int length = host_range_name(range, n, name, sizeof(name));

	if (node == NULL)
		return -ENOMEM;
	*node = (struct yaml_node){
		.kind = YAML_SCALAR,
		.text = versions_text(request->config, name, (size_t)length),
		.pos = list->pos,
	};
	return node->text != NULL ? yaml_tree_add_item(arena, list, node) : -ENOMEM;
}

int
set_expand_hosts(const struct set_request *request, struct yaml_node *list)
{
	struct arena *arena = versions_arena(request->config);
	struct yaml_node *const *items = list->items;
	unsigned count = list->count;
	int error = 0;

	if (request->count != 3 || strcmp(request->tokens[2], "hosts") != 0)
		return 0;
	list->items = NULL;
	list->count = list->capacity = 0;
	for (unsigned i = 0; error == 0 && i < count; i++) {
		struct host_range range = {0};
		char why[SCALAR_WHY];

		// Decoding the list reports what is no range.
		if (items[i]->kind != YAML_SCALAR ||
		    host_range_read(&range, items[i]->text, why) < 0 || range.count == 0)
			error = yaml_tree_add_item(arena, list, items[i]);
		for (unsigned n = 0; error == 0 && n < range.count; n++)
			error = add_host(request, list, &range, n);
	}
	return error;
}

// The list that the edit's key names, in a map of the version; made of a lone word. NULL: it is not
// there (then *error is 0), is no list (-EINVAL, with the error in diag), or no memory.
static struct yaml_node *
find_list(const struct set_request *request, int *error)
{
	struct arena *arena = versions_arena(request->config);
	struct yaml_node *node = versions_section(request->config, request->tokens[0], error);
	struct yaml_pair *pair = NULL;
	struct yaml_node *list;

	for (unsigned i = 1; node != NULL && i < request->count; i++) {
		pair = yaml_tree_get(node, request->tokens[i]);
		node = pair != NULL ? pair->value : NULL;
	}
	if (node != NULL && node->kind == YAML_LIST)
		*error = set_expand_hosts(request, node);
	if (node == NULL || node->kind == YAML_LIST)
		return node;
	if (node->kind == YAML_MAP) {
		diag_error(request->diag, request->config->file, request->edit->pos,
			   request->edit->key, "is a map, not a list: set or unset its keys");
		*error = -EINVAL;
		return NULL;
	}
	list = arena_alloc(arena, sizeof(*list));
	if (list != NULL)
		*list = (struct yaml_node){.kind = YAML_LIST, .pos = node->pos};
	if (list == NULL || (!node->null && yaml_tree_add_item(arena, list, node) < 0)) {
		*error = -ENOMEM;
		return NULL;
	}
	*error = set_expand_hosts(request, list);
	pair->value = list;
	return list;
}

// An item's place in a list, or its count.
static unsigned
find_item(const struct yaml_node *list, const char *text)
{
	unsigned i = 0;

	while (i < list->count &&
	       (list->items[i]->kind != YAML_SCALAR || strcmp(list->items[i]->text, text) != 0))
		i++;
	return i;
}

int
set_add_items(struct set_request *request, const struct yaml_node *items)
{
	struct arena *arena = versions_arena(request->config);
	int error;
	struct yaml_node *list = find_list(request, &error);

	if (error != 0)
		return error;
	if (list == NULL) {
		list = arena_alloc(arena, sizeof(*list));
		if (list == NULL)
			return -ENOMEM;
		*list = (struct yaml_node){.kind = YAML_LIST, .pos = request->edit->value_pos};
		error = set_insert(request, list);
	}
	for (unsigned i = 0; error == 0 && i < items->count; i++)
		if (find_item(list, items->items[i]->text) == list->count)
			error = yaml_tree_add_item(arena, list, items->items[i]);
	return error;
}

// A host's prefixes or addresses: there is no list of none.
static bool
needs_items(const struct set_request *request)
{
	return request->count == 4 && (strcmp(request->tokens[2], "border") == 0 ||
				       strcmp(request->tokens[2], "addresses") == 0);
}

int
set_remove_items(struct set_request *request, const struct yaml_node *items)
{
	const struct yaml_node *section = merge_section(request->config, request->tokens[0]);
	int error;
	struct yaml_node *list = find_list(request, &error);

	if (error != 0)
		return error;
	if (list == NULL && request->count > 2 && !yaml_tree_get(section, request->tokens[1]))
		return refuse_absent(request, section, request->tokens[1]);
	for (unsigned i = 0; i < items->count; i++) {
		const char *text = items->items[i]->text;
		unsigned at = list != NULL ? find_item(list, text) : 0;

		if (list == NULL || at == list->count) {
			diag_error(request->diag, request->config->file, request->edit->value_pos,
				   request->edit->key, "%.64s is not in it", text);
			return -EINVAL;
		}
		list->count--;
		memmove(&list->items[at], &list->items[at + 1],
			(list->count - at) * sizeof(struct yaml_node *));
	}
	return list != NULL && list->count == 0 && needs_items(request) ? set_remove(request) : 0;
}
