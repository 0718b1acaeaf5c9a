// SPDX-License-Identifier: BSD-3-Clause
// The methods "trace" and "probe": both copy the nodes' state and try the packet there; the second
// sends it, too.
#include "answer.h"

#include "control/base/memory.h"
#include "control/trace/trace.h"
#include "probes.h"

#include <stdlib.h>

// The state as it is now; `nodes` is for free().
static struct trace_state
read_state(struct answer *a)
{
	const uint32_t count = a->live->topology->node_count;
	const struct node **nodes = memory_array(count, sizeof(struct node *), "nodes");

	node_snapshot_take(a->copy, a->live);
	for (uint32_t i = 0; i < count; i++)
		nodes[i] = a->copy->reports[i].node;
	return (struct trace_state){.fabric = a->live->fabric, .nodes = nodes, .now = a->copy->at};
}

int
answer_trace(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct trace_state state = read_state(context);
	int rc = trace_answer(&state, params, result, diag);

	free((void *)(uintptr_t)state.nodes);
	return rc;
}

int
answer_probe(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct trace_state state = read_state(a);
	int rc = probes_begin(a->probes, &state, params, result, diag);

	free((void *)(uintptr_t)state.nodes);
	return rc;
}
