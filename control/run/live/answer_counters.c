// SPDX-License-Identifier: BSD-3-Clause
// The method "counters": everything that is counted, at one instant.
#include "answer.h"

#include "control/fabric/counters.h"

int
answer_counters(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;

	(void)params;
	(void)diag;
	node_snapshot_take(a->copy, a->live);
	*result = counters_sparse(a->copy->reports, a->live->topology->node_count, a->copy->at);
	return 0;
}
