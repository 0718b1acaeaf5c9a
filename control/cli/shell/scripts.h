// SPDX-License-Identifier: BSD-3-Clause
// Completion of other shells, as files built into the program (embed.py writes the definitions).
#pragma once

#include <stddef.h>

struct script_text {
	const char *name; // the file's, without its ending
	const char *text; // not NUL-terminated
	size_t length;
};

extern const struct script_text script_texts[];
extern const unsigned script_text_count;
