// SPDX-License-Identifier: BSD-3-Clause
// Changes of the state of a running fabric. Those of its configuration are in answer_edit.c.
//
//	"clear" {"what": "watermarks", "persistent": false, "node": "leaf1"} -> {"nodes": number}
//	"transmit" {"port": "leaf1.swp3", "state": "off", "queue": 3} -> {"port", "off": [3]}
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

// Notes in the log what a user has changed at a port: "off", "queue 3 on".
static void
log_transmit(const struct live_fabric *live, const struct config_event *event)
{
	const char *state = event->tx_on ? "on" : "off";
	struct topo_ref ref;
	char text[16];

	if (topology_find_port(live->topology, event->port.text, &ref) != 0)
		return;
	if (event->queue < 0)
		snprintf(text, sizeof(text), "%s", state);
	else
		snprintf(text, sizeof(text), "queue %d %s", event->queue, state);
	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_port(live->log, live_clock(&live->drive), &live->topology->nodes[ref.node],
			ref.port, FABRIC_LOG_TRANSMIT, text);
}

int
answer_transmit(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const char *state = json_string_value(json_object_get(params, "state"));
	const json_t *queue = json_object_get(params, "queue");
	struct config_event event = {
		.kind = CONFIG_EVENT_PORT_TX,
		.port.text = (char *)(uintptr_t)json_string_value(json_object_get(params, "port")),
		.queue = -1,
		.tx_on = strcmp(state, "on") == 0,
	};
	json_t *queues;
	uint8_t off;

	if (!event.tx_on && strcmp(state, "off") != 0)
		return diag_fail(diag, EINVAL, "\"state\": want \"off\" or \"on\", not \"%.40s\"",
				 state);
	if (queue != NULL) {
		if (json_integer_value(queue) < 0 || json_integer_value(queue) >= PRIORITIES)
			return diag_fail(diag, EINVAL,
					 "\"queue\": %" JSON_INTEGER_FORMAT
					 " is out of range: 0 to %d",
					 json_integer_value(queue), PRIORITIES - 1);
		event.queue = (int)json_integer_value(queue);
	}
	if (events_change_transmit(a->live->events, &event, &off, diag) != 0)
		return -EINVAL;
	log_transmit(a->live, &event);
	queues = json_array();
	for (int i = 0; i < PRIORITIES; i++)
		if (off & 1u << i)
			json_array_append_new(queues, json_integer(i));
	*result = json_pack("{s:s,s:o}", "port", event.port.text, "off", queues);
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
