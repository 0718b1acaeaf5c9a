// SPDX-License-Identifier: BSD-3-Clause
// Events in a live fabric come when the control thread sees that they are due: late by up to its
// poll, never early. Nodes are changed by their workers, between two turns. Tables are swapped
// under the workers' feet: the new pointer is published, every node takes it over between two
// turns, and the old snapshot is freed after a grace period, when no worker can hold it.
#include "live_events.h"

#include "devices.h"
#include "dataplane/node/adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct change {
	struct node *node; // NULL: all
	void (*run)(struct node *node, ps_t now, void *arg);
	void *arg;
};

static void
run_change(void *context, struct node *node, ps_t now)
{
	const struct change *c = context;

	if (c->node == NULL || node == c->node)
		c->run(node, now, c->arg);
}

static void
change_node(void *context, struct node *node, void (*run)(struct node *node, ps_t now, void *arg),
	    void *arg)
{
	struct live_fabric *live = context;
	struct change change = {.node = node, .run = run, .arg = arg};

	live_call(&live->drive, run_change, &change);
}

static ps_t
fabric_clock(void *context)
{
	const struct live_fabric *live = context;

	return live_clock(&live->drive);
}

static void
change_nodes(void *context, void (*run)(struct node *node, ps_t now, void *arg), void *arg)
{
	struct live_fabric *live = context;
	struct change change = {.run = run, .arg = arg};

	live_call(&live->drive, run_change, &change);
}

static void
log_change(void *context, ps_t now, const char *words)
{
	struct live_fabric *live = context;

	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_changed(live->log, now, words);
}

// What a host's interface has not taken over, somebody must see to.
static void
readdress(void *context, uint32_t host, const struct tenant_port *had)
{
	struct live_fabric *live = context;
	char err[256], *text = NULL;

	if (devices_readdress(live, host, had, err, sizeof(err)) == 0 ||
	    asprintf(&text, "%s keeps its old address: %s",
		     topology_host(live->topology, host)->name, err) < 0)
		return;
	fabric_log_changed(live->log, live_clock(&live->drive), text);
	free(text);
}

static void
adopt(void *context, struct node *node, ps_t now)
{
	(void)context;
	node_take_tables(node, now);
}

static void
retire_tables(void *context, struct tables **old, uint32_t count)
{
	struct live_fabric *live = context;

	live_call(&live->drive, adopt, NULL);
	live_synchronize(&live->drive);
	for (uint32_t i = 0; i < count; i++)
		tables_destroy(old[i]);
}

void
live_events_publish_tables(struct live_fabric *live, struct tables **old, uint32_t count)
{
	node_publish(&live->fabric->generation);
	retire_tables(live, old, count);
}

// `roost show` takes the place of snapshots in a live fabric.
static void
pass_snapshot(void *context, ps_t now)
{
	(void)context;
	(void)now;
}

int
live_events_create(struct live_fabric *live, struct diag *diag)
{
	struct fabric_hooks hooks = {.snapshot = pass_snapshot,
				     .retire = retire_tables,
				     .at_node = change_node,
				     .at_nodes = change_nodes,
				     .clock = fabric_clock,
				     .many_workers = live->worker_count > 1,
				     .tell = log_change,
				     .readdress = readdress,
				     .context = live};

	return events_create(&live->events, live->fabric, &hooks, diag);
}

const char *
live_message_text(const struct diag_message *m)
{
	return m->pos.line == 0 ? m->words : m->text;
}

// "lab.yaml:41:5: set switch.qos.tc.3.ecn.max to 100KB: why not".
static void
log_reason(struct live_fabric *live, ps_t now, const char *why)
{
	const struct config_event *event = events_last(live->events);
	char *text = NULL;
	int length;

	if (event == NULL)
		length = -1;
	else if (config_event_edits(event))
		length = asprintf(&text, "%s:%u:%u: %s %s%s%s: %s", live->config->file,
				  event->pos.line, event->pos.column,
				  event->kind == CONFIG_EVENT_SET ? "set" : "unset",
				  event->key.text, event->kind == CONFIG_EVENT_SET ? " to " : "",
				  event->kind == CONFIG_EVENT_SET ? event->to.text : "", why);
	else
		length = asprintf(&text, "%s:%u:%u: %s", live->config->file, event->pos.line,
				  event->pos.column, why);
	fabric_log_refused(live->log, now, length >= 0 ? text : why);
	if (length >= 0)
		free(text);
}

static void
log_refusal(struct live_fabric *live, ps_t now, const struct diag *diag)
{
	fabric_log_poll(live->log, live->fabric); // what came before
	for (unsigned i = 0; i < diag->count; i++)
		if (!diag->messages[i].warning)
			log_reason(live, now, diag->messages[i].words);
	if (diag->errors == 0)
		log_reason(live, now, strerror(ENOMEM));
}

void
live_events_apply(struct live_fabric *live)
{
	ps_t now = live_clock(&live->drive);

	while (events_next(live->events) <= now) {
		struct diag diag = {0};

		if (events_apply(live->events, now, &diag) != 0)
			log_refusal(live, now, &diag);
		diag_free(&diag);
	}
}

int
live_events_next_ms(const struct live_fabric *live, int most)
{
	ps_t now = live_clock(&live->drive), next = events_next(live->events);
	ps_t wait;

	if (next == PS_NEVER)
		return most;
	wait = next > now ? (next - now) / PS_PER_US * live->config->fabric.dilation / 1000 : 0;
	return wait < (ps_t)most ? (int)wait : most;
}
