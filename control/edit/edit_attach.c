// SPDX-License-Identifier: BSD-3-Clause
// Edits of `attach:`. The fabric has to follow them with devices, which may fail long after the
// text is valid, so the other edits and the file's events leave this section alone (set.c).
#include "set_internal.h"

#include "control/config/decode.h"
#include "edit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ATTACH "attach"

bool
config_edit_attaches(const struct config_edit *edit)
{
	return strcspn(edit->key, ".") == strlen(ATTACH) &&
	       strncmp(edit->key, ATTACH, strlen(ATTACH)) == 0;
}

static bool
is_nic(const char *word, size_t length)
{
	return length == 4 && strncmp(word, "eth", 3) == 0 && word[3] >= '1' && word[3] <= '8';
}

size_t
config_edit_attached(const struct config_edit *edit)
{
	size_t length = strlen(ATTACH), word;

	if (edit->key[length] != '.')
		return length;
	length += 1 + strcspn(edit->key + length + 1, ".");
	if (edit->key[length] != '.')
		return length;
	word = strcspn(edit->key + length + 1, ".");
	return is_nic(edit->key + length + 1, word) ? length + 1 + word : length;
}

// Splits "attach.h1.eth2.mtu" into "attach", "h1.eth2" and "mtu". Returns 0, or -EINVAL with the
// error in diag.
static int
split_key(struct set_request *request)
{
	unsigned least = request->edit->kind == CONFIG_EDIT_UNSET ? 1 : 2;
	const char *word = request->edit->key;
	bool valid = true;

	while (valid && word != NULL) {
		const char *end = strchrnul(word, '.');

		if (request->count == 1 && *end == '.' && is_nic(end + 1, strcspn(end + 1, ".")))
			end = strchrnul(end + 1, '.');
		valid = end != word && request->count < SET_TOKENS_MAX;
		if (valid)
			request->tokens[request->count++] =
				versions_text(request->config, word, (size_t)(end - word));
		word = *end != '\0' ? end + 1 : NULL;
	}
	if (valid && request->count >= least)
		return 0;
	return diag_error(request->diag, request->config->file, request->edit->pos, NULL,
			  "\"%.80s\" is not a key that can be set: write attach.HOST or "
			  "attach.HOST.KEY, such as attach.h1.netns",
			  request->edit->key);
}

static int
edit_one(struct config *config, const struct config_edit *edit, struct diag *diag)
{
	struct config_edit placed = *edit;
	struct set_request request = {
		.config = config, .diag = diag, .edit = &placed, .tenants = true};
	struct yaml_node *value;
	int rc;

	// An empty section, which a file may have, is none.
	if (placed.kind == CONFIG_EDIT_SET && strcmp(placed.key, ATTACH) == 0 &&
	    strcmp(placed.value, "{}") == 0) {
		if (config_attach_section(config) == NULL)
			return 0;
		placed.kind = CONFIG_EDIT_UNSET;
	}
	if (placed.value_pos.line == 0)
		placed.value_pos = placed.pos;
	rc = split_key(&request);
	if (rc != 0)
		return rc;
	if (placed.kind == CONFIG_EDIT_UNSET)
		return set_remove(&request);
	if (placed.kind != CONFIG_EDIT_SET)
		return diag_error(diag, config->file, placed.pos, placed.key,
				  "items can be added and removed only in lists of tenants: set "
				  "the full list");
	value = set_value(&request);
	return value != NULL ? set_insert(&request, value) : -EINVAL;
}

const struct yaml_node *
config_attach_section(const struct config *config)
{
	return merge_section(config, ATTACH);
}

// Reports what is wrong with the section as it would be in a file.
static int
check_section(struct config *config, struct diag *diag)
{
	const struct yaml_node *section = config_attach_section(config);
	const struct schema_key *key = schema_fabric_file.keys;
	struct config scratch = {0};
	struct arena arena = {0};
	struct decoder d = {
		.file = config->file,
		.diag = diag,
		.arena = &arena,
		.fabric = &config->fabric,
		.origin = CONFIG_ORIGIN_FILE,
	};
	unsigned errors = diag->errors;

	while (strcmp(key->name, ATTACH) != 0)
		key++;
	decode_enter(&d, ATTACH);
	if (section != NULL)
		decode_value(&d, key, section, &scratch);
	arena_free(&arena);
	return diag->errors > errors ? -EINVAL : 0;
}

static void
remove_empty_section(struct config *config)
{
	struct yaml_node *root = config->private->root;

	for (unsigned i = 0; i < root->count; i++)
		if (strcmp(root->pairs[i].key, ATTACH) == 0 && root->pairs[i].value->count == 0) {
			root->count--;
			memmove(&root->pairs[i], &root->pairs[i + 1],
				(root->count - i) * sizeof(*root->pairs));
			return;
		}
}

int
config_edit_attach(struct config *config, const struct config_edit *edits, unsigned count,
		   struct diag *diag)
{
	int rc = 0;

	if (config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		return diag_error(diag, config->file, (struct diag_pos){0}, NULL,
				  "a single switch has no `attach`: use `dev` or `netdev` at its "
				  "ports");
	versions_start(config);
	for (unsigned i = 0; rc == 0 && i < count; i++)
		rc = edit_one(config, &edits[i], diag);
	if (rc == 0)
		rc = check_section(config, diag);
	if (rc == 0)
		remove_empty_section(config);
	else
		versions_drop(config);
	return rc;
}

void
edit_list_split(const struct edit_list *list, struct edit_list *attach, struct edit_list *others)
{
	for (unsigned i = 0; i < list->count; i++) {
		const struct config_edit *edit = &list->edits[i];

		edit_list_add(config_edit_attaches(edit) ? attach : others, edit->kind, edit->key,
			      edit->value);
	}
}

int
edit_list_try(const struct edit_list *list, struct config *config, struct diag *diag)
{
	struct edit_list attach = {0}, others = {0};
	int rc = 0;

	edit_list_split(list, &attach, &others);
	if (attach.count != 0)
		rc = config_edit_attach(config, attach.edits, attach.count, diag);
	if (rc == 0 && others.count != 0) {
		rc = config_edit(config, others.edits, others.count, diag);
		if (rc != 0 && attach.count != 0)
			config_set_undo(config);
	}
	edit_list_free(&attach);
	edit_list_free(&others);
	return rc;
}
