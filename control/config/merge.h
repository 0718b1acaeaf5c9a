// SPDX-License-Identifier: BSD-3-Clause
// Merging the sections that describe switches and hosts, and checking the result.
#pragma once

#include "decode.h"
#include "dataplane/base/embedded.h"

#define MERGE_PRESETS 6 // files of conf/presets

extern const struct embedded_file embedded_presets[];

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
	struct switch_config default_switch;
	struct host_config default_host;
	// Edits since (versions.c).
	const struct yaml_node *read;        // root as the file was read; NULL: it still is it
	struct config_version *version;      // the newest; NULL: as read
	struct config_version *kept_version; // which cannot be taken back
	struct config_texts *texts;
};

// Keys that the file writes and that change nothing, over all switches and `set` events: what has
// an effect on one of them is no mistake.
struct idle_keys {
	struct idle_key *keys;
	unsigned count;
};

// One check of all switches' settings.
struct merge_checks {
	const struct config *config;
	struct diag *diag;
	bool buffer_changes;    // by a `set`: pools that are too large are refused, not warned of
	struct idle_keys *idle; // collects keys without an effect; NULL: not wanted
};

// Reads the presets and the defaults.
void merge_prepare(struct config *config);
// Decodes every section of the file by itself, so that each error is reported once, where it
// stands.
void merge_check_sections(struct config *config, struct diag *diag);
// Merges the sections of every role and of every node that has one, and reports contradictions.
void merge_check_switches(const struct merge_checks *checks);
// config_switch_marked() that reports why the sections do not merge. marks may be NULL.
int merge_switch(const struct config *config, const char *node_name, enum config_role role,
		 struct switch_config *out, struct config_marks *marks, struct diag *diag);
// The value of a section, or NULL.
const struct yaml_node *merge_section(const struct config *config, const char *name);
// Gives every value that is still AUTO or unlisted its meaning (resolve_defaults.c). preset: the
// watchdog before the file's sections; that of settings has 0 for the times that none of them
// writes.
void merge_resolve_defaults(struct switch_config *settings, const struct config_watchdog *preset);
// Decodes one switch section by itself, named `path` in messages, into a draft that is thrown away.
void merge_try_switch(const struct config *config, const struct yaml_node *node, const char *path,
		      const struct schema *schema, struct diag *diag);

// What a name stands for. Returns 0, or -ENOENT when no node of the file has it (check_fabric.c).
int config_node_role(const struct config *config, const char *name, enum config_role *role);
// The settings of one switch against each other (check_switch.c).
void check_switch(const struct merge_checks *checks, const char *name,
		  const struct switch_config *settings, const struct config_marks *marks);
// What an InfiniBand fabric cannot have; also resolves the framing (check_infiniband.c).
void check_infiniband(struct config *config, struct diag *diag);
// Everything else of the file against itself; also gives ports without an MTU the switch's.
void check_fabric(struct config *config, struct diag *diag);
// The tenants of a file against each other (check_tenants.c). Whether their hosts exist is for the
// topology to say.
void check_tenants(const struct config *config, struct diag *diag);
// One switch's routes into a fabric that none of its ports is said to lead to (check_uplinks.c).
void check_uplinks(const struct config *config, struct diag *diag);
void check_leaks(const struct config *config, struct diag *diag); // (check_leaks.c)
// No VRF learns twice, and no namespace is learned from twice (schema_learn.c).
void check_learns(const struct config *config, const struct switch_config *settings,
		  struct diag *diag);
// A section of a fabric that many switches read may not learn.
void check_learn_section(const struct config *config, const struct yaml_pair *section,
			 struct diag *diag);
// Frees what edits hold beside the configuration's arena (versions.c).
void versions_free(struct config *config);
// The key that stands in another's place within a map, or NULL (set.c).
const char *set_excluded_by(const char *key);
// Tries the `set` events in the order of time (set.c). idle: as in struct merge_checks.
void check_sets(struct config *config, struct idle_keys *idle, struct diag *diag);

// Warns of those gathered, and frees them.
void idle_report(struct idle_keys *idle, const char *file, struct diag *diag);

// ---- checks of one switch -----------------------------------------------------------------------

struct switch_check {
	const struct merge_checks *all;
	const struct switch_config *settings;
	const struct config_marks *marks;
	const char *file;
	struct diag *diag;
	const char *name; // "leaf1"; "" for the settings of a role
};

// Where the value of a key came from.
struct config_mark check_mark(const struct switch_check *check, const char *key_format, ...)
	__attribute__((format(printf, 2, 3)));
// The later of two places in the file.
struct diag_pos check_later(struct diag_pos a, struct diag_pos b);
// Lossless groups, flow control and pools of classes (check_lossless.c).
void check_lossless(const struct switch_check *check);
// Rates, RED, watchdog, trimming, histograms (check_qos.c).
void check_qos(const struct switch_check *check);
// Of an InfiniBand fabric (check_infiniband.c).
void check_infiniband_switch(const struct switch_check *check);
// Credits on links (check_credit.c).
void check_credit(const struct switch_check *check);
// Keys that change nothing as the others stand (check_idle.c).
void check_idle(const struct switch_check *check);
