// SPDX-License-Identifier: BSD-3-Clause
// Link events: the faults of a link's wires, the state of its ports, its rate and delay, and the
// routes that depend on it. A link is degraded if an event has made it slower than in the file, or
// makes it lose or corrupt packets; switches that have a choice prefer other links. A bit error
// rate does not count: every link has one.
//
// Several events may be in force on one link. Each changes what it names, and its undo restores
// that to the value of the file.
#include "events_internal.h"

#include "control/fabric/fabric.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#include <errno.h>
#include <string.h>

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
	if (changes & CONFIG_LINK_BIT_ERRORS)
		w->bit_errors = fabric_wire_bit_errors(c->undo ? 0 : event->bit_error_rate);
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
	wire_update_special(w);
	if (event->changes & (CONFIG_LINK_CORRUPT | CONFIG_LINK_BIT_ERRORS))
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

// Whether a switch is in another part. Its process delays what arrives there by the switch's
// latency itself; the processes of a run by MPI leave that to the sender.
static bool
is_elsewhere(const struct fabric *f, uint32_t node)
{
	return node < f->topology->first_host && f->nodes[node] == NULL && !ranks_many(f->ranks);
}

// The delay of the wire from here to a link's end.
static ps_t
own_delay(const struct fabric *f, const struct topo_end *to, uint64_t delay_ps)
{
	if (!is_elsewhere(f, to->node))
		return wire_delay(f, to, delay_ps);
	return delay_ps == 0 ? 1 : delay_ps; // as the wire was made
}

// The rate of a link is in the tables of the nodes at its ends, and with link-level retry the timer
// that follows from its delay.
static bool
is_in_tables(const struct fabric *f, const struct topo_link *l, uint32_t changes)
{
	const uint32_t node = l->a.node < f->topology->first_host ? l->a.node : l->b.node;

	return changes & CONFIG_LINK_RATE ||
	       (changes & CONFIG_LINK_DELAY && f->switches[node].llr.on);
}

static int
change_tables(struct events *e, const struct topo_link *l, struct diag *diag)
{
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
		diag_error(diag, f->config->file, event->pos,
			   event->pos.line != 0 ? "events.rate" : "rate",
			   "a device's own rate cannot change");
		return -EINVAL;
	}
	// A datagram has no FCS to corrupt. Hosts are in the part of their leaf.
	if (event->changes & (CONFIG_LINK_CORRUPT | CONFIG_LINK_BIT_ERRORS) &&
	    l->a.node < f->topology->first_host && l->b.node < f->topology->first_host &&
	    is_elsewhere(f, l->a.node) != is_elsewhere(f, l->b.node)) {
		const bool bits = !(event->changes & CONFIG_LINK_CORRUPT);
		const char *key = bits ? "events.bit-error-rate" : "events.corrupt";

		diag_error(diag, f->config->file, event->pos,
			   event->pos.line != 0 ? key : key + strlen("events."),
			   "%s is between two parts: use loss, or run all parts in one process",
			   event->link.text);
		return -EINVAL;
	}
	if (!(event->changes & CONFIG_LINK_DELAY))
		return 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *to = i == 0 ? &l->b : &l->a;
		ps_t delay = wire_delay(f, to, event->delay_ps);

		if (delay == 0) {
			diag_error(diag, f->config->file, event->pos,
				   event->pos.line != 0 ? "events.delay" : "delay",
				   "the delay must be above 0");
			return -EINVAL;
		}
	}
	return 0;
}

void
events_note_delay(struct events *e, const struct config_event *event)
{
	struct fabric *f = e->fabric;
	const struct topo_link *l;
	uint32_t link;

	if (!(event->changes & CONFIG_LINK_DELAY) ||
	    topology_find_link(f->topology, event->link.text, &link) != 0)
		return;
	l = &f->topology->links[link];
	fabric_note_delay(f, l->a.node, wire_delay(f, &l->a, event->delay_ps));
	fabric_note_delay(f, l->b.node, wire_delay(f, &l->b, event->delay_ps));
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
	fabric_note_link_change(f, link, event, s->undo);
	if (event->changes & CONFIG_LINK_RATE)
		f->link_rate[link] = s->undo ? 0 : event->rate_bps;
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *end = i == 0 ? &l->a : &l->b, *far = i == 0 ? &l->b : &l->a;
		struct port_change change = {
			.event = event,
			.port = end->port,
			.undo = s->undo,
			.delay = own_delay(f, far, s->undo ? l->delay_ps : event->delay_ps),
			.built_loss_ppm = l->loss_ppm,
			.slowed = f->link_rate[link] != 0 && f->link_rate[link] < l->rate_bps,
		};

		if (f->nodes[end->node] != NULL)
			e->hooks.at_node(e->hooks.context, f->nodes[end->node], change_link,
					 &change);
	}
	if (is_in_tables(f, l, event->changes))
		rc = change_tables(e, l, diag);
	if (rc != 0 || !(event->changes & CONFIG_LINK_STATE))
		return rc;
	link_view_keep(f);
	f->link_down[link] = s->undo ? event->up : !event->up;
	return converge_start(e, s->at_ps, diag);
}

int
events_note_carrier(struct events *e, uint32_t link, bool up, struct diag *diag)
{
	struct fabric *f = e->fabric;
	const bool down = !up || fabric_link_values(f, link).changes & CONFIG_LINK_STATE;

	if (f->link_down[link] == down)
		return 0;
	e->now = e->hooks.clock(e->hooks.context);
	link_view_keep(f);
	f->link_down[link] = down;
	return converge_start(e, e->now, diag);
}

// ---- changes by a user --------------------------------------------------------------------------

// Wires that are to hold more packets.
struct widening {
	struct wire *wires[2];
	uint32_t slots[2];
	int rc;
};

static void
widen(void *arg)
{
	struct widening *w = arg;

	for (unsigned i = 0; i < 2; i++)
		if (w->rc == 0 && w->slots[i] != 0)
			w->rc = wire_widen(w->wires[i], w->slots[i]);
}

// A wire between two workers has a fixed size, made for the file's rate and delay. What is on it at
// another rate or delay must find room, or the transmitter would have to wait.
static int
make_room(struct events *e, const struct config_event *event, uint32_t link, struct diag *diag)
{
	const struct fabric *f = e->fabric;
	const struct topo_link *l = &f->topology->links[link];
	const struct link_values now = fabric_link_values(f, link);
	uint64_t rate = f->link_rate[link] != 0 ? f->link_rate[link] : l->rate_bps;
	uint64_t delay = now.changes & CONFIG_LINK_DELAY ? now.delay_ps : l->delay_ps;
	struct widening w = {{f->wires[2 * link], f->wires[2 * link + 1]}};

	rate = event->changes & CONFIG_LINK_RATE ? event->rate_bps : rate;
	delay = event->changes & CONFIG_LINK_DELAY ? event->delay_ps : delay;
	for (unsigned i = 0; i < 2; i++) {
		const struct topo_end *to = i == 0 ? &l->b : &l->a;
		uint32_t slots = fabric_wire_slots(rate, wire_delay(f, to, delay));

		if (w.wires[i] != NULL && w.wires[i]->limit != UINT32_MAX &&
		    slots > w.wires[i]->limit)
			w.slots[i] = slots;
	}
	if (e->hooks.halt != NULL && w.slots[0] + w.slots[1] != 0)
		e->hooks.halt(e->hooks.context, widen, &w);
	if (w.rc == -EINVAL)
		return diag_fail(diag, EINVAL,
				 "%s: delay times rate is more than a wire between two workers can "
				 "hold",
				 event->link.text);
	return w.rc == 0 ? 0
			 : diag_fail(diag, -w.rc, "%s: no memory for what would be on the link",
				     event->link.text);
}

// The windows that all delays in force allow, and this one of a link (0: none). The fabric's own
// are those of the file and its events.
static void
set_window(struct events *e, uint32_t link, uint64_t delay_ps)
{
	const struct fabric *f = e->fabric;
	ps_t window = f->window, lookahead = f->lookahead;

	if (e->hooks.set_window == NULL)
		return;
	for (uint32_t i = 0; i < f->topology->link_count; i++) {
		const struct topo_link *l = &f->topology->links[i];
		const struct link_values now = fabric_link_values(f, i);
		uint64_t delay = now.changes & CONFIG_LINK_DELAY ? now.delay_ps : PS_NEVER;

		if (i == link && delay_ps != 0 && delay_ps < delay)
			delay = delay_ps;
		if (delay == PS_NEVER)
			continue;
		for (unsigned end = 0; end < 2; end++) {
			const struct topo_end *to = end == 0 ? &l->a : &l->b;
			ps_t least = wire_delay(f, to, delay);

			window = time_min(window, least);
			if (to->node < f->topology->first_host)
				lookahead = time_min(lookahead, least);
		}
	}
	e->hooks.set_window(e->hooks.context, window, lookahead);
}

static int
change_now(struct events *e, uint32_t link, const struct config_event *event, bool undo,
	   struct diag *diag)
{
	const struct config_step step = {
		.at_ps = e->hooks.clock(e->hooks.context), .undo = undo, .event = event};
	bool delay = event->changes & CONFIG_LINK_DELAY;
	int rc;

	// A shorter delay is in force once no node is past what may arrive with it.
	if (delay)
		set_window(e, link, event->delay_ps);
	e->now = step.at_ps;
	rc = events_apply_link(e, &step, diag);
	if (delay)
		set_window(e, link, 0);
	return rc;
}

int
events_change_link(struct events *e, const struct config_event *event, struct diag *diag)
{
	struct config_event change = *event;
	uint32_t link;
	bool is_up;
	int rc = topology_resolve_link(e->fabric->topology, &event->link, NULL, &link, diag);

	if (rc == 0)
		rc = events_check_link(e, event, diag);
	if (rc == 0)
		rc = make_room(e, event, link, diag);
	if (rc != 0)
		return rc;
	// A link that stays as it is has nothing to converge. A carrier that is lost is another
	// matter: the link has to stay down when that is back.
	is_up = !(fabric_link_values(e->fabric, link).changes & CONFIG_LINK_STATE);
	if (change.changes & CONFIG_LINK_STATE && change.up == is_up)
		change.changes &= ~(uint32_t)CONFIG_LINK_STATE;
	return change.changes != 0 ? change_now(e, link, &change, false, diag) : 0;
}

int
events_clear_link(struct events *e, uint32_t link, struct diag *diag)
{
	const struct link_values now = fabric_link_values(e->fabric, link);
	char name[TOPOLOGY_NAME_MAX];
	const struct config_event event = {.link.text = name, .changes = now.changes};

	topology_link_name(e->fabric->topology, link, name);
	return now.changes != 0 ? change_now(e, link, &event, true, diag) : 0;
}

// A port without a link, and whether it is to be up.
struct port_state {
	uint16_t port;
	bool up;
};

static void
set_port(struct node *n, ps_t now, void *arg)
{
	const struct port_state *state = arg;
	struct port *p = &n->ports[state->port];

	if (p->out != NULL) {
		p->out->down = !state->up || p->no_carrier;
		wire_update_special(p->out);
	}
	node_set_link(n, p, state->up, now);
}

void
events_set_port(struct events *e, const struct topo_ref *port, bool up)
{
	struct port_state state = {.port = port->port, .up = up};

	e->hooks.at_node(e->hooks.context, e->fabric->nodes[port->node], set_port, &state);
}
