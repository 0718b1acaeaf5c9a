// SPDX-License-Identifier: BSD-3-Clause
// Commands that run a fabric in virtual time, or find out whether it could run.
#pragma once

#include "experiment.h"

#include <stdio.h>

// `roost check`: finds out whether a file can be run. Errors and warnings go to stderr; json: what
// the file holds and what a run costs goes to stdout as JSON. Returns an exit status.
int run_check(const struct experiment_options *options, bool json);

struct sim_options {
	struct experiment_options experiment;
	const char *out; // directory of the results; NULL: none are written
	bool gzip;       // compresses the tables
	bool work;       // prints what each thread did
	bool json;       // prints result.json instead of the summary
};

// `roost sim`: runs a fabric and its workload in virtual time. Results go to stdout and to the
// directory, errors to stderr. Returns an exit status.
int run_sim(const struct sim_options *options);

// Why a run stands still (stall.c): prints how many packets are held, and if paused queues wait for
// each other in a cycle, that cycle. Each queue waits for room in a group of the node behind it,
// whose packets wait in the next queue. Of several ranks, all call it, and the first one prints.
void stall_print(const struct fabric *f, ps_t now, FILE *to);
