// SPDX-License-Identifier: BSD-3-Clause
// The place of a host that is attached while the fabric runs.
//
// With a NIC (`nic: on`), an edge NIC comes to stand for the host. It is a node of its own, made
// beforehand on the control thread. The host's worker then runs both nodes, and the wires of the
// host's links pass from one to the other; the leaf notices that its link goes down and up. The
// simulated NIC goes on with its time on wires that lead nowhere, because its timers must not be
// late when it comes back. All else that goes by node, such as tables, reports and events, is the
// edge NIC's from then on.
//
// Without one, the leaf's port gets the device's wires.
//
// Packets that are on the way to a node which leaves are lost, as with a cable that is pulled. A
// host with work is refused, so no queue pair is among them. The worker changes its own ports,
// between two turns (live_call()).
#include "live_fabric.h"

#include "dataplane/node/ports.h"
#include "dataplane/roce/edge.h"

#include <errno.h>
#include <string.h>

static uint32_t
node_of(const struct live_fabric *live, const struct device_port *d)
{
	return live->topology->first_host + d->host;
}

// ---- at the leaf --------------------------------------------------------------------------------

struct swap {
	struct node *node; // of the port
	uint16_t port;
	bool up;
	struct wire *in, *out; // that it gets; NULL: it keeps what it has,
	bool cut;              // or has none any more
	struct wire *was_in, *was_out;
};

// Takes the port's link down and empties the wire towards it; then joins it to other wires.
static void
swap_wires(void *context, struct node *node, ps_t now)
{
	struct swap *s = context;
	struct port *port = &node->ports[s->port];

	if (node != s->node)
		return;
	node_set_carrier(node, port, false, now);
	while (port->in != NULL && wire_next(port->in) != PS_NEVER)
		packet_free(node->packets, wire_take(port->in));
	node_drop_partial(node, port, now);
	s->was_in = port->in;
	s->was_out = port->out;
	if (s->in == NULL && !s->cut)
		return;
	wire_unwatch(port->in);
	port->in = s->in;
	port->out = s->out;
	node_set_carrier(node, port, s->up, now);
}

static struct swap
leaf_side(const struct live_fabric *live, const struct device_port *d, bool up)
{
	return (struct swap){.node = live->fabric->nodes[d->node], .port = d->port, .up = up};
}

static void
take_nic_away(struct live_fabric *live, struct device_port *d)
{
	struct swap leaf = leaf_side(live, d, false);

	devices_set_carrier(live, live->fabric->nodes[node_of(live, d)], d->host_port, false);
	live_call(&live->drive, swap_wires, &leaf);
	d->nic_in = leaf.was_in;
	d->nic_out = leaf.was_out;
}

// An edge NIC has nothing behind it.
static void
put_nic_back(struct live_fabric *live, struct device_port *d)
{
	bool up = !fabric_has_edge(live->fabric, node_of(live, d));
	struct swap leaf = leaf_side(live, d, up);

	leaf.in = d->nic_in;
	leaf.out = d->nic_out;
	live_call(&live->drive, swap_wires, &leaf);
	devices_set_carrier(live, live->fabric->nodes[node_of(live, d)], d->host_port, up);
	d->nic_in = d->nic_out = NULL;
}

// Nothing comes back.
static void
leave_leaf(struct live_fabric *live, const struct device_port *d)
{
	struct swap leaf = leaf_side(live, d, false);

	leaf.cut = true;
	live_call(&live->drive, swap_wires, &leaf);
}

// ---- an edge NIC --------------------------------------------------------------------------------

// Whether a device of this host is at its leaf's port.
static bool
is_at_leaf(const struct live_fabric *live, uint32_t host, uint8_t port)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->host == host && d->host_port == port && !d->detached && !d->attach->nic)
			return true;
	}
	return false;
}

// Sets the carrier at both ends of all of a host's links, except links that a device uses.
static void
set_links(struct live_fabric *live, uint32_t host, bool up)
{
	const struct topo_node *place = topology_host(live->topology, host);
	const struct node *nic = live->fabric->nodes[live->topology->first_host + host];

	for (uint8_t p = 0; p < place->port_count; p++) {
		if (is_at_leaf(live, host, p))
			continue;
		devices_set_carrier(live, live->fabric->nodes[place->ports[p].peer_node],
				    place->ports[p].peer_port, up);
		devices_set_carrier(live, nic, p, up);
	}
}

struct exchange {
	struct node *from, *to; // of one worker
	uint16_t links;
};

static void
exchange_wires(void *context, struct node *node, ps_t now)
{
	const struct exchange *e = context;

	for (uint16_t i = 0; node == e->to && i < e->links; i++) {
		struct port *from = &e->from->ports[i], *to = &e->to->ports[i];
		struct wire *in = to->in, *out = to->out;

		to->in = from->in;
		to->out = from->out;
		to->link_off = from->link_off; // by an event
		from->in = in;
		from->out = out;
		node_set_carrier(e->from, from, false, now);
		node_set_carrier(e->to, to, false, now);
	}
}

// Has the other node stand for a host whose links are down.
static void
swap_nodes(struct live_fabric *live, uint32_t host)
{
	struct fabric *f = live->fabric;
	struct exchange exchange = {f->nodes[live->topology->first_host + host],
				    fabric_stand_in_node(f, host),
				    topology_host(live->topology, host)->port_count};

	live_call(&live->drive, exchange_wires, &exchange);
	fabric_swap_stand_in(f, host);
}

static int
place_edge(struct live_fabric *live, uint32_t host, struct diag *diag)
{
	uint32_t node = live->topology->first_host + host;
	int rc = fabric_create_stand_in(live->fabric, host, diag);

	if (rc != 0)
		return rc;
	rc = live_add_node(&live->drive, live->workers[node],
			   fabric_stand_in_node(live->fabric, host));
	if (rc != 0) {
		fabric_destroy_stand_in(live->fabric, host);
		return diag_fail(diag, -rc, "the NIC of %s: %s",
				 topology_host(live->topology, host)->name, strerror(-rc));
	}
	set_links(live, host, false);
	swap_nodes(live, host);
	return 0;
}

// The simulated NIC gets tables as they are now.
static void
refresh_tables(struct live_fabric *live, uint32_t node)
{
	struct diag diag = {0};
	struct tables *old;

	if (fabric_rebuild_tables(live->fabric, node, &old, &diag) == 0)
		live_events_publish_tables(live, &old, 1);
	else
		fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_REFUSED,
				diag_first_error(&diag));
	diag_free(&diag);
}

static void
remove_edge(struct live_fabric *live, uint32_t host)
{
	uint32_t node = live->topology->first_host + host;

	swap_nodes(live, host);
	live_remove_node(&live->drive, live->workers[node],
			 fabric_stand_in_node(live->fabric, host));
	fabric_destroy_stand_in(live->fabric, host);
	refresh_tables(live, node);
	set_links(live, host, true);
}

struct link_change {
	struct node *node;
	uint16_t link;
	bool left; // nothing is behind the link any more: its buffer is to stay
	struct fabric_edge_link settings;
};

static void
change_edge_link(void *context, struct node *node, ps_t now)
{
	struct link_change *c = context;
	struct port *host;

	if (node != c->node)
		return;
	host = edge_other_port(node, &node->ports[c->link]);
	while (c->left && host->in != NULL && wire_next(host->in) != PS_NEVER)
		packet_free(node->packets, wire_take(host->in));
	if (c->left) {
		wire_unwatch(host->in);
		host->in = host->out = NULL;
		c->settings.buffer = node->edge->link[c->link].buffer;
	}
	c->settings.reorder =
		edge_set_link(node, c->link, &c->settings.buffer, c->settings.reorder, now);
}

static void
run_link_change(struct live_fabric *live, struct link_change *change)
{
	live_call(&live->drive, change_edge_link, change);
	reorder_destroy(change->settings.reorder); // which the link had
}

// What the entry of `attach:` says of the edge NIC's link, which is down.
static int
set_edge_link(struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	struct link_change change = {.node = live->fabric->nodes[node_of(live, d)],
				     .link = d->host_port};
	int rc = fabric_plan_edge_link(live->fabric, d->host, d->host_port, d->attach,
				       &change.settings);

	if (rc != 0)
		return diag_fail(diag, -rc, "attach.%s: the NIC: %s", d->attach->host.text,
				 strerror(-rc));
	run_link_change(live, &change);
	return 0;
}

static bool
is_edge_used(const struct live_fabric *live, uint32_t host)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->host == host && !d->detached && d->attach->nic)
			return true;
	}
	return false;
}

static void
leave_edge(struct live_fabric *live, struct device_port *d)
{
	struct link_change change = {
		.node = live->fabric->nodes[node_of(live, d)], .link = d->host_port, .left = true};

	if (!fabric_has_edge(live->fabric, node_of(live, d)))
		return;
	run_link_change(live, &change);
	d->live.node = NULL;
	d->live.port = NULL;
	if (live->fabric->nics[d->host] != NULL && !is_edge_used(live, d->host))
		remove_edge(live, d->host);
}

// ---- either -------------------------------------------------------------------------------------

int
attach_make_place(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	int rc = 0;

	if (!d->attach->nic) {
		if (live->fabric->nodes[node_of(live, d)] != NULL)
			take_nic_away(live, d);
		return 0;
	}
	if (!fabric_has_edge(live->fabric, node_of(live, d)))
		rc = place_edge(live, d->host, diag);
	return rc == 0 ? set_edge_link(live, d, diag) : rc;
}

void
attach_leave_place(struct live_fabric *live, struct device_port *d)
{
	if (d->attach->nic)
		leave_edge(live, d);
	else if (d->nic_in != NULL)
		put_nic_back(live, d);
	else
		leave_leaf(live, d);
	devices_close_wire(d->live.to_node, live->pools[d->node]);
	devices_close_wire(d->live.from_node, live->pools[d->node]);
	d->live.to_node = d->live.from_node = NULL;
}
