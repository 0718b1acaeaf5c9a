// SPDX-License-Identifier: BSD-3-Clause
// What the answers about configuration share; private to control/live/.
#pragma once

#include "answer.h"
#include "changes.h"

// The errors in one line of why, as many as it takes, and the warnings as a list.
void answer_join_errors(const struct diag *diag, char *why, size_t why_size);
json_t *answer_list_warnings(const struct diag *diag);

// Applies the edits of a request; what: for the history. Fills *result with the outcome:
// {"revision": the number, or null, "edits": how many, "draining": whether packets from before are
// still under way, "warnings"}. diag: for the errors, the caller's. Returns 0, or -errno with one
// line in why unless the errors stand in diag (-EINVAL).
int answer_apply_edits(struct answer *a, const struct edit_list *edits, const char *what,
		       uint64_t confirm_ms, json_t **result, struct diag *diag, char *why,
		       size_t why_size);
// The same, with the errors joined in why.
int answer_apply_joined(struct answer *a, const struct edit_list *edits, const char *what,
			uint64_t confirm_ms, json_t **result, char *why, size_t why_size);
