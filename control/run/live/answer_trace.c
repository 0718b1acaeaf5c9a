// SPDX-License-Identifier: BSD-3-Clause
// The method "trace": copies the nodes' state and tries the packet there.
#include "answer.h"

#include "control/base/memory.h"
#include "control/trace/trace.h"

#include <stdlib.h>

int
answer_trace(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const uint32_t count = a->live->topology->node_count;
	const struct node **nodes = memory_array(count, sizeof(struct node *), "nodes");
	struct trace_state state = {.fabric = a->live->fabric, .nodes = nodes};
	int rc;

	node_snapshot_take(a->copy, a->live);
	for (uint32_t i = 0; i < count; i++)
		nodes[i] = a->copy->reports[i].node;
	state.now = a->copy->at;
	rc = trace_answer(&state, params, result, diag);
	free(nodes);
	return rc;
}
