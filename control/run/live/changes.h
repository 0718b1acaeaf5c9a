// SPDX-License-Identifier: BSD-3-Clause
// Changes of the configuration of a live fabric, and undoing them: changes.c says how. Control
// thread.
#pragma once

#include "control/edit/edit_list.h"
#include "control/edit/store.h"
#include "live_fabric.h"

struct changes;

// The author of a change, for the history.
struct changes_author {
	uid_t uid;
	const char *what; // "set tenants.green.hosts [h5, h6]"
};

struct changes_request {
	const struct edit_list *edits;
	struct changes_author author;
	uint64_t confirm_ms; // wall time within which changes_confirm() must be called; 0: no need
};

struct changes_outcome {
	uint32_t revision; // that runs now, or 0: it is not confirmed yet, or no revisions are kept
	unsigned edits;
};

// Opens the revisions of the live's fabric, which runs, and makes the first of what the fabric came
// up with, unless that is the last one. file: where its description came from, or was saved to
// last; NULL: nowhere. If revisions cannot be kept, live->notes says so and the fabric goes on
// without. The live outlives it.
struct changes *changes_create(struct live_fabric *live, const char *file,
			       const struct changes_author *author);
// NULL is fine.
void changes_destroy(struct changes *c);

// Applies all edits or none, and makes a revision; with confirm_ms, only changes_confirm() makes it,
// and without that in time the edits are undone. Returns 0 with warnings in diag; otherwise nothing
// has changed and the errors are in diag: -EINVAL if the edits are not valid, -EBUSY while others
// wait to be confirmed, or another -errno.
int changes_apply(struct changes *c, const struct changes_request *request,
		  struct changes_outcome *out, struct diag *diag);

// Ends the wait: the edits stay, and a revision is made of them. Returns 0, or -errno with an error
// in diag: -ENOENT if none wait.
int changes_confirm(struct changes *c, struct changes_outcome *out, struct diag *diag);
// Ends the wait: the edits are undone. Returns as changes_confirm().
int changes_undo(struct changes *c, struct diag *diag);
// Undoes edits that were not confirmed in time. The fabric's log says what came of it.
void changes_poll(struct changes *c);
// The ms until then, at most `most`.
int changes_next_ms(const struct changes *c, int most);
// Of the edits that wait to be confirmed: what they are, and the ms left. NULL: none do.
const char *changes_waiting(const struct changes *c, uint64_t *left_ms);

// Adds edits to those that are staged, after trying them on a copy of what runs with those staged
// before. Returns 0, or -EINVAL with the errors in diag.
int changes_stage(struct changes *c, const struct edit_list *edits, struct diag *diag);
// The staged edits, or an empty list.
const struct edit_list *changes_staged(const struct changes *c);
// Removes them.
void changes_detach(struct changes *c);
// A copy of what runs with what is staged. Returns as changes_stage().
int changes_copy_staged(const struct changes *c, struct config **out, struct diag *diag);

// The revisions, or NULL with an error in diag that says why there are none.
const struct store *changes_store(const struct changes *c, struct diag *diag);
// The number of the one that runs; 0: none.
uint32_t changes_running(const struct changes *c);
// The file of changes_create(), absolute, or NULL.
const char *changes_file(const struct changes *c);

// Writes what runs to a file, by default that of changes_create(), which it is from now on. *kept:
// whether there was one, which is now PATH~. Returns 0, or -errno with an error in diag: -EBUSY
// while edits wait to be confirmed.
int changes_save(struct changes *c, const char *path, int *kept, struct diag *diag);
