// SPDX-License-Identifier: BSD-3-Clause
// A connection to the fabric's socket that never blocks: a line out, lines back.
#pragma once

#include <stddef.h>

#define UPSTREAM_LINE_MAX (256u * 1024 * 1024)

struct upstream {
	int fd; // -1: closed
	char *out;
	size_t out_length, out_sent;
	char *in;
	size_t in_length, in_room;
	size_t in_scanned; // known to hold no newline
	size_t in_taken;   // of a line that was handed out
};

// Returns 0, -EAGAIN if the fabric has too many to accept now, or another -errno.
int upstream_open(struct upstream *u, const char *path);
// NULL is fine, and so is one that is closed.
void upstream_close(struct upstream *u);
// Sends a line with its newline, behind what has not been sent yet.
void upstream_send(struct upstream *u, const char *line, size_t length);
// What poll should wait for.
short upstream_events(const struct upstream *u);
// One turn with what poll saw. Returns 0, or -errno when the connection has ended; lines that came
// before are still there.
int upstream_turn(struct upstream *u, short events);
// The next line, NUL instead of its newline; valid until the next call. NULL: there is none yet.
char *upstream_line(struct upstream *u, size_t *length);
