// SPDX-License-Identifier: BSD-3-Clause
// Two trees are walked side by side. A key is written with dots between its words, as `set` takes
// it; a map whose own keys contain dots ("0.0.0.0/0") has no such keys and is compared and set as
// one value, but for `attach`, whose keys may be NICs ("h1.eth2").
#include "edit.h"

#include "control/config/merge.h"
#include "control/config/yaml_emit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_WORDS_MAX 15 // of a key that can be set

static const struct yaml_node nothing = {.kind = YAML_MAP};

struct walk {
	struct config_differences *out;
	struct arena *arena;
};

static bool
has_dotted_key(const struct yaml_node *map)
{
	for (unsigned i = 0; map->kind == YAML_MAP && i < map->count; i++)
		if (strchr(map->pairs[i].key, '.') != NULL)
			return true;
	return false;
}

// Whether keys of its map can be set one by one.
static bool
is_open(const char *key, const struct yaml_node *from, const struct yaml_node *to)
{
	return strcmp(key, "attach") == 0 || (!has_dotted_key(from) && !has_dotted_key(to));
}

static bool
is_map(const struct yaml_node *node)
{
	return node->kind == YAML_MAP || node->null;
}

// Writes a value as text of the arena; no value as NULL.
static int
value_text(struct walk *w, const struct yaml_node *node, const char **out)
{
	char *text = node != NULL ? yaml_emit_value(node) : NULL;

	*out = text != NULL ? arena_text(w->arena, text, strlen(text)) : NULL;
	free(text);
	return node == NULL || text != NULL ? 0 : -EINVAL;
}

static int
add(struct walk *w, const char *key, const struct yaml_node *from, const struct yaml_node *to,
    struct diag_pos pos)
{
	struct config_difference item = {.key = key, .pos = pos};
	struct config_differences *out = w->out;
	int rc = value_text(w, from, &item.from);

	if (rc == 0)
		rc = value_text(w, to, &item.to);
	if (rc != 0)
		return rc;
	item.replaced = from != NULL && to != NULL && from->kind != to->kind;
	out->items = arena_grow(w->arena, out->items, out->count, sizeof(item));
	out->items[out->count++] = item;
	return 0;
}

static const char *
join(struct walk *w, const char *path, const char *key)
{
	char *text = arena_alloc(w->arena, strlen(path) + strlen(key) + 2);

	strcat(strcat(text, path), path[0] != '\0' ? "." : "");
	return strcat(text, key);
}

static int walk_maps(struct walk *w, const char *path, unsigned words, const struct yaml_node *from,
		     const struct yaml_node *to);

// from and to: the values of one key, not both NULL. place: of the map that lacks it.
static int
walk_key(struct walk *w, const char *path, const char *name, unsigned words,
	 const struct yaml_node *from, const struct yaml_pair *to, struct diag_pos place)
{
	const struct yaml_node *value = to != NULL ? to->value : NULL;
	const char *key;

	// A top-level section cannot be set as one value.
	if (from == NULL && words == 1 && value->kind == YAML_MAP && value->count != 0)
		from = &nothing;
	if (from != NULL && value != NULL && yaml_tree_equal(from, value))
		return 0;
	key = join(w, path, name);
	if (from != NULL && value != NULL && is_map(from) && is_map(value) &&
	    words < DIFF_WORDS_MAX && is_open(key, from, value))
		return walk_maps(w, key, words + 1, from, value);
	return add(w, key, from, value, to != NULL ? to->key_pos : place);
}

static int
walk_maps(struct walk *w, const char *path, unsigned words, const struct yaml_node *from,
	  const struct yaml_node *to)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && from->kind == YAML_MAP && i < from->count; i++)
		rc = walk_key(w, path, from->pairs[i].key, words, from->pairs[i].value,
			      yaml_tree_get(to, from->pairs[i].key), to->pos);
	for (unsigned i = 0; rc == 0 && to->kind == YAML_MAP && i < to->count; i++)
		if (yaml_tree_get(from, to->pairs[i].key) == NULL)
			rc = walk_key(w, path, to->pairs[i].key, words, NULL, &to->pairs[i],
				      to->pos);
	return rc;
}

const struct yaml_node *
config_tree(const struct config *config)
{
	return config->private->root;
}

int
config_diff(struct config_differences *out, struct arena *arena, const struct yaml_node *from,
	    const struct yaml_node *to)
{
	struct walk w = {.out = out, .arena = arena};

	*out = (struct config_differences){0};
	return walk_maps(&w, "", 1, from, to);
}
