// SPDX-License-Identifier: BSD-3-Clause
// A line on stderr, if that is a terminal, that shows the progress of a run: simulated time, speed,
// the share done, and an estimate of the time left. Several ranks have no terminal, since mpirun
// passes their output on: there it is a line of its own from time to time.
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
	struct progress_point last; // when it was last written; at first, the beginning
	bool lines;                 // of their own
	bool shown;                 // a line that is to be erased
};

// The wall clock in seconds.
double progress_clock(void);

// Installs the callbacks of the experiment's run, if progress is to be shown. Call it right before
// the run.
void progress_begin(struct progress *p, const struct experiment *e, const char *title);

// Erases the line. Call it after the run.
void progress_end(struct progress *p);

// The share that is done, 0 to 1: of the time where a run ends by time, else of the bytes that
// flows and streams are to carry. Visits every flow. Of several ranks, all call it.
double progress_share(const struct experiment *e, ps_t now);

// Writes a time left to text: "12 s", "3 min", "2.1 h". Returns text.
#define PROGRESS_LEFT_MAX 32
const char *progress_left(double seconds, char text[static PROGRESS_LEFT_MAX]);

// Writes the line to `text`, without the title: the time simulated at `now`, the speed since the
// last line, and, if the share done is over 0, the share and the time left at the average speed so
// far.
#define PROGRESS_LINE_MAX 256
const char *progress_line(const struct progress *p, const struct progress_point *now, double share,
			  char text[static PROGRESS_LINE_MAX]);
