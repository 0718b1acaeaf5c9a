// SPDX-License-Identifier: BSD-3-Clause
// Files that are built into the program: embed.py writes a list of them, embedded_WORD[], which
// ends with one that has no name. Who uses a list declares it.
#pragma once

#include <stddef.h>

struct embedded_file {
	const char *name; // the file's, without its ending
	const char *text; // not NUL-terminated
	size_t length;
};
