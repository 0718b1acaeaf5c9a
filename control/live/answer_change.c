// SPDX-License-Identifier: BSD-3-Clause
// What a user may change in a fabric that runs. Whoever may connect may do it: root and the user
// who runs the fabric (control/api/server.c).
//
//	"set"   {"key": "switch.qos.tc.3.ecn.min", "value": "100KB"} -> {"warnings": [...]}
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

// The errors in one line, as many as it takes.
static void
join_errors(const struct config_diag *diag, char *why, size_t why_size)
{
	size_t used = 0;

	for (unsigned i = 0; i < diag->count && used < why_size; i++)
		if (!diag->messages[i].warning)
			used += (size_t)snprintf(why + used, why_size - used, "%s%s",
						 used != 0 ? "; " : "",
						 lab_message(&diag->messages[i]));
}

static json_t *
list_warnings(const struct config_diag *diag)
{
	json_t *out = json_array();

	for (unsigned i = 0; out != NULL && i < diag->count; i++)
		if (diag->messages[i].warning)
			json_array_append_new(out, json_string(lab_message(&diag->messages[i])));
	return out;
}

int
answer_set(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	const char *key, *value;
	struct config_diag diag = {0};
	json_error_t error;
	int rc;

	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s,s:s}", "key",
			   &key, "value", &value) != 0)
		return refuse_params(&error, "\"key\" and \"value\"", why, why_size);
	rc = events_set(a->lab->events, key, value, &diag);
	if (rc == 0) {
		*result = json_pack("{s:o}", "warnings", list_warnings(&diag));
		rc = *result == NULL ? -ENOMEM : 0;
	} else if (rc == -EINVAL) {
		join_errors(&diag, why, why_size);
		rc = -ECANCELED; // the question was in order
	}
	config_diag_free(&diag);
	return rc;
}

int
answer_clear(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	const struct lab *lab = a->lab;
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
		node = topology_find_node(lab->topology, name);
	if (name != NULL && (node == TOPOLOGY_NONE || lab->fabric->nodes[node] == NULL)) {
		snprintf(why, why_size, "there is no node %.80s", name);
		return -EINVAL;
	}
	events_clear_watermarks(lab->events, node, persistent != 0);
	for (uint32_t i = 0; i < lab->topology->node_count; i++)
		count += lab->fabric->nodes[i] != NULL && (node == TOPOLOGY_NONE || node == i);
	*result = json_pack("{s:i}", "nodes", (int)count);
	return *result == NULL ? -ENOMEM : 0;
}

int
answer_watchdog_restore(void *context, const json_t *params, json_t **result, char *why,
			size_t why_size)
{
	struct answer *a = context;
	const struct lab *lab = a->lab;
	const struct node *node;
	struct topo_ref ref;
	const char *queue;
	json_error_t error;
	bool storm;

	if (json_unpack_ex((json_t *)(uintptr_t)params, &error, JSON_STRICT, "{s:s}", "queue",
			   &queue) != 0)
		return refuse_params(&error, "\"queue\"", why, why_size);
	if (topology_find_queue(lab->topology, queue, &ref) != 0 ||
	    ref.node >= lab->topology->first_host) {
		snprintf(why, why_size, "there is no queue %.80s of a switch, such as leaf1.swp3.3",
			 queue);
		return -EINVAL;
	}
	copy_take(a->copy, a->lab);
	node = copy_nodes(a->copy)[ref.node].node;
	storm = node->ports[ref.port].more[ref.queue].watchdog.storm;
	events_restore_queue(lab->events, &ref);
	*result = json_pack("{s:b}", "storm", storm);
	return *result == NULL ? -ENOMEM : 0;
}
