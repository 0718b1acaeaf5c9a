// SPDX-License-Identifier: BSD-3-Clause
// What a replay writes: a capture of what left each port, one of what was dropped, and the
// counters.
#pragma once

#include "control/io/capture/recorder.h"
#include "control/model/topology/topology.h"

#include <jansson.h>

#include <stdbool.h>

struct replay_output {
	const char *directory; // NULL: nothing has been opened
	const struct topo_node *place;
	struct recorder *recorder;
	const char **port_names;
	bool made; // the directory was not there before
};

// Makes the directory unless it is there and opens the captures; from then on the node's packets go
// there. `directory` and `place` outlive the output. Returns 0, or -errno with one line in err.
int replay_output_open(struct replay_output *o, const char *directory, struct node *n,
		       const struct topo_node *place, char *err, size_t err_size);

// Writes counters.json. Returns 0, or -errno with one line in err.
int replay_output_counters(const struct replay_output *o, const json_t *document, char *err,
			   size_t err_size);

// Closes the captures. The outcome of a run that failed, or that cannot be written, is removed.
// `failed`: the run has. Returns 0, or -errno with one line in err when closing failed.
int replay_output_close(struct replay_output *o, bool failed, char *err, size_t err_size);
