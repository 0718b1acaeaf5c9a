// SPDX-License-Identifier: BSD-3-Clause
// A fabric in virtual time with its workload, from file to result. `roost sim` runs it; `roost
// check` only creates it. `roost replay` runs a single switch, which has no workload.
#pragma once

#include "control/events/run.h"
#include "control/fabric/flows.h"
#include "control/fabric/result.h"

struct experiment {
	struct config *config;
	struct topology *topology;
	struct packet_pool *packets;
	struct packet_pool **pools;
	struct fabric *fabric;
	struct workload *workload;  // NULL: a single switch
	struct fabric_flows *flows; // the same
	struct run *run;
};

// What a command runs.
enum experiment_kind { EXPERIMENT_ANY, EXPERIMENT_FABRIC, EXPERIMENT_SWITCH };

// Options of the command line.
struct experiment_options {
	enum experiment_kind kind;
	const char *file;
	const struct config_replacement *replacements; // of keys in the file
	unsigned replacement_count;
	ps_t until;    // PS_NEVER: as the file says
	uint64_t seed; // with seed_given
	bool seed_given;
	ps_t window;         // 0: the fabric's
	uint64_t visit;      // 0: nodes in order
	uint32_t threads;    // 0: as many as the fabric gains by
	struct ranks *ranks; // that run it together; NULL: this process alone
};

// Reads the file and creates everything. Returns 0, or -errno: -EINVAL with the errors of the file
// in diag, -ECANCELED when only another rank has failed; experiment_destroy() in either case.
int experiment_create(struct experiment *e, const struct experiment_options *options,
		      struct diag *diag);
// The two steps of it: the file and its topology, then the rest. data_room: bytes that are stored
// of a packet.
int experiment_load(struct experiment *e, const struct experiment_options *options,
		    struct diag *diag);
int experiment_build(struct experiment *e, const struct experiment_options *options,
		     uint32_t data_room, struct diag *diag);
void experiment_destroy(struct experiment *e);

// Refuses a run that would wait for a stream without an end: 0, or -EINVAL with the error in diag.
int experiment_check_end(const struct experiment *e, struct diag *diag);

// The most memory that this process has held so far, in bytes.
uint64_t experiment_peak_memory(void);

// The results of an experiment that has run, ready for result_collect(). Refers to the experiment.
// At ranks other than the first only what concerns their nodes.
struct outcome {
	struct report_result result;
	struct report_flow *flows;
	struct report_collective *collectives;
};

// Returns 0, or -errno if a rank is gone; outcome_destroy() in any case.
int outcome_create(struct outcome *o, const struct experiment *e, double setup_s, double wall_s);
void outcome_destroy(struct outcome *o);
