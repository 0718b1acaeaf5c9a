// SPDX-License-Identifier: BSD-3-Clause
// What is done to the configuration of a live fabric, and undone: changes.c says how. Control
// thread.
#pragma once

#include "control/edit/edit_list.h"
#include "control/edit/store.h"
#include "live_fabric.h"

struct changes;

// Who does what, for the history.
struct changes_author {
	uid_t uid;
	const char *what; // "set tenants.green.hosts [h5, h6]"
};

// What came of a change.
struct changes_outcome {
	uint32_t revision; // that runs now, or 0: it is not confirmed yet, or no revisions are kept
	unsigned edits;
};

// Opens the revisions of the live's fabric, which runs, and makes the first of what the fabric came
// up with, unless that is the last one. file: where its description came from, or was saved to
// last; NULL: nowhere. Revisions that cannot be kept are listed in report->notes, and the fabric
// goes on without. Returns 0 or -ENOMEM. The live outlives it.
int changes_create(struct changes **out, struct live_fabric *live, const char *file,
		   const struct changes_author *author, struct live_report *report);
// NULL is fine.
void changes_destroy(struct changes *c);

// Applies edits, whole or not at all, and makes a revision. confirm_ms: if not 0, the revision is
// made by changes_confirm() alone, and unless that comes within so many ms of wall time the edits
// are undone. Returns 0 with warnings in diag; -EINVAL with the errors in diag; another -errno with
// one line in err, -EBUSY while edits wait to be confirmed. Then nothing has changed.
int changes_apply(struct changes *c, const struct edit_list *edits,
		  const struct changes_author *author, uint64_t confirm_ms,
		  struct changes_outcome *out, struct diag *diag, char *err, size_t err_size);

// Ends the wait: the edits stay, and a revision is made of them. Returns 0, or -errno with one line
// in err: -ENOENT when nothing waits.
int changes_confirm(struct changes *c, struct changes_outcome *out, char *err, size_t err_size);
// Ends the wait: the edits are undone. Returns as changes_confirm().
int changes_undo(struct changes *c, char *err, size_t err_size);
// Undoes edits whose time is over. What comes of it stands in the fabric's log.
void changes_poll(struct changes *c);
// The ms until then, at most `most`.
int changes_next_ms(const struct changes *c, int most);
// Of the edits that wait to be confirmed: what they are, and the ms left. NULL: none do.
const char *changes_waiting(const struct changes *c, uint64_t *left_ms);

// Adds edits to those that are staged. They are tried on a copy of what runs, behind those staged
// already. Returns 0, -EINVAL with the errors in diag, or -ENOMEM.
int changes_stage(struct changes *c, const struct edit_list *edits, struct diag *diag);
// What is staged; empty when nothing is.
const struct edit_list *changes_staged(const struct changes *c);
// Forgets it.
void changes_detach(struct changes *c);
// A copy of what runs with what is staged. Returns as changes_stage().
int changes_copy_staged(const struct changes *c, struct config **out, struct diag *diag);

// The revisions, or NULL with one line in err that says why there are none.
const struct store *changes_store(const struct changes *c, char *err, size_t err_size);
// Which of them runs; 0: none.
uint32_t changes_running(const struct changes *c);
// The file of changes_create(), absolute, or NULL.
const char *changes_file(const struct changes *c);

// Writes what runs to a file, by default that of changes_create(), which it is from now on. *kept:
// whether there was one, which is now PATH~. Returns 0, or -errno with one line in err: -EBUSY
// while edits wait to be confirmed.
int changes_save(struct changes *c, const char *path, int *kept, char *err, size_t err_size);
