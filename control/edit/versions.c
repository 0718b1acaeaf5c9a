// SPDX-License-Identifier: BSD-3-Clause
// Versions of the tree. An edit never writes to the tree that was read from the file: it starts a
// version, which has a root of its own and shares the sections of the version before; a section is
// copied before it is written. Undoing an edit returns to the root before. Keeping an edit frees
// the versions that can no longer be returned to, so memory does not grow with the number of edits.
// Only tenants stay where they were decoded until others are kept, because the topology refers to
// them.
//
// Each word is stored once and lives as long as the configuration: merged settings refer to words,
// and what is compared by its bytes (merge_keep()) stays equal from version to version.
#include "set_internal.h"

#include "control/base/memory.h"

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
	bucket = &private->texts->buckets[bucket_of(text, length)];
	for (kept = *bucket; kept != NULL; kept = kept->next)
		if (strncmp(kept->text, text, length) == 0 && kept->text[length] == '\0')
			return kept->text;
	kept = arena_alloc(&private->arena, sizeof(*kept) + length + 1);
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

	*node = *from;
	node->capacity = node->count;
	if (from->kind == YAML_MAP)
		node->pairs = arena_alloc(arena, from->count * sizeof(*node->pairs));
	else if (from->kind == YAML_LIST)
		node->items = arena_alloc(arena, from->count * sizeof(*node->items));
	for (unsigned i = 0; from->kind == YAML_MAP && i < from->count; i++) {
		node->pairs[i] = from->pairs[i];
		node->pairs[i].value = copy_node(arena, from->pairs[i].value);
	}
	for (unsigned i = 0; from->kind == YAML_LIST && i < from->count; i++)
		node->items[i] = copy_node(arena, from->items[i]);
	return node;
}

// Whether a section is that of the file: no edit has written to it.
static bool
as_read(const struct config_private *private, const struct yaml_pair *pair)
{
	const struct yaml_pair *read = yaml_tree_get(private->read, pair->key);

	return read != NULL && read->value == pair->value;
}

void
versions_start(struct config *config)
{
	struct config_private *private = config->private;
	struct config_version *v = memory_new(sizeof(*v), "version of the configuration");
	const struct yaml_node *from = private->root;
	struct yaml_node *root = arena_alloc(&v->arena, sizeof(*root));

	if (private->read == NULL)
	private->read = from;
	*root = (struct yaml_node){.kind = YAML_MAP, .pos = from->pos};
	for (unsigned i = 0; i < from->count; i++) {
		struct yaml_pair pair = from->pairs[i];

		if (!as_read(private, &pair))
			pair.value = copy_node(&v->arena, pair.value);
		yaml_tree_add_pair(&v->arena, root, pair);
	}
	v->before = private->version;
	v->root = private->root;
	v->tenants = config->tenants;
	v->tenant_count = config->tenant_count;
	private->version = v;
	private->root = root;
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
versions_section(struct config *config, const char *name)
{
	struct config_private *private = config->private;
	struct yaml_pair *pair = yaml_tree_get(private->root, name);

	if (pair == NULL)
		return NULL;
	if (as_read(private, pair))
		pair->value = copy_node(&private->version->arena, pair->value);
	return pair->value;
}

void
config_set_undo(struct config *config)
{
	const struct config_version *v = config->private->version;

	if (v != NULL && v != config->private->kept_version)
		versions_drop(config);
}

// Nothing refers to versions before the newest one.
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
