// SPDX-License-Identifier: BSD-3-Clause
// What changes.c and changes_*.c share; private to control/live/.
#pragma once

#include "changes.h"

#include <stdbool.h>

// Edits in force that are undone unless they are confirmed.
struct changes_waiting {
	bool open;
	int64_t until_ms; // of clock_ms()
	struct edit_list undo;
	uid_t uid;
	char what[STORE_WHAT_MAX];
};

struct changes {
	struct live_fabric *live;
	struct store *store; // NULL: none
	char why_not[512];   // store NULL: why
	char *file;
	char *text; // of the revision that runs, or of what the fabric came up with
	size_t length;
	uint32_t running;
	struct edit_list staged;
	struct diag misfits; // what the tenants of now refuse of the workload, as told last
	struct changes_waiting waiting;
};

// What runs, as the text of a file that loads again. Returns 0 with *text for free(), or -errno
// with one line in err.
int changes_emit(const struct changes *c, char **text, size_t *length, char *err, size_t err_size);
// What runs, once more. Returns 0 or -errno.
int changes_copy_running(const struct changes *c, struct config **out);
// Finds what came up without some items of its workload; and after edits, in force, tells of those
// that fit no more.
void changes_know_workload(struct changes *c);
void changes_warn_of_workload(struct changes *c, const struct edit_list *edits, struct diag *diag);
// Makes a revision of a text, which is taken over, unless it is that of the last one. Returns 0, or
// -errno with one line in err.
int changes_commit(struct changes *c, char *text, size_t length,
		   const struct changes_author *author, char *err, size_t err_size);
// Has the log say what an edit that is in force was called.
void changes_note(struct changes *c, const char *what);
// Begins to wait for the confirmation of edits that are about to be in force; before: the text of
// what ran before them. Returns 0, or -ENOMEM with nothing begun.
int changes_wait(struct changes *c, const char *before, size_t length,
		 const struct changes_author *author, uint64_t confirm_ms);
