// SPDX-License-Identifier: BSD-3-Clause
// The types that have several items: sets of numbers, arrays, maps from number to word, lists of
// maps, and maps by name.
#include "decode.h"

#include "scalar.h"

#include <string.h>

bool
decode_is_off(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->null &&
	       (strcmp(node->text, "none") == 0 || strcmp(node->text, "off") == 0);
}

static bool
is_word(const struct schema_key *key, const struct yaml_node *node)
{
	return key->word != NULL && node->kind == YAML_SCALAR && !node->null &&
	       strcmp(node->text, key->word) == 0;
}

static bool
too_few(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	unsigned count)
{
	if (count >= key->min)
		return false;
	decode_error(d, node->pos, "needs at least %d item%s%s%s", (int)key->min,
		     key->min == 1 ? "" : "s", key->word != NULL ? ", or " : "",
		     key->word != NULL ? key->word : "");
	return true;
}

static void
decode_bits(struct decoder *d, const struct schema_key *key, const struct yaml_node *node, char *at)
{
	struct yaml_node *single[1];
	unsigned count;
	struct yaml_node *const *items;
	uint64_t bits = 0;
	char why[SCALAR_WHY];
	int64_t number;

	if (is_word(key, node)) {
		decode_store(at, key->size, (int64_t)(UINT64_MAX >> (63 - key->max)));
		return;
	}
	items = decode_items(d, node, single, &count);
	if (items == NULL || too_few(d, key, node, count))
		return;
	for (unsigned i = 0; i < count; i++) {
		const char *text = decode_text(d, items[i]);

		if (text == NULL)
			return;
		if (scalar_integer(text, 0, key->max, &number, why) < 0) {
			decode_error(d, items[i]->pos, "%s%s%s", why,
				     key->word != NULL ? ", or " : "",
				     key->word != NULL ? key->word : "");
			return;
		}
		if (bits >> number & 1)
			decode_error(d, items[i]->pos, "the list has %s twice", text);
		bits |= UINT64_C(1) << number;
	}
	decode_store(at, key->size, (int64_t)bits);
}

// Whether the last of `count` items may stand where it does.
static bool
item_fits(struct decoder *d, const struct schema_key *key, struct yaml_node *const *nodes,
	  const char *items, unsigned count)
{
	size_t size = key->item->size;
	const char *last = items + (count - 1) * size;
	uint64_t before = 0, now = 0;

	for (unsigned i = 0; key->flags & SCHEMA_UNIQUE && i + 1 < count; i++)
		if (memcmp(items + i * size, last, size) == 0) {
			decode_error(d, nodes[count - 1]->pos, "the list has %s twice",
				     nodes[count - 1]->text);
			return false;
		}
	if (!(key->flags & SCHEMA_ASCENDING) || count < 2)
		return true;
	memcpy(&before, last - size, size);
	memcpy(&now, last, size);
	if (now > before)
		return true;
	decode_error(d, nodes[count - 1]->pos, "%s does not follow %s: items must ascend",
		     nodes[count - 1]->text, nodes[count - 2]->text);
	return false;
}

static void
decode_array(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     char *base)
{
	size_t size = key->item->size;
	unsigned count, most = key->size / size, errors = d->diag->errors;
	struct yaml_node *single[1];
	struct yaml_node *const *items;

	if (is_word(key, node)) {
		memset(base + key->flag_offset, 0, sizeof(count));
		return;
	}
	items = decode_items(d, node, single, &count);
	if (items == NULL || too_few(d, key, node, count))
		return;
	for (unsigned i = 0; i < count && i < most; i++) {
		char *at = base + key->offset + i * size;

		d->or_word = key->word;
		decode_scalar(d, key->item, items[i], at);
		d->or_word = NULL;
		if (d->diag->errors > errors || !item_fits(d, key, items, at - i * size, i + 1))
			return;
	}
	if (count > most)
		decode_error(d, node->pos, "%u items: %u at most", count, most);
	else
		memcpy(base + key->flag_offset, &count, sizeof(count));
}

// One pair of a map of numbers: {26: 3}, {default: 0}.
static void
decode_entry(struct decoder *d, const struct schema_key *key, const struct yaml_pair *pair,
	     char *base)
{
	struct config_listed *listed =
		key->flag_offset != 0 ? (struct config_listed *)(base + key->flag_offset) : NULL;
	unsigned count = key->size / key->item->size, number = 0, errors = d->diag->errors;
	bool is_default = listed != NULL && strcmp(pair->key, "default") == 0;
	char why[SCALAR_WHY];
	uint8_t value;

	if (is_default) {
		decode_scalar(d, key->item, pair->value, &value);
		if (d->diag->errors == errors)
			listed->value = value, listed->set = true;
	} else if (scalar_index(pair->key, count, &number, why) < 0) {
		decode_error(d, pair->key_pos, "%s%s", why, listed != NULL ? ", or default" : "");
	} else if (key->item->word != NULL && decode_is_off(pair->value)) {
		decode_store(base + key->offset + number * key->item->size, key->item->size,
			     key->item->word_value);
		decode_mark(d, pair->value->pos);
	} else {
		decode_scalar(d, key->item, pair->value,
			      base + key->offset + number * key->item->size);
		if (listed != NULL)
			listed->bits |= UINT64_C(1) << number;
	}
}

// What the map does not list comes from where its `default:` is written, else the map itself.
static void
mark_unlisted(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	      const struct config_listed *listed)
{
	const struct yaml_pair *written = yaml_tree_get(node, "default");
	char name[12];

	if (d->marks == NULL || (written == NULL && listed->set))
		return;
	for (unsigned i = 0; i < key->size / key->item->size; i++) {
		size_t path;

		if (listed->bits >> i & 1)
			continue;
		snprintf(name, sizeof(name), "%u", i);
		path = decode_enter(d, name);
		decode_mark_instead(d, written != NULL ? written->value->pos : node->pos,
				    written != NULL ? "default" : "");
		decode_leave(d, path);
	}
}

static void
decode_table(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     char *base)
{
	unsigned count = key->size / key->item->size;

	if (key->word != NULL && decode_is_off(node)) {
		for (unsigned i = 0; i < count; i++)
			decode_store(base + key->offset + i * key->item->size, key->item->size,
				     key->item->word_value);
		return;
	}
	if (!decode_is_map(d, node))
		return;
	for (unsigned i = 0; i < node->count; i++) {
		size_t path = decode_enter(d, node->pairs[i].key);

		decode_entry(d, key, &node->pairs[i], base);
		decode_leave(d, path);
	}
	if (key->flag_offset != 0)
		mark_unlisted(d, key, node,
			      (const struct config_listed *)(base + key->flag_offset));
}

// One item of a list: a map, or a word that stands for one of its keys.
static void
decode_item(struct decoder *d, const struct schema *schema, struct yaml_node *node, void *base)
{
	struct yaml_pair pair;
	struct yaml_node map = {.kind = YAML_MAP, .pairs = &pair, .count = 1, .pos = node->pos};

	decode_defaults(d, schema, base);
	if (schema->word_key == NULL || node->kind != YAML_SCALAR || node->null) {
		decode_map(d, schema, node, base);
		return;
	}
	pair = (struct yaml_pair){(char *)schema->word_key, node->pos, node};
	decode_map(d, schema, &map, base);
}

static void
decode_list(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	    char *base)
{
	struct yaml_node *single[1];
	struct yaml_node *const *nodes = node->items;
	unsigned count = node->count;
	char *items;

	decode_mark(d, node->pos);
	if (key->word != NULL && decode_is_off(node)) {
		memset(base + key->flag_offset, 0, sizeof(count));
		return;
	}
	if (key->sub->word_key != NULL) {
		nodes = decode_items(d, node, single, &count);
		if (nodes == NULL)
			return;
	} else if (node->kind == YAML_SCALAR && node->null) {
		return;
	} else if (node->kind != YAML_LIST) {
		decode_error(d, node->pos, "expected a list of maps, each begun by \"- \"");
		return;
	}
	if (key->max != 0 && count > key->max) {
		decode_error(d, node->pos, "%u items: %d at most", count, (int)key->max);
		return;
	}
	items = arena_alloc(d->arena, (count + 1) * key->sub->size);
	for (unsigned i = 0; i < count; i++) {
		char index[24];
		size_t path;

		snprintf(index, sizeof(index), "[%u]", i);
		path = decode_enter(d, index);
		decode_item(d, key->sub, nodes[i], items + i * key->sub->size);
		decode_leave(d, path);
	}
	memcpy(base + key->offset, &items, sizeof(items));
	memcpy(base + key->flag_offset, &count, sizeof(count));
}

// The item of this name among those of farther sections, or a new one behind them.
static struct config_name *
named_item(const struct schema_key *key, char *items, unsigned *count, const char *name)
{
	size_t size = key->sub->size;

	for (unsigned i = 0; key->flags & SCHEMA_MERGED && i < *count; i++)
		if (strcmp(((struct config_name *)(items + i * size))->text, name) == 0)
			return (struct config_name *)(items + i * size);
	return (struct config_name *)(items + (*count)++ * size);
}

// Returns 0, or -EINVAL with the reason in `why`.
static int
check_item_name(const struct schema_key *key, const char *name, char *why)
{
	const char *dot = strchr(name, '.');
	char host[CONFIG_NAME_MAX + 2]; // what is too long is cut to one that is too long
	bool is_nic = dot != NULL && strncmp(dot, ".eth", 4) == 0 && dot[4] >= '1' &&
		      dot[4] <= '8' && dot[5] == '\0';

	if (!(key->flags & SCHEMA_ENDPOINTS) || !is_nic)
		return scalar_name(name, why);
	snprintf(host, sizeof(host), "%.*s", (int)(dot - name), name);
	return scalar_name(host, why);
}

static void
decode_named(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	     char *base)
{
	char *items, *before;
	unsigned count = 0;

	if (!decode_is_map(d, node) || (node->count == 0 && key->flags & SCHEMA_MERGED))
		return;
	decode_mark(d, node->pos);
	if (key->flags & SCHEMA_MERGED)
		memcpy(&count, base + key->flag_offset, sizeof(count));
	items = arena_alloc(d->arena, (count + node->count + 1) * key->sub->size);
	memcpy(&before, base + key->offset, sizeof(before));
	if (count > 0)
		memcpy(items, before, count * key->sub->size);
	for (unsigned i = 0; i < node->count; i++) {
		const struct yaml_pair *pair = &node->pairs[i];
		struct config_name *name = named_item(key, items, &count, pair->key);
		size_t path = decode_enter(d, pair->key);
		bool is_new = name->text == NULL;
		char why[SCALAR_WHY];

		*name = (struct config_name){.text = pair->key, .pos = pair->key_pos};
		if (check_item_name(key, pair->key, why) < 0)
			decode_error(d, pair->key_pos, "%s", why);
		if (is_new)
			decode_defaults(d, key->sub, name);
		decode_map(d, key->sub, pair->value, name);
		decode_leave(d, path);
	}
	memcpy(base + key->offset, &items, sizeof(items));
	memcpy(base + key->flag_offset, &count, sizeof(count));
}

bool
decode_several(struct decoder *d, const struct schema_key *key, const struct yaml_node *node,
	       void *base)
{
	switch (key->type) {
	case SCHEMA_BITS:
		decode_bits(d, key, node, (char *)base + key->offset);
		break;
	case SCHEMA_ARRAY:
		decode_array(d, key, node, base);
		break;
	case SCHEMA_TABLE:
		decode_table(d, key, node, base);
		break;
	case SCHEMA_LIST:
		decode_list(d, key, node, base);
		return true;
	case SCHEMA_NAMED:
		decode_named(d, key, node, base);
		return true;
	default:
		return false;
	}
	decode_mark(d, node->pos);
	return true;
}
