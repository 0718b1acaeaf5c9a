// SPDX-License-Identifier: BSD-3-Clause
// A live fabric: links that change become those of the agents, counters are its own, and forwarding
// tables that a manager has set are programmed into it.
//
// A manager sets a table block by block, and LIDs of its own choice. So tables are programmed when
// it has changed nothing for a moment, all at once, and by the LIDs of the fabric.
#include "subnet_internal.h"

#include "control/base/base64.h"
#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define CALL_MS 10000
#define COUNTERS_MS 100     // how old counters may be
#define QUIET_MS 30         // before tables are programmed
#define QUIET_MAX_MS 1000   // even if there is no quiet
#define RETRY_MS 1000       // after a failure
#define BATCH_BYTES 400000u // of tables in a request, of which 1 MiB is allowed

struct subnet_live {
	struct agents *agents;
	const char *path;
	struct api_stream *stream;
	json_t *links;   // the port "leaf1.swp5" at one end, by the link's name
	json_t *nodes;   // of the description that was read last
	uint16_t **lids; // of the fabric, by node and port
	uint32_t lid_count;
	json_t *counters; // of one node, as they were
	uint32_t counted; // that node, or AGENT_NONE
	int64_t counted_at;
	uint64_t changes; // of the agents that have been seen
	int64_t due_at;   // when tables are programmed; 0: they all are
	int64_t due_max;  // and at the latest
	bool failing;     // and it has been said
};

static int
call(const struct subnet_live *live, const char *method, json_t *params, json_t **result,
     struct diag *diag)
{
	const struct api_call call = {live->path, method, params, CALL_MS};
	int rc = api_call(&call, result, diag);

	json_decref(params);
	return rc;
}

// Prints why a call failed; the fabric goes on, and so do we.
static void
complain(struct diag *diag)
{
	diag_print(diag, stderr);
	diag_free(diag);
	*diag = (struct diag){0};
}

// ---- hooks --------------------------------------------------------------------------------------

static const json_t *
read_node(struct subnet_live *live, uint32_t node)
{
	const char *name = live->agents->nodes[node].name;
	struct diag diag = {0};
	json_t *answer;

	if (live->counted == node && clock_ms() < live->counted_at + COUNTERS_MS)
		return live->counters;
	json_decref(live->counters);
	live->counters = NULL;
	if (call(live, "counters", json_pack("{s:s}", "node", name), &answer, &diag) == 0) {
		live->counters =
			json_incref(json_object_get(json_object_get(answer, "nodes"), name));
		json_decref(answer);
	}
	complain(&diag);
	live->counted = node;
	live->counted_at = clock_ms();
	return live->counters;
}

static uint64_t
value(const json_t *port, const char *name)
{
	const json_int_t found = json_integer_value(json_object_get(port, name));

	return found > 0 ? (uint64_t)found : 0;
}

// PortXmitWait: of all lanes, by their numbers; those that have not waited are absent.
static uint64_t
sum_of(json_t *lanes)
{
	const char *number;
	json_t *lane;
	uint64_t sum = 0;

	json_object_foreach(lanes, number, lane) sum += value(lanes, number);
	return sum;
}

static int
read_counters(void *context, uint32_t node, uint8_t number, struct agent_counters *out)
{
	struct subnet_live *live = context;
	char name[SUBNET_PORT_NAME_MAX];
	const json_t *read = read_node(live, node), *port;

	if (read == NULL)
		return -EIO;
	subnet_port_name(live->agents, (struct agent_place){node, number}, name);
	port = json_object_get(json_object_get(read, "ports"), strrchr(name, '.') + 1);
	*out = (struct agent_counters){
		.tx_bytes = value(port, "tx_bytes"),
		.rx_bytes = value(port, "rx_bytes"),
		.tx_packets = value(port, "tx_packets"),
		.rx_packets = value(port, "rx_packets"),
		.tx_multicast = value(port, "tx_multicast"),
		.rx_multicast = value(port, "rx_multicast"),
		.tx_discards = value(port, "tx_discards"),
		.rx_errors = value(json_object_get(port, "drops"), "bad-fcs"),
		.tx_wait = sum_of(json_object_get(port, "credit_wait_ns")),
	};
	out->tx_unicast = out->tx_packets - out->tx_multicast;
	out->rx_unicast = out->rx_packets - out->rx_multicast;
	return 0;
}

static void
set_link(void *context, uint32_t node, uint8_t number, bool up)
{
	struct subnet_live *live = context;
	char name[SUBNET_PORT_NAME_MAX];
	struct diag diag = {0};
	json_t *answer;

	subnet_port_name(live->agents, (struct agent_place){node, number}, name);
	if (call(live, "link", json_pack("{s:s,s:s}", "link", name, "state", up ? "up" : "down"),
		 &answer, &diag) == 0)
		json_decref(answer);
	complain(&diag);
}

// ---- what there is ------------------------------------------------------------------------------

// LIDs as the fabric has them; a manager may give others to the agents.
static void
note_lids(struct subnet_live *live)
{
	const struct agents *agents = live->agents;

	live->lids = memory_array(agents->count, sizeof(*live->lids), "LIDs");
	for (uint32_t n = 0; n < agents->count; n++) {
		const struct agent *node = &agents->nodes[n];

		live->lids[n] = memory_array(node->port_count + 1u, sizeof(*live->lids[n]), "LIDs");
		for (unsigned p = 0; p <= node->port_count; p++) {
			const uint16_t lid = agent_lid(&node->ports[p]);

			live->lids[n][p] = lid;
			if (lid >= live->lid_count)
				live->lid_count = lid + 1u;
		}
	}
}

static void
note_links(struct subnet_live *live, const json_t *description)
{
	const json_t *link;
	size_t i;

	live->links = json_object();
	json_array_foreach(json_object_get(description, "links"), i, link)
	{
		const char *name = json_string_value(json_object_get(link, "link"));

		if (name != NULL)
			json_object_set(live->links, name, json_object_get(link, "a"));
	}
}

// A live fabric takes tables only if its switches have LIDs.
static int
check_link_layer(const struct agents *agents, const char *path, struct diag *diag)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].kind == AGENT_SWITCH &&
		    agent_lid(&agents->nodes[n].ports[0]) != 0)
			return 0;
	return diag_fail(diag, EINVAL,
			 "%s: the fabric is not one of InfiniBand switches, and takes no tables: "
			 "set `fabric.link-layer: infiniband`, or serve its file",
			 path);
}

int
subnet_live_open(struct subnet_live **out, struct agents *agents, const char *path,
		 struct diag *diag)
{
	struct subnet_live *live = memory_new(sizeof(*live), "a live fabric");
	json_t *kinds = json_pack("{s:[s,s]}", "kinds", "link", "apply"), *answer;
	const struct api_call subscribe = {path, "subscribe", kinds, CALL_MS};
	int rc;

	*out = live;
	live->agents = agents;
	live->path = path;
	live->counted = AGENT_NONE;
	// First, so that no change is missed between the two.
	rc = api_stream_open(&live->stream, &subscribe, &answer, diag);
	json_decref(kinds);
	if (rc != 0)
		return rc;
	json_decref(answer);
	rc = call(live, "topology", NULL, &answer, diag);
	if (rc != 0)
		return rc;
	rc = subnet_describe(agents, answer, diag);
	if (rc == 0)
		rc = check_link_layer(agents, path, diag);
	if (rc == 0) {
		note_lids(live);
		note_links(live, answer);
		live->nodes = json_incref(json_object_get(answer, "nodes"));
		agents->hooks = (struct agent_hooks){live, read_counters, set_link};
	}
	json_decref(answer);
	return rc;
}

void
subnet_live_close(struct subnet_live *live)
{
	if (live == NULL)
		return;
	for (uint32_t n = 0; live->lids != NULL && n < live->agents->count; n++)
		free(live->lids[n]);
	free(live->lids);
	json_decref(live->links);
	json_decref(live->nodes);
	json_decref(live->counters);
	api_stream_close(live->stream);
	free(live);
}

int
subnet_live_fd(const struct subnet_live *live)
{
	return api_stream_fd(live->stream);
}

// ---- changes of links and settings --------------------------------------------------------------

static void
change_link(struct subnet_live *live, const char *link, const char *state)
{
	const char *port = json_string_value(json_object_get(live->links, link));
	struct agent_place at;

	if (port != NULL && subnet_find_port(live->agents, port, &at) == 0)
		agents_link_changed(live->agents, at, strcmp(state, "up") == 0);
}

static void
compare_links(struct subnet_live *live, const json_t *description)
{
	const json_t *link;
	size_t i;

	json_array_foreach(json_object_get(description, "links"), i, link)
	{
		const char *name = json_string_value(json_object_get(link, "link"));
		const char *state = json_string_value(json_object_get(link, "state"));

		if (name != NULL && state != NULL)
			change_link(live, name, state);
	}
}

static void
compare_lanes(struct subnet_live *live, const json_t *description)
{
	json_t *nodes = json_object_get(description, "nodes");

	subnet_describe_lanes(live->agents, live->nodes, nodes);
	json_decref(live->nodes);
	live->nodes = json_incref(nodes);
}

// Settings have changed, or events have been lost.
static void
compare(struct subnet_live *live)
{
	struct diag diag = {0};
	json_t *answer;

	if (call(live, "topology", NULL, &answer, &diag) == 0) {
		compare_links(live, answer);
		compare_lanes(live, answer);
		json_decref(answer);
	}
	complain(&diag);
}

int
subnet_live_read(struct subnet_live *live, bool *changed)
{
	static const volatile int never_stop;
	bool stale = false;
	json_t *event;
	int rc;

	*changed = false;
	while ((rc = api_stream_next(live->stream, 0, &never_stop, &event)) == 0) {
		const char *kind = json_string_value(json_object_get(event, "kind"));
		const char *link = json_string_value(json_object_get(event, "link"));
		const char *state = json_string_value(json_object_get(event, "state"));

		if (kind != NULL && strcmp(kind, "link") != 0)
			stale = true;
		else if (link != NULL && state != NULL)
			change_link(live, link, state);
		*changed = true;
		json_decref(event);
	}
	if (stale)
		compare(live);
	return rc == -ETIMEDOUT ? 0 : rc;
}

// ---- programming --------------------------------------------------------------------------------

// The port that a switch's table has for a port of a host or for a switch.
static uint8_t
entry(const struct subnet_live *live, const struct agent *node, struct agent_place owner)
{
	const uint16_t lid = agent_lid(agents_owner(live->agents, owner));

	return lid != 0 ? node->lft[lid] : AGENT_PORT_UNSET;
}

static json_t *
make_table(const struct subnet_live *live, uint32_t node, uint8_t *ports)
{
	const struct agents *agents = live->agents;
	const struct agent *agent = &agents->nodes[node];
	char *text;
	json_t *table;

	memset(ports, AGENT_PORT_UNSET, live->lid_count);
	for (uint32_t n = 0; n < agents->count; n++)
		for (unsigned p = 0; p <= agents->nodes[n].port_count; p++)
			if (live->lids[n][p] != 0)
				ports[live->lids[n][p]] =
					entry(live, agent, (struct agent_place){n, (uint8_t)p});
	text = base64_encode(ports, live->lid_count);
	table = json_pack("{s:s,s:s}", "switch", agent->name, "ports", text);
	free(text);
	return table;
}

// The fabric keeps tables that a client has sent until its last ones: so all go by one connection.
static int
send_tables(const struct subnet_live *live, struct api_stream **stream, json_t *tables, bool more,
	    struct diag *diag)
{
	json_t *params = json_pack("{s:O,s:b}", "tables", tables, "more", more), *answer = NULL;
	const struct api_call call = {live->path, "lft", params, CALL_MS};
	int rc = *stream == NULL ? api_stream_open(stream, &call, &answer, diag)
				 : api_stream_call(*stream, &call, &answer, diag);

	json_decref(answer);
	json_decref(params);
	json_array_clear(tables);
	return rc;
}

static int
send_changed(const struct subnet_live *live, struct diag *diag)
{
	const struct agents *agents = live->agents;
	const size_t batch = BATCH_BYTES / (live->lid_count * 4 / 3 + 100) + 1;
	uint8_t *ports = memory_array(live->lid_count, 1, "forwarding table entries");
	json_t *tables = json_array();
	struct api_stream *stream = NULL;
	int rc = 0;

	for (uint32_t n = 0; rc == 0 && n < agents->count; n++) {
		if (!agents->nodes[n].changed)
			continue;
		if (json_array_size(tables) == batch)
			rc = send_tables(live, &stream, tables, true, diag);
		json_array_append_new(tables, make_table(live, n, ports));
	}
	if (rc == 0)
		rc = send_tables(live, &stream, tables, false, diag);
	api_stream_close(stream);
	json_decref(tables);
	free(ports);
	return rc;
}

static void
program(struct subnet_live *live)
{
	struct diag diag = {0};
	unsigned count = 0;

	if (send_changed(live, &diag) != 0) {
		live->due_at = live->due_max = clock_ms() + RETRY_MS;
		if (!live->failing)
			complain(&diag);
		live->failing = true;
	} else {
		for (uint32_t n = 0; n < live->agents->count; n++)
			count += agents_take_changed(live->agents, n);
		printf("programmed the forwarding tables of %u %s\n", count,
		       count == 1 ? "switch" : "switches");
		fflush(stdout);
		live->due_at = 0;
		live->failing = false;
	}
	diag_free(&diag);
}

static bool
has_changes(const struct agents *agents)
{
	for (uint32_t n = 0; n < agents->count; n++)
		if (agents->nodes[n].changed)
			return true;
	return false;
}

int
subnet_live_program(struct subnet_live *live)
{
	const int64_t now = clock_ms();

	if (live->changes != live->agents->changes && has_changes(live->agents)) {
		live->changes = live->agents->changes;
		if (live->due_at == 0)
			live->due_max = now + QUIET_MAX_MS;
		live->due_at = now + QUIET_MS < live->due_max ? now + QUIET_MS : live->due_max;
	}
	if (live->due_at == 0)
		return -1;
	if (now >= live->due_at)
		program(live);
	return live->due_at != 0 && live->due_at > now ? (int)(live->due_at - now) : -1;
}
