// SPDX-License-Identifier: BSD-3-Clause
// Edits that belong together, with the texts that they need.
#pragma once

#include "diff.h"

// The words of enum config_edit_kind.
#define EDIT_KINDS (CONFIG_EDIT_REMOVE + 1)
extern const char *const edit_kinds[EDIT_KINDS];

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

// In one line, as they would be typed: "set tenants.green.hosts [h5, h6]; unset leaf1", cut if it
// does not fit. Returns out.
char *edit_list_describe(const struct edit_list *list, char *out, size_t size);

// Gives an encapsulation to each tenant that the edits create without one (`vni`, `vlan` or `encap`),
// by further edits: a VLAN, the lowest free from 101, if the other tenants have VLANs; `encap: plain`
// if all others are plain; else a VNI, the lowest free from 10001. An existing tenant whose full map
// is set without these keys keeps those that it has. running: what the edits will be applied to.
void edit_list_assign_encap(struct edit_list *list, const struct config *running);
