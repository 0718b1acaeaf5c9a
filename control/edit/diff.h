// SPDX-License-Identifier: BSD-3-Clause
// What makes one configuration another, key by key.
#pragma once

#include "control/config/yaml_tree.h"

// One key that two trees do not agree about. Texts live in the arena that they were made in.
struct config_difference {
	const char *key;     // "tenants.red.hosts", "switch.qos.tc.3.ecn.min"
	const char *from;    // its value in the one, as config_set() takes it; NULL: it has none
	const char *to;      // in the other, the same; not both NULL
	bool replaced;       // a word, a list and a map: one stands in the place of another kind
	struct diag_pos pos; // in the other: of the key, or of the map that lacks it
};

struct config_differences {
	struct config_difference *items;
	unsigned count;
	unsigned capacity;
};

// What a configuration says, edits included; until the next edit.
const struct yaml_node *config_tree(const struct config *config);

// Lists the differences: first, in the order of `from`, what `to` lacks or has otherwise, then, in
// the order of `to`, what only that has. Setting and unsetting what is listed makes `from` equal to
// `to` (yaml_tree_equal()); where `replaced`, the key is to be unset before it is set. Maps are
// compared key by key, but for maps whose own keys contain dots; lists are compared whole. What
// only one has is listed whole, but a new section of the top level by its keys. Returns 0, -EINVAL
// where a word is not UTF-8, or -ENOMEM. Control thread.
int config_diff(struct config_differences *out, struct arena *arena, const struct yaml_node *from,
		const struct yaml_node *to);
