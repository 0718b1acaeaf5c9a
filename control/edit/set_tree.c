// SPDX-License-Identifier: BSD-3-Clause
// Where an edit goes in the tree, and what happens to the value there.
#include "set_internal.h"

#include "control/config/host_range.h"
#include "control/config/scalar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// A node of the edit's version.
static struct yaml_node *
new_node(const struct set_request *request, struct yaml_node node)
{
	struct yaml_node *out = arena_alloc(versions_arena(request->config), sizeof(*out));

	*out = node;
	return out;
}

static void
add_pair(const struct set_request *request, struct yaml_node *map, char *key,
	 struct yaml_node *value)
{
	yaml_tree_add_pair(versions_arena(request->config), map,
			   (struct yaml_pair){key, request->edit->pos, value});
}

static void
add_item(const struct set_request *request, struct yaml_node *list, struct yaml_node *item)
{
	yaml_tree_add_item(versions_arena(request->config), list, item);
}

struct yaml_node *
set_chain(const struct set_request *request, unsigned from, struct yaml_node *value)
{
	for (unsigned i = request->count; i > from; i--) {
		struct yaml_node *map = new_node(
			request,
			(struct yaml_node){.kind = YAML_MAP, .pos = request->edit->value_pos});

		add_pair(request, map, request->tokens[i - 1], value);
		value = map;
	}
	return value;
}

// Gives a parsed value the place of the edit and words that last.
static void
settle_value(const struct set_request *request, struct yaml_node *node)
{
	const struct diag_pos pos = request->edit->value_pos;

	node->pos = pos;
	if (node->kind == YAML_SCALAR)
		node->text = versions_text(request->config, node->text, strlen(node->text));
	for (unsigned i = 0; node->kind == YAML_LIST && i < node->count; i++)
		settle_value(request, node->items[i]);
	for (unsigned i = 0; node->kind == YAML_MAP && i < node->count; i++) {
		struct yaml_pair *pair = &node->pairs[i];

		pair->key_pos = pos;
		pair->key = versions_text(request->config, pair->key, strlen(pair->key));
		settle_value(request, pair->value);
	}
}

// A list or map in flow style, or a quoted word. Its errors are reported at the place of the edit,
// since its own lines and columns are not those of a file.
static struct yaml_node *
parse_value(const struct set_request *request, const char *text)
{
	struct diag diag = {0};
	struct yaml_node *node = NULL;
	int rc = yaml_tree_parse(&node, versions_arena(request->config), text, strlen(text), "",
				 &diag);

	for (unsigned i = 0; i < diag.count; i++) {
		const char *why = diag.messages[i].words;
		bool file = strncmp(why, "the file ", 9) == 0;

		diag_error(request->diag, request->config->file, request->edit->value_pos,
			   request->edit->key, "\"%.80s\": %s%s", text, file ? "it " : "",
			   file ? why + 9 : why);
	}
	diag_free(&diag);
	return rc == 0 ? node : NULL;
}

struct yaml_node *
set_value(const struct set_request *request)
{
	const char *text = request->edit->value;
	struct yaml_node *node;

	if (text[0] != '\0' && strchr("[{\"'", text[0]) != NULL)
		node = parse_value(request, text);
	else
		node = new_node(request, (struct yaml_node){.kind = YAML_SCALAR,
							    .text = (char *)(uintptr_t)text});
	if (node != NULL)
		settle_value(request, node);
	return node;
}

// Keys of switches whose value is a map, or on or off. Setting a key of the map keeps the word, and
// setting the word keeps the map: the word becomes the map's key `enabled`.
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

// The section of the edit, made if it is missing.
static struct yaml_node *
open_section(const struct set_request *request)
{
	struct yaml_node *section = versions_section(request->config, request->tokens[0]);

	if (section != NULL && section->kind == YAML_MAP)
		return section;
	if (section == NULL) {
		section = new_node(request, (struct yaml_node){0});
		add_pair(request, request->config->private->root, request->tokens[0], section);
	}
	*section = (struct yaml_node){.kind = YAML_MAP, .pos = request->edit->pos};
	return section;
}

// Reports that a tenant's key, the first `count` words, has no keys below it.
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
	struct yaml_node *map = open_section(request), *word = NULL;
	struct yaml_pair *pair;
	unsigned i;

	// The deepest map of the key's path that exists.
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
	// Only a word can be there instead of the map: the change has decoded by itself.
	if (pair != NULL && i + 1 < request->count && !pair->value->null &&
	    is_switched(request, pair->key))
		word = pair->value;
	if (pair == NULL && i + 1 == request->count && !request->tenants &&
	    set_excluded_by(request->tokens[i]) != NULL)
		pair = yaml_tree_get(map, set_excluded_by(request->tokens[i]));
	value = set_chain(request, i + 1, value);
	if (word != NULL && yaml_tree_get(value, "enabled") == NULL)
		add_pair(request, value, "enabled", word);
	if (pair == NULL)
		add_pair(request, map, request->tokens[i], value);
	else
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

// Reports that what is to be removed does not exist.
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

	for (unsigned i = 0; i < request->count; i++) {
		struct yaml_pair *pair = yaml_tree_get(maps[i], request->tokens[i]);

		if (pair == NULL)
			return refuse_absent(request, maps[i], request->tokens[i]);
		maps[i + 1] = i == 0 ? versions_section(request->config, request->tokens[0])
				     : pair->value;
	}
	// A map that is left without keys is removed too, unless it is a section or a tenant.
	do
		take_pair(maps[at - 1], request->tokens[at - 1]);
	while (--at > 1 + keep && maps[at]->count == 0);
	return 0;
}

// Adds the n-th host of a range.
static void
add_host(const struct set_request *request, struct yaml_node *list, const struct host_range *range,
	 unsigned n)
{
	char name[3 * CONFIG_NAME_MAX + 1];
	int length = host_range_name(range, n, name, sizeof(name));
	struct yaml_node host = {
		.kind = YAML_SCALAR,
		.text = versions_text(request->config, name, (size_t)length),
		.pos = list->pos,
	};

	add_item(request, list, new_node(request, host));
}

static bool
is_hosts(const struct set_request *request)
{
	return request->count == 3 && strcmp(request->tokens[2], "hosts") == 0;
}

static int
refuse_long(const struct set_request *request)
{
	return diag_error(request->diag, request->config->file, request->edit->value_pos,
			  request->edit->key, "the list would have more than %d hosts, the maximum",
			  HOST_RANGE_MAX);
}

int
set_expand_hosts(const struct set_request *request, struct yaml_node *list)
{
	struct yaml_node *const *items = list->items;
	unsigned count = list->count;

	if (!is_hosts(request))
		return 0;
	list->items = NULL;
	list->count = list->capacity = 0;
	// The limit is checked while the list grows: a short text can stand for billions of names.
	for (unsigned i = 0; i < count; i++) {
		struct host_range range = {0};
		char why[SCALAR_WHY];

		// Decoding the list reports what is not a range.
		if (items[i]->kind != YAML_SCALAR ||
		    host_range_read_item(&range, &request->config->fabric, items[i]->text, why) <
			    0 ||
		    range.count == 0)
			add_item(request, list, items[i]);
		for (unsigned n = 0; n < range.count; n++)
			add_host(request, list, &range, n);
		if (list->count > HOST_RANGE_MAX)
			return refuse_long(request);
	}
	return 0;
}

// Finds the list that the edit's key names, in a map of the version; a lone word becomes a list.
// NULL in *out: there is none. Returns 0, or -EINVAL with the error in diag if it is not a list.
static int
find_list(const struct set_request *request, struct yaml_node **out)
{
	struct yaml_node *node = versions_section(request->config, request->tokens[0]);
	struct yaml_pair *pair = NULL;

	for (unsigned i = 1; node != NULL && i < request->count; i++) {
		pair = yaml_tree_get(node, request->tokens[i]);
		node = pair != NULL ? pair->value : NULL;
	}
	*out = node;
	if (node == NULL)
		return 0;
	if (node->kind == YAML_MAP) {
		diag_error(request->diag, request->config->file, request->edit->pos,
			   request->edit->key, "is a map, not a list: set or unset its keys");
		return -EINVAL;
	}
	if (node->kind == YAML_SCALAR) {
		*out = new_node(request, (struct yaml_node){.kind = YAML_LIST, .pos = node->pos});
		if (!node->null)
			add_item(request, *out, node);
		pair->value = *out;
	}
	return set_expand_hosts(request, *out);
}

// The index of an item in a list, or the list's count.
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
	struct yaml_node *list;
	int error = find_list(request, &list);

	if (error == 0 && list == NULL) {
		list = new_node(request, (struct yaml_node){.kind = YAML_LIST,
							    .pos = request->edit->value_pos});
		error = set_insert(request, list);
	}
	for (unsigned i = 0; error == 0 && i < items->count; i++)
		if (find_item(list, items->items[i]->text) == list->count)
			add_item(request, list, items->items[i]);
	return error == 0 && is_hosts(request) && list->count > HOST_RANGE_MAX
		       ? refuse_long(request)
		       : error;
}

// Whether the list must not be empty: a host's prefixes or addresses.
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
	struct yaml_node *list;
	int error = find_list(request, &list);

	if (error != 0)
		return error;
	if (list == NULL && request->count > 2 && !yaml_tree_get(section, request->tokens[1]))
		return refuse_absent(request, section, request->tokens[1]);
	for (unsigned i = 0; i < items->count; i++) {
		const char *text = items->items[i]->text;
		unsigned at = list != NULL ? find_item(list, text) : 0;

		if (list == NULL || at == list->count) {
			diag_error(request->diag, request->config->file, request->edit->value_pos,
				   request->edit->key, "%.64s is not in the list", text);
			return -EINVAL;
		}
		list->count--;
		memmove(&list->items[at], &list->items[at + 1],
			(list->count - at) * sizeof(struct yaml_node *));
	}
	return list != NULL && list->count == 0 && needs_items(request) ? set_remove(request) : 0;
}
