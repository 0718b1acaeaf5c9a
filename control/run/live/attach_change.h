// SPDX-License-Identifier: BSD-3-Clause
// Changes of `attach:` of a live fabric: what is attached follows the configuration, so whether a
// host is attached by a command, a file or a rollback is the same. Control thread.
#pragma once

#include "control/edit/edit.h"
#include "live_fabric.h"

// Whether what `attach:` says can be attached, as far as a file shows, of a topology that is for
// nothing else. Returns 0, or -EINVAL with errors in diag.
int attach_change_try(struct topology *topology, struct diag *diag);

// Zero-initialised by the caller.
struct attach_change {
	struct live_fabric *live;
	struct arena arena;
	const char **gone, **come; // hosts that have been detached, and attached
	unsigned gone_count, come_count;
	const struct yaml_node *before; // the section
	bool open;                      // it is made, and neither kept nor undone
};

// Edits `attach:`, detaches hosts whose entries are gone or differ, and attaches those of entries
// that are new or differ. Packets that were on the way to them are lost. Returns 0, and then one of
// the next two is to be called before the configuration changes again; or -errno with the error in
// diag and everything as it was, except for attach_change_lost().
int attach_change_begin(struct attach_change *change, struct live_fabric *live,
			const struct edit_list *edits, struct diag *diag);
// It stays. This and the next do nothing where nothing has begun.
void attach_change_keep(struct attach_change *change);
// Detaches and attaches again as before.
void attach_change_undo(struct attach_change *change);
// After an undo, or a failure: the hosts that could not be attached again, in words; NULL: none.
// Removes them from the configuration; an error in diag says why that has failed. For free().
char *attach_change_lost(struct attach_change *change, struct diag *diag);
// Ends it.
void attach_change_free(struct attach_change *change);
