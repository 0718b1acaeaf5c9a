// SPDX-License-Identifier: BSD-3-Clause
// The decoder walks a map of the file and finds each key in the schema; the key says how to read
// the value and where to store it. It never stops at an error: the user gets all of them, and the
// caller throws the structs away when there were any. Decoding a section into a struct that already
// holds the values of a farther one is how sections merge: only what is written is overwritten.
#include "decode.h"

#include "scalar.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

size_t
decode_enter(struct decoder *d, const char *name)
{
	size_t length = d->path_length;
	int added = snprintf(d->path + length, sizeof(d->path) - length, "%s%s",
			     length > 0 && name[0] != '[' ? "." : "", name);

	d->path_length = length + added < sizeof(d->path) ? length + added : sizeof(d->path) - 1;
	return length;
}

void
decode_leave(struct decoder *d, size_t length)
{
	d->path_length = length;
	d->path[length] = '\0';
}

void
decode_error(struct decoder *d, struct diag_pos pos, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diag_error(d->diag, d->file, pos, d->path, "%s", text);
}

void
decode_mark(struct decoder *d, struct diag_pos pos)
{
	decode_mark_instead(d, pos, NULL);
}

void
decode_mark_instead(struct decoder *d, struct diag_pos pos, const char *instead)
{
	struct config_mark mark = {.origin = d->origin, .instead = instead};
	const char *last = strrchr(d->path, '.');
	size_t path = d->path_length;

	// Items of lists have no names, and are as old as their list.
	if (d->marks == NULL || d->path_length < d->marks_skip || strchr(d->path, '[') != NULL)
		return;
	if (d->origin == CONFIG_ORIGIN_FILE)
		mark.pos = pos;
	config_marks_set(d->marks, d->path + d->marks_skip, mark);
	if (last == NULL || strcmp(last, ".enabled") != 0)
		return;
	// {enabled: off} is another way to write `off`.
	decode_leave(d, last - d->path);
	config_marks_set(d->marks, d->path + d->marks_skip, mark);
	d->path[d->path_length] = '.';
	d->path_length = path;
}

const char *
decode_hint(char out[static 80], const char *word, const char *const *candidates, size_t count)
{
	const char *near = config_suggest(word, candidates, count);

	out[0] = '\0';
	if (near != NULL)
		snprintf(out, 80, "; did you mean \"%s\"?", near);
	return out;
}

const char *
decode_text(struct decoder *d, const struct yaml_node *node)
{
	if (node->kind != YAML_SCALAR)
		decode_error(d, node->pos, "expected one value, found a %s",
			     node->kind == YAML_MAP ? "map" : "list");
	else if (node->null)
		decode_error(d, node->pos, "has no value");
	else
		return node->text;
	return NULL;
}

struct yaml_node *const *
decode_items(struct decoder *d, const struct yaml_node *node, struct yaml_node *single[1],
	     unsigned *count)
{
	*count = 0;
	if (node->kind == YAML_LIST) {
		*count = node->count;
		return node->count > 0 ? node->items : single;
	}
	if (node->kind == YAML_SCALAR && node->null)
		return single;
	if (node->kind == YAML_SCALAR) {
		single[0] = (struct yaml_node *)node;
		*count = 1;
		return single;
	}
	decode_error(d, node->pos, "expected a list, [a, b, ...], found a map");
	return NULL;
}

bool
decode_is_map(struct decoder *d, const struct yaml_node *node)
{
	if (node->kind == YAML_MAP || (node->kind == YAML_SCALAR && node->null))
		return true;
	decode_error(d, node->pos, "expected a map of keys and values, found %s",
		     node->kind == YAML_LIST ? "a list" : "one value");
	return false;
}

const struct schema_key *
schema_find(const struct schema *schema, const char *name)
{
	for (unsigned i = 0; i < schema->count; i++)
		if (strcmp(schema->keys[i].name, name) == 0)
			return &schema->keys[i];
	return NULL;
}

static void
report_unknown_key(struct decoder *d, const struct schema *schema, const struct yaml_pair *pair,
		   uint32_t kind)
{
	const char *candidates[128];
	size_t count = 0;
	char hint[80];

	for (const struct schema *from = schema; from != NULL;
	     from = from == schema ? schema->beside : NULL)
		for (unsigned i = 0; i < from->count && count < 128; i++)
			if (from->keys[i].kinds == 0 || from->keys[i].kinds & kind)
				candidates[count++] = from->keys[i].name;
	decode_error(d, pair->key_pos, "unknown key%s",
		     decode_hint(hint, pair->key, candidates, count));
}

// kind: one bit.
static void
report_wrong_kind(struct decoder *d, const struct schema *schema, const struct yaml_pair *pair,
		  uint32_t kind)
{
	const struct schema_key *key = schema_find(schema, "kind");
	int index = __builtin_ctz(kind);

	if (schema->kind_names != NULL)
		decode_error(d, pair->key_pos, "is not a key of %s", schema->kind_names[index]);
	else
		decode_error(d, pair->key_pos, "is not a key of %s %s",
			     schema->kind_word != NULL ? schema->kind_word : "kind:",
			     schema_choice_name(key->choices, index));
}

// Of two keys that exclude each other the one that is written takes the other's place.
static void
mark_excluded(struct decoder *d, const struct schema *schema, const struct schema_key *key,
	      struct diag_pos pos)
{
	size_t path = d->path_length - strlen(key->name) - 1;

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *other = &schema->keys[i];
		bool excluded = key->excludes != NULL && strcmp(key->excludes, other->name) == 0;

		if (!excluded &&
		    (other->excludes == NULL || strcmp(other->excludes, key->name) != 0))
			continue;
		decode_leave(d, path);
		decode_enter(d, other->name);
		decode_mark(d, pos);
		decode_leave(d, path);
		decode_enter(d, key->name);
	}
}

// Returns whether no two keys are written that exclude each other. One error for each key that
// others exclude: of a next hop with all of its keys a user has to choose once.
static bool
check_excluded(struct decoder *d, const struct schema *schema, const struct yaml_node *node)
{
	const char *reported = NULL;

	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];
		const struct yaml_pair *one, *other;

		if (key->excludes == NULL ||
		    (reported != NULL && strcmp(reported, key->excludes) == 0))
			continue;
		one = yaml_tree_get(node, key->excludes);
		other = yaml_tree_get(node, key->name);
		if (one == NULL || other == NULL)
			continue;
		reported = key->excludes;
		decode_error(d, one > other ? one->key_pos : other->key_pos,
			     "%s and %s exclude each other: the other is at line %u", key->excludes,
			     key->name, (one > other ? other : one)->key_pos.line);
	}
	return reported == NULL;
}

static void
decode_pair(struct decoder *d, const struct schema *schema, const struct yaml_pair *pair,
	    uint32_t kind, void *base)
{
	const struct schema_key *key = schema_find(schema, pair->key);

	if (key == NULL) {
		if (!schema->unknown_passed_over &&
		    (schema->beside == NULL || schema_find(schema->beside, pair->key) == NULL))
			report_unknown_key(d, schema, pair, kind);
		return;
	}
	if (key->kinds != 0 && !(key->kinds & kind)) {
		report_wrong_kind(d, schema, pair, kind);
		return;
	}
	decode_value(d, key, pair->value, base);
	if (d->marks != NULL)
		mark_excluded(d, schema, key, pair->value->pos);
}

bool
decode_find_kind(struct decoder *d, const struct yaml_node *node, const char *const *kind_keys,
		 const char *one_only, unsigned *which)
{
	const struct yaml_pair *found = NULL;

	*which = DECODE_NONE;
	for (unsigned i = 0; kind_keys[i] != NULL; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, kind_keys[i]);

		if (pair != NULL && found != NULL) {
			decode_error(d, pair->key_pos, "%s: \"%s\" or \"%s\"", one_only, found->key,
				     pair->key);
			return false;
		}
		if (pair != NULL) {
			found = pair;
			*which = i;
		}
	}
	return found != NULL;
}

uint32_t
decode_kind(struct decoder *d, const struct yaml_node *node, const struct schema_key *kind,
	    void *base)
{
	const struct yaml_pair *pair = yaml_tree_get(node, "kind");
	unsigned errors = d->diag->errors;
	char list[DECODE_CHOICES];
	uint32_t value = 0;
	size_t path;

	if (pair == NULL) {
		decode_error(d, node->pos, "needs \"kind\": one of %s",
			     decode_choices(kind->choices, list));
		return 0;
	}
	path = decode_enter(d, "kind");
	decode_value(d, kind, pair->value, base);
	decode_leave(d, path);
	memcpy(&value, (const char *)base + kind->offset, sizeof(value));
	return d->diag->errors > errors ? 0 : 1u << value;
}

// `llr: on`, where the map's key `state` says so.
static bool
refuse_state(struct decoder *d, const struct schema *schema, const struct yaml_node *node)
{
	const struct schema_key *state = schema_find(schema, "state");
	char why[SCALAR_WHY];
	bool on;

	if (state == NULL || state->type != SCHEMA_BOOL || node->kind != YAML_SCALAR ||
	    node->null || scalar_bool(node->text, &on, why) < 0)
		return false;
	decode_error(d, node->pos, "expected a map of keys and values: write {state: %s}",
		     on ? "on" : "off");
	return true;
}

void
decode_map(struct decoder *d, const struct schema *schema, const struct yaml_node *node, void *base)
{
	uint32_t kind = UINT32_MAX;

	if (refuse_state(d, schema, node) || !decode_is_map(d, node))
		return;
	if (schema->pos_offset != 0)
		memcpy((char *)base + schema->pos_offset, &node->pos, sizeof(node->pos));
	if (schema->select != NULL)
		kind = schema->select(d, node, base);
	if (kind == 0)
		return;
	for (unsigned i = 0; i < node->count; i++) {
		size_t path = decode_enter(d, node->pairs[i].key);

		decode_pair(d, schema, &node->pairs[i], kind, base);
		decode_leave(d, path);
	}
	for (unsigned i = 0; i < schema->count; i++)
		if (schema->keys[i].required & kind && !yaml_tree_get(node, schema->keys[i].name))
			decode_error(d, node->pos, "needs \"%s\": %s", schema->keys[i].name,
				     schema->keys[i].help);
	if (check_excluded(d, schema, node) && schema->check != NULL)
		schema->check(d, node, base);
}

// A map, or a word in whose place every key has its default.
static void
decode_submap(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      void *at)
{
	bool off = key->word != NULL && decode_is_off(node);

	if (key->word != NULL)
		decode_mark(d, node->pos);
	if (off || key->flags & SCHEMA_ANEW)
		memset(at, 0, key->size);
	if (off ? !(key->flags & SCHEMA_ANEW) : key->flags & SCHEMA_ANEW)
		decode_defaults(d, key->sub, at);
	if (!off)
		decode_map(d, key->sub, node, at);
}

// {key: value, ...}, which is on unless it says `enabled: off`; or on or off.
static void
decode_switched(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		char *at)
{
	bool *on = (bool *)(at + key->sub->keys[0].offset);
	char keys[120] = "", why[SCALAR_WHY];
	size_t used = 0;

	decode_mark(d, node->pos);
	if (node->kind != YAML_SCALAR || node->null) {
		*on = true;
		decode_map(d, key->sub, node, at);
	} else if (scalar_bool(node->text, on, why) < 0) {
		for (unsigned i = 1; i < key->sub->count && used < sizeof(keys); i++)
			used += snprintf(keys + used, sizeof(keys) - used, "%s%s",
					 i > 1 ? ", " : "", key->sub->keys[i].name);
		decode_error(d, node->pos, "expected {%s}, or off", keys);
	}
}

static void
decode_numbered(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
		char *at)
{
	size_t item_size = key->size / CONFIG_PRIORITIES;

	if (!decode_is_map(d, node))
		return;
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		size_t path = decode_enter(d, pair->key);
		char why[SCALAR_WHY];
		unsigned number;

		if (scalar_index(pair->key, CONFIG_PRIORITIES, &number, why) < 0)
			decode_error(d, pair->key_pos, "%s", why);
		else
			decode_map(d, key->sub, pair->value, at + number * item_size);
		decode_leave(d, path);
	}
}

void
decode_port_number(struct decoder *d, const struct config_name *name, unsigned *number)
{
	if (scalar_port_number(name->text, "swp", number) < 0)
		decode_error(d, name->pos, "\"%.40s\" is not a port: swp1 to swp256", name->text);
}

void
decode_value(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     void *base)
{
	char *at = (char *)base + key->offset;
	unsigned errors = d->diag->errors;

	switch (key->type) {
	case SCHEMA_MAP:
		decode_submap(d, key, node, at);
		break;
	case SCHEMA_SWITCHED:
		decode_switched(d, key, node, at);
		break;
	case SCHEMA_NUMBERED:
		decode_numbered(d, key, node, at);
		break;
	case SCHEMA_CUSTOM:
		decode_mark(d, node->pos);
		key->decode(d, key, node, base);
		break;
	default: // what is left is a section: another pass reads it
		if (!decode_scalar(d, key, node, base))
			decode_several(d, key, node, base);
	}
	if (key->check != NULL && d->diag->errors == errors)
		key->check(d, key, node, base);
}

void
decode_defaults(struct decoder *d, const struct schema *schema, void *base)
{
	for (unsigned i = 0; i < schema->count; i++) {
		const struct schema_key *key = &schema->keys[i];
		const char *def = schema_default(schema, key);
		struct yaml_node word = {.kind = YAML_SCALAR, .text = (char *)def};
		struct yaml_node *node = &word;
		size_t path;

		path = decode_enter(d, key->name);
		if (key->type == SCHEMA_SWITCHED || (key->type == SCHEMA_MAP && key->word == NULL))
			decode_defaults(d, key->sub, (char *)base + key->offset);
		for (unsigned n = 0; key->type == SCHEMA_NUMBERED && n < CONFIG_PRIORITIES; n++)
			decode_defaults(d, key->sub,
					(char *)base + key->offset +
						n * (key->size / CONFIG_PRIORITIES));
		if (def != NULL && (def[0] == '{' || def[0] == '['))
			yaml_tree_parse(&node, d->arena, def, strlen(def), "default", d->diag);
		if (def != NULL)
			decode_value(d, key, node, base);
		decode_leave(d, path);
	}
}
