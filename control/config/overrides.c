// SPDX-License-Identifier: BSD-3-Clause
// Which section overrides another. A key that is set in one section changes nothing at switches for
// which a nearer section has the key too. To find that section, the two are walked side by side; a
// key that is found there overrides if merging gives another result with it than without it.
#include "merge.h"

#include <string.h>

#define WORDS_MAX 16 // of a key

struct key_words {
	char text[256];
	char *words[WORDS_MAX];
	unsigned count; // 0: not a key
};

struct query {
	struct config *config;
	const char *node_name;
	enum config_role role;
};

static void
split(struct key_words *key, const char *text)
{
	char *rest = key->text;

	key->count = 0;
	if (strlen(text) >= sizeof(key->text))
		return;
	strcpy(key->text, text);
	for (char *word; (word = strsep(&rest, ".")) != NULL;) {
		if (key->count == WORDS_MAX) {
			key->count = 0;
			return;
		}
		key->words[key->count++] = word;
	}
}

// Whether the settings of the switch would differ if `pair` were as `other`.
static bool
makes_a_difference(const struct query *query, struct yaml_pair *pair, const struct yaml_pair *other)
{
	struct switch_config as_is, changed;
	const struct yaml_pair kept = *pair;
	int rc = config_switch(query->config, query->node_name, query->role, &as_is);

	if (rc != 0)
		return false;
	*pair = *other;
	rc = config_switch(query->config, query->node_name, query->role, &changed);
	*pair = kept;
	return rc != 0 || memcmp(&as_is, &changed, sizeof(as_is)) != 0;
}

static struct yaml_pair *
find_same(const struct yaml_node *nearer, const char *key)
{
	struct yaml_pair *pair = yaml_tree_get(nearer, key);
	const char *other = set_excluded_by(key);

	return pair != NULL || other == NULL ? pair : yaml_tree_get(nearer, other);
}

// What the nearer map writes that `set`, a pair of the farther one, would have changed; words:
// which of its keys alone, if it is a map.
static const struct yaml_pair *
find_override(const struct query *query, const struct yaml_node *nearer,
	      const struct yaml_pair *set, char *const *words, unsigned count)
{
	struct yaml_pair *pair = find_same(nearer, set->key);

	if (pair == NULL)
		return NULL;
	if (pair->value->kind != YAML_MAP || set->value->kind != YAML_MAP)
		return makes_a_difference(query, pair, set) ? pair : NULL;
	for (unsigned i = 0; i < set->value->count; i++) {
		const struct yaml_pair *inner = &set->value->pairs[i], *found = NULL;

		if (count == 0 || strcmp(inner->key, words[0]) == 0)
			found = find_override(query, pair->value, inner, words + (count != 0),
					      count - (count != 0));
		if (found != NULL)
			return found;
	}
	return NULL;
}

// The value of the key in a section, but for its first `skip` words; or NULL.
static const struct yaml_node *
value_at(const struct yaml_node *node, const struct key_words *key, unsigned skip)
{
	for (unsigned i = skip; i < key->count; i++) {
		const struct yaml_pair *pair = yaml_tree_get(node, key->words[i]);

		node = pair != NULL ? pair->value : NULL;
	}
	return node;
}

// The word with which a map was switched stands in it as `enabled` (set.c).
static void
add_switch(struct key_words *key, const struct yaml_node *section, const char *value)
{
	const struct yaml_node *node = value_at(section, key, 1);

	if (value[0] != '{' && yaml_tree_get(node, "enabled") != NULL && key->count < WORDS_MAX)
		key->words[key->count++] = (char *)(uintptr_t) "enabled";
}

const char *
config_find_override(struct config *config, const char *key_text, const char *value,
		     const char *node_name, enum config_role role, struct diag_pos *pos)
{
	const struct query query = {config, node_name, role};
	const char *names[] = {"switch", config_role_name(role), node_name};
	const struct yaml_node *section;
	const struct yaml_pair *set, *found;
	struct key_words key;
	unsigned at = 0;

	split(&key, key_text);
	if (key.count < 2)
		return NULL;
	while (at < 3 && strcmp(names[at], key.words[0]) != 0)
		at++;
	section = at < 3 ? merge_section(config, names[at]) : NULL;
	set = yaml_tree_get(section, key.words[1]);
	if (set == NULL)
		return NULL;
	add_switch(&key, section, value);
	for (unsigned i = 3; i-- > at + 1;) {
		found = find_override(&query, merge_section(config, names[i]), set, key.words + 2,
				      key.count - 2);
		if (found == NULL)
			continue;
		*pos = found->value->pos;
		return names[i];
	}
	return NULL;
}

struct diag_pos
config_written_at(const struct config *config, const char *section, const char *key_text)
{
	const struct yaml_node *node;
	struct key_words key;

	split(&key, key_text);
	node = value_at(merge_section(config, section), &key, 0);
	return node != NULL ? node->pos : (struct diag_pos){0};
}
