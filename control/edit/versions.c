// SPDX-License-Identifier: BSD-3-Clause
// The tree as it was and as it is. An edit never writes what the file was read into: it begins a
// version, a root of its own whose sections are those of the version before until one is to be
// written, which is then copied. Taking an edit back is going back to the root before; keeping it
// frees the versions that nobody can go back to. So a version holds all that was ever edited, and
// memory does not grow with the number of edits. Tenants alone stay where they were decoded until
// others are kept: the topology refers to them.
//
// Words are kept once and for as long as the configuration: what was merged refers to them, and
// what is compared by its bytes (merge_keep()) stays equal from version to version.
#include "set_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BUCKETS 256

struct kept_text {
	struct kept_text *next;
	char text[];
};

struct config_texts {
	struct kept_text *buckets[TEXT_BUCKETS];
};

// The state before an edit, and the arena of what the edit made.
struct config_version {
	struct config_version *before;
	struct arena arena;
	struct arena decoded; // tenants that the edit changed
	bool decodes;
	struct yaml_node *root;
	struct config_tenant *tenants;
	unsigned tenant_count;
};

static unsigned
bucket_of(const char *text, size_t length)
{
	uint32_t hash = UINT32_C(2166136261);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT32_C(16777619);
	return hash % TEXT_BUCKETS;
}

char *
versions_text(struct config *config, const char *text, size_t length)
{
	struct config_private *private = config->private;
	struct kept_text *kept, **bucket;

	if (private->texts == NULL)
	private->texts = arena_alloc(&private->arena, sizeof(*private->texts));
	if (private->texts == NULL)
		return NULL;
	bucket = &private->texts->buckets[bucket_of(text, length)];
	for (kept = *bucket; kept != NULL; kept = kept->next)
		if (strncmp(kept->text, text, length) == 0 && kept->text[length] == '\0')
			return kept->text;
	kept = arena_alloc(&private->arena, sizeof(*kept) + length + 1);
	if (kept == NULL)
		return NULL;
	memcpy(kept->text, text, length);
	kept->next = *bucket;
	*bucket = kept;
	return kept->text;
}

struct arena *
versions_arena(struct config *config)
{
	return &config->private->version->arena;
}

struct arena *
versions_tenants_arena(struct config *config)
{
	config->private->version->decodes = true;
	return &config->private->version->decoded;
}

static void
free_version(struct config_version *v)
{
	if (v == NULL)
		return;
	arena_free(&v->arena);
	arena_free(&v->decoded);
	free(v);
}

static struct yaml_node *
copy_node(struct arena *arena, const struct yaml_node *from)
{
	struct yaml_node *node = arena_alloc(arena, sizeof(*node));
	size_t item = from->kind == YAML_MAP ? sizeof(*from->pairs) : sizeof(*from->items);
	void *inner = NULL;

	if (node == NULL)
		return NULL;
	*node = *from;
	node->capacity = node->count;
	if (from->kind != YAML_SCALAR && from->count != 0) {
		inner = arena_alloc(arena, from->count * item);
		if (inner == NULL)
			return NULL;
	}
	node->pairs = from->kind == YAML_MAP ? inner : NULL;
	node->items = from->kind == YAML_LIST ? inner : NULL;
	for (unsigned i = 0; from->kind != YAML_SCALAR && i < from->count; i++) {
		const struct yaml_node *value = from->kind == YAML_MAP ? from->pairs[i].value
								       : from->items[i];
		struct yaml_node *copy = copy_node(arena, value);

		if (copy == NULL)
			return NULL;
		if (from->kind == YAML_MAP)
			node->pairs[i] = (struct yaml_pair){from->pairs[i].key,
							    from->pairs[i].key_pos, copy};
		else
			node->items[i] = copy;
	}
	return node;
}

// Whether the file has the very same: then no edit has written it.
static bool
as_read(const struct config_private *private, const struct yaml_pair *pair)
{
	const struct yaml_pair *read = yaml_tree_get(private->read, pair->key);

	return read != NULL && read->value == pair->value;
}

int
versions_start(struct config *config)
{
	struct config_private *private = config->private;
	struct config_version *v = calloc(1, sizeof(*v));
	const struct yaml_node *from = private->root;
	struct yaml_node *root = v != NULL ? arena_alloc(&v->arena, sizeof(*root)) : NULL;
	bool good = root != NULL;

	if (private->read == NULL)
	private->read = private->root;
	if (good)
		*root = (struct yaml_node){.kind = YAML_MAP, .pos = from->pos};
	for (unsigned i = 0; good && i < from->count; i++) {
		struct yaml_pair pair = from->pairs[i];

		if (!as_read(private, &pair))
			pair.value = copy_node(&v->arena, pair.value);
		good = pair.value != NULL && yaml_tree_add_pair(&v->arena, root, pair) == 0;
	}
	if (!good) {
		free_version(v);
		return -ENOMEM;
	}
	v->before = private->version;
	v->root = private->root;
	v->tenants = config->tenants;
	v->tenant_count = config->tenant_count;
	private->version = v;
	private->root = root;
	return 0;
}

void
versions_drop(struct config *config)
{
	struct config_private *private = config->private;
	struct config_version *v = private->version;

	private->root = v->root;
	private->version = v->before;
	config->tenants = v->tenants;
	config->tenant_count = v->tenant_count;
	free_version(v);
}

struct yaml_node *
versions_section(struct config *config, const char *name, int *error)
{
	struct config_private *private = config->private;
	struct yaml_pair *pair = yaml_tree_get(private->root, name);

	*error = 0;
	if (pair == NULL)
		return NULL;
	if (as_read(private, pair)) {
		struct yaml_node *copy = copy_node(&private->version->arena, pair->value);

		if (copy == NULL) {
			*error = -ENOMEM;
			return NULL;
		}
		pair->value = copy;
	}
	return pair->value;
}

void
config_set_undo(struct config *config)
{
	const struct config_version *v = config->private->version;

	if (v != NULL && v != config->private->kept_version)
		versions_drop(config);
}

// The newest version alone is what everything refers to.
void
config_edit_keep(struct config *config)
{
	struct config_private *private = config->private;
	struct config_version *v = private->version, *before, *next;

	if (v == NULL)
		return;
	for (before = v->before; before != NULL; before = next) {
		next = before->before;
		if (!v->decodes && before->decodes) {
			v->decoded = before->decoded;
			v->decodes = true;
			before->decoded = (struct arena){0};
		}
		free_version(before);
	}
	v->before = NULL;
	private->kept_version = v;
}

void
versions_free(struct config *config)
{
	struct config_version *before;

	for (struct config_version *v = config->private->version; v != NULL; v = before) {
		before = v->before;
		free_version(v);
	}
}
