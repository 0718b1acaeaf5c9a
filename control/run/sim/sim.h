// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "experiment.h"

struct sim_options {
	struct experiment_options experiment;
	const char *out; // directory of the results; NULL: none are written
	bool json;       // prints result.json instead of the summary
};

// `roost sim`: runs a fabric and its workload in virtual time. Results go to stdout and to the
// directory, errors to stderr. Returns an exit status.
int run_sim(const struct sim_options *options);
