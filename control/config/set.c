// SPDX-License-Identifier: BSD-3-Clause
// Changing one key after loading: the value is put into the tree where the key would stand, and the
// sections are merged again. A change that does not decode, or that contradicts what is there, is
// taken back, so that nothing is ever half-applied.
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SET_TOKENS_MAX 16

// What a change did to one map, enough to undo it.
struct set_change {
	struct yaml_node *map; // NULL: nothing changed
	unsigned index;
	bool appended;
	struct yaml_pair old;
	struct set_change *before; // of config_set(): the change before this one
};

struct set_request {
	struct config *config;
	struct config_diag *diag;
	const char *key;
	struct config_pos key_pos;
	struct config_pos value_pos;
	char *tokens[SET_TOKENS_MAX];
	unsigned count;
	bool out_of_memory;
};

static void
set_undo(const struct set_change *change)
{
	if (change->map == NULL)
		return;
	if (change->appended)
		change->map->count--;
	else
		change->map->pairs[change->index] = change->old;
}

// "leaf1.qos.tc.3" into words. Returns false with an error reported.
static bool
set_split(struct set_request *request)
{
	struct arena *arena = &request->config->private->arena;
	bool single = request->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	char *rest = arena_text(arena, request->key, strlen(request->key));
	enum config_role role;
	const char *section;
	bool good;

	request->out_of_memory |= rest == NULL;
	for (char *token; rest != NULL && (token = strsep(&rest, ".")) != NULL;) {
		if (token[0] == '\0' || request->count == SET_TOKENS_MAX) {
			request->count = 0;
			break;
		}
		request->tokens[request->count++] = token;
	}
	if (request->count < 2) {
		config_error(request->diag, request->config->file, request->key_pos, NULL,
			     "\"%.80s\" is not a key such as switch.qos.tc.3.ecn.min",
			     request->key);
		return false;
	}
	section = request->tokens[0];
	good = strcmp(section, "switch") == 0;
	if (!good && !single)
		good = strcmp(section, "leaf") == 0 || strcmp(section, "spine") == 0 ||
		       strcmp(section, "super") == 0 ||
		       (config_node_role(request->config, section, &role) == 0 &&
			role != CONFIG_ROLE_HOST);
	if (!good)
		config_error(request->diag, request->config->file, request->key_pos, request->key,
			     "only a switch's keys can be set: \"%.40s\" is no section of one",
			     section);
	return good;
}

// The value under tokens[from..], as maps within maps.
static struct yaml_node *
set_chain(struct set_request *request, unsigned from, struct yaml_node *value)
{
	struct arena *arena = &request->config->private->arena;

	for (unsigned i = request->count; i > from && value != NULL; i--) {
		struct yaml_node *map = arena_alloc(arena, sizeof(*map));

		if (map == NULL)
			return NULL;
		*map = (struct yaml_node){.kind = YAML_MAP, .pos = request->value_pos};
		if (yaml_tree_add_pair(arena, map,
				       (struct yaml_pair){.key = request->tokens[i - 1],
							  .key_pos = request->key_pos,
							  .value = value}) < 0)
			return NULL;
		value = map;
	}
	return value;
}

static void
set_positions(struct yaml_node *node, struct config_pos pos)
{
	node->pos = pos;
	for (unsigned i = 0; i < node->count; i++) {
		if (node->kind == YAML_MAP)
			node->pairs[i].key_pos = pos;
		set_positions(node->kind == YAML_MAP ? node->pairs[i].value : node->items[i], pos);
	}
}

// A list or map in flow style. What is wrong with it is wrong where the text stands: its own lines
// and columns are nobody's.
static struct yaml_node *
set_parse(struct set_request *request, const char *text)
{
	struct config_diag diag = {0};
	struct yaml_node *node = NULL;
	int result = yaml_tree_parse(&node, &request->config->private->arena, text, strlen(text),
				     "", &diag);

	request->out_of_memory |= result == -ENOMEM;
	for (unsigned i = 0; i < diag.count; i++) {
		const char *why = diag.messages[i].words;
		bool file = strncmp(why, "the file ", 9) == 0;

		config_error(request->diag, request->config->file, request->value_pos, request->key,
			     "\"%.80s\": %s%s", text, file ? "it " : "", file ? why + 9 : why);
	}
	config_diag_free(&diag);
	return result == 0 ? node : NULL;
}

// The value's text as a tree: a list or map in flow style, else one word.
static struct yaml_node *
set_value(struct set_request *request, const char *text)
{
	struct arena *arena = &request->config->private->arena;
	struct yaml_node *node = NULL;

	if (text[0] == '[' || text[0] == '{') {
		node = set_parse(request, text);
	} else {
		node = arena_alloc(arena, sizeof(*node));
		if (node != NULL)
			*node = (struct yaml_node){.kind = YAML_SCALAR,
						   .text = arena_text(arena, text, strlen(text))};
		request->out_of_memory |= node == NULL || node->text == NULL;
	}
	if (node != NULL)
		set_positions(node, request->value_pos);
	return node;
}

// Keys whose value is a map, or on or off: writing one of the map's keys does not undo the word,
// nor the word the map. The word then stands in the map as `enabled`.
static bool
is_switched(const char *key)
{
	return strcmp(key, "ecn") == 0 || strcmp(key, "trim") == 0 || strcmp(key, "watchdog") == 0;
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

// Replaces or appends in the deepest map of the key's path that is there.
static int
set_insert(struct set_request *request, struct yaml_node *value, struct set_change *change)
{
	struct arena *arena = &request->config->private->arena;
	struct yaml_node *map = request->config->private->root, *word = NULL;
	struct yaml_pair *pair;
	unsigned i;

	for (i = 0;; i++) {
		pair = yaml_tree_get(map, request->tokens[i]);
		if (pair == NULL || pair->value->kind != YAML_MAP)
			break;
		if (i + 1 == request->count && is_switched(pair->key) &&
		    value->kind == YAML_SCALAR && request->count < SET_TOKENS_MAX)
			request->tokens[request->count++] = "enabled";
		if (i + 1 == request->count)
			break;
		map = pair->value;
	}
	// Only a word can stand where a map is to be: the change has decoded by itself.
	if (pair != NULL && i + 1 < request->count && !pair->value->null && is_switched(pair->key))
		word = pair->value;
	if (pair == NULL && i + 1 == request->count && set_excluded_by(request->tokens[i]) != NULL)
		pair = yaml_tree_get(map, set_excluded_by(request->tokens[i]));
	value = set_chain(request, i + 1, value);
	if (value == NULL)
		return -ENOMEM;
	if (word != NULL && yaml_tree_get(value, "enabled") == NULL &&
	    yaml_tree_add_pair(arena, value,
			       (struct yaml_pair){"enabled", request->key_pos, word}) < 0)
		return -ENOMEM;
	*change = (struct set_change){.map = map, .appended = pair == NULL};
	if (pair != NULL) {
		change->index = pair - map->pairs;
		change->old = *pair;
		*pair = (struct yaml_pair){request->tokens[i], request->key_pos, value};
		return 0;
	}
	if (yaml_tree_add_pair(arena, map,
			       (struct yaml_pair){request->tokens[i], request->key_pos, value}) <
	    0) {
		change->map = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int
set_apply(struct config *config, const char *key, struct config_pos key_pos, const char *text,
	  struct config_pos value_pos, struct idle_keys *idle, struct config_diag *diag,
	  struct set_change *change)
{
	struct set_request request = {.config = config,
				      .diag = diag,
				      .key = key,
				      .key_pos = key_pos,
				      .value_pos = value_pos};
	unsigned errors = diag->errors;
	struct yaml_node *value, *alone;
	int result;

	*change = (struct set_change){0};
	if (!set_split(&request))
		return request.out_of_memory ? -ENOMEM : -EINVAL;
	value = set_value(&request, text);
	alone = value != NULL ? set_chain(&request, 1, value) : NULL;
	if (alone == NULL)
		return diag->errors > errors ? -EINVAL : -ENOMEM;
	merge_try_switch(config, alone, request.tokens[0], &schema_switch, diag);
	if (diag->errors > errors)
		return -EINVAL;
	result = set_insert(&request, value, change);
	if (result < 0)
		return result;
	merge_check_switches(&(struct merge_checks){
		config, diag, strcmp(request.tokens[1], "buffer") == 0, idle});
	if (diag->errors == errors)
		return 0;
	set_undo(change);
	*change = (struct set_change){0};
	return -EINVAL;
}

int
config_set(struct config *config, const char *key, const char *value, struct config_diag *diag)
{
	struct config_private *private = config->private;
	struct set_change *change = arena_alloc(&private->arena, sizeof(*change));
	struct config_pos none = {0};
	int result;

	if (change == NULL)
		return -ENOMEM;
	result = set_apply(config, key, none, value, none, NULL, diag, change);
	if (result != 0)
		return result;
	change->before = private->last_set;
	private->last_set = change;
	return 0;
}

void
config_set_undo(struct config *config)
{
	struct config_private *private = config->private;

	if (private->last_set == NULL)
		return;
	set_undo(private->last_set);
	private->last_set = private->last_set->before;
}

void
check_sets(struct config *config, struct idle_keys *idle, struct config_diag *diag)
{
	unsigned count, changed = 0;
	struct config_step *steps = config_list_steps(config, &count);
	struct set_change *changes = calloc(count + 1u, sizeof(*changes));

	for (unsigned i = 0; steps != NULL && changes != NULL && i < count; i++) {
		const struct config_event *event = steps[i].event;

		if (event->kind == CONFIG_EVENT_SET)
			set_apply(config, event->key.text, event->key.pos, event->to.text,
				  event->to.pos, idle, diag, &changes[changed++]);
	}
	while (changed > 0)
		set_undo(&changes[--changed]);
	free(changes);
	free(steps);
}
