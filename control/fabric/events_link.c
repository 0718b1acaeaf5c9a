// SPDX-License-Identifier: BSD-3-Clause
// Link events: the faults of both its wires, the state of both its ports, and the routes that go
// with it.
#include "events_part.h"

#include <errno.h>

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
		w->loss = c->undo ? 0
				  : (uint32_t)(((uint64_t)event->loss_ppm << 32) / CONFIG_PPM -
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
	rc = routes_apply_steps(routes, f->topology, e->steps, e->done, diag);
	if (rc != 0) {
		routes_destroy(routes);
		return rc;
	}
	routes_destroy(f->routes);
	f->routes = routes;
	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++)
		rc = events_rebuild(e, i, diag);
	return rc;
}

int
events_apply_link(struct events *e, const struct config_step *s, struct config_diag *diag)
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
			e->hooks.at_node(e->hooks.context, f->nodes[end->node], change_link,
					 &change);
	}
	if (!(s->event->changes & CONFIG_LINK_STATE))
		return 0;
	return reroute(e, link, s->undo ? !s->event->up : s->event->up, diag);
}
