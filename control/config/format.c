// SPDX-License-Identifier: BSD-3-Clause
// A row for each key that was renamed or has changed its meaning. The rows are followed through the
// tree, not the tree through the rows, so that a large file costs no more than a small one.
#include "format.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
const struct format_row format_rows[] = {
	{1, FORMAT_KEY, "fabric.topology", "hosts_per_leaf", "hosts-per-leaf"},
	{1, FORMAT_KEY, "fabric.topology", "supers", "super-spines"},
	{1, FORMAT_KEY, "fabric.links", "super", "super-spine"},
	{1, FORMAT_KEY, "", "super", "super-spine", .node_first = true},
	{1, FORMAT_WORD, "fabric.topology.nodes.*", "super", "super-spine"},
	{1, FORMAT_WORD, "fabric.topology.nodes.*.role", "super", "super-spine"},
	// The beginning of a key.
	{1, FORMAT_WORD, "events.*.set", "super.", "super-spine.", .node_first = true},
	{1, FORMAT_WORD, "events.*.unset", "super.", "super-spine.", .node_first = true},
	{1, FORMAT_KEY, "workload.*", "collectives", "operations"},
	{1, FORMAT_DEFAULT, "attach.*", "nic",
	 "an edge NIC stands between host and leaf unless nic is off; early versions had none by "
	 "default"},
	{1, FORMAT_DEFAULT, "switch.ports.*", "mac",
	 "each port with dev has a MAC of its own; early versions had 02:00:00:00:00:01 at all "
	 "ports",
	 .beside = "dev", .unless = {"switch", "mac"}},
	{0},
};
// clang-format on

struct upgrade {
	struct yaml_node *root;
	struct arena *arena;
	const char *name;
	struct format_changes *out;
	struct diag *diag;
	bool older; // the file may be of a version before the row's
};

static void
add_change(struct upgrade *u, const struct format_row *row, struct diag_pos pos, const char *path)
{
	struct format_changes *out = u->out;

	out->items = arena_grow(u->arena, out->items, out->count, sizeof(*out->items));
	out->items[out->count++] = (struct format_change){
		.row = row, .pos = pos, .path = arena_text(u->arena, path, strlen(path))};
}

static char *
join(const char *path, const char *name)
{
	return memory_format("%s%s%s", path, path[0] != '\0' && name[0] != '[' ? "." : "", name);
}

static void
rename_key(struct upgrade *u, const struct format_row *row, struct yaml_node *map, const char *at)
{
	struct yaml_pair *pair = yaml_tree_get(map, row->was);
	const struct yaml_pair *now = yaml_tree_get(map, row->now);
	char *path;

	if (pair == NULL)
		return;
	path = join(at, row->was);
	if (now != NULL) {
		diag_error(u->diag, u->name, pair->key_pos, path,
			   "is the old name of %s, which line %u has: remove one of the two",
			   row->now, now->key_pos.line);
	} else {
		add_change(u, row, pair->key_pos, path);
		pair->key = arena_text(u->arena, row->now, strlen(row->now));
	}
	free(path);
}

static void
rename_word(struct upgrade *u, const struct format_row *row, struct yaml_node *word, const char *at)
{
	size_t was = strlen(row->was), now = strlen(row->now);
	bool beginning = row->was[was - 1] == '.';
	char *text;

	if (word->kind != YAML_SCALAR || strncmp(word->text, row->was, was) != 0 ||
	    (!beginning && word->text[was] != '\0'))
		return;
	add_change(u, row, word->pos, at);
	text = arena_alloc(u->arena, now + strlen(word->text + was) + 1);
	memcpy(text, row->now, now);
	strcpy(text + now, word->text + was);
	word->text = text;
}

static void
note_default(struct upgrade *u, const struct format_row *row, const struct yaml_node *map,
	     const char *at)
{
	const struct yaml_pair *section =
		row->unless[0] != NULL ? yaml_tree_get(u->root, row->unless[0]) : NULL;
	char *path;

	if (section != NULL && yaml_tree_get(section->value, row->unless[1]) != NULL)
		return;
	if (!u->older || map->kind != YAML_MAP || yaml_tree_get(map, row->was) != NULL ||
	    (row->beside != NULL && yaml_tree_get(map, row->beside) == NULL))
		return;
	path = join(at, row->was);
	add_change(u, row, map->pos, path);
	free(path);
}

// Follows the rest of a row's place below a node; path: where the node is.
static void
follow(struct upgrade *u, const struct format_row *row, struct yaml_node *node, const char *place,
       const char *path)
{
	size_t length = strcspn(place, ".");
	const char *rest = place + length + (place[length] == '.');
	bool any = place[0] == '*';
	char index[16];

	if (place[0] == '\0' && row->kind == FORMAT_KEY) {
		rename_key(u, row, node, path);
	} else if (place[0] == '\0' && row->kind == FORMAT_WORD) {
		rename_word(u, row, node, path);
	} else if (place[0] == '\0') {
		note_default(u, row, node, path);
	} else {
		for (unsigned i = 0; i < node->count; i++) {
			bool list = node->kind == YAML_LIST;
			const char *key = list ? index : node->pairs[i].key;
			char *below;

			snprintf(index, sizeof(index), "[%u]", i);
			if (!any &&
			    (list || strncmp(key, place, length) != 0 || key[length] != '\0'))
				continue;
			below = join(path, key);
			follow(u, row, list ? node->items[i] : node->pairs[i].value, rest, below);
			free(below);
		}
	}
}

// Whether the topology lists a node of this name, whose section the key of this name then is.
static bool
is_node(const struct yaml_node *root, const char *name, size_t length)
{
	const struct yaml_pair *pair = yaml_tree_get(root, "fabric");

	pair = pair != NULL ? yaml_tree_get(pair->value, "topology") : NULL;
	pair = pair != NULL ? yaml_tree_get(pair->value, "nodes") : NULL;
	for (unsigned i = 0; pair != NULL && i < pair->value->count; i++) {
		const struct yaml_node *nodes = pair->value;
		const char *node = nodes->kind == YAML_MAP ? nodes->pairs[i].key
							   : nodes->items[i]->text;

		if (node != NULL && strncmp(node, name, length) == 0 && node[length] == '\0')
			return true;
	}
	return false;
}

// Whether the file is of a version that this one can read. A version that is no number is left to
// the schema.
static int
check_version(const struct upgrade *u)
{
	const struct yaml_pair *pair = yaml_tree_get(u->root, "version");
	const char *text = pair != NULL ? pair->value->text : NULL;
	size_t zeros;

	if (text == NULL || text[strspn(text, "0123456789")] != '\0')
		return 0;
	zeros = strspn(text, "0");
	if (strlen(text + zeros) <= 9 && atol(text) <= FORMAT_VERSION)
		return 0;
	return diag_error(u->diag, u->name, pair->value->pos, "version",
			  "a newer version of Roost wrote this file: its format is %.20s, and this "
			  "version reads up to " FORMAT_VERSION_TEXT ": install a newer one",
			  text);
}

static int
change_compare(const void *left, const void *right)
{
	const struct format_change *a = left, *b = right;
	int order = diag_pos_compare(a->pos, b->pos);

	return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

int
format_upgrade(struct yaml_node *root, struct arena *arena, const char *name,
	       struct format_changes *out, struct diag *diag)
{
	const struct yaml_pair *version = yaml_tree_get(root, "version");
	struct upgrade u = {root, arena, name, out, diag, version == NULL};
	unsigned errors = diag->errors;

	*out = (struct format_changes){0};
	if (check_version(&u) != 0)
		return -EINVAL;
	for (const struct format_row *row = format_rows; row->was != NULL; row++)
		if (!row->node_first || !is_node(root, row->was, strcspn(row->was, ".")))
			follow(&u, row, root, row->place, "");
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), change_compare);
	return diag->errors > errors ? -EINVAL : 0;
}

void
format_warn(const struct format_changes *changes, const char *name, bool revision,
	    struct diag *diag)
{
	const char *then = revision ? "the next revision has that name"
				    : "`roost migrate` rewrites the file";

	for (unsigned i = 0; i < changes->count; i++) {
		const struct format_change *change = &changes->items[i];
		const struct format_row *row = change->row;

		if (row->kind == FORMAT_KEY)
			diag_warning(diag, name, change->pos, change->path, "is called %s now: %s",
				     row->now, then);
		else if (row->kind == FORMAT_WORD)
			diag_warning(diag, name, change->pos, change->path,
				     "%s is called %s now: %s", row->was, row->now, then);
	}
}

void
format_mark(struct yaml_node *root, struct arena *arena)
{
	struct yaml_node *word;
	struct yaml_pair pair = {.key = "version", .key_pos = root->pos};

	if (root->kind != YAML_MAP || yaml_tree_get(root, "version") != NULL)
		return;
	word = arena_alloc(arena, sizeof(*word));
	*word = (struct yaml_node){
		.kind = YAML_SCALAR, .pos = root->pos, .text = (char *)FORMAT_VERSION_TEXT};
	pair.value = word;
	yaml_tree_add_pair(arena, root, pair);
	memmove(root->pairs + 1, root->pairs, (root->count - 1) * sizeof(*root->pairs));
	root->pairs[0] = pair;
}

int
format_parse(struct yaml_node **out, struct arena *arena, const char *text, size_t length,
	     const char *name, struct diag *diag)
{
	struct format_changes ignored;
	int rc = yaml_tree_parse(out, arena, text, length, name, diag);

	if (rc == 0)
		rc = format_upgrade(*out, arena, name, &ignored, diag);
	if (rc == 0)
		format_mark(*out, arena);
	return rc;
}
