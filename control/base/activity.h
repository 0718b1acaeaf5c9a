// SPDX-License-Identifier: BSD-3-Clause
// Says on stderr what a command is doing while it sets up, when that takes long: on a terminal as
// one line, which goes away at the end; elsewhere a line for each step, and only after long.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// When something is said.
struct activity_times {
	unsigned int after_ms; // since the beginning
	unsigned int every_ms; // after that
};

// Begins to watch. `to` is a terminal or not; times NULL: the usual ones. One at a time.
void activity_begin(FILE *to, bool terminal, const struct activity_times *times);

// What is being done from now on: a constant text, "computing routes". Without effect while nothing
// watches.
void activity(const char *what);

// Ends it: nothing is said any more, and the line is gone. Without effect while nothing watches.
void activity_end(void);
