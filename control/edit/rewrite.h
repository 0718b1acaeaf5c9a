// SPDX-License-Identifier: BSD-3-Clause
// The text of a file of an earlier version, with the present names of keys. Everything else stays
// as it was written: comments, layout, quotes, ends of lines.
#pragma once

#include "control/config/format.h"

struct rewrite {
	struct arena arena;
	struct format_changes changes; // and notes: FORMAT_DEFAULT
	unsigned renamed;              // of the changes: those in the text
	bool marked;                   // the text now begins with `version`
	char *text;                    // NULL: nothing changes
	size_t length;
};

// Rewrites a text. name: of the file, for messages. Returns 0, or -EINVAL with the errors in diag:
// the text is not YAML, or of a newer version, or what has to change stands where it cannot be
// replaced. rewrite_free() in either case.
int rewrite_text(struct rewrite *out, const char *text, size_t length, const char *name,
		 struct diag *diag);
void rewrite_free(struct rewrite *out);
