// SPDX-License-Identifier: BSD-3-Clause
// The method "link": a link of a running fabric fails, comes back, or changes as a link event of
// the file would have it. A switch's port to which the file connects nothing goes down or comes up.
// Neither is a change of the configuration.
#include "answer.h"

#include "collect.h"
#include "control/base/arena.h"
#include "control/base/memory.h"
#include "control/config/yaml_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The keys of a link event that a user may give.
static const char *const keys[] = {"state",           "rate",          "delay", "loss", "corrupt",
				   "corrupt-payload", "bit-error-rate"};

#define KEY_COUNT (sizeof(keys) / sizeof(keys[0]))

// A link's own name, or that of a port at one of its ends. *out: TOPOLOGY_NONE if the port has no
// link.
static int
find_link(const struct topology *t, const char *text, uint32_t *out, struct topo_ref *port,
	  struct diag *diag)
{
	const struct config_name name = {.text = (char *)(uintptr_t)text};

	if (topology_find_link(t, text, out) == 0)
		return 0;
	if (strchr(text, '-') != NULL && topology_find_port(t, text, port) != 0)
		return topology_resolve_link(t, &name, NULL, out, diag);
	if (topology_resolve_port(t, &name, NULL, port, diag) != 0)
		return -EINVAL;
	*out = t->nodes[port->node].ports[port->port].link;
	return 0;
}

// The parameters as the keys of an event.
static struct yaml_node *
make_event(struct arena *arena, const char *link, const json_t *params)
{
	struct yaml_node *map = arena_alloc(arena, sizeof(*map));

	*map = (struct yaml_node){.kind = YAML_MAP};
	for (size_t i = 0; i <= KEY_COUNT; i++) {
		const char *key = i == KEY_COUNT ? "link" : keys[i];
		const char *text = i == KEY_COUNT ? link
						  : json_string_value(json_object_get(params, key));
		struct yaml_node *value = arena_alloc(arena, sizeof(*value));

		if (text == NULL)
			continue;
		*value = (struct yaml_node){.kind = YAML_SCALAR,
					    .text = arena_text(arena, text, strlen(text))};
		yaml_tree_add_pair(
			arena, map,
			(struct yaml_pair){arena_text(arena, key, strlen(key)), .value = value});
	}
	return map;
}

// "leaf1-spine1: rate 200G, loss 0.1%"
static char *
describe(const char *link, const json_t *params)
{
	const char *before = "";
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	fprintf(to, "%s: ", link);
	if (json_is_true(json_object_get(params, "clear")))
		fputs("clear", to);
	for (size_t i = 0; i < KEY_COUNT; i++) {
		const char *value = json_string_value(json_object_get(params, keys[i]));

		if (value == NULL)
			continue;
		fprintf(to, "%s%s%s%s", before, i == 0 ? "" : keys[i], i == 0 ? "" : " ", value);
		before = ", ";
	}
	fclose(to);
	return text;
}

static unsigned
count_keys(const json_t *params)
{
	unsigned count = 0;

	for (size_t i = 0; i < KEY_COUNT; i++)
		count += json_object_get(params, keys[i]) != NULL;
	return count;
}

static int
change(struct live_fabric *live, uint32_t link, const json_t *params, struct diag *diag)
{
	char name[TOPOLOGY_NAME_MAX];
	struct config_event event;
	struct arena arena = {0};
	int rc;

	topology_link_name(live->topology, link, name);
	rc = config_read_link_event(&event, &arena, make_event(&arena, name, params), diag);
	if (rc == 0)
		rc = events_change_link(live->events, &event, diag);
	arena_free(&arena);
	return rc;
}

// A port behind which the file has nothing can only go down and come up.
static int
change_port(struct live_fabric *live, const struct topo_ref *port, const json_t *params,
	    struct diag *diag)
{
	const struct topo_node *node = &live->topology->nodes[port->node];
	const char *state = json_string_value(json_object_get(params, "state"));
	bool up = state == NULL || strcmp(state, "up") == 0;

	if (live_check_here(live, port->node, diag) != 0)
		return -EINVAL;
	if (count_keys(params) != (state != NULL))
		return diag_fail(diag, EINVAL,
				 "%s: the file connects nothing to this port, so it can only go "
				 "down or up",
				 node->ports[port->port].name);
	if (!up && strcmp(state, "down") != 0)
		return diag_fail(diag, EINVAL, "\"state\": want \"down\" or \"up\", not \"%.40s\"",
				 state);
	events_set_port(live->events, port, up);
	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_port(live->log, live_clock(&live->drive), node, port->port,
			up ? FABRIC_LOG_LINK_UP : FABRIC_LOG_LINK_DOWN,
			up ? "up: by roost link" : "down: by roost link");
	return 0;
}

int
answer_link(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct live_fabric *live = a->live;
	bool clear = json_is_true(json_object_get(params, "clear"));
	char name[TOPOLOGY_NAME_MAX], *text;
	struct topo_ref port;
	uint32_t link;
	int rc = find_link(live->topology, json_string_value(json_object_get(params, "link")),
			   &link, &port, diag);

	if (rc == 0 && clear == (count_keys(params) != 0))
		rc = diag_fail(diag, EINVAL,
			       "give at least one of state, rate, delay, loss, corrupt, "
			       "corrupt-payload and bit-error-rate, or \"clear\" alone");
	if (rc == 0 && link == TOPOLOGY_NONE) {
		rc = change_port(live, &port, params, diag);
		if (rc == 0)
			*result = collect_port_link(live, port.node, port.port);
		return rc;
	}
	if (rc == 0)
		rc = clear ? events_clear_link(live->events, link, diag)
			   : change(live, link, params, diag);
	if (rc != 0)
		return rc;
	text = describe(topology_link_name(live->topology, link, name), params);
	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_LINK, text);
	free(text);
	*result = collect_link(live, link);
	return 0;
}
