// SPDX-License-Identifier: BSD-3-Clause
// A message from one rank to another, and a broadcast: a chain of ranks from the root on, each of
// which passes on a chunk as soon as it has it, as NCCL's ring broadcast does.
#include "collectives.h"

void
collective_send(struct collective *c)
{
	collective_add(c, &(struct collective_flow){.from = 0,
						    .to = 1,
						    .gate = WORKLOAD_NONE,
						    .messages = collective_messages(c->bytes, 1)});
}

void
collective_broadcast(struct collective *c)
{
	struct collective_flow flow = {
		.gate = WORKLOAD_NONE, .gate_lead = 1, .messages = collective_chunks(c)};

	for (flow.from = 0; flow.from + 1 < c->count; flow.from++) {
		flow.to = flow.from + 1;
		collective_add(c, &flow);
		flow.gate = 0;
	}
}
