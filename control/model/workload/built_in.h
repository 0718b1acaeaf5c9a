// SPDX-License-Identifier: BSD-3-Clause
// The files of conf/sizes as they are built into the program (embed.py writes the definitions).
#pragma once

#include <stddef.h>

struct sizes_text {
	const char *name; // the file's, without .cdf
	const char *text; // not NUL-terminated
	size_t length;
};

extern const struct sizes_text sizes_texts[];
extern const unsigned sizes_text_count;
