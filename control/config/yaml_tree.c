// SPDX-License-Identifier: BSD-3-Clause
// The tree is built from libyaml's events with an explicit stack, so that a hostile file can
// exhaust neither the C stack nor memory: depth, nodes, bytes and the length of a word are bounded,
// and aliases, which could multiply a small file without end, are refused. Values stay text: what a
// word means depends on its key, which schema.h knows, so `off`, `1e3` and `02:00` are never
// guessed at. Duplicate keys are found when a map closes, by sorting, so that a map of n keys costs
// n log n.
#include "yaml_tree.h"

#include "control/base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

struct builder {
	struct arena *arena;
	const char *name;
	struct diag *diag;
	struct yaml_node *root;
	struct yaml_node *stack[YAML_TREE_DEPTH_MAX];
	struct yaml_pair key[YAML_TREE_DEPTH_MAX]; // MAP: the key that waits for its value
	unsigned depth;
	unsigned nodes;
};

struct yaml_pair *
yaml_tree_get(const struct yaml_node *node, const char *key)
{
	if (node == NULL || node->kind != YAML_MAP)
		return NULL;
	for (unsigned i = 0; i < node->count; i++)
		if (strcmp(node->pairs[i].key, key) == 0)
			return &node->pairs[i];
	return NULL;
}

// Doubles an array in the arena; the old one stays there until the end.
static void *
array_grow(struct arena *arena, void *old, unsigned count, unsigned *capacity, size_t item)
{
	unsigned wanted = *capacity ? *capacity * 2 : 4;
	void *grown = arena_alloc(arena, wanted * item);

	if (count > 0)
		memcpy(grown, old, count * item);
	*capacity = wanted;
	return grown;
}

void
yaml_tree_add_pair(struct arena *arena, struct yaml_node *map, struct yaml_pair pair)
{
	if (map->count == map->capacity)
		map->pairs =
			array_grow(arena, map->pairs, map->count, &map->capacity, sizeof(pair));
	map->pairs[map->count++] = pair;
}

void
yaml_tree_add_item(struct arena *arena, struct yaml_node *list, struct yaml_node *item)
{
	if (list->count == list->capacity)
		list->items =
			array_grow(arena, list->items, list->count, &list->capacity, sizeof(item));
	list->items[list->count++] = item;
}

static struct diag_pos
pos_of(const yaml_mark_t *mark)
{
	return (struct diag_pos){.line = mark->line + 1, .column = mark->column + 1};
}

static int
refuse(struct builder *b, struct diag_pos pos, const char *what)
{
	diag_error(b->diag, b->name, pos, NULL, "%s", what);
	return -EINVAL;
}

static int
pair_compare(const void *left, const void *right)
{
	const struct yaml_pair *a = *(const struct yaml_pair *const *)left;
	const struct yaml_pair *b = *(const struct yaml_pair *const *)right;
	int order = strcmp(a->key, b->key);

	if (order != 0)
		return order;
	return a < b ? -1 : 1;
}

// A duplicate key is reported and passed over: what else is wrong can still be found.
static void
map_report_duplicates(struct builder *b, const struct yaml_node *map)
{
	const struct yaml_pair **sorted = memory_array(map->count, sizeof(*sorted), "keys");

	for (unsigned i = 0; i < map->count; i++)
		sorted[i] = &map->pairs[i];
	qsort(sorted, map->count, sizeof(*sorted), pair_compare);
	for (unsigned i = 1; i < map->count; i++) {
		if (strcmp(sorted[i]->key, sorted[i - 1]->key) != 0)
			continue;
		diag_error(b->diag, b->name, sorted[i]->key_pos, sorted[i]->key,
			   "already given at line %u", sorted[i - 1]->key_pos.line);
	}
	free(sorted);
}

// Puts a finished or just opened node under the innermost open one.
static int
builder_attach(struct builder *b, struct yaml_node *node)
{
	struct yaml_node *parent;
	struct yaml_pair *key;

	if (b->depth == 0) {
		b->root = node;
		return 0;
	}
	parent = b->stack[b->depth - 1];
	if (parent->kind == YAML_LIST) {
		yaml_tree_add_item(b->arena, parent, node);
		return 0;
	}
	key = &b->key[b->depth - 1];
	if (key->key == NULL) {
		if (node->kind != YAML_SCALAR)
			return refuse(b, node->pos, "a key must be a word, not a map or a list");
		if (node->text[0] == '\0')
			return refuse(b, node->pos, "a key must not be empty");
		*key = (struct yaml_pair){.key = node->text, .key_pos = node->pos};
		return 0;
	}
	key->value = node;
	yaml_tree_add_pair(b->arena, parent, *key);
	key->key = NULL;
	return 0;
}

static struct yaml_node *
builder_node(struct builder *b, enum yaml_kind kind, const yaml_mark_t *mark)
{
	struct yaml_node *node = arena_alloc(b->arena, sizeof(*node));

	node->kind = kind;
	node->pos = pos_of(mark);
	b->nodes++;
	return node;
}

static int
on_scalar(struct builder *b, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length;
	bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	struct yaml_node *node = builder_node(b, YAML_SCALAR, &event->start_mark);

	if (event->data.scalar.tag != NULL)
		return refuse(b, node->pos, "tags (!...) are not used here");
	if (length > YAML_TREE_TEXT_MAX)
		return refuse(b, node->pos, "this value is too long (4096 characters at most)");
	if (memchr(value, '\0', length) != NULL)
		return refuse(b, node->pos, "a value must not contain a NUL character");
	node->text = arena_text(b->arena, value, length);
	node->null = plain && (length == 0 || strcmp(node->text, "~") == 0 ||
			       strcmp(node->text, "null") == 0);
	return builder_attach(b, node);
}

static int
on_start(struct builder *b, const yaml_event_t *event, enum yaml_kind kind, const yaml_char_t *tag)
{
	struct yaml_node *node = builder_node(b, kind, &event->start_mark);
	int result;

	if (tag != NULL)
		return refuse(b, node->pos, "tags (!...) are not used here");
	if (b->depth == YAML_TREE_DEPTH_MAX)
		return refuse(b, node->pos, "nested too deeply (32 levels at most)");
	result = builder_attach(b, node);
	if (result < 0)
		return result;
	b->stack[b->depth] = node;
	b->key[b->depth] = (struct yaml_pair){0};
	b->depth++;
	return 0;
}

static int
on_event(struct builder *b, const yaml_event_t *event)
{
	if (b->nodes > YAML_TREE_NODES_MAX)
		return refuse(b, pos_of(&event->start_mark), "the file has too many values");
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		if (b->root != NULL)
			return refuse(b, pos_of(&event->start_mark),
				      "a second document (---): one file holds one");
		return 0;
	case YAML_ALIAS_EVENT:
		return refuse(b, pos_of(&event->start_mark), "aliases (*name) are not used here");
	case YAML_SCALAR_EVENT:
		return on_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		return on_start(b, event, YAML_LIST, event->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return on_start(b, event, YAML_MAP, event->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
		b->depth--;
		return 0;
	case YAML_MAPPING_END_EVENT:
		map_report_duplicates(b, b->stack[--b->depth]);
		return 0;
	default:
		return 0;
	}
}

static struct diag_pos
pos_of_offset(const char *text, size_t length, size_t offset)
{
	struct diag_pos pos = {1, 1};

	for (size_t i = 0; i < offset && i < length; i++) {
		pos.column++;
		if (text[i] == '\n')
			pos = (struct diag_pos){pos.line + 1, 1};
	}
	return pos;
}

// The byte at which a character of the text begins: libyaml counts characters.
static size_t
offset_of(const char *text, size_t length, size_t character)
{
	size_t at = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	for (; at < length && character > 0; character--)
		do
			at++;
		while (at < length && ((unsigned char)text[at] & 0xc0) == 0x80);
	return at;
}

// Whether h[1-8] without quotes stands here, in a list or map between brackets.
static bool
is_bare_range(const char *text, size_t length, size_t bracket)
{
	size_t i = bracket + 1;

	if (bracket == 0 || i >= length || text[bracket] != '[' ||
	    !isalnum((unsigned char)text[bracket - 1]) || !isdigit((unsigned char)text[i]))
		return false;
	while (i < length && isdigit((unsigned char)text[i]))
		i++;
	return i < length && text[i] == '-';
}

// What libyaml found wrong, in words for someone who edits the file.
static int
report_syntax(struct builder *b, const yaml_parser_t *parser, const char *text, size_t length)
{
	const char *problem = parser->problem ? parser->problem : "not YAML";
	const yaml_mark_t *mark = &parser->problem_mark;
	const yaml_mark_t *context = &parser->context_mark;
	struct diag_pos pos = pos_of(mark);
	size_t at;

	if (parser->error == YAML_MEMORY_ERROR)
		memory_exhausted(length, 1, "bytes of YAML");
	if (parser->error == YAML_READER_ERROR) {
		pos = pos_of_offset(text, length, parser->problem_offset);
		diag_error(b->diag, b->name, pos, NULL, "not text in UTF-8: %s", problem);
		return -EINVAL;
	}
	at = offset_of(text, length, mark->index);
	if (at < length && text[at] == '\t')
		diag_error(b->diag, b->name, pos, NULL, "a tab: YAML indents with spaces");
	else if (parser->context != NULL && is_bare_range(text, length, at))
		diag_error(b->diag, b->name, pos, NULL,
			   "a range with brackets needs quotes in a list or map: write "
			   "\"h[1-8]\", or h1-h8");
	else if (b->depth > 0 && at >= length)
		diag_error(b->diag, b->name, pos_of_offset(text, length, length), NULL,
			   "the file ends in the middle of what begins at line %u",
			   b->stack[b->depth - 1]->pos.line);
	else if (parser->context != NULL && context->line != mark->line)
		diag_error(b->diag, b->name, pos, NULL, "%s, %s that begins at line %zu", problem,
			   parser->context, context->line + 1);
	else if (parser->context != NULL)
		diag_error(b->diag, b->name, pos, NULL, "%s, %s", problem, parser->context);
	else
		diag_error(b->diag, b->name, pos, NULL, "%s", problem);
	return -EINVAL;
}

int
yaml_tree_parse(struct yaml_node **out, struct arena *arena, const char *text, size_t length,
		const char *name, struct diag *diag)
{
	struct builder b = {.arena = arena, .name = name, .diag = diag};
	unsigned errors_before = diag->errors;
	yaml_event_type_t type = YAML_NO_EVENT;
	yaml_parser_t parser;
	yaml_event_t event;
	int result = 0;

	*out = NULL;
	if (length > YAML_TREE_BYTES_MAX)
		return refuse(&b, (struct diag_pos){0}, "the file is too large (32 MiB at most)");
	if (!yaml_parser_initialize(&parser))
		memory_exhausted(1, sizeof(parser), "parser of YAML");
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	while (result == 0 && type != YAML_STREAM_END_EVENT) {
		if (!yaml_parser_parse(&parser, &event)) {
			result = report_syntax(&b, &parser, text, length);
			break;
		}
		type = event.type;
		result = on_event(&b, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	if (result < 0)
		return result;
	if (b.root == NULL || b.root->null)
		return refuse(&b, (struct diag_pos){1, 1}, "the file is empty");
	*out = b.root;
	return diag->errors > errors_before ? -EINVAL : 0;
}
