// SPDX-License-Identifier: BSD-3-Clause
// Each event of the file becomes a step; an event with `for:` becomes two, the second undoing the first.
// Steps are sorted by time and then by their place in the file, the undoing ones behind their own event.
#include "events.h"

#include "dataplane/queueing/pause.h"

#include <errno.h>
#include <stdlib.h>

struct step {
	ps_t at;
	uint32_t order;
	bool undo;
	const struct config_event *event;
};

struct events {
	struct fabric *fabric;
	struct events_hooks hooks;
	struct step *steps;
	uint32_t count;
	uint32_t done;
};

static int
step_compare(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

// Loss and dropping are faults of a wire; what changes a link's nature is not to be had yet.
static int
check_link(const struct topology *t, const struct config_event *event, struct config_diag *diag)
{
	static const struct {
		enum config_link_change change;
		const char *key;
	} unavailable[] = {
		{CONFIG_LINK_RATE, "events.rate"},
		{CONFIG_LINK_DELAY, "events.delay"},
		{CONFIG_LINK_CORRUPT, "events.corrupt"},
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(unavailable) / sizeof(unavailable[0]); i++) {
		if (!(event->changes & unavailable[i].change))
			continue;
		config_error(diag, t->config->file, event->pos, unavailable[i].key,
			     "known, but not available in this version");
		rc = -EINVAL;
	}
	return rc;
}

static int
check_event(const struct topology *t, const struct config_event *event, struct config_diag *diag)
{
	struct topo_ref ref;
	uint32_t link;

	switch (event->kind) {
	case CONFIG_EVENT_LINK:
		return topology_resolve_link(t, &event->link, "events", &link, diag) != 0 ? -EINVAL
											 : check_link(t, event, diag);
	case CONFIG_EVENT_PORT_TX:
	case CONFIG_EVENT_PORT_PFC:
		return topology_resolve_port(t, &event->port, "events", &ref, diag);
	default:
		return 0;
	}
}

int
events_create(struct events **out, struct fabric *f, const struct events_hooks *hooks, struct config_diag *diag)
{
	const struct config *config = f->config;
	struct events *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return -ENOMEM;
	e->fabric = f;
	e->hooks = *hooks;
	e->steps = calloc(2 * (size_t)config->event_count + 1, sizeof(*e->steps));
	if (e->steps == NULL) {
		events_destroy(e);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < config->event_count; i++) {
		const struct config_event *event = &config->events[i];

		if (check_event(f->topology, event, diag) != 0) {
			events_destroy(e);
			return -EINVAL;
		}
		e->steps[e->count] = (struct step){.at = event->at_ps, .order = e->count, .event = event};
		e->count++;
		if (event->for_ps == 0)
			continue;
		e->steps[e->count] = (struct step){
			.at = event->at_ps + event->for_ps, .order = e->count, .undo = true, .event = event};
		e->count++;
	}
	qsort(e->steps, e->count, sizeof(*e->steps), step_compare);
	*out = e;
	return 0;
}

void
events_destroy(struct events *e)
{
	if (e == NULL)
		return;
	free(e->steps);
	free(e);
}

ps_t
events_next(const struct events *e)
{
	return e->done == e->count ? PS_NEVER : e->steps[e->done].at;
}

// What an event changes at one port of a node.
struct port_change {
	const struct config_event *event;
	uint16_t port;
	bool undo;
};

static void
change_tx(struct node *n, ps_t now, void *arg)
{
	const struct port_change *c = arg;
	struct port *p = &n->ports[c->port];
	uint8_t bits = c->event->queue < 0 ? 0xff : (uint8_t)(1u << c->event->queue);

	node_set_tx_off(n, p, c->event->tx_on ? p->tx_off & (uint8_t)~bits : p->tx_off | bits, now);
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

static void
apply_port(struct events *e, const struct config_event *event, void (*run)(struct node *n, ps_t now, void *arg))
{
	struct fabric *f = e->fabric;
	struct port_change change = {.event = event};
	struct topo_ref ref;

	// events_create() has seen that it is there; an attached host is no node.
	if (topology_find_port(f->topology, event->port.text, &ref) != 0 || f->nodes[ref.node] == NULL)
		return;
	change.port = ref.port;
	e->hooks.at_node(e->hooks.context, f->nodes[ref.node], run, &change);
}

static int
rebuild(struct events *e, uint32_t node, struct config_diag *diag)
{
	struct tables *old = NULL;
	int rc = fabric_rebuild_tables(e->fabric, node, &old, diag);

	if (rc == 0 && old != NULL)
		e->hooks.retire(e->hooks.context, old);
	return rc;
}

// One end of a link: the faults of the wire that begins there, and whether the port is up.
static void
change_link(struct node *n, ps_t now, void *arg)
{
	const struct port_change *c = arg;
	const struct config_event *event = c->event;
	struct port *p = &n->ports[c->port];
	struct wire *w = p->out;
	bool up = c->undo ? !event->up : event->up;

	if (w == NULL)
		return;
	if (event->changes & CONFIG_LINK_LOSS)
		w->loss = c->undo ? 0 : (uint32_t)(((uint64_t)event->loss_ppm << 32) / CONFIG_PPM -
						   (event->loss_ppm == CONFIG_PPM));
	if (event->changes & CONFIG_LINK_DROP)
		w->drop_ip_id_low = c->undo ? -1 : event->ip_id_low_byte;
	if (event->changes & CONFIG_LINK_STATE)
		w->down = !up;
	w->faulty = w->down || w->loss != 0 || w->drop_ip_id_low >= 0;
	if (event->changes & CONFIG_LINK_STATE)
		node_set_link(n, p, up, now);
}

// A link that goes down or comes up takes its routes along at once (convergence 0).
static int
reroute(struct events *e, uint32_t link, bool up, struct config_diag *diag)
{
	struct fabric *f = e->fabric;
	struct routes *routes;
	int rc;

	f->link_down[link] = !up;
	rc = routes_create(&routes, f->topology, f->link_down, diag);
	if (rc != 0)
		return rc;
	routes_destroy(f->routes);
	f->routes = routes;
	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		rc = rebuild(e, i, diag);
	return rc;
}

static int
apply_link(struct events *e, const struct step *s, struct config_diag *diag)
{
	struct fabric *f = e->fabric;
	const struct topo_link *l;
	uint32_t link;

	if (topology_find_link(f->topology, s->event->link.text, &link) != 0)
		return -EINVAL;
	l = &f->topology->links[link];
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *end = i == 0 ? &l->a : &l->b;
		struct port_change change = {.event = s->event, .port = end->port, .undo = s->undo};

		if (f->nodes[end->node] != NULL)
			e->hooks.at_node(e->hooks.context, f->nodes[end->node], change_link, &change);
	}
	if (!(s->event->changes & CONFIG_LINK_STATE))
		return 0;
	return reroute(e, link, s->undo ? !s->event->up : s->event->up, diag);
}

// Packets under way have been charged in cells and timed by the latency: these stay as they are.
static int
check_unchanged(const struct fabric *f, const struct config_event *event, uint32_t node,
		struct config_diag *diag)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct switch_config *before = &f->switches[node];
	struct switch_config after;
	int rc = config_switch(f->config, place->name, place->role, &after);

	if (rc != 0 || (after.cell_bytes == before->cell_bytes && after.latency_ps == before->latency_ps))
		return rc;
	config_error(diag, f->config->file, event->key.pos, event->key.text, "cannot change while %s runs",
		     place->name);
	return -EINVAL;
}

static int
apply_set(struct events *e, const struct config_event *event, struct config_diag *diag)
{
	struct fabric *f = e->fabric;
	int rc = config_set(f->config, event->key.text, event->to.text, diag);

	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		rc = check_unchanged(f, event, i, diag);
	// Hosts too: they follow their leaf's maps. They stand behind the switches.
	for (uint32_t i = 0; rc == 0 && i < f->topology->node_count; i++)
		rc = rebuild(e, i, diag);
	return rc;
}

static int
apply_step(struct events *e, const struct step *s, ps_t now, struct config_diag *diag)
{
	struct fabric *f = e->fabric;
	uint32_t node;
	int rc;

	switch (s->event->kind) {
	case CONFIG_EVENT_LINK:
		return apply_link(e, s, diag);
	case CONFIG_EVENT_ROUTE:
		rc = routes_apply_event(f->routes, f->topology, s->event, &node, diag);
		return rc != 0 ? rc : rebuild(e, node, diag);
	case CONFIG_EVENT_SET:
		return apply_set(e, s->event, diag);
	case CONFIG_EVENT_SNAPSHOT:
		return e->hooks.snapshot(e->hooks.context, now);
	case CONFIG_EVENT_PORT_TX:
		apply_port(e, s->event, change_tx);
		return 0;
	case CONFIG_EVENT_PORT_PFC:
		apply_port(e, s->event, change_pfc);
		return 0;
	}
	return -EINVAL;
}

int
events_apply(struct events *e, ps_t now, struct config_diag *diag)
{
	int rc = 0;

	while (rc == 0 && e->done != e->count && e->steps[e->done].at <= now)
		rc = apply_step(e, &e->steps[e->done++], now, diag);
	return rc;
}
