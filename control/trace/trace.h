// SPDX-License-Identifier: BSD-3-Clause
// `roost trace`: the path of one packet, computed hop by hop from the tables and the state of the
// nodes, without sending it. Every switch's own pipeline decides (pipelines/trace.h); nothing here
// knows how to route. Control thread; nodes must stand still.
//
// A packet is traced as if it were alone and the nodes stayed as they are: other packets that would
// overtake it or fill a queue meanwhile are not there.
#pragma once

#include "control/base/diag.h"
#include "control/fabric/fabric.h"

#include <jansson.h>

struct trace_state {
	const struct fabric *fabric;
	// The nodes as they stand, by number in the topology; NULL: there is none (an attached host
	// without a NIC of the fabric's).
	const struct node *const *nodes;
	ps_t now;
};

// The API's method "trace". params: {"source": a host, its NIC or its address, "destination": the
// same, or any address; "tenant": whose addresses those are; "sport", "dport", "dscp", "priority",
// "ttl", "bytes" (the frame without FCS), "queue-pair"}; all but the first two are optional.
// Returns 0 with *out the caller's, or -EINVAL with an error in diag.
int trace_answer(const struct trace_state *s, const json_t *params, json_t **out,
		 struct diag *diag);

// Prints an answer as `roost trace` does. What an answer lacks is shown as 0 or left empty.
void trace_print(const json_t *answer, FILE *to);
