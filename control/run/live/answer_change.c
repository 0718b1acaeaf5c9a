// SPDX-License-Identifier: BSD-3-Clause
// Changes of the state of a running fabric. Those of its configuration are in answer_edit.c.
//
//	"clear" {"what": "watermarks", "persistent": false, "node": "leaf1"} -> {"nodes": number}
//	"watchdog-restore" {"queue": "leaf1.swp3.3"} -> {"storm": whether there was one}
#include "answer.h"

#include <errno.h>
#include <string.h>

int
answer_clear(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;
	const char *what = json_string_value(json_object_get(params, "what"));
	const char *name = json_string_value(json_object_get(params, "node"));
	bool persistent = json_is_true(json_object_get(params, "persistent"));
	uint32_t node = TOPOLOGY_NONE, count = 0;

	if (strcmp(what, "watermarks") != 0)
		return diag_fail(diag, EINVAL,
				 "\"what\": %.40s cannot be cleared; only watermarks can", what);
	if (name != NULL)
		node = topology_find_node(live->topology, name);
	if (name != NULL && (node == TOPOLOGY_NONE || live->fabric->nodes[node] == NULL))
		return diag_fail(diag, EINVAL, "there is no node %.80s", name);
	events_clear_watermarks(live->events, node, persistent);
	for (uint32_t i = 0; i < live->topology->node_count; i++)
		count += live->fabric->nodes[i] != NULL && (node == TOPOLOGY_NONE || node == i);
	*result = json_pack("{s:i}", "nodes", (int)count);
	return 0;
}

int
answer_watchdog_restore(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;
	const char *queue = json_string_value(json_object_get(params, "queue"));
	const struct node *node;
	struct topo_ref ref;
	bool storm;

	if (topology_find_queue(live->topology, queue, &ref) != 0 ||
	    ref.node >= live->topology->first_host)
		return diag_fail(diag, EINVAL,
				 "there is no queue %.80s of a switch, such as leaf1.swp3.3",
				 queue);
	node_snapshot_take(a->copy, a->live);
	node = a->copy->reports[ref.node].node;
	storm = port_watchdog(&node->ports[ref.port], ref.queue)->storm;
	events_restore_queue(live->events, &ref);
	*result = json_pack("{s:b}", "storm", storm);
	return 0;
}
