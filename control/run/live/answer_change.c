// SPDX-License-Identifier: BSD-3-Clause
// Changes of the state of a running fabric. Those of its configuration are in answer_edit.c.
//
//	"clear" {"what": "watermarks", "port": "leaf1.swp3", "queue": 3, "read": true}
//		-> {"nodes": number, "watermarks": {"leaf1": {"ports": {"swp3": ...}}}}
//	"transmit" {"port": "leaf1.swp3", "state": "off", "queue": 3} -> {"port", "off": [3]}
//	"watchdog-restore" {"queue": "leaf1.swp3.3"} -> {"storm": whether there was one}
#include "answer.h"

#include "control/fabric/counters.h"
#include "dataplane/queueing/watermarks.h"

#include <errno.h>
#include <string.h>

// One of the eight groups or queues of a port; -1 without the parameter. Returns 0 or -EINVAL.
static int
read_index(const json_t *params, const char *key, int *out, struct diag *diag)
{
	const json_t *value = json_object_get(params, key);

	*out = -1;
	if (value == NULL)
		return 0;
	if (json_integer_value(value) < 0 || json_integer_value(value) >= PRIORITIES)
		return diag_fail(diag, EINVAL,
				 "\"%s\": %" JSON_INTEGER_FORMAT " is out of range: 0 to %d", key,
				 json_integer_value(value), PRIORITIES - 1);
	*out = (int)json_integer_value(value);
	return 0;
}

static int
read_pool(const json_t *params, int *out, struct diag *diag)
{
	const char *name = json_string_value(json_object_get(params, "pool"));

	*out = -1;
	if (name == NULL)
		return 0;
	for (int i = 0; i < POOL_COUNT; i++)
		if (strcmp(name, counters_pool_name((enum pool_id)i)) == 0)
			*out = i;
	if (*out < 0)
		return diag_fail(diag, EINVAL,
				 "there is no pool %.40s; the pools are ingress-lossless, "
				 "ingress-lossy, egress-lossless, egress-lossy and headroom",
				 name);
	return 0;
}

// The node, or TOPOLOGY_NONE for all, and what to clear of it. Returns 0 or -EINVAL.
static int
read_choice(const struct live_fabric *live, const json_t *params, uint32_t *node,
	    struct watermark_choice *out, struct diag *diag)
{
	const char *name = json_string_value(json_object_get(params, "node"));
	struct config_name port = {
		.text = (char *)(uintptr_t)json_string_value(json_object_get(params, "port"))};
	struct topo_ref ref;

	*node = TOPOLOGY_NONE;
	// The ports of a lone switch need no name of a node before them.
	if (name != NULL && port.text == NULL &&
	    topology_find_node(live->topology, name) == TOPOLOGY_NONE &&
	    topology_find_port(live->topology, name, &ref) == 0) {
		port.text = (char *)(uintptr_t)name;
		name = NULL;
	}
	*out = (struct watermark_choice){
		WATERMARKS_OF_NODE,
		.persistent = json_is_true(json_object_get(params, "persistent"))};
	if (read_index(params, "pg", &out->pg, diag) != 0 ||
	    read_index(params, "queue", &out->queue, diag) != 0 ||
	    read_pool(params, &out->pool, diag) != 0)
		return -EINVAL;
	if (port.text == NULL && (out->pg >= 0 || out->queue >= 0))
		return diag_fail(diag, EINVAL, "\"pg\" and \"queue\" need \"port\"");
	if (out->pg >= 0 && out->queue >= 0)
		return diag_fail(diag, EINVAL, "give either \"pg\" or \"queue\"");
	if (port.text != NULL && (name != NULL || out->pool >= 0))
		return diag_fail(diag, EINVAL, "\"port\" excludes \"node\" and \"pool\"");
	if (port.text != NULL) {
		if (topology_resolve_port(live->topology, &port, NULL, &ref, diag) != 0)
			return -EINVAL;
		*node = ref.node;
		out->port = ref.port;
	} else if (name != NULL) {
		*node = topology_find_node(live->topology, name);
	}
	if (*node != TOPOLOGY_NONE && live_check_here(live, *node, diag) != 0)
		return -EINVAL;
	if ((name != NULL || port.text != NULL) &&
	    (*node == TOPOLOGY_NONE || live->fabric->nodes[*node] == NULL))
		return diag_fail(diag, EINVAL, "there is no node %.80s",
				 name != NULL ? name : port.text);
	return 0;
}

int
answer_clear(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	const char *what = json_string_value(json_object_get(params, "what"));
	const uint32_t nodes = a->live->topology->node_count;
	const struct report_node *reports = a->copy->reports;
	struct watermark_choice which;
	uint32_t node, count = 0;

	if (strcmp(what, "watermarks") != 0)
		return diag_fail(diag, EINVAL,
				 "\"what\": %.40s cannot be cleared; only watermarks can", what);
	if (read_choice(a->live, params, &node, &which, diag) != 0)
		return -EINVAL;
	node_snapshot_clear(a->copy, a->live, node, &which);
	for (uint32_t i = 0; i < nodes; i++)
		count += reports[i].node != NULL && (node == TOPOLOGY_NONE || node == i);
	*result = json_pack("{s:i}", "nodes", (int)count);
	if (json_is_true(json_object_get(params, "read")))
		json_object_set_new(*result, "watermarks",
				    node == TOPOLOGY_NONE
					    ? counters_watermarks(reports, nodes, &which)
					    : counters_watermarks(&reports[node], 1, &which));
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
	struct config_event event = {
		.kind = CONFIG_EVENT_PORT_TX,
		.port.text = (char *)(uintptr_t)json_string_value(json_object_get(params, "port")),
		.tx_on = strcmp(state, "on") == 0,
	};
	struct topo_ref ref;
	json_t *queues;
	int queue;
	uint8_t off;

	if (!event.tx_on && strcmp(state, "off") != 0)
		return diag_fail(diag, EINVAL, "\"state\": want \"off\" or \"on\", not \"%.40s\"",
				 state);
	if (read_index(params, "queue", &queue, diag) != 0)
		return -EINVAL;
	if (topology_find_port(a->live->topology, event.port.text, &ref) == 0 &&
	    live_check_here(a->live, ref.node, diag) != 0)
		return -EINVAL;
	event.queue = (int8_t)queue;
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
	if (live_check_here(live, ref.node, diag) != 0)
		return -EINVAL;
	node_snapshot_take(a->copy, a->live);
	node = a->copy->reports[ref.node].node;
	storm = port_watchdog(&node->ports[ref.port], ref.queue)->storm;
	events_restore_queue(live->events, &ref);
	*result = json_pack("{s:b}", "storm", storm);
	return 0;
}
