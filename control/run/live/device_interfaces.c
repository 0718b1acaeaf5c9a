// SPDX-License-Identifier: BSD-3-Clause
// What is under the devices of attached hosts in Linux, and is made before they are opened: network
// namespaces, veths with their addresses and routes, taps. An interface that the user gave is only
// looked at.
#include "live_fabric.h"

#include "control/io/host/check_interface.h"
#include "control/io/host/hosts_file.h"
#include "control/io/host/netns.h"
#include "control/io/host/tap.h"
#include "control/io/host/veth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
host_uses_ip6(const struct live_fabric *live, uint32_t host)
{
	struct host_config settings;

	if (live->fabric != NULL)
		return config_host_uses_ip6(&live->fabric->hosts[host]);
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
		.fabric = live->name,
		.host_name = eth->name,
		.switch_name = d->interface,
		.mtu = d->mtu,
		.addresses = v->addresses,
		.address_count = 1,
		.routes = v->routes,
	};
	v->addresses[0] = veth_address_of(AF_INET, eth->ip4, 32);
	v->addresses[1] = veth_address_of(AF_INET6, eth->ip6, 128);
	v->options.route_count = host_routes_list(live, d, AF_INET, v->routes);
	if (host_uses_ip6(live, d->host)) {
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
// exist, the device refuses it or makes it, or waits for it. Nobody reads notes once the fabric is
// up.
static void
check_interface(const struct live_fabric *live, const struct device_port *d)
{
	char interface[IFNAMSIZ];
	struct interface_check c = {
		.check = {.interface = device_port_interface(d->spec, interface),
			  .netns = d->netns,
			  .af_xdp = strstr(d->spec, "af_xdp") != NULL,
			  .mtu_max = d->mtu},
		.notes = live->notes,
	};

	if (c.check.interface != NULL && !live->running)
		(void)netns_run(live->outer_netns, run_check, &c);
}

// Opened again, a device may find the namespace that Roost once made, or another of that name.
static int
prepare_netns(const struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct netns_id id;
	bool created;
	int rc = netns_create(d->netns, live->name, &created, diag);

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

int
devices_prepare_one(struct live_fabric *live, struct device_port *d, struct diag *diag)
{
	struct tap_request tap = {d, live->name, diag};
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
		rc = devices_prepare_one(live, &live->devices[i], diag);
	return rc;
}

int
devices_readdress(const struct live_fabric *live, uint32_t host, uint8_t port,
		  const struct tenant_port *had, struct diag *diag)
{
	const struct topo_port *eth = topology_host_port(live->topology, host, port);
	struct veth_address old[] = {veth_address_of(AF_INET, had->ip4, 32),
				     veth_address_of(AF_INET6, had->ip6, 128)};
	struct veth_address new[] = {veth_address_of(AF_INET, eth->ip4, 32),
				     veth_address_of(AF_INET6, eth->ip6, 128)};
	struct veth_options options = {.host_name = eth->name};
	unsigned first = memcmp(had->ip4, eth->ip4, sizeof(eth->ip4)) == 0;
	bool second = memcmp(had->ip6, eth->ip6, sizeof(eth->ip6)) != 0 &&
		      host_uses_ip6(live, host);
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
				&(struct tap_request){d, live->name, NULL});
	if (d->own_veth && !d->netns_created)
		host_rules_delete(live, d);
	if (d->netns_created)
		hosts_file_remove(d->netns, live->name);
	delete_netns(d);
	d->tap_created = d->netns_created = false;
}
