// SPDX-License-Identifier: BSD-3-Clause
// Merging the sections that describe switches and hosts, and checking the result.
#pragma once

#include "decode.h"

#define MERGE_PRESETS (CONFIG_PRESET_INFINIBAND_LIKE + 1)

struct config_private {
	struct arena arena;
	struct yaml_node *root;
	struct yaml_node *presets[MERGE_PRESETS]; // NULL where there is none
	struct switch_draft default_switch;
	struct host_config default_host;
};

// Reads the presets and the defaults. Returns 0 or -ENOMEM.
int merge_prepare(struct config *config);
// Decodes every section of the file by itself, so that each error is reported once, where it
// stands.
void merge_check_sections(struct config *config, struct config_diag *diag);
// Merges the sections of every role and of every node that has one, and reports contradictions.
void merge_check_switches(const struct config *config, struct config_diag *diag);
// The value of a section, or NULL.
const struct yaml_node *merge_section(const struct config *config, const char *name);
// Decodes one switch section by itself, named `path` in messages, into a draft that is thrown away.
void merge_try_switch(const struct config *config, const struct yaml_node *node, const char *path,
		      const struct schema *schema, struct config_diag *diag);

// What a name stands for. Returns 0, or -ENOENT when no node of the file has it (check_fabric.c).
int config_node_role(const struct config *config, const char *name, enum config_role *role);
// The settings of one switch against each other (check_switch.c).
void check_switch(const struct config *config, const struct switch_config *settings,
		  const struct config_mark *marks, struct config_diag *diag);
// Everything else of the file against itself; also gives ports without an MTU the switch's.
void check_fabric(struct config *config, struct config_diag *diag);
// Tries the `set` events in the order of time (set.c).
void check_sets(struct config *config, struct config_diag *diag);
