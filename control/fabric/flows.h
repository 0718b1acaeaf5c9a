// SPDX-License-Identifier: BSD-3-Clause
// Flows and streams of a workload as queue pairs of the fabric's NICs, and their results.
#pragma once

#include "result.h"
#include "control/model/workload/workload.h"
#include "fabric.h"

struct fabric_flows;

// Creates the queue pairs of all flows. A flow with one end at an attached host is left to that
// host: it is in no report, and no run waits for it; only a NIC that answers has a queue pair
// (flows_attached.c). Returns 0, or -errno, of which -EINVAL with errors in diag.
int fabric_flows_create(struct fabric_flows **out, struct fabric *f,
			const struct workload *workload, struct diag *diag);
void fabric_flows_destroy(struct fabric_flows *flows);

// Flows and streams left to an attached host.
uint32_t fabric_flows_left_out(const struct fabric_flows *flows);

// The name of the workload item that a flow belongs to, or its kind.
const char *fabric_flows_item(const struct fabric_flows *flows, uint32_t flow);

// A queue pair of a flow, at the sender.
struct flow_pair {
	const struct nic *nic;
	uint32_t qpn;
};

// The queue pairs of a flow by index from 0. Returns 0, or -ENOENT behind the last.
int fabric_flows_pair(const struct fabric_flows *flows, uint32_t flow, uint32_t index,
		      struct flow_pair *out);

// The host whose NIC knows the times of a flow: the sender, or the reader of a READ.
uint32_t fabric_flows_requester(const struct fabric_flows *flows, uint32_t flow);
// When a flow that has a pair begins, and when all of it had arrived; PS_NEVER: not known yet. To
// be called on the worker of that host's NIC.
void fabric_flows_times(const struct fabric_flows *flows, uint32_t flow, ps_t *start, ps_t *end);

// What became of the pairs that are generated; they are in no report of flows. Collective, like
// what follows. Returns 0, or -errno if a rank is gone.
int fabric_flows_pairs(const struct fabric_flows *flows, struct report_pairs *out);

// The results so far: flows in the order of their ids, which only the first rank gets; collectives
// in the order of the workload. The arrays are for free(); texts belong to the flows. Return 0, or
// -errno if a rank is gone.
int fabric_flows_report(const struct fabric_flows *flows, struct report_flow **out,
			uint32_t *count);
int fabric_flows_collectives(const struct fabric_flows *flows, struct report_collective **out,
			     uint32_t *count);
// What made each complete execution of each step as long as it was; free with report_steps_free().
// Returns 0, or -errno.
int fabric_flows_steps(const struct fabric_flows *flows, struct report_steps *out);

// Estimates how many frames all ports are to send (report_totals.packet_hops) until a time,
// PS_NEVER if the run drains: from sizes, path MTUs and the paths at the start. It knows nothing of
// packets that are sent again, of pauses and CNPs, nor of times for which nobody sends. All NICs
// must be here.
double fabric_flows_estimate_hops(struct fabric_flows *flows, ps_t until);
