// SPDX-License-Identifier: BSD-3-Clause
// Behind an attached host's edge NIC, or behind its leaf where it has none, is a device. With
// `netns:` alone that is AF_XDP on a veth: its switch end is in the process's own unnamed network
// namespace, so that it goes when the process does, however that ends, and takes the host's end
// with it. With `dev:` it is the user's device. Ports that are Linux interfaces (`netdev:`), which
// the kernel goes on using, are AF_XDP with the program that steers frames (dataplane/device/xdp).
// A setting of such a port that the file leaves out comes from its interface.
#include "capabilities.h"
#include "device_drops.h"
#include "watcher.h"

#include "control/base/memory.h"
#include "control/io/host/link.h"
#include "control/io/host/netns.h"
#include "dataplane/device/quirks.h"
#include "dataplane/node/ports.h"
#include "dataplane/roce/edge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_ERR_BYTES 512

int
devices_list(struct live_fabric *live, struct diag *diag)
{
	const struct config *config = live->config;
	struct topo_attached at;
	int rc = device_ports_list(&live->devices, &live->device_count, live->topology, live->part,
				   diag);

	live->in_user_namespace = capabilities_in_user_namespace();
	if (rc == 0 && live->in_user_namespace)
		device_ports_avoid_af_xdp(live->devices, live->device_count);
	live->device_room = live->device_count + DEVICE_PORTS_SPARE;
	// Also hosts of other parts, because flows end at them.
	live->attached = memory_array(live->topology->host_count, sizeof(*live->attached), "hosts");
	for (unsigned i = 0; i < config->attach_count; i++)
		if (topology_find_attached(live->topology, &config->attach[i], &at))
			live->attached[at.host] = true;
	return rc;
}

static int
query_netdev(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct topo_port *port = &live->topology->nodes[d->node].ports[d->port];
	struct link_info info;
	int error = link_get(d->netdev, &info);

	if (error == -ENODEV && live->config->live.wait_for_interfaces)
		return 0;
	if (error != 0)
		return diag_fail(diag, -error, "%s: netdev %s: %s", d->name, d->netdev,
				 error == -ENODEV ? "no such interface in this namespace"
						  : strerror(-error));
	if (d->mtu == 0)
		d->mtu = port->mtu = info.mtu;
	memcpy(port->mac, info.mac, sizeof(port->mac));
	return 0;
}

int
devices_query_netdevs(struct live_fabric *live, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			rc = query_netdev(live, &live->devices[i], diag);
	return rc;
}

// Whether an edge NIC is between the device and its leaf.
static bool
has_edge(const struct live_fabric *live, const struct device_port *d)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];

	return d->host != TOPOLOGY_NONE && d->attach->nic &&
	       fabric_has_edge(live->fabric, place->peer_node);
}

static int
open_device(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct device_options options = {
		.spec = d->spec,
		.pool = live->packets,
		.mtu = (uint16_t)d->mtu,
		.netns_fd = -1,
		.steered = d->netdev != NULL,
	};
	char err[DEVICES_ERR_BYTES] = "";
	int netns_fd = -1, rc;

	// A user's interface is in the namespace that the file names, or else in the one that the
	// command was run in.
	if (!d->own_veth) {
		netns_fd = d->netns != NULL ? netns_open(d->netns) : -1;
		options.netns_fd = netns_fd >= 0 ? netns_fd : live->outer_netns;
	}
	watcher_add(live->watcher, d);
	rc = device_open(&d->live.device, &options, err, sizeof(err));
	if (rc != 0)
		watcher_remove(live->watcher, d);
	if (netns_fd >= 0)
		close(netns_fd);
	return rc != 0 ? diag_fail(diag, -rc, "%s", err) : 0;
}

// As `loss` of the link says; what comes from the other part has been lost there.
static void
lose_packets(const struct live_fabric *live, const struct device_port *d)
{
	const struct topology *t = live->topology;
	const uint32_t ppm = t->links[t->nodes[d->node].ports[d->port].link].loss_ppm;

	d->live.from_node->loss = fabric_wire_loss(ppm);
	wire_update_special(d->live.from_node);
}

// Finds the port that a device is behind. The wires stay for as long as the fabric does: packets
// may be on them.
static int
find_port(struct live_fabric *live, struct device_port *d)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];
	ps_t delay = place->delay_ps == 0 ? 1 : place->delay_ps, in_delay = delay;
	const ps_t latency = live->fabric->switches[d->node].latency_ps;
	int rc = 0;

	d->live.node = live->fabric->nodes[d->node];
	d->live.port = &d->live.node->ports[d->port];
	d->live.paced = false;
	if (has_edge(live, d)) {
		d->live.node = live->fabric->nodes[place->peer_node];
		d->live.port =
			edge_other_port(d->live.node, &d->live.node->ports[place->peer_port]);
		delay = 1; // the link is on the other side
		d->live.paced = quirks_find(d->spec)->flags & QUIRK_HOLDS;
	}
	// Each part delays what it sends.
	if (d->far != NULL)
		in_delay = latency == 0 ? 1 : latency;
	if (d->live.to_node == NULL)
		rc = wire_create(&d->live.to_node, in_delay, false, 0);
	if (rc == 0 && d->live.from_node == NULL) {
		rc = wire_create(&d->live.from_node, delay, false, 0);
		if (rc == 0 && d->far != NULL)
			lose_packets(live, d);
	}
	return rc;
}

// Joins a device to its port. Before the workers start, node and port are the control thread's.
static int
join_device(struct live_fabric *live, struct device_port *d)
{
	int rc = find_port(live, d);

	if (rc != 0)
		return rc;
	// Before the far end of datagrams is heard, nothing that is sent arrives.
	if (live->running) {
		if (d->live.device->udp == NULL)
			devices_set_link(live, d, true);
		return 0;
	}
	d->up = d->live.device->udp == NULL;
	d->live.port->in = d->live.to_node;
	d->live.port->out = d->live.from_node;
	node_set_carrier(d->live.node, d->live.port, d->up, 0);
	return 0;
}

// The port of a node whose carrier changes.
struct carrier {
	const struct node *node;
	uint16_t port;
	bool up;
};

static void
set_carrier(void *context, struct node *node, ps_t now)
{
	const struct carrier *c = context;

	if (node == c->node)
		node_set_carrier(node, &node->ports[c->port], c->up, now);
}

void
devices_set_carrier(struct live_fabric *live, const struct node *node, uint16_t port, bool up)
{
	struct carrier change = {node, port, up};

	live_call(&live->drive, set_carrier, &change);
}

// An edge NIC has its link for as long as the host has its own.
static void
set_edge_link(struct live_fabric *live, const struct device_port *d, bool up)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];

	if (!has_edge(live, d))
		return;
	devices_set_carrier(live, live->fabric->nodes[d->node], d->port, up);
	devices_set_carrier(live, d->live.node, place->peer_port, up);
}

void
devices_set_link(struct live_fabric *live, struct device_port *d, bool up)
{
	uint32_t worker;

	if (d->up == up)
		return;
	worker = live->workers[d->live.node->index];
	set_edge_link(live, d, up);
	if (!up)
		live_remove_port(&live->drive, worker, &d->live);
	else if (live_add_port(&live->drive, worker, &d->live) != 0)
		memory_exhausted(live->device_count, sizeof(struct live_port *), "device ports");
	d->up = up;
}

int
devices_open_one(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	int rc = devices_prepare_one(live, d, diag);

	if (rc == 0)
		rc = open_device(live, d, diag);
	if (rc == 0)
		device_drops_start(live, d);
	if (rc == 0)
		rc = join_device(live, d);
	if (rc != 0)
		devices_close_one(live, d);
	return rc;
}

void
devices_close_one(struct live_fabric *live, struct device_port *d)
{
	devices_set_link(live, d, false);
	device_drops_keep(live, d);
	// Before the driver closes: the kernel lets go of its packets (device_close()).
	if (d->own_veth)
		link_delete(d->interface);
	device_close(d->live.device);
	d->live.device = NULL;
	watcher_remove(live->watcher, d);
	device_drops_start(live, d);
}

// Leaves a device to device_links_poll(), which opens it when it can. close_unconnected() takes its
// own port down.
static int
leave_closed(struct live_fabric *live, struct device_port *d)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];
	int rc = find_port(live, d);

	if (rc != 0 || !has_edge(live, d))
		return rc;
	node_set_carrier(live->fabric->nodes[d->node],
			 &live->fabric->nodes[d->node]->ports[d->port], false, 0);
	node_set_carrier(d->live.node, &d->live.node->ports[place->peer_port], false, 0);
	return 0;
}

static bool
may_wait(const struct live_fabric *live, const struct device_port *d)
{
	const unsigned own = QUIRK_INTERFACE, made = QUIRK_INTERFACE | QUIRK_MAKES_INTERFACE;

	return live->config->live.wait_for_interfaces && d->interface[0] == '\0' &&
	       (quirks_find(d->spec)->flags & made) == own;
}

// Before the workers start.
static int
open_first(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct diag why = {0};
	bool waits = may_wait(live, d);
	int rc = open_device(live, d, waits ? &why : diag);

	diag_free(&why);
	if (rc != 0)
		return waits ? leave_closed(live, d) : rc;
	device_drops_start(live, d);
	return join_device(live, d);
}

int
devices_open(struct live_fabric *live, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		rc = open_first(live, &live->devices[i], diag);
	return rc;
}

void
devices_close_wire(struct wire *w, struct packet_pool *packets)
{
	if (w == NULL)
		return;
	while (wire_count(w) != 0)
		packet_free(packets, wire_take(w));
	wire_destroy(w);
}

void
devices_release_own(struct live_fabric *live, struct device_port *d)
{
	struct arena *own = d->own;

	d->own = NULL;
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].own == own)
			return;
	if (own != NULL)
		arena_free(own);
	free(own);
}

void
devices_close(struct live_fabric *live)
{
	host_processes_end(live, NULL);
	host_processes_finish(live);
	for (uint32_t i = 0; i < live->device_count; i++) {
		struct device_port *d = &live->devices[i];

		device_close(d->live.device);
		free(d->waiting);
		free(d->drops);
		if (live->pools != NULL) {
			devices_close_wire(d->live.to_node, live->pools[d->node]);
			devices_close_wire(d->live.from_node, live->pools[d->node]);
		}
		devices_remove_made(live, d);
		host_container_free(d->container);
		devices_release_own(live, d);
	}
	device_drops_free(live);
	free(live->devices);
	live->devices = NULL;
	live->device_count = 0;
}
