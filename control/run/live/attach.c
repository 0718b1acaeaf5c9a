// SPDX-License-Identifier: BSD-3-Clause
// Attaching a host while the fabric runs puts a device in the place of its simulated NIC: the NIC loses
// its link and idles, and the leaf's port gets the device's wires. Detaching puts the NIC's wires back.
// Packets on wires that nobody takes from any more are freed. A host that the file has attached has no
// NIC to come back: its port is down until it is attached again.
//
// The worker changes its own ports, between two turns (live_call()). Tables do not change: the host
// keeps its addresses and MAC, and the MTU of the link is the most that its interface can have.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "control/model/topology/addresses.h"
#include "dataplane/node/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MTU 1500

// ---- the NIC steps back, and returns ------------------------------------------------------------

struct swap {
	struct node *node; // of the port
	uint16_t port;
	bool up;
	struct wire *in, *out; // that it gets; NULL: it keeps what it has
	struct wire *was_in, *was_out;
};

static void
set_carrier(void *context, struct node *node, ps_t now)
{
	const struct swap *s = context;

	if (node == s->node)
		node_set_carrier(node, &node->ports[s->port], s->up, now);
}

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
	s->was_in = port->in;
	s->was_out = port->out;
	if (s->in == NULL)
		return;
	port->in = s->in;
	port->out = s->out;
	node_set_carrier(node, port, s->up, now);
}

static struct swap
nic_side(const struct live_fabric *live, const struct device_port *d, bool up)
{
	uint32_t node = live->topology->first_host + d->host;

	return (struct swap){.node = live->fabric->nodes[node], .port = d->host_port, .up = up};
}

static struct swap
leaf_side(const struct live_fabric *live, const struct device_port *d, bool up)
{
	return (struct swap){.node = live->fabric->nodes[d->node], .port = d->port, .up = up};
}

static void
take_nic_away(struct live_fabric *live, struct device_port *d)
{
	struct swap nic = nic_side(live, d, false), leaf = leaf_side(live, d, false);

	live_call(&live->drive, set_carrier, &nic);
	live_call(&live->drive, swap_wires, &leaf);
	d->nic_in = leaf.was_in;
	d->nic_out = leaf.was_out;
}

static void
put_nic_back(struct live_fabric *live, struct device_port *d)
{
	struct swap nic = nic_side(live, d, true), leaf = leaf_side(live, d, true);

	leaf.in = d->nic_in;
	leaf.out = d->nic_out;
	live_call(&live->drive, swap_wires, &leaf);
	live_call(&live->drive, set_carrier, &nic);
	devices_close_wire(d->live.to_node, live->pools[d->node]);
	devices_close_wire(d->live.from_node, live->pools[d->node]);
	d->live.to_node = d->live.from_node = NULL;
	d->nic_in = d->nic_out = NULL;
}

// ---- what speaks against it ---------------------------------------------------------------------

// What a host still has to send or to receive, or NULL.
static const char *
find_work(const struct live_fabric *live, uint32_t host)
{
	const struct workload *w = live->workload;
	const char *name = topology_host(live->topology, host)->name, *found = NULL;
	struct report_flow *flows;
	uint32_t count;

	for (uint32_t i = 0; i < w->stream_count; i++)
		if (w->streams[i].src == host || w->streams[i].dst == host)
			return "a stream";
	for (uint32_t i = 0; i < w->flow_count; i++)
		if (w->flows[i].collective != WORKLOAD_NONE &&
		    (w->flows[i].src == host || w->flows[i].dst == host))
			return "a collective";
	flows = fabric_flows_report(live->flows, &count);
	for (uint32_t i = 0; found == NULL && i < count; i++)
		if (flows[i].fct == PS_NEVER &&
		    (strcmp(flows[i].src, name) == 0 || strcmp(flows[i].dst, name) == 0))
			found = "a flow that has not finished";
	free(flows);
	return found;
}

static int
check_nic(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	const struct topo_port *eth = topology_host_port(live->topology, d->host, d->host_port);
	const char *host = d->attach->host.text, *work;

	if (d->attach->mac.set || d->attach->ip_count != 0)
		return diag_fail(
			diag, EINVAL,
			"attach.%s: mac and ip need a fabric that is down: tables have the "
			"host's addresses",
			host);
	if (d->attach->reorder || d->attach->buffer_bytes != 0)
		return diag_fail(diag, EINVAL,
				 "attach.%s: buffer and reorder belong to a NIC that only hosts in "
				 "the fabric's file have: write attach.%s there",
				 host, host);
	if (d->mtu > eth->mtu)
		return diag_fail(diag, EINVAL,
				 "attach.%s: the link of %s carries an MTU of %u while the fabric "
				 "runs, not %u",
				 host, d->name, eth->mtu, d->mtu);
	work = live->fabric->nodes[live->topology->first_host + d->host] != NULL
		       ? find_work(live, d->host)
		       : NULL;
	return work == NULL
		       ? 0
		       : diag_fail(diag, EBUSY, "attach.%s: its NIC takes part in %s", host, work);
}

// ---- one NIC ------------------------------------------------------------------------------------

static bool
is_simulated(const struct live_fabric *live, const struct device_port *d)
{
	return live->fabric->nics[d->host] != NULL;
}

static int
attach_nic(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	int rc;

	if (is_simulated(live, d))
		take_nic_away(live, d);
	rc = devices_open_one(live, d, diag);
	if (rc == 0)
		return 0;
	devices_remove_made(live, d);
	if (is_simulated(live, d))
		put_nic_back(live, d);
	return rc;
}

static void
detach_nic(struct live_fabric *live, struct device_port *d)
{
	d->detached = true;
	devices_close_one(live, d);
	devices_remove_made(live, d);
	if (is_simulated(live, d))
		put_nic_back(live, d);
	free(d->waiting);
	d->waiting = NULL;
}

static void
forget(struct live_fabric *live, struct device_port *d)
{
	devices_release_own(live, d);
	free(d->drops);
	*d = (struct device_port){.host = TOPOLOGY_NONE, .detached = true, .live = d->live};
}

static void
log_note(struct live_fabric *live, const char *host, const char *what)
{
	char *text = memory_format("%s is %s", host, what);

	fabric_log_note(live->log, live_clock(&live->drive), FABRIC_LOG_CONFIGURATION, text);
	free(text);
}

// ---- a host -------------------------------------------------------------------------------------

static bool
is_of(const struct device_port *d, const char *host)
{
	return d->attach != NULL && !d->detached && strcmp(d->attach->host.text, host) == 0;
}

// A namespace that Roost made stays, with its processes, while another NIC is attached to it.
static void
leave_namespaces(struct live_fabric *live, const char *host)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		struct device_port *d = &live->devices[i];

		if (!is_of(d, host) || !d->netns_created)
			continue;
		for (uint32_t k = 0; k < live->device_count && d->netns_created; k++) {
			struct device_port *other = &live->devices[k];

			if (other->detached || other->netns == NULL || is_of(other, host) ||
			    strcmp(other->netns, d->netns) != 0)
				continue;
			other->netns_created = true;
			other->id = d->id;
			d->netns_created = false;
		}
	}
}

// Opens what device_ports_add() has added behind `first`. The wires of a port that the file attached
// stay with the port.
static int
attach_all(struct live_fabric *live, uint32_t first, uint32_t end, struct diag *diag)
{
	uint32_t done = first;
	int rc = 0;

	for (uint32_t i = first; rc == 0 && i < end; i++) {
		struct device_port *d = &live->devices[i];

		d->mtu = d->attach->mtu != 0                               ? d->attach->mtu
			 : d->mtu > DEFAULT_MTU && d->interface[0] != '\0' ? DEFAULT_MTU
									   : d->mtu;
		rc = check_nic(live, d, diag);
	}
	for (; rc == 0 && done < end; done++) {
		rc = attach_nic(live, &live->devices[done], diag);
		if (rc != 0)
			break;
	}
	while (rc != 0 && done-- > first)
		detach_nic(live, &live->devices[done]);
	return rc;
}

int
live_attach(struct live_fabric *live, const char *host, const char *const *words, unsigned count,
	    struct diag *diag)
{
	struct arena *arena = memory_new(sizeof(*arena), "attached host");
	struct config_attach *attach = arena_alloc(arena, sizeof(*attach));
	uint32_t first = live->device_count, end = first;
	int rc = config_read_attach(attach, arena, host, words, count, diag);

	if (rc == 0 && live->device_room - end < TOPOLOGY_HOST_PORTS_MAX)
		rc = diag_fail(diag, ENOSPC,
			       "hosts have been attached too often: take the fabric down and up");
	if (rc == 0 && live->outer_netns < 0 && (rc = netns_enter_private(&live->outer_netns)) != 0)
		(void)diag_fail(diag, -rc, "a network namespace of its own: %s", strerror(-rc));
	if (rc == 0)
		rc = device_ports_add(live->devices, &end, live->topology, attach, diag);
	if (rc == 0)
		rc = attach_all(live, first, end, diag);
	if (rc != 0) {
		for (uint32_t i = first; i < end; i++)
			forget(live, &live->devices[i]);
		arena_free(arena);
		free(arena);
		return rc;
	}
	for (uint32_t i = first; i < end; i++)
		live->devices[i].own = arena;
	live->device_count = end;
	if (live->links == NULL)
		(void)device_links_open(live, diag);
	host_names_write(live);
	log_note(live, host, "attached");
	return 0;
}

int
live_detach(struct live_fabric *live, const char *host, struct diag *diag)
{
	unsigned found = 0;

	leave_namespaces(live, host);
	host_processes_end(live, host);
	for (uint32_t i = live->device_count; i-- > 0;) {
		struct device_port *d = &live->devices[i];

		if (!is_of(d, host))
			continue;
		detach_nic(live, d);
		found++;
	}
	if (found == 0)
		return diag_fail(diag, ENOENT, "%.80s is not attached", host);
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].detached && live->devices[i].attach != NULL &&
		    strcmp(live->devices[i].attach->host.text, host) == 0 &&
		    live->devices[i].own != NULL)
			forget(live, &live->devices[i]);
	// Nobody refers to the last places of the list any more.
	while (live->device_count > 0 && live->devices[live->device_count - 1].attach == NULL &&
	       live->devices[live->device_count - 1].detached &&
	       live->devices[live->device_count - 1].live.to_node == NULL)
		live->device_count--;
	log_note(live, host, "detached");
	return 0;
}
