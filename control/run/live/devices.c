// SPDX-License-Identifier: BSD-3-Clause
// Behind an attached host's edge NIC, or behind its leaf where it has none, is a device. With
// `netns:` alone that is AF_XDP on a veth: its switch end is in the process's own unnamed network
// namespace, so that it goes when the process does, however that ends, and takes the host's end
// with it. With `dev:` it is the user's device. Ports that are Linux interfaces (`netdev:`), which
// the kernel goes on using, are AF_XDP with the program that steers frames (dataplane/device/xdp).
// A setting of such a port that the file leaves out comes from its interface.
#include "device_drops.h"
#include "watcher.h"

#include "control/base/memory.h"
#include "control/io/host/check_interface.h"
#include "control/io/host/hosts_file.h"
#include "control/io/host/link.h"
#include "control/io/host/netns.h"
#include "control/io/host/tap.h"
#include "control/io/host/veth.h"
#include "control/model/topology/addresses.h"
#include "dataplane/device/quirks.h"
#include "dataplane/node/ports.h"
#include "dataplane/roce/edge.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES_ERR_BYTES 512

int
devices_list(struct live_fabric *live, struct diag *diag)
{
	int rc = device_ports_list(&live->devices, &live->device_count, live->topology, diag);

	live->device_room = live->device_count + DEVICE_PORTS_SPARE;
	live->attached = memory_array(live->topology->host_count, sizeof(*live->attached), "hosts");
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].host != TOPOLOGY_NONE)
			live->attached[live->devices[i].host] = true;
	return rc;
}

static int
query_netdev(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct topo_port *port = &live->topology->nodes[d->node].ports[d->port];
	struct link_info info;
	int error = link_get(d->netdev, &info);

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

static struct veth_address
address_of(int family, const uint8_t *bytes, unsigned prefix_length)
{
	struct veth_address a = {.family = family, .prefix_length = prefix_length};

	memcpy(a.bytes, bytes, family == AF_INET ? 4 : 16);
	return a;
}

// With IPv6 Linux sends router solicitations and multicast reports, which a lossless fabric would
// have to drop: only for hosts that are configured for it.
static bool
uses_ip6(const struct live_fabric *live, uint32_t host)
{
	struct host_config settings;

	return config_host(live->config, topology_host(live->topology, host)->name, &settings) ==
		       0 &&
	       config_host_uses_ip6(&settings);
}

// What a host's veth is to be like.
struct host_veth {
	struct veth_options options;
	struct veth_address addresses[2];
	struct veth_route routes[2 * HOST_ROUTES_MAX];
	char netns[HOST_NETNS_TEXT], enter[HOST_NETNS_TEXT];
};

static void
describe_veth(const struct live_fabric *live, const struct device_port *d, int netns_fd,
	      struct host_veth *v)
{
	const struct topo_port *eth = topology_host_port(live->topology, d->host, d->host_port);
	const struct topo_port *swp = &live->topology->nodes[d->node].ports[d->port];

	*v = (struct host_veth){0};
	v->options = (struct veth_options){
		.netns_fd = netns_fd,
		.netns = host_netns_text(d->attach, v->netns),
		.enter = host_netns_enter(d->attach, v->enter),
		.fabric = live->config->fabric.name.text,
		.host_name = eth->name,
		.switch_name = d->interface,
		.mtu = d->mtu,
		.addresses = v->addresses,
		.address_count = 1,
		.routes = v->routes,
	};
	v->addresses[0] = address_of(AF_INET, eth->ip4, 32);
	v->addresses[1] = address_of(AF_INET6, eth->ip6, 128);
	v->options.route_count = host_routes_list(live, d, AF_INET, v->routes);
	if (uses_ip6(live, d->host)) {
		v->options.address_count = 2;
		v->options.route_count +=
			host_routes_list(live, d, AF_INET6, &v->routes[v->options.route_count]);
	}
	memcpy(v->options.host_mac, eth->mac, 6);
	memcpy(v->options.switch_mac, swp->mac, 6);
}

// Runs veth_create() or veth_restore() for a host.
static int
change_veth(const struct live_fabric *live, const struct device_port *d,
	    int (*change)(const struct veth_options *options, struct diag *diag), struct diag *diag)
{
	int rc, netns_fd = host_netns_open(live, d, diag);
	struct host_veth veth;

	if (netns_fd < 0)
		return netns_fd;
	describe_veth(live, d, netns_fd, &veth);
	rc = change(&veth.options, diag);
	if (rc == 0)
		rc = host_rules_add(live, d, &veth.options, diag);
	close(netns_fd);
	return rc;
}

int
devices_restore_host(const struct live_fabric *live, const struct device_port *d, struct diag *diag)
{
	return d->own_veth ? change_veth(live, d, veth_restore, diag) : 0;
}

// The interface that a user's device string names, or NULL.
static const char *
interface_of(const char *spec, char name[static 64])
{
	const char *at = strstr(spec, "iface=");
	size_t length;

	if (at == NULL)
		return NULL;
	at += strlen("iface=");
	length = strcspn(at, ",");
	snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), at);
	return name;
}

struct interface_check {
	struct host_check check;
	FILE *notes;
};

static int
run_check(void *arg)
{
	const struct interface_check *c = arg;

	return host_check_interface(&c->check, c->notes);
}

// Notes wrong settings of the user's interface before the device is opened on it. If it does not
// exist, the device refuses it or makes it.
static void
check_interface(const struct live_fabric *live, const struct device_port *d)
{
	char interface[64];
	struct interface_check c = {
		.check = {.interface = interface_of(d->spec, interface),
			  .netns = d->netns,
			  .af_xdp = strstr(d->spec, "af_xdp") != NULL,
			  .mtu_max = d->mtu},
		.notes = live->notes,
	};

	if (c.check.interface != NULL)
		(void)netns_run(live->outer_netns, run_check, &c);
}

// Opened again, a device may find the namespace that Roost once made, or another of that name.
static int
prepare_netns(const struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct netns_id id;
	bool created;
	int rc = netns_create(d->netns, live->config->fabric.name.text, &created, diag);

	if (rc != 0 || netns_identify(d->netns, &id) != 0)
		return rc;
	if (created || !netns_same(&id, &d->id))
		d->netns_created = created;
	d->id = id;
	return 0;
}

struct tap_request {
	const struct device_port *device;
	const char *fabric;
	struct diag *diag;
};

// In the namespace that the command was run in.
static int
make_tap(void *arg)
{
	const struct device_port *d = ((struct tap_request *)arg)->device;
	const struct tap_options options = {d->interface, ((struct tap_request *)arg)->fabric,
					    d->mtu};

	return tap_create(&options, ((struct tap_request *)arg)->diag);
}

static int
prepare_device(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct tap_request tap = {d, live->config->fabric.name.text, diag};
	int rc = d->netns != NULL ? prepare_netns(live, d, diag) : 0;

	if (rc != 0)
		return rc;
	host_container_prepare(d);
	if (d->own_veth)
		return change_veth(live, d, veth_create, diag);
	if (d->interface[0] == '\0') {
		check_interface(live, d);
		return 0;
	}
	rc = netns_run(live->outer_netns, make_tap, &tap);
	d->tap_created |= rc == 0;
	return rc;
}

int
devices_prepare(struct live_fabric *live, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++)
		rc = prepare_device(live, &live->devices[i], diag);
	return rc;
}

int
devices_readdress(const struct live_fabric *live, uint32_t host, uint8_t port,
		  const struct tenant_port *had, struct diag *diag)
{
	const struct topo_port *eth = topology_host_port(live->topology, host, port);
	struct veth_address old[] = {address_of(AF_INET, had->ip4, 32),
				     address_of(AF_INET6, had->ip6, 128)};
	struct veth_address new[] = {address_of(AF_INET, eth->ip4, 32),
				     address_of(AF_INET6, eth->ip6, 128)};
	struct veth_options options = {.host_name = eth->name};
	unsigned first = memcmp(had->ip4, eth->ip4, sizeof(eth->ip4)) == 0;
	bool second = memcmp(had->ip6, eth->ip6, sizeof(eth->ip6)) != 0 && uses_ip6(live, host);
	char netns[HOST_NETNS_TEXT];
	int rc = 0;

	options.addresses = &new[first];
	options.address_count = 1 - first + second;
	for (uint32_t i = 0; options.address_count != 0 && i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (d->host != host || d->host_port != port || !d->own_veth || d->detached)
			continue;
		options.netns = host_netns_text(d->attach, netns);
		options.netns_fd = host_netns_open(live, d, diag);
		if (options.netns_fd < 0)
			return options.netns_fd;
		rc = veth_readdress(&options, &old[first], diag);
		if (rc == 0)
			rc = host_rules_change(live, d, &options, &old[first], diag);
		close(options.netns_fd);
	}
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

// Finds the port that a device is behind. The wires stay for as long as the fabric does: packets
// may be on them.
static int
find_port(struct live_fabric *live, struct device_port *d)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];
	ps_t delay = place->delay_ps == 0 ? 1 : place->delay_ps;
	int rc = 0;

	d->live.node = live->fabric->nodes[d->node];
	d->live.port = &d->live.node->ports[d->port];
	d->live.paced = false;
	if (has_edge(live, d)) {
		d->live.node = live->fabric->nodes[place->peer_node];
		d->live.port =
			edge_other_port(d->live.node, &d->live.node->ports[place->peer_port]);
		delay = 1; // the link is on the other side
		d->live.paced = d->live.device->quirks->flags & QUIRK_HOLDS;
	}
	if (d->live.to_node == NULL)
		rc = wire_create(&d->live.to_node, delay, false, 0);
	if (rc == 0 && d->live.from_node == NULL)
		rc = wire_create(&d->live.from_node, delay, false, 0);
	return rc;
}

// Joins a device to its port. Before the workers start, node and port are the control thread's.
static int
join_device(struct live_fabric *live, struct device_port *d)
{
	int rc = find_port(live, d);

	if (rc != 0)
		return rc;
	if (live->running) {
		devices_set_link(live, d, true);
		return 0;
	}
	d->up = true;
	d->live.port->in = d->live.to_node;
	d->live.port->out = d->live.from_node;
	node_set_carrier(d->live.node, d->live.port, true, 0);
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

// An edge NIC has its link for as long as the host has its own.
static void
set_edge_link(struct live_fabric *live, const struct device_port *d, bool up)
{
	const struct topo_port *place = &live->topology->nodes[d->node].ports[d->port];
	struct carrier leaf = {live->fabric->nodes[d->node], d->port, up};
	struct carrier nic = {d->live.node, place->peer_port, up};

	if (!has_edge(live, d))
		return;
	live_call(&live->drive, set_carrier, &leaf);
	live_call(&live->drive, set_carrier, &nic);
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
	int rc = prepare_device(live, d, diag);

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

int
devices_open(struct live_fabric *live, struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < live->device_count; i++) {
		rc = open_device(live, &live->devices[i], diag);
		if (rc == 0)
			device_drops_start(live, &live->devices[i]);
		if (rc == 0)
			rc = join_device(live, &live->devices[i]);
	}
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

// If it is still the one that Roost has made.
static void
delete_netns(const struct device_port *d)
{
	struct netns_id id;

	if (d->netns_created && netns_identify(d->netns, &id) == 0 && netns_same(&id, &d->id))
		netns_delete(d->netns);
}

static int
delete_tap(void *arg)
{
	const struct tap_request *request = arg;

	return tap_delete(request->device->interface, request->fabric) ? 0 : -ENOENT;
}

void
devices_remove_made(struct live_fabric *live, struct device_port *d)
{
	if (d->tap_created)
		(void)netns_run(live->outer_netns, delete_tap,
				&(struct tap_request){d, live->config->fabric.name.text, NULL});
	if (d->own_veth && !d->netns_created)
		host_rules_delete(live, d);
	if (d->netns_created)
		hosts_file_remove(d->netns, live->config->fabric.name.text);
	delete_netns(d);
	d->tap_created = d->netns_created = false;
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
	free(live->devices);
	live->devices = NULL;
	live->device_count = 0;
}
