// SPDX-License-Identifier: BSD-3-Clause
// Filters of captures, compiled by a process of their own (`roost-web filter`): that may ask name
// servers, and takes its time over what is long.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#define COMPILE_SECONDS 5

struct compile {
	pid_t pid; // 0: none runs
	int fd;    // what it prints; -1: none runs
	char *text;
	size_t length;
};

// Begins. Returns 0 or -errno.
int compile_start(struct compile *c, const char *filter);
// Reads what there is. Returns -EAGAIN while it runs; 0 with the program in text; or -EINVAL with
// the reason there.
int compile_turn(struct compile *c);
// Ends it, if it runs, and frees the text.
void compile_stop(struct compile *c);
