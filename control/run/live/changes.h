// SPDX-License-Identifier: BSD-3-Clause
// Changes of the configuration of a live fabric, and undoing them: changes.c says how. Control
// thread.
#pragma once

#include "control/edit/edit.h"
#include "control/edit/store.h"
#include "live_fabric.h"

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

// Edits in force that are undone unless they are confirmed.
struct changes_waiting {
	bool open;
	int64_t until_ms; // of clock_ms()
	struct edit_list undo;
	int64_t at; // when they were applied, in seconds since 1970
	uid_t uid;
	char what[STORE_WHAT_MAX];
};

// Other files read `file`, `saved`, `running` and `staged` only.
struct changes {
	struct live_fabric *live;
	struct store *store; // NULL: none
	char *why_not;       // store NULL: why
	char *file;          // that it came from, or was saved to last, absolute; NULL: none
	char *saved;         // what `file` held when it was last read or written; NULL: not known
	size_t saved_length;
	char *text; // of the revision that runs, or of what the fabric came up with
	size_t length;
	uint32_t running; // the revision that runs; 0: none
	struct edit_list staged;
	struct diag misfits; // items of the workload that the tenants refuse, as last reported
	struct changes_waiting waiting;
};

struct changes_outcome {
	uint32_t revision; // that runs now, or 0: it is not confirmed yet, or no revisions are kept
	unsigned edits;
};

// Opens the revisions of a fabric that has come up, and makes one of its configuration unless the
// last one is the same. file: that the configuration came from; NULL: none. If revisions cannot be
// kept, live->notes says so and the fabric runs without. The fabric outlives it.
struct changes *changes_create(struct live_fabric *live, const char *file,
			       const struct changes_author *author);
// NULL is fine.
void changes_destroy(struct changes *c);

// Applies all edits or none, and makes a revision; with confirm_ms, only changes_confirm() makes
// it, and without that in time the edits are undone. Returns 0 with warnings in diag; otherwise
// nothing has changed and the errors are in diag: -EINVAL if the edits are not valid, -EBUSY while
// others wait to be confirmed, or another -errno.
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
// Removes those that are staged.
void changes_discard(struct changes *c);
// A copy of what runs with what is staged. Returns as changes_stage().
int changes_copy_staged(const struct changes *c, struct config **out, struct diag *diag);

// The revisions, or NULL with an error in diag that says why there are none.
const struct store *changes_store(const struct changes *c, struct diag *diag);

// Writes what runs to a file, by default changes->file, which that file becomes. *kept: whether it
// existed; it is PATH~ then. Returns 0, or -errno with an error in diag: -EBUSY
// while edits wait to be confirmed.
int changes_save(struct changes *c, const char *path, int *kept, struct diag *diag);

// ---- shared by changes.c, changes_edit.c and changes_confirm.c ----------------------------------

#define CHANGES_NOT_UP "a fabric with this configuration would not come up: "

// Loads a text as what runs was loaded: with the same name and beside the same files.
int changes_load(const struct changes *c, const char *text, size_t length, struct config **out,
		 struct diag *diag);
// Edits a copy of what runs and loads it again: hosts, tenants and addresses must exist and fit
// each other, also what is attached. *copy becomes what was loaded, or NULL. Returns 0, or -EINVAL
// with the errors in diag, at lines of the copy.
int changes_try(const struct changes *c, const struct edit_list *edits, struct config **copy,
		struct diag *diag);
// Copies messages without their lines, which are those of a copy.
void changes_add_without_lines(const struct diag *from, const char *file, struct diag *to);

// What runs, as the text of a file that loads again. Returns 0 with *text for free(), or -errno
// with an error in diag.
int changes_emit(const struct changes *c, char **text, size_t *length, struct diag *diag);
// events_edit() of all sections, `attach:` among them: what is attached follows, or nothing
// changes. (changes_edit.c)
int changes_edit(struct changes *c, const struct edit_list *edits, int (*commit)(void *context),
		 void *context, struct diag *diag);
// Makes a revision of a text, which is taken over, unless it is that of the last one. Returns 0, or
// -errno with an error in diag.
int changes_commit(struct changes *c, char *text, size_t length,
		   const struct changes_author *author, struct diag *diag);
// Logs edits that are in force, by name, and warns of items of the workload that no longer fit.
void changes_finish(struct changes *c, const struct edit_list *edits, const char *what,
		    struct diag *diag);
// Appends the edits that turn what runs into `before`. Returns 0 or -errno.
int changes_find_undo(const struct changes *c, const char *before, size_t length,
		      struct edit_list *out);
// Begins to wait for the confirmation of edits that are about to be in force; before: the text of
// what ran before them. Returns 0 or -errno.
int changes_wait(struct changes *c, const char *before, size_t length,
		 const struct changes_request *request);
