// SPDX-License-Identifier: BSD-3-Clause
// What changes.c and changes_confirm.c share.
#pragma once

#include "changes.h"

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
	char *why_not;       // store NULL: why
	char *file;
	char *text; // of the revision that runs, or of what the fabric came up with
	size_t length;
	uint32_t running;
	struct edit_list staged;
	struct diag misfits; // items of the workload that the tenants refuse, as last reported
	struct changes_waiting waiting;
};

// What runs, as the text of a file that loads again. Returns 0 with *text for free(), or -errno
// with an error in diag.
int changes_emit(const struct changes *c, char **text, size_t *length, struct diag *diag);
// Makes a revision of a text, which is taken over, unless it is that of the last one. Returns 0, or
// -errno with an error in diag.
int changes_commit(struct changes *c, char *text, size_t length,
		   const struct changes_author *author, struct diag *diag);
// Logs edits that are in force, by name, and warns of items of the workload that no longer fit.
void changes_finish(struct changes *c, const struct edit_list *edits, const char *what,
		    struct diag *diag);
// Begins to wait for the confirmation of edits that are about to be in force; before: the text of
// what ran before them. Returns 0 or -errno.
int changes_wait(struct changes *c, const char *before, size_t length,
		 const struct changes_request *request);
