// SPDX-License-Identifier: BSD-3-Clause
// A line on stderr, when that is a terminal, that says how far a run has come: simulated time,
// speed, the share done and how long the rest will take.
#pragma once

#include "experiment.h"

// How far a run was at some time.
struct progress_point {
	double wall_s;
	ps_t at; // fabric time
	uint64_t hops;
};

struct progress {
	const struct experiment *experiment;
	const char *title;          // before the line; NULL: none
	double begun_s;             // when the run began
	double due_s;               // when the line is next written
	struct progress_point last; // when it was last; the begin before the first
	bool shown;
};

// The wall clock in seconds.
double progress_clock(void);

// Has the experiment's run call back, if stderr is a terminal. To be called right before the run.
void progress_begin(struct progress *p, const struct experiment *e, const char *title);

// Takes the line away. To be called after the run.
void progress_end(struct progress *p);

// The share that is done, 0 to 1: of the time where a run ends by time, else of the bytes that
// flows and streams are to carry. Looks at every flow.
double progress_share(const struct experiment *e, ps_t now);

// How long the rest takes in words, "12 s", "3 min", "2.1 h", written to text.
#define PROGRESS_LEFT_MAX 32
const char *progress_left(double seconds, char text[static PROGRESS_LEFT_MAX]);

// Writes the line to `text`, without the title: how far the run is at `now`, how fast since the
// last, and, if the share done is over 0, that and how long the rest takes at the pace so far.
#define PROGRESS_LINE_MAX 256
const char *progress_line(const struct progress *p, const struct progress_point *now, double share,
			  char text[static PROGRESS_LINE_MAX]);
