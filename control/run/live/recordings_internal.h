// SPDX-License-Identifier: BSD-3-Clause
// The programs that write the recordings of a live fabric, for the files recordings*.c.
#pragma once

#include "recordings.h"

#include <sys/types.h>

#define RECORDING_LINE_BYTES 512

// A program that writes a file.
struct recording {
	char *path;   // absolute
	char **words; // of its command line, up to NULL
	pid_t pid;    // 0: not started, or ended
	int from;     // its standard error; -1: closed
	char line[RECORDING_LINE_BYTES];
	size_t length;
};

struct recordings {
	struct live_fabric *live; // NULL: it is closed
	char *directory;
	struct recording all[2];
	unsigned int count;
};

void recordings_destroy(struct recordings *r);
