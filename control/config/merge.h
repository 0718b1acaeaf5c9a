// SPDX-License-Identifier: BSD-3-Clause
// Merging the sections that describe switches and hosts, and checking the result.
#pragma once

#include "decode.h"

#define MERGE_PRESETS 4 // files of conf/presets

// An array of merged settings that lives as long as the configuration.
struct merge_kept {
	struct merge_kept *next;
	size_t size;
	void *items;
};

struct config_private {
	struct arena arena;
	struct yaml_node *root;
	struct yaml_node *presets[MERGE_PRESETS]; // in the order of merge.c's preset_files
	struct merge_kept *kept;
	struct switch_draft default_switch;
	struct host_config default_host;
	struct set_change *last_set; // of config_set() (set.c); NULL: none
};

// Reads the presets and the defaults. Returns 0 or -ENOMEM.
int merge_prepare(struct config *config);
// Decodes every section of the file by itself, so that each error is reported once, where it
// stands.
void merge_check_sections(struct config *config, struct config_diag *diag);
// Merges the sections of every role and of every node that has one, and reports contradictions.
// buffer_changes: on account of a change of a buffer's sizes, which must hold at once.
void merge_check_switches(const struct config *config, bool buffer_changes,
			  struct config_diag *diag);
// The value of a section, or NULL.
const struct yaml_node *merge_section(const struct config *config, const char *name);
// Gives every value of a draft that is still AUTO or unlisted its meaning (settle.c). preset: the
// watchdog before the file's sections; the draft's has 0 for the times that none of them writes.
void merge_settle(struct switch_draft *draft, const struct config_watchdog *preset);
// Decodes one switch section by itself, named `path` in messages, into a draft that is thrown away.
void merge_try_switch(const struct config *config, const struct yaml_node *node, const char *path,
		      const struct schema *schema, struct config_diag *diag);

// What a name stands for. Returns 0, or -ENOENT when no node of the file has it (check_fabric.c).
int config_node_role(const struct config *config, const char *name, enum config_role *role);
// The settings of one switch against each other (check_switch.c).
void check_switch(const struct config *config, const struct switch_config *settings,
		  const struct config_mark *marks, bool buffer_changes, struct config_diag *diag);
// Everything else of the file against itself; also gives ports without an MTU the switch's.
void check_fabric(struct config *config, struct config_diag *diag);
// Tries the `set` events in the order of time (set.c).
void check_sets(struct config *config, struct config_diag *diag);
