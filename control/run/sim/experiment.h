// SPDX-License-Identifier: BSD-3-Clause
// A fabric in virtual time with its workload, from file to result: what `roost sim` runs and `roost
// check` puts together without running it.
#pragma once

#include "control/fabric/flows.h"
#include "control/events/run.h"

struct experiment {
	struct config *config;
	struct topology *topology;
	struct packet_pool *packets;
	struct packet_pool **pools;
	struct fabric *fabric;
	struct workload *workload;
	struct fabric_flows *flows;
	struct run *run;
};

// What the command line may say.
struct experiment_options {
	const char *file;
	ps_t until;    // PS_NEVER: as the file says
	uint64_t seed; // with seed_given
	bool seed_given;
	ps_t window;    // 0: the fabric's
	uint64_t visit; // 0: nodes in order
};

// Reads the file and makes everything. Whatever is wrong with the file is in diag. Returns 0,
// -EINVAL or -ENOMEM; experiment_destroy() in either case.
int experiment_create(struct experiment *e, const struct experiment_options *options,
		      struct diag *diag);
void experiment_destroy(struct experiment *e);

// A run that waits for a stream without an end would never end: 0, or -EINVAL with the error in
// diag.
int experiment_check_end(const struct experiment *e, struct diag *diag);
