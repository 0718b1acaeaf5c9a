// SPDX-License-Identifier: BSD-3-Clause
// The file's events: resolved and checked before anything runs, then applied one by one.
#include "events_internal.h"

#include "control/base/memory.h"
#include "control/advice/advice.h"
#include "dataplane/queueing/pause.h"
#include "dataplane/queueing/watchdog.h"
#include "dataplane/queueing/watermarks.h"
#include "control/fabric/in_flight_routes.h"
#include "control/tenants/change.h"
#include "dataplane/node/ports.h"

#include <errno.h>
#include <stdlib.h>

static int
check_event(struct events *e, const struct config_event *event, struct diag *diag)
{
	const struct topology *t = e->fabric->topology;
	struct topo_ref ref;

	switch (event->kind) {
	case CONFIG_EVENT_LINK:
		events_note_delay(e, event);
		return events_check_link(e, event, diag);
	case CONFIG_EVENT_PORT_TX:
	case CONFIG_EVENT_PORT_PFC:
		return topology_resolve_port(t, &event->port, "events", &ref, diag);
	case CONFIG_EVENT_RESTORE:
		return topology_resolve_queue(t, &event->restore, "events.restore", &ref, diag);
	default:
		return 0;
	}
}

// Each `set` event must be valid when it is due, after all events before it.
static int
check_sets(const struct events *e, struct diag *diag)
{
	const struct config_event **sets = memory_array(e->count, sizeof(*sets), "events");
	const struct change_env env = events_env(e, 0);
	uint32_t count = 0;
	int rc = 0;

	for (uint32_t i = 0; i < e->count; i++)
		if (config_event_edits(e->steps[i].event))
			sets[count++] = e->steps[i].event;
	if (count != 0)
		rc = change_check(&env, sets, count, diag);
	free(sets);
	return rc;
}

// A restored fabric may have been changed since its events were written. Events that are no longer
// valid are refused when they are due.
static int
check_restored_sets(const struct events *e, struct diag *diag)
{
	struct diag own = {0};
	int rc = check_sets(e, &own);

	diag_soften(&own, NULL, diag);
	diag_free(&own);
	return rc == -EINVAL ? 0 : rc;
}

int
events_create(struct events **out, struct fabric *f, const struct fabric_hooks *hooks,
	      struct diag *diag)
{
	const struct config *config = f->config;
	struct events *e = memory_new(sizeof(*e), "events");
	int rc = 0;

	e->fabric = f;
	e->hooks = *hooks;
	e->converge_at = PS_NEVER;
	e->steps = config_list_steps(config, &e->count);
	for (unsigned i = 0; i < config->event_count; i++)
		if (check_event(e, &config->events[i], diag) != 0)
			rc = -EINVAL;
	if (rc == 0)
		rc = config->restored ? check_restored_sets(e, diag) : check_sets(e, diag);
	if (rc != 0)
		events_destroy(e);
	else
		*out = e;
	return rc;
}

void
events_destroy(struct events *e)
{
	if (e == NULL)
		return;
	converge_drop(e);
	free(e->steps);
	free(e);
}

static ps_t
next_step(const struct events *e)
{
	return e->done == e->count ? PS_NEVER : e->steps[e->done].at_ps;
}

ps_t
events_due(const struct events *e)
{
	ps_t next = time_min(next_step(e), converge_next(e));

	return drains_open(e->fabric) ? time_min(next, drains_next(e->fabric)) : next;
}

ps_t
events_next(const struct events *e)
{
	return time_min(time_min(next_step(e), converge_next(e)), drains_next(e->fabric));
}

struct change_env
events_env(const struct events *e, ps_t now)
{
	return (struct change_env){
		.fabric = e->fabric,
		.hooks = &e->hooks,
		.steps = e->steps,
		.done = e->done,
		.now = now,
	};
}

static void
change_tx(struct node *n, ps_t now, void *arg)
{
	struct port_change *c = arg;
	struct port *p = &n->ports[c->port];
	uint8_t bits = c->event->queue < 0 ? 0xff : (uint8_t)(1u << c->event->queue);

	c->tx_off = c->event->tx_on ? p->tx_off & (uint8_t)~bits : p->tx_off | bits;
	node_set_tx_off(n, p, c->tx_off, now);
}

static void
change_pfc(struct node *n, ps_t now, void *arg)
{
	const struct port_change *c = arg;
	uint16_t quanta[PRIORITIES];

	for (unsigned i = 0; i < PRIORITIES; i++)
		quanta[i] = c->event->quanta;
	pause_receive(n, &n->ports[c->port], c->event->priorities, quanta, now);
}

// Returns what run() has left in the change.
static struct port_change
apply_port(struct events *e, const struct config_event *event,
	   void (*run)(struct node *n, ps_t now, void *arg))
{
	struct fabric *f = e->fabric;
	struct port_change change = {.event = event};
	struct topo_ref ref;

	// The caller has checked that it exists; an attached host is not a node.
	if (topology_find_port(f->topology, event->port.text, &ref) != 0 ||
	    f->nodes[ref.node] == NULL)
		return change;
	change.port = ref.port;
	e->hooks.at_node(e->hooks.context, f->nodes[ref.node], run, &change);
	return change;
}

int
events_change_transmit(struct events *e, const struct config_event *event, uint8_t *off,
		       struct diag *diag)
{
	struct topo_ref ref;

	if (topology_resolve_port(e->fabric->topology, &event->port, NULL, &ref, diag) != 0)
		return -EINVAL;
	if (e->fabric->nodes[ref.node] == NULL)
		return diag_fail(diag, EINVAL,
				 "%s: the host is attached, and Linux transmits there; give the "
				 "switch's port",
				 event->port.text);
	*off = apply_port(e, event, change_tx).tx_off;
	return 0;
}

static void
change_watermarks(struct node *n, ps_t now, void *arg)
{
	(void)now;
	watermarks_clear(n, arg);
}

static int
apply_clear(struct events *e, const struct config_event *event, struct diag *diag)
{
	const struct fabric *f = e->fabric;
	struct topo_ref ref = {.node = TOPOLOGY_NONE};
	struct watermark_choice which = {
		.persistent = event->persistent,
		.port = -1,
		.pg = event->pg,
		.queue = event->queue,
		.pool = event->pool,
	};

	if (event->node.text != NULL &&
	    topology_resolve_node(f->topology, &event->node, "events.node", &ref.node, diag) != 0)
		return -EINVAL;
	if (event->port.text != NULL) {
		if (topology_resolve_port(f->topology, &event->port, "events.port", &ref, diag) !=
		    0)
			return -EINVAL;
		which.port = ref.port;
	}
	for (uint32_t i = 0; i < f->topology->node_count; i++)
		if (f->nodes[i] != NULL && (ref.node == TOPOLOGY_NONE || ref.node == i))
			e->hooks.at_node(e->hooks.context, f->nodes[i], change_watermarks, &which);
	return 0;
}

static void
change_storm(struct node *n, ps_t now, void *arg)
{
	const struct topo_ref *queue = arg;

	watchdog_restore(n, &n->ports[queue->port], queue->queue, now);
}

void
events_restore_queue(struct events *e, const struct topo_ref *queue)
{
	struct node *node = e->fabric->nodes[queue->node];

	if (node != NULL)
		e->hooks.at_node(e->hooks.context, node, change_storm, (void *)(uintptr_t)queue);
}

static int
apply_restore(struct events *e, const struct config_event *event, struct diag *diag)
{
	struct topo_ref queue;

	if (topology_resolve_queue(e->fabric->topology, &event->restore, "events.restore", &queue,
				   diag) != 0)
		return -EINVAL;
	events_restore_queue(e, &queue);
	return 0;
}

int
events_rebuild(struct events *e, uint32_t node, struct diag *diag)
{
	struct tables *old = NULL;
	int rc = fabric_rebuild_tables(e->fabric, node, &old, diag);

	if (rc == 0 && old != NULL)
		e->hooks.retire(e->hooks.context, &old, 1);
	return rc;
}

int
events_edit(struct events *e, const struct config_edit *edits, unsigned count,
	    int (*commit)(void *context), void *context, struct diag *diag)
{
	struct diag before = {0};
	const struct change_env env = events_env(e, e->hooks.clock(e->hooks.context));
	const struct change_commit asked = {commit, context};
	// Advice concerns only settings of switches.
	bool advised = change_of_switches(edits, count);
	const struct drain *drains = e->fabric->drains;
	int rc;

	if (advised)
		advice_give(e->fabric, &before);
	rc = change_edit(&env, edits, count, commit != NULL ? &asked : NULL, diag);

	e->edited = e->fabric->drains != drains ? e->fabric->drains : NULL;
	if (rc == 0 && advised)
		advice_give_new(e->fabric, &before, diag);
	diag_free(&before);
	return rc;
}

int
events_try(struct events *e, const struct config_edit *edits, unsigned count, bool addresses,
	   struct diag *diag)
{
	const struct change_env env = events_env(e, e->hooks.clock(e->hooks.context));

	return change_try(&env, edits, count, addresses, diag);
}

int
events_change_addresses(struct events *e, struct diag *diag)
{
	const struct change_env env = events_env(e, e->hooks.clock(e->hooks.context));

	e->edited = NULL;
	return change_addresses(&env, diag);
}

bool
events_name_change(struct events *e, const char *what)
{
	struct drain *d = e->edited;

	if (d == NULL || d->command != NULL)
		return false;
	d->command = memory_text(what);
	return true;
}

bool
events_draining(const struct events *e)
{
	return drains_open(e->fabric);
}

static int
apply_step(struct events *e, const struct config_step *s, ps_t now, struct diag *diag)
{
	const struct change_env env = events_env(e, now);
	struct fabric *f = e->fabric;
	uint32_t node;
	int rc;

	switch (s->event->kind) {
	case CONFIG_EVENT_LINK:
		return events_apply_link(e, s, diag);
	case CONFIG_EVENT_ROUTE:
		rc = routes_apply_event(f->routes, f->topology, s->event, &node, diag);
		return rc != 0 ? rc : events_rebuild(e, node, diag);
	case CONFIG_EVENT_SET:
	case CONFIG_EVENT_UNSET:
		return change_apply(&env, s->event, diag);
	case CONFIG_EVENT_SNAPSHOT:
		e->hooks.snapshot(e->hooks.context, now);
		return 0;
	case CONFIG_EVENT_PORT_TX:
		apply_port(e, s->event, change_tx);
		return 0;
	case CONFIG_EVENT_PORT_PFC:
		apply_port(e, s->event, change_pfc);
		return 0;
	case CONFIG_EVENT_CLEAR:
		return apply_clear(e, s->event, diag);
	case CONFIG_EVENT_RESTORE:
		return apply_restore(e, s->event, diag);
	}
	return -EINVAL;
}

int
events_apply(struct events *e, ps_t now, struct diag *diag)
{
	int rc = 0;

	e->now = now;
	e->edited = NULL;
	// Consequences of earlier events come before the events of an instant.
	while (rc == 0 && events_next(e) <= now) {
		const struct change_env env = events_env(e, now);

		e->following = drains_next(e->fabric) <= now;
		if (e->following)
			rc = drains_poll(&env, diag);
		else if (converge_next(e) <= next_step(e))
			rc = converge_apply(e, diag);
		else
			rc = apply_step(e, &e->steps[e->done++], now, diag);
	}
	return rc;
}

const struct config_event *
events_last(const struct events *e)
{
	return e->done != 0 && !e->following ? e->steps[e->done - 1].event : NULL;
}
