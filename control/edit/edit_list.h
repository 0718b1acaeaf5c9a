// SPDX-License-Identifier: BSD-3-Clause
// Edits that belong together, with the texts that they need.
#pragma once

#include "diff.h"

struct edit_list {
	struct arena arena;
	struct config_edit *edits;
	unsigned count;
	unsigned capacity;
};

// Appends a copy. value: NULL with UNSET. Returns 0 or -ENOMEM.
int edit_list_add(struct edit_list *list, enum config_edit_kind kind, const char *key,
		  const char *value);
// Appends copies of all of another's. Returns 0, or -ENOMEM with nothing appended.
int edit_list_append(struct edit_list *list, const struct edit_list *other);
// Appends what makes `from` of these differences `to`. Returns 0 or -ENOMEM.
int edit_list_add_differences(struct edit_list *list, const struct config_differences *found);
// Zero-initialised by the caller; so it is afterwards.
void edit_list_free(struct edit_list *list);

// In one line, as they would be typed: "set tenants.green.hosts [h5, h6]; unset leaf1", cut where
// there is no room. Returns out.
char *edit_list_describe(const struct edit_list *list, char *out, size_t size);

// Gives every tenant that the edits make and that they give no way across the fabric (`vni`, `vlan`
// or `encap`) one, by further edits: a VLAN, the lowest free from 101, where the others have VLANs;
// `encap: plain` where all others are plain; else a VNI, the lowest free from 10001. One that is
// there and is set as a whole without them keeps what it has of them. running: what the edits are
// to be applied to. Returns 0 or -ENOMEM.
int edit_list_assign_encap(struct edit_list *list, const struct config *running);
