// SPDX-License-Identifier: BSD-3-Clause
// The control thread applies events when it sees that they are due: late by up to its poll
// interval, never early. Nodes are changed by their workers, between two turns. Tables are swapped
// while workers run: the new pointer is published, every node takes it over between two turns, and
// the old snapshot is freed after a grace period, when no worker can hold it.
#include "live_fabric.h"

#include "control/base/memory.h"
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
	change_node(context, NULL, run, arg);
}

static void
log_change(void *context, ps_t now, const char *words)
{
	struct live_fabric *live = context;

	fabric_log_poll(live->log, live->fabric); // what came before
	fabric_log_note(live->log, now, FABRIC_LOG_TENANTS, words);
}

// If a host's interface does not take its new address over, a person must change it.
static void
readdress(void *context, uint32_t host, uint8_t port, const struct tenant_port *had)
{
	struct live_fabric *live = context;
	struct diag diag = {0};
	char *text;

	if (devices_readdress(live, host, port, had, &diag) != 0) {
		text = memory_format("%s keeps its old address: %s",
				     topology_host(live->topology, host)->name,
				     diag_first_error(&diag));
		fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_TENANTS, text);
		free(text);
	}
	diag_free(&diag);
}

static void
halt(void *context, void (*run)(void *arg), void *arg)
{
	struct live_fabric *live = context;

	live_halt(&live->drive, run, arg);
}

static void
set_window(void *context, ps_t window, ps_t lookahead)
{
	struct live_fabric *live = context;

	live_set_window(&live->drive, lookahead, live_fabric_reach(live, window, lookahead));
}

static void
write_names(void *context)
{
	host_names_write(context);
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

// A live fabric has `roost show` instead of snapshots.
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
				     .readdressed = write_names,
				     .halt = halt,
				     .set_window = set_window,
				     .context = live};

	return events_create(&live->events, live->fabric, &hooks, diag);
}

// "lab.yaml:41:5: set switch.qos.tc.3.ecn.max to 100KB: why not".
static void
log_reason(struct live_fabric *live, ps_t now, const char *why)
{
	const struct config_event *event = events_last(live->events);
	size_t size;
	char *text;
	FILE *to = memory_stream_open(&text, &size);

	if (event != NULL)
		fprintf(to, "%s:%u:%u: ", live->config->file, event->pos.line, event->pos.column);
	if (event != NULL && config_event_edits(event)) {
		bool set = event->kind == CONFIG_EVENT_SET;

		fprintf(to, "%s %s%s%s: ", set ? "set" : "unset", event->key.text,
			set ? " to " : "", set ? event->to.text : "");
	}
	fputs(why, to);
	fclose(to);
	fabric_log_note(live->log, now, FABRIC_LOG_REFUSED, text);
	free(text);
}

static void
log_refusal(struct live_fabric *live, ps_t now, const struct diag *diag)
{
	fabric_log_poll(live->log, live->fabric); // what came before
	for (unsigned i = 0; i < diag->count; i++)
		if (!diag->messages[i].warning)
			log_reason(live, now, diag->messages[i].words);
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
