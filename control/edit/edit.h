// SPDX-License-Identifier: BSD-3-Clause
// Differences of two configurations, and lists of edits.
#pragma once

#include "control/config/yaml_tree.h"

// ---- differences (diff.c) -----------------------------------------------------------------------

// One key that differs. Texts live in the arena of config_diff().
struct config_difference {
	const char *key;     // "tenants.red.hosts", "switch.qos.tc.3.ecn.min"
	const char *from;    // its value in the first tree, as config_edit() takes it; NULL: none
	const char *to;      // in the second, the same; not both NULL
	bool replaced;       // the values differ in kind: word, list or map
	struct diag_pos pos; // in the second: of the key, or of the map that lacks it
};

struct config_differences {
	struct config_difference *items;
	unsigned count;
};

// A configuration as a tree, with its edits; valid until the next edit.
const struct yaml_node *config_tree(const struct config *config);

// Lists the differences: first, in the order of `from`, keys that `to` lacks or that differ there;
// then, in the order of `to`, keys that only `to` has. Setting and unsetting them makes `from`
// equal to `to` (yaml_tree_equal()); where `replaced`, unset the key before setting it. Maps are
// compared key by key, unless their own keys contain dots; lists are compared as one value. A key
// that only one tree has is listed once with all that is below it, but a new top-level section by
// its keys. Returns 0, or -EINVAL if a word is not UTF-8. Control thread.
int config_diff(struct config_differences *out, struct arena *arena, const struct yaml_node *from,
		const struct yaml_node *to);

// ---- edits of `attach:` (edit_attach.c) --------------------------------------------------------

// Whether an edit is of `attach:`: "attach.h1", "attach.h1.eth2.mtu".
bool config_edit_attaches(const struct config_edit *edit);
// The length of the part of such an edit's key that names what is attached, "attach.h1.eth2"; of
// "attach" if it is of all.
size_t config_edit_attached(const struct config_edit *edit);
// The section as edited, or NULL; valid until the next edit is kept.
const struct yaml_node *config_attach_section(const struct config *config);
// config_edit() of this section alone, which that refuses. config->attach stays as it was loaded.
int config_edit_attach(struct config *config, const struct config_edit *edits, unsigned count,
		       struct diag *diag);

// ---- edits (edit_list.c) ------------------------------------------------------------------------

// The words of enum config_edit_kind.
#define EDIT_KINDS (CONFIG_EDIT_REMOVE + 1)
extern const char *const edit_kinds[EDIT_KINDS];

// Edits that belong together, with the texts that they need.
struct edit_list {
	struct arena arena;
	struct config_edit *edits;
	unsigned count;
};

// Appends a copy. value: NULL with UNSET.
void edit_list_add(struct edit_list *list, enum config_edit_kind kind, const char *key,
		   const char *value);
// Appends copies of another list's edits.
void edit_list_append(struct edit_list *list, const struct edit_list *other);
// Appends the edits that turn `from` of these differences into `to`.
void edit_list_add_differences(struct edit_list *list, const struct config_differences *found);
// Zero-initialised by the caller, and again afterwards.
void edit_list_free(struct edit_list *list);

// Appends copies of its edits of `attach:` to one list, and of all others to another.
void edit_list_split(const struct edit_list *list, struct edit_list *attach,
		     struct edit_list *others);
// Applies them to a configuration that no fabric runs. Returns as config_edit().
int edit_list_try(const struct edit_list *list, struct config *config, struct diag *diag);

// In one line, as they would be typed: "set tenants.green.hosts [h5, h6]; unset leaf1", cut if it
// does not fit. Returns out.
char *edit_list_describe(const struct edit_list *list, char *out, size_t size);

// Gives an encapsulation to each tenant that the edits create without one (`vni`, `vlan` or
// `encap`), by further edits: a VLAN, the lowest free from 101, if the other tenants have VLANs;
// `encap: plain` if all others are plain; else a VNI, the lowest free from 10001. An existing
// tenant whose full map is set without these keys keeps its encapsulation. running: what the edits
// will be applied to.
void edit_list_assign_encap(struct edit_list *list, const struct config *running);
