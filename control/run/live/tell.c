// SPDX-License-Identifier: BSD-3-Clause
// Links and what the fabric's log has are told as the control thread learns of them. Pauses and
// drops are counters: every so often the nodes' are compared with what they were, so that of many
// drops at one port for one reason one event comes, with their number, and of a pause how much of
// the time since the last look it took. Nothing that happened between two looks is missed, because
// counters count it. What was before the first subscriber came is not told.
#include "tell.h"

#include "control/api/api.h"
#include "control/base/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TELL_INTERVAL_MS 200

// What was counted at a port when last looked at.
struct tell_port {
	ps_t rx_paused[PRIORITIES]; // total
	ps_t tx_paused[PRIORITIES];
	uint64_t drops[DROP_COUNT];
};

struct tell {
	struct lab *lab;
	struct copy *copy;
	struct api_server *server;
	struct tell_port **ports; // by node of the topology; NULL where there is none
	bool *link_down;          // by link
	uint64_t log_seen;
	ps_t counted_at;    // fabric time of `ports`
	int64_t counted_ms; // wall time
	bool links_primed;  // someone has been told since before the last change
	bool counters_primed;
};

const char *const tell_kinds[TELL_KINDS] = {"link", "pause", "watchdog", "drops", "apply"};

int
tell_create(struct tell **out, struct lab *lab, struct copy *copy, struct api_server *server)
{
	const struct topology *topology = lab->topology;
	struct tell *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return -ENOMEM;
	*t = (struct tell){.lab = lab, .copy = copy, .server = server};
	t->ports = calloc(topology->node_count, sizeof(*t->ports));
	t->link_down = calloc(topology->link_count + 1u, sizeof(*t->link_down));
	*out = t;
	if (t->ports == NULL || t->link_down == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < topology->node_count; i++) {
		if (lab->fabric->nodes[i] == NULL)
			continue;
		t->ports[i] = calloc(topology->nodes[i].port_count, sizeof(**t->ports));
		if (t->ports[i] == NULL)
			return -ENOMEM;
	}
	return 0;
}

void
tell_destroy(struct tell *t)
{
	if (t == NULL)
		return;
	for (uint32_t i = 0; t->ports != NULL && i < t->lab->topology->node_count; i++)
		free(t->ports[i]);
	free(t->ports);
	free(t->link_down);
	free(t);
}

// `event`: taken over. What there is no memory for is not told.
static void
tell(struct tell *t, enum tell_kind kind, uint64_t size, json_t *event)
{
	if (event != NULL)
		(void)api_server_tell(t->server, kind, size, event);
	json_decref(event);
}

static void
tell_links(struct tell *t, bool silent)
{
	const struct topology *topology = t->lab->topology;
	json_int_t at = (json_int_t)(live_clock(&t->lab->drive) / PS_PER_NS);

	for (uint32_t i = 0; i < topology->link_count; i++) {
		bool down = t->lab->fabric->link_down[i];
		char name[TOPOLOGY_NAME_MAX];

		if (down != t->link_down[i] && !silent)
			tell(t, TELL_LINK, UINT64_MAX,
			     json_pack("{s:s,s:I,s:s,s:s}", "kind", "link", "at_ns", at, "link",
				       topology_link_name(topology, i, name), "state",
				       down ? "down" : "up"));
		t->link_down[i] = down;
	}
}

static void
tell_log(struct tell *t, bool silent)
{
	const json_t *entries;
	uint64_t told;
	size_t size, i;

	fabric_log_look(t->lab->log, t->lab->fabric);
	entries = fabric_log_entries(t->lab->log);
	told = fabric_log_told(t->lab->log);
	size = json_array_size(entries);
	i = told - t->log_seen < size ? size - (size_t)(told - t->log_seen) : 0;
	for (; !silent && i < size; i++) {
		json_t *event = json_copy(json_array_get(entries, i));
		const char *what = json_string_value(json_object_get(event, "what"));
		bool watchdog = what != NULL && strncmp(what, "watchdog", 8) == 0;

		json_object_set_new(event, "kind", json_string(watchdog ? "watchdog" : "apply"));
		tell(t, watchdog ? TELL_WATCHDOG : TELL_APPLY, UINT64_MAX, event);
	}
	t->log_seen = told;
}

// Where and when a counter has moved.
struct place {
	struct tell *t;
	const char *node, *port;
	ps_t now;
};

static void
tell_pause(const struct place *p, unsigned int priority, const char *direction, ps_t *before,
	   ps_t total, bool silent)
{
	ps_t paused = total - *before;

	*before = total;
	if (paused == 0 || silent)
		return;
	tell(p->t, TELL_PAUSE, paused / PS_PER_NS,
	     json_pack("{s:s,s:I,s:s,s:s,s:i,s:s,s:I,s:I}", "kind", "pause", "at_ns",
		       (json_int_t)(p->now / PS_PER_NS), "node", p->node, "port", p->port,
		       "priority", (int)priority, "direction", direction, "paused_ns",
		       (json_int_t)(paused / PS_PER_NS), "of_ns",
		       (json_int_t)((p->now - p->t->counted_at) / PS_PER_NS)));
}

static void
tell_drops(const struct place *p, enum drop_reason reason, uint64_t *before, uint64_t total,
	   bool silent)
{
	uint64_t packets = total - *before;

	*before = total;
	if (packets == 0 || silent)
		return;
	tell(p->t, TELL_DROPS, UINT64_MAX,
	     json_pack("{s:s,s:I,s:s,s:s,s:s,s:I,s:s}", "kind", "drops", "at_ns",
		       (json_int_t)(p->now / PS_PER_NS), "node", p->node, "port", p->port, "reason",
		       drop_name(reason), "packets", (json_int_t)packets, "advice",
		       drop_advice(reason)));
}

static void
tell_port(const struct place *p, const struct port *port, struct tell_port *before, bool silent)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		tell_pause(p, i, "rx", &before->rx_paused[i],
			   counters_rx_pause(port, i, p->now).total, silent);
		tell_pause(p, i, "tx", &before->tx_paused[i],
			   counters_tx_pause(port, i, p->now).total, silent);
	}
	for (unsigned int i = 0; i < DROP_COUNT; i++)
		tell_drops(p, i, &before->drops[i], port->drops[i], silent);
}

static void
tell_counters(struct tell *t, bool silent)
{
	const struct topology *topology = t->lab->topology;
	const struct report_node *nodes;

	copy_take(t->copy, t->lab);
	nodes = copy_nodes(t->copy);
	for (uint32_t i = 0; i < topology->node_count; i++) {
		const struct topo_node *place = &topology->nodes[i];

		for (uint16_t k = 0; t->ports[i] != NULL && k < place->port_count; k++)
			tell_port(&(struct place){t, place->name, place->ports[k].name,
						  copy_time(t->copy)},
				  &nodes[i].node->ports[k], &t->ports[i][k], silent);
	}
	t->counted_at = copy_time(t->copy);
}

void
tell_look(struct tell *t)
{
	uint32_t wanted = api_server_wanted(t->server);
	int64_t now;

	if (wanted != 0) {
		tell_links(t, !t->links_primed);
		tell_log(t, !t->links_primed);
	}
	t->links_primed = wanted != 0;
	if (!(wanted & (TELL_PAUSE | TELL_DROPS))) {
		t->counters_primed = false;
		return;
	}
	now = clock_ms();
	if (t->counters_primed && now - t->counted_ms < TELL_INTERVAL_MS)
		return;
	tell_counters(t, !t->counters_primed);
	t->counters_primed = true;
	t->counted_ms = now;
}
