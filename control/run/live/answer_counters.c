// SPDX-License-Identifier: BSD-3-Clause
// The method "counters": everything that is counted, of all nodes or of one, at one instant.
#include "answer.h"

#include "control/fabric/counters.h"

#include <errno.h>

int
answer_counters(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const struct topology *t = a->live->topology;
	const struct config_name name = {
		.text = (char *)(uintptr_t)json_string_value(json_object_get(params, "node"))};
	uint32_t first = 0, count = t->node_count;

	if (name.text != NULL) {
		if (topology_resolve_node(t, &name, NULL, &first, diag) != 0 ||
		    live_check_here(a->live, first, diag) != 0)
			return -EINVAL;
		count = 1;
	}
	node_snapshot_take(a->copy, a->live);
	*result = counters_sparse(&a->copy->reports[first], count, a->copy->at);
	return 0;
}
