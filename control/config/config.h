// SPDX-License-Identifier: BSD-3-Clause
// The configuration of a fabric, or of one switch, as plain structs.
//
// A YAML file goes through three steps: yaml_tree.c reads it into a tree that keeps the position of
// every key and value; schema_*.c, one table, says for each key its type, unit, range, default and
// place in the structs (config_fabric.h, config_workload.h, config_switch.h, config_host.h);
// decode.c follows the table. Sections about switches (`switch:`, `leaf:`, `spine:`, a node's own)
// and hosts (`hosts:`, a host's own) are checked at load and merged on request by config_switch()
// and config_host(), because the nearest section wins:
//     built-in default < preset < switch < leaf or spine < the node's section.
//
// Times are picoseconds, rates bits per second, sizes bytes, shares parts per million. All strings
// and arrays belong to the struct config and live until config_free(). A struct config is read only
// after loading (but for config_edit()) and belongs to the control thread.
#pragma once

#include "config_fabric.h"
#include "config_host.h"
#include "config_switch.h"
#include "config_workload.h"

#include <stdarg.h>
#include <stdio.h>

struct config_private;

// The candidate nearest to `word` by edit distance, or NULL when none is near enough to suggest.
const char *config_suggest(const char *word, const char *const *candidates, size_t count);

// ---- everything ---------------------------------------------------------------------------------

struct config {
	char *file;       // as named by the user
	char *beside;     // paths in the file are relative to this file: itself, or another
	bool restored;    // it is what a fabric ran (config_load_revision())
	unsigned version; // of the file's format: FORMAT_VERSION
	struct config_fabric
		fabric; // name, framing, seed, dilation, mtu are set for one switch too
	struct config_single single; // topology SINGLE
	struct config_subnet subnet; // of an InfiniBand fabric
	struct config_live live;
	struct config_tenant *tenants; // NULL: the file has no `tenants:`
	unsigned tenant_count;
	struct config_attach *attach;
	unsigned attach_count;
	struct config_work *workload;
	unsigned work_count;
	struct config_event *events; // in file order, not sorted by time
	unsigned event_count;
	struct config_record record;
	struct config_stop stop;
	uint64_t stall_ps;
	struct config_private *private; // the tree the sections are merged from, and the strings
};

// ---- loading ------------------------------------------------------------------------------------

// Reads and checks a file. Returns 0 with *out set (warnings may be in diag), -EINVAL with the
// errors in diag and *out NULL. A file that cannot be read is an error in diag too.
int config_load(struct config **out, const char *path, struct diag *diag);
// The same with values for keys that come from a command line (replace.h).
struct config_replacement {
	const char *key, *value;
};
int config_load_replaced(struct config **out, const char *path,
			 const struct config_replacement *replacements, unsigned count,
			 struct diag *diag);
// The same from memory; `name` stands for the path in messages. text need not end in a NUL.
int config_load_text(struct config **out, const char *text, size_t length, const char *name,
		     struct diag *diag);
// The same for the text of a revision (config_emit()). Relative paths in it are relative to
// `beside`, the fabric's own file. A `set` event that contradicts later changes is only a warning:
// the event is refused when its time comes, as it was before.
int config_load_revision(struct config **out, const char *text, size_t length, const char *name,
			 const char *beside, struct diag *diag);
// The configuration with all edits as the text of a file. Returns 0 with *text for free().
int config_emit(const struct config *config, char **text, size_t *length);
void config_free(struct config *config);

// The merged settings of a switch: defaults, preset, `switch:`, `leaf:` or `spine:`, and the
// section named node_name. Complete: no AUTO pool or limit remains. Its arrays belong to config.
// Returns 0, or -EINVAL when the sections contradict each other (never after a load without errors,
// for any node of the file).
int config_switch(const struct config *config, const char *node_name, enum config_role role,
		  struct switch_config *out);
// What `qos.ports` says of port swp<number> of a switch, or NULL.
const struct config_port_qos *config_find_port(const struct switch_config *settings,
					       unsigned number);
// The settings of one port: those of the switch, with the port's in their place. Returns `own`,
// which it fills, or `settings` where port is NULL.
const struct switch_config *config_port_settings(const struct switch_config *settings,
						 const struct config_port_qos *port,
						 struct switch_config *own);
// Whether two ports of a switch have the same settings. NULL: a port that `qos.ports` lacks.
bool config_same_port(const struct config_port_qos *a, const struct config_port_qos *b);
// The merged settings of a host: defaults, `hosts:`, the section named `name`.
int config_host(const struct config *config, const char *name, struct host_config *out);

// Where a merged value came from.
enum config_origin { CONFIG_ORIGIN_DEFAULT, CONFIG_ORIGIN_PRESET, CONFIG_ORIGIN_FILE };
struct config_mark {
	enum config_origin origin;
	struct diag_pos pos; // FILE only
	// Of an entry that a map of numbers does not list: "default" if that key of the map says
	// it, "" if the map itself does by leaving it out; else NULL.
	const char *instead;
};
// By key, as below a switch's section: "qos.tc.3.weight". A zeroed one is empty.
struct config_marks {
	struct config_mark_entry *entries; // sorted by key
	unsigned count;
};
// Where the key's value came from: DEFAULT for a key that neither the file nor a preset has.
struct config_mark config_marks_find(const struct config_marks *marks, const char *key);
void config_marks_set(struct config_marks *marks, const char *key, struct config_mark mark);
void config_marks_free(struct config_marks *marks);
// config_switch() that also returns where each value came from. The caller frees the marks.
int config_switch_marked(const struct config *config, const char *node_name, enum config_role role,
			 struct switch_config *out, struct config_marks *marks);

// Where a contradiction between settings is reported.
struct config_error_origin {
	struct config_mark mark;
	char key[48];
};
// Blames this key of a switch if the file sets it later than the key blamed so far; the first is
// blamed in any case. marks: of config_switch_marked(), or NULL.
void config_blame(struct config_error_origin *origin, const struct config_marks *marks,
		  const char *key_format, ...) __attribute__((format(printf, 3, 4)));

// One change of the configuration. ADD and REMOVE are of items of a tenant's list: value is a name
// or a list of them.
enum config_edit_kind { CONFIG_EDIT_SET, CONFIG_EDIT_UNSET, CONFIG_EDIT_ADD, CONFIG_EDIT_REMOVE };

struct config_edit {
	enum config_edit_kind kind;
	const char *key;           // "switch.qos.tc.3.ecn.min", "tenants.green.hosts"
	const char *value;         // as in the file, lists and maps in flow style; UNSET: NULL
	struct diag_pos pos;       // of the key, where a file has it; line 0: nowhere
	struct diag_pos value_pos; // of the value; line 0: pos
};

// Applies edits together, one after the other: sections of switches (switch., leaf., spine.,
// super-spine., a switch's name) and `tenants.`; UNSET also takes a section. Later config_switch()
// calls see them, and config->tenants is made anew. `attach.` is config_edit_attach()'s. Returns 0,
// or -EINVAL with the reasons in diag and nothing changed.
int config_edit(struct config *config, const struct config_edit *edits, unsigned count,
		struct diag *diag);
// Takes back the last config_edit() that succeeded and was neither taken back nor kept.
void config_set_undo(struct config *config);
// Nothing that has been done so far will be taken back: frees what that would need. What was got
// from config->tenants before the last edit must not be used any more.
void config_edit_keep(struct config *config);
// Whether an event is `set` or `unset`, and the edit that it makes.
bool config_event_edits(const struct config_event *event);
struct config_edit config_event_edit(const struct config_event *event);

// After an edit that leaves a switch as it was: the section nearer to the switch that writes
// the same and says otherwise, and where (line 0: it was set there while the fabric ran). NULL: no
// section does.
const char *config_find_override(struct config *config, const char *key, const char *value,
				 const char *node_name, enum config_role role,
				 struct diag_pos *pos);

// Where a section of the file ("hosts", "h3") writes the value of a key ("cnp.dscp"); line 0: it
// does not.
struct diag_pos config_written_at(const struct config *config, const char *section,
				  const char *key);

// The file's events as steps: in the order of time and, for one instant, of the file. The caller
// frees them.
struct config_step *config_list_steps(const struct config *config, unsigned *count);

// The encapsulation of a tenant of the file; NULL: of `rest` if the file does not have it.
// What `rest` leaves open is VXLAN if any other tenant is, else VLAN if any is, else plain.
struct config_tenant_encap config_tenant_encap(const struct config *config,
					       const struct config_tenant *tenant);
// The tenant of that name as the file writes it, or NULL.
const struct config_tenant *config_find_tenant(const struct config *config, const char *name);
// Bytes that an encapsulation adds to a packet's IP packet: what a link's MTU must have room for. A
// tag of 802.1Q is no part of it. underlay: 4 or 6.
uint32_t config_encap_mtu_bytes(enum config_encap encap, uint32_t underlay);

// True when some section of the file configures trimming, whether or not that is on at
// present. Presets do not.
bool config_trims(const struct config *config);
// Whether some section has a flow control by credits, whatever its switches make of it.
bool config_credits(const struct config *config);
// Whether some section has settings of link-level retry.
bool config_llr(const struct config *config);
// True when the switch of this name (of a file of one switch: any) has `learn:` in its section.
bool config_learns(const struct config *config, const char *node_name);

// The DSCP that stands for a priority: the lowest listed DSCP that maps to it, else the lowest of
// any, else -ENOENT. (26 for priority 3 in spectrum-x, 3 in sonic.)
int config_priority_dscp(const struct switch_config *settings, unsigned priority);

// The name of a value as written in the file.
const char *config_pool_name(enum config_pool pool);
const char *config_routing_mode_name(enum group_mode mode);
const char *config_preset_name(enum config_preset preset);
const char *config_preset_mode_name(enum config_preset_mode mode);
const char *config_role_name(enum config_role role);
// What the names of nodes of a role begin with where the topology makes them: leaf1, super1, h1.
const char *config_role_prefix(enum config_role role);

#define CONFIG_TEXT 40
// A value as a file would have it, "25G", "1500ns", "150KB", "12.5%". Each returns out.
const char *config_rate_text(uint64_t bps, char out[static CONFIG_TEXT]);
const char *config_duration_text(uint64_t ps, char out[static CONFIG_TEXT]);
const char *config_bytes_text(uint64_t bytes, char out[static CONFIG_TEXT]);
const char *config_cable_text(uint64_t mm, char out[static CONFIG_TEXT]);
const char *config_percent_text(uint32_t ppm, char out[static CONFIG_TEXT]);
