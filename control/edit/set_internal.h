// SPDX-License-Identifier: BSD-3-Clause
// What set.c, set_tree.c and versions.c share; private to control/edit/.
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

// Starts a version of the tree in which sections may be written; the version before stays as it is
// until versions_drop() or config_edit_keep().
void versions_start(struct config *config);
// Returns to the version before.
void versions_drop(struct config *config);
// The memory of that version.
struct arena *versions_arena(struct config *config);
// The memory of its tenants, which live until others are kept.
struct arena *versions_tenants_arena(struct config *config);
// Text that lives as long as the configuration; equal texts are one.
char *versions_text(struct config *config, const char *text, size_t length);
// The version's own section of that name, to write in; NULL: there is none.
struct yaml_node *versions_section(struct config *config, const char *name);

// The edit's value as a tree: a list or map in flow style, or a word. Returns NULL with an error in
// diag.
struct yaml_node *set_value(const struct set_request *request);
// The value under the key's words from `from` on, as maps within maps.
struct yaml_node *set_chain(const struct set_request *request, unsigned from,
			    struct yaml_node *value);
// Each puts its edit into the tree. Returns 0, or -EINVAL with the error in diag; after an error
// the version must be dropped.
int set_insert(struct set_request *request, struct yaml_node *value);
int set_remove(struct set_request *request);
int set_add_items(struct set_request *request, const struct yaml_node *items);
int set_remove_items(struct set_request *request, const struct yaml_node *items);
// Replaces ranges of hosts with their hosts if the edit's key is a tenant's list of hosts. Returns
// 0, or -EINVAL with an error in diag if they are more than a list may have.
int set_expand_hosts(const struct set_request *request, struct yaml_node *list);
