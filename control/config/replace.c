// SPDX-License-Identifier: BSD-3-Clause
#include "replace.h"

#include "schema.h"

#include "control/base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REPLACE_WORDS_MAX 16
#define REPLACE_PATH_MAX 512
#define REPLACE_WHY_MAX 160

struct replace {
	struct arena *arena;
	const struct config_replacement *from;
	const char *file;
	struct diag *diag;
	char path[REPLACE_PATH_MAX]; // of the key, with its section
	char *words[REPLACE_WORDS_MAX];
	unsigned count;
};

static unsigned
count_words(const char *path)
{
	unsigned count = 1;

	for (; *path != '\0'; path++)
		count += *path == '.';
	return count;
}

static int
refuse(const struct replace *r, const char *why)
{
	return diag_error(r->diag, r->file, (struct diag_pos){0}, r->from->key, "%s", why);
}

// The sections that a key may leave out, in the order in which they are looked in.
static const struct {
	const char *prefix;
	const struct schema *schema;
} sections[] = {
	{"", &schema_fabric_file},   {"", &schema_switch_file}, {"switch.", &schema_switch},
	{"switch.", &schema_single}, {"hosts.", &schema_host},  {"fabric.", &schema_fabric},
};

// What stands before the first word of a key, which may be a node's name too.
static const char *
find_section(const char *word)
{
	const struct schema_key *topology = schema_find(&schema_fabric, "topology");

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (schema_find(sections[i].schema, word) != NULL)
			return sections[i].prefix;
	return schema_find(topology->sub, word) != NULL ? "fabric.topology." : "";
}

// Writes the key with the section that it leaves out. Its words are checked when the file is
// decoded.
static int
find_path(struct replace *r)
{
	char first[REPLACE_PATH_MAX];
	const char *key = r->from->key;

	if (key[0] == '\0' || key[0] == '.' || strlen(key) >= sizeof(r->path) / 2 ||
	    count_words(key) > REPLACE_WORDS_MAX / 2)
		return refuse(r, "is no key, such as switch.routing.mode");
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(key, "."), key);
	snprintf(r->path, sizeof(r->path), "%s%s", find_section(first), key);
	for (char *word = r->path, *rest = r->path; (word = strsep(&rest, ".")) != NULL;)
		r->words[r->count++] = word;
	return 0;
}

static struct yaml_node *
new_node(const struct replace *r, struct yaml_node node)
{
	struct yaml_node *out = arena_alloc(r->arena, sizeof(*out));

	*out = node;
	return out;
}

// The item of a list that a word names.
static struct yaml_node **
find_item(const struct replace *r, struct yaml_node *list, const char *word)
{
	char *end, why[REPLACE_WHY_MAX];
	unsigned long number = strtoul(word, &end, 10);

	for (unsigned i = 0; i < list->count; i++) {
		const struct yaml_pair *name = yaml_tree_get(list->items[i], "name");

		if (name != NULL && name->value->kind == YAML_SCALAR &&
		    strcmp(name->value->text, word) == 0)
			return &list->items[i];
	}
	if (end != word && *end == '\0' && number < list->count)
		return &list->items[number];
	snprintf(why, sizeof(why), "there is no item %.80s in this list: there are %u, from 0",
		 word, list->count);
	refuse(r, why);
	return NULL;
}

// Where the value of a word belongs, below `node`.
static struct yaml_node **
step(const struct replace *r, struct yaml_node *node, char *word)
{
	struct yaml_pair *pair;

	if (node->kind == YAML_LIST)
		return find_item(r, node, word);
	if (node->kind == YAML_SCALAR && node->null)
		*node = (struct yaml_node){.kind = YAML_MAP, .pos = node->pos};
	if (node->kind == YAML_SCALAR) {
		refuse(r,
		       "the file has a word in its place, where this needs a map: change the file");
		return NULL;
	}
	pair = yaml_tree_get(node, word);
	if (pair == NULL) {
		yaml_tree_add_pair(
			r->arena, node,
			(struct yaml_pair){arena_text(r->arena, word, strlen(word)),
					   {0},
					   new_node(r, (struct yaml_node){.kind = YAML_MAP})});
		pair = &node->pairs[node->count - 1];
	}
	return &pair->value;
}

// Lines and columns of the value are not the file's: they are those of another, or there are none.
static void
set_places(struct yaml_node *node, const char *file)
{
	const struct diag_pos none = {0};

	node->pos = file != NULL ? (struct diag_pos){node->pos.line, node->pos.column, file} : none;
	for (unsigned i = 0; node->kind == YAML_LIST && i < node->count; i++)
		set_places(node->items[i], file);
	for (unsigned i = 0; node->kind == YAML_MAP && i < node->count; i++) {
		struct yaml_pair *pair = &node->pairs[i];

		pair->key_pos.file = file;
		if (file == NULL)
			pair->key_pos = none;
		set_places(pair->value, file);
	}
}

// The value is all of a file.
static struct yaml_node *
read_value_file(const struct replace *r, const char *path)
{
	struct yaml_node *node = NULL;
	char *text = NULL;
	size_t length;
	int rc = file_read(path, YAML_TREE_BYTES_MAX, &text, &length);

	if (rc != 0) {
		diag_error(r->diag, r->file, (struct diag_pos){0}, r->from->key,
			   "@%s: the file with the value cannot be read: %s", path, strerror(-rc));
		return NULL;
	}
	if (yaml_tree_parse(&node, r->arena, text, length, path, r->diag) != 0)
		node = NULL;
	else
		set_places(node, path);
	free(text);
	return node;
}

static struct yaml_node *
read_value(const struct replace *r)
{
	const char *text = r->from->value;
	struct yaml_node *node = NULL;
	struct diag diag = {0};

	if (text[0] == '\0') {
		refuse(r, "a value is missing");
		return NULL;
	}
	if (text[0] == '@')
		return read_value_file(r, text + 1);
	if (strchr("[{\"'", text[0]) == NULL)
		return new_node(
			r, (struct yaml_node){.kind = YAML_SCALAR,
					      .text = arena_text(r->arena, text, strlen(text))});
	if (yaml_tree_parse(&node, r->arena, text, strlen(text), "", &diag) != 0)
		refuse(r, diag.messages[0].words);
	else
		set_places(node, NULL);
	diag_free(&diag);
	return node;
}

int
replace_value(struct yaml_node *root, struct arena *arena,
	      const struct config_replacement *replacement, const char *file, struct diag *diag)
{
	struct replace r = {.arena = arena, .from = replacement, .file = file, .diag = diag};
	struct yaml_node **place = &root, *value;

	if (find_path(&r) != 0)
		return -EINVAL;
	value = read_value(&r);
	if (value == NULL)
		return -EINVAL;
	for (unsigned i = 0; i < r.count; i++) {
		place = step(&r, *place, r.words[i]);
		if (place == NULL)
			return -EINVAL;
	}
	*place = value;
	return 0;
}
