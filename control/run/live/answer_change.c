// SPDX-License-Identifier: BSD-3-Clause
// What a user may do to the state of a fabric that runs; to its configuration: answer_edit.c.
//
//	"clear" {"what": "watermarks", "persistent": false, "node": "leaf1"} -> {"nodes": number}
//	"watchdog-restore" {"queue": "leaf1.swp3.3"} -> {"storm": whether there was one}
#include "answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
refuse_params(const json_error_t *error, const char *wants, char *why, size_t why_size)
{
	snprintf(why, why_size, "wants %s: %s", wants, error->text);
	return -EINVAL;
}

int
answer_clear(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;
	const char *what, *name = NULL;
	uint32_t node = TOPOLOGY_NONE, count = 0;
	int persistent = 0;
	json_error_t error;

	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s,s?:b,s?:s}",
			   "what", &what, "persistent", &persistent, "node", &name) != 0)
		return refuse_params(&error, "\"what\", and may have \"persistent\" and \"node\"",
				     why, why_size);
	if (strcmp(what, "watermarks") != 0) {
		snprintf(why, why_size, "there is no clear %.40s: watermarks can be cleared", what);
		return -EINVAL;
	}
	if (name != NULL)
		node = topology_find_node(live->topology, name);
	if (name != NULL && (node == TOPOLOGY_NONE || live->fabric->nodes[node] == NULL)) {
		snprintf(why, why_size, "there is no node %.80s", name);
		return -EINVAL;
	}
	events_clear_watermarks(live->events, node, persistent != 0);
	for (uint32_t i = 0; i < live->topology->node_count; i++)
		count += live->fabric->nodes[i] != NULL && (node == TOPOLOGY_NONE || node == i);
	*result = json_pack("{s:i}", "nodes", (int)count);
	return *result == NULL ? -ENOMEM : 0;
}

int
answer_watchdog_restore(void *context, const json_t *params, json_t **result, char *why,
			size_t why_size)
{
	struct answer *a = context;
	const struct live_fabric *live = a->live;
	const struct node *node;
	struct topo_ref ref;
	const char *queue;
	json_error_t error;
	bool storm;

	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s}", "queue",
			   &queue) != 0)
		return refuse_params(&error, "\"queue\"", why, why_size);
	if (topology_find_queue(live->topology, queue, &ref) != 0 ||
	    ref.node >= live->topology->first_host) {
		snprintf(why, why_size, "there is no queue %.80s of a switch, such as leaf1.swp3.3",
			 queue);
		return -EINVAL;
	}
	node_snapshot_take(a->copy, a->live);
	node = node_snapshot_nodes(a->copy)[ref.node].node;
	storm = node->ports[ref.port].queue_cold[ref.queue].watchdog.storm;
	events_restore_queue(live->events, &ref);
	*result = json_pack("{s:b}", "storm", storm);
	return *result == NULL ? -ENOMEM : 0;
}
