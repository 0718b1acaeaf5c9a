// SPDX-License-Identifier: BSD-3-Clause
// The differences of two configurations, key by key.
#pragma once

#include "control/config/yaml_tree.h"

// One key that differs. Texts live in the arena of config_diff().
struct config_difference {
	const char *key;     // "tenants.red.hosts", "switch.qos.tc.3.ecn.min"
	const char *from;    // its value in the first tree, as config_set() takes it; NULL: none
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
// then, in the order of `to`, keys that only `to` has. Setting and unsetting them makes `from` equal
// to `to` (yaml_tree_equal()); where `replaced`, unset the key before setting it. Maps are compared
// key by key, unless their own keys contain dots; lists are compared as one value. A key that only
// one tree has is listed once with all that is below it, but a new top-level section by its keys.
// Returns 0, or -EINVAL if a word is not UTF-8. Control thread.
int config_diff(struct config_differences *out, struct arena *arena, const struct yaml_node *from,
		const struct yaml_node *to);
