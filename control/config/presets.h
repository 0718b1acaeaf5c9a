// SPDX-License-Identifier: BSD-3-Clause
// The files of conf/presets as they are built into the program (embed.py writes the definitions).
#pragma once

#include <stddef.h>

struct preset_text {
	const char *name; // the file's, without .yaml
	const char *text; // not NUL-terminated
	size_t length;
};

extern const struct preset_text preset_texts[];
extern const unsigned preset_text_count;
