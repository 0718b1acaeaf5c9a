// SPDX-License-Identifier: BSD-3-Clause
// Flows and streams of a workload as queue pairs of the fabric's NICs, and what became of them.
#pragma once

#include "result_flows.h"
#include "result.h"
#include "control/model/workload/workload.h"
#include "fabric.h"

struct fabric_flows;

// Gives every flow its queue pairs. A flow with an end at an attached host is left to that host: it
// is in no report, and nobody waits for it. What of it a NIC answers has a queue pair there, though
// (flows_attached.c). Returns 0, -EINVAL with errors in diag, or -ENOMEM.
int fabric_flows_create(struct fabric_flows **out, struct fabric *f,
			const struct workload *workload, struct diag *diag);
void fabric_flows_destroy(struct fabric_flows *flows);

// Flows and streams left to an attached host.
uint32_t fabric_flows_left_out(const struct fabric_flows *flows);

// What the flows are of.
const struct workload *fabric_flows_workload(const struct fabric_flows *flows);

// The name of the workload item that a flow belongs to, or its kind.
const char *fabric_flows_item(const struct fabric_flows *flows, uint32_t flow);

// A queue pair of a flow where it sends.
struct flow_pair {
	const struct nic *nic;
	uint32_t qpn;
};

// The queue pairs of a flow by index from 0. Returns 0, or -ENOENT behind the last.
int fabric_flows_pair(const struct fabric_flows *flows, uint32_t flow, uint32_t index,
		      struct flow_pair *out);

// What became of them so far: an array in the order of ids, for free(). NULL without memory.
struct report_flow *fabric_flows_report(const struct fabric_flows *flows, uint32_t *count);
struct report_collective *fabric_flows_collectives(const struct fabric_flows *flows,
						   uint32_t *count);
