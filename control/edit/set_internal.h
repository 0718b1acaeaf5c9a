// SPDX-License-Identifier: BSD-3-Clause
// What set.c, set_tree.c and versions.c share; private to control/config/.
#pragma once

#include "control/config/merge.h"

#define SET_TOKENS_MAX 16

// One edit on its way into the tree.
struct set_request {
	struct config *config;
	struct diag *diag;
	const struct config_edit *edit;
	char *tokens[SET_TOKENS_MAX]; // the words of its key, as long-lived as the configuration
	unsigned count;
	bool tenants; // of tenants, not of a switch
};

// Starts a version of the tree in which sections may be written; the one before stays as it is
// until versions_drop() or config_edit_keep(). Returns 0 or -ENOMEM.
int versions_start(struct config *config);
// Back to the version before.
void versions_drop(struct config *config);
// Where what belongs to that version is allocated.
struct arena *versions_arena(struct config *config);
// Where the tenants of that version are decoded, which last until others are kept.
struct arena *versions_tenants_arena(struct config *config);
// Text that lives as long as the configuration; equal texts are one. NULL without memory.
char *versions_text(struct config *config, const char *text, size_t length);
// The section of that name in the version that was started, its own to write in; NULL: there is
// none, or no memory (*error is then -ENOMEM).
struct yaml_node *versions_section(struct config *config, const char *name, int *error);

// The edit's value as a tree: a list or map in flow style, or a word. Returns NULL with an error in
// diag, or without memory.
struct yaml_node *set_value(const struct set_request *request, bool *out_of_memory);
// The value under the key's words from `from` on, as maps within maps. NULL without memory.
struct yaml_node *set_chain(const struct set_request *request, unsigned from,
			    struct yaml_node *value);
// Each puts its edit into the tree. Return 0, -EINVAL with the error in diag, or -ENOMEM; after an
// error the version is of no use.
int set_insert(struct set_request *request, struct yaml_node *value);
int set_remove(struct set_request *request);
// Puts hosts in the place of ranges of hosts, where the edit's key is a tenant's list of hosts.
// Returns 0 or -ENOMEM.
int set_expand_hosts(const struct set_request *request, struct yaml_node *list);
int set_add_items(struct set_request *request, const struct yaml_node *items);
int set_remove_items(struct set_request *request, const struct yaml_node *items);
