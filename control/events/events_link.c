// SPDX-License-Identifier: BSD-3-Clause
// Link events: the faults of a link's wires, the state of its ports, its rate and delay, and the
// routes that depend on it. A link is degraded if an event has made it slower than in the file, or
// makes it lose or corrupt packets; switches that have a choice prefer other links.
//
// Several events may be in force on one link. Each changes what it names, and its undo restores
// that to the value of the file.
#include "events_internal.h"

#include "control/fabric/fabric.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#include <errno.h>

static void
set_faults(struct wire *w, const struct port_change *c)
{
	const struct config_event *event = c->event;
	uint32_t changes = event->changes;

	if (changes & CONFIG_LINK_LOSS)
		w->loss = fabric_wire_loss(c->undo ? c->built_loss_ppm : event->loss_ppm);
	if (changes & CONFIG_LINK_CORRUPT)
		w->corrupt = fabric_wire_loss(c->undo ? 0 : event->corrupt_ppm);
	if (changes & CONFIG_LINK_CORRUPT_PAYLOAD)
		w->corrupt_payload = fabric_wire_loss(c->undo ? 0 : event->corrupt_payload_ppm);
	if (changes & CONFIG_LINK_DROP)
		w->drop_ip_id_low = c->undo ? -1 : event->ip_id_low_byte;
	if (changes & CONFIG_LINK_DELAY)
		w->delay = c->delay;
}

// Changes one end of a link: the wire that begins there, and whether the port is up.
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
	set_faults(w, c);
	if (event->changes & CONFIG_LINK_STATE)
		w->down = !up || p->no_carrier;
	wire_update_faulty(w);
	if (event->changes & CONFIG_LINK_CORRUPT)
		p->rx_faults |= PORT_RX_CORRUPT;
	if (event->changes & CONFIG_LINK_STATE)
		node_set_link(n, p, up, now);
	paths_set_degraded(n, p,
			   c->slowed || w->loss > fabric_wire_loss(c->built_loss_ppm) ||
				   w->corrupt != 0 || w->corrupt_payload != 0);
}

// The delay of the wire to a link's end, before the latency of the node there.
static ps_t
wire_delay(const struct fabric *f, const struct topo_end *to, uint64_t delay_ps)
{
	return delay_ps +
	       (to->node < f->topology->first_host ? f->switches[to->node].latency_ps : 0);
}

// The rate of a link is in the tables of the nodes at its ends.
static int
change_rate(struct events *e, uint32_t link, struct diag *diag)
{
	const struct topo_link *l = &e->fabric->topology->links[link];
	int rc = events_rebuild(e, l->a.node, diag);

	return rc != 0 ? rc : events_rebuild(e, l->b.node, diag);
}

int
events_check_link(struct events *e, const struct config_event *event, struct diag *diag)
{
	struct fabric *f = e->fabric;
	const struct topo_link *l;
	uint32_t link;

	if (topology_resolve_link(f->topology, &event->link, "events", &link, diag) != 0)
		return -EINVAL;
	l = &f->topology->links[link];
	if (event->changes & CONFIG_LINK_RATE && l->rate_bps == 0) {
		diag_error(diag, f->config->file, event->pos, "events.rate",
			   "a device's own rate cannot change");
		return -EINVAL;
	}
	if (!(event->changes & CONFIG_LINK_DELAY))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *to = i == 0 ? &l->b : &l->a;
		ps_t delay = wire_delay(f, to, event->delay_ps);

		if (delay == 0) {
			diag_error(diag, f->config->file, event->pos, "events.delay",
				   "the delay must be above 0");
			return -EINVAL;
		}
		fabric_note_delay(f, to->node, delay);
	}
	return 0;
}

int
events_apply_link(struct events *e, const struct config_step *s, struct diag *diag)
{
	struct fabric *f = e->fabric;
	const struct config_event *event = s->event;
	const struct topo_link *l;
	uint32_t link;
	int rc = 0;

	if (topology_find_link(f->topology, event->link.text, &link) != 0)
		return -EINVAL;
	l = &f->topology->links[link];
	if (event->changes & CONFIG_LINK_RATE)
		f->link_rate[link] = s->undo ? 0 : event->rate_bps;
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *end = i == 0 ? &l->a : &l->b, *far = i == 0 ? &l->b : &l->a;
		struct port_change change = {
			.event = event,
			.port = end->port,
			.undo = s->undo,
			.delay = wire_delay(f, far, s->undo ? l->delay_ps : event->delay_ps),
			.built_loss_ppm = l->loss_ppm,
			.slowed = f->link_rate[link] != 0 && f->link_rate[link] < l->rate_bps,
		};

		if (f->nodes[end->node] != NULL)
			e->hooks.at_node(e->hooks.context, f->nodes[end->node], change_link,
					 &change);
	}
	if (event->changes & CONFIG_LINK_RATE)
		rc = change_rate(e, link, diag);
	if (rc != 0 || !(event->changes & CONFIG_LINK_STATE))
		return rc;
	link_view_keep(f);
	f->link_down[link] = s->undo ? event->up : !event->up;
	return converge_start(e, s->at_ps, diag);
}
