// SPDX-License-Identifier: BSD-3-Clause
// Routes in an attached host's network namespace. A host with one NIC has a default route. Of
// several NICs each has a default route, of which the first NIC's is preferred; a route to the
// hosts near it; and a table with a default route for what is sent from its address, so that
// traffic of a rail leaves by that rail's NIC, and answers leave by the NIC that was asked.
#include "live_fabric.h"

#include "control/io/host/netns.h"
#include "control/io/host/rule.h"
#include "control/model/topology/addresses.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#define PLANE_BITS_IP4 11
#define PLANE_BITS_IP6 80
// The routing table of a host's NIC.
#define TABLE(nic) ((uint8_t)(101 + (nic)))

static bool
has_several(const struct live_fabric *live, const struct device_port *d)
{
	return topology_host(live->topology, d->host)->port_count > 1;
}

// The hosts that one of several NICs is the best way to: those of its plane, or of its leaf.
static struct veth_address
near_hosts(const struct topology *t, const struct topo_port *eth, int family)
{
	const struct topo_node *leaf = &t->nodes[eth->peer_node];
	const struct place plane = {.plane = leaf->plane};
	struct config_prefix prefix = topology_leaf_prefix(leaf, family == AF_INET6 ? 6 : 4);

	if (t->config->fabric.planes > 1 && family == AF_INET) {
		addresses_ip4(&plane, prefix.address);
		prefix.length = PLANE_BITS_IP4;
	} else if (t->config->fabric.planes > 1) {
		addresses_ip6(&plane, prefix.address);
		prefix.length = PLANE_BITS_IP6;
	}
	return veth_address_of(family, prefix.address, prefix.length);
}

unsigned
host_routes_list(const struct live_fabric *live, const struct device_port *d, int family,
		 struct veth_route *out)
{
	const char *gateway = family == AF_INET6 ? ADDRESSES_GATEWAY_IP6 : ADDRESSES_GATEWAY_IP4;
	static const uint8_t any[16];
	uint8_t bytes[16];

	inet_pton(family, gateway, bytes);
	out[0] = (struct veth_route){
		.destination = veth_address_of(family, any, 0),
		.gateway = veth_address_of(family, bytes, family == AF_INET6 ? 128 : 32),
	};
	if (!has_several(live, d))
		return 1;
	out[1] = out[2] = out[0];
	out[0].metric = 1u + d->host_port;
	out[1].table = TABLE(d->host_port);
	out[2].destination = near_hosts(
		live->topology, topology_host_port(live->topology, d->host, d->host_port), family);
	return 3;
}

// ---- rules --------------------------------------------------------------------------------------

struct rules {
	const struct veth_address *addresses;
	unsigned count;
	uint8_t table;
};

// In the host's namespace.
static int
add_rules(void *arg)
{
	const struct rules *rules = arg;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i < rules->count; i++)
		rc = rule_add(&rules->addresses[i], rules->table);
	return rc;
}

static int
delete_rules(void *arg)
{
	const struct rules *rules = arg;

	for (unsigned i = 0; i < rules->count; i++)
		(void)rule_delete(&rules->addresses[i], rules->table);
	return 0;
}

int
host_rules_add(const struct live_fabric *live, const struct device_port *d,
	       const struct veth_options *o, struct diag *diag)
{
	struct rules rules = {o->addresses, o->address_count, TABLE(d->host_port)};
	int rc = has_several(live, d) ? netns_run(o->netns_fd, add_rules, &rules) : 0;

	return rc == 0 ? 0
		       : diag_fail(diag, -rc, "namespace %s, %s: adding a rule: %s", o->netns,
				   o->host_name, strerror(-rc));
}

int
host_rules_change(const struct live_fabric *live, const struct device_port *d,
		  const struct veth_options *o, const struct veth_address *old, struct diag *diag)
{
	struct rules rules = {old, o->address_count, TABLE(d->host_port)};

	if (has_several(live, d))
		(void)netns_run(o->netns_fd, delete_rules, &rules);
	return host_rules_add(live, d, o, diag);
}

void
host_rules_delete(const struct live_fabric *live, const struct device_port *d)
{
	const struct topo_port *eth = topology_host_port(live->topology, d->host, d->host_port);
	const struct veth_address addresses[] = {veth_address_of(AF_INET, eth->ip4, 32),
						 veth_address_of(AF_INET6, eth->ip6, 128)};
	struct rules rules = {addresses, 2, TABLE(d->host_port)};
	struct diag ignored = {0};
	int fd = has_several(live, d) ? host_netns_open(live, d, &ignored) : -1;

	if (fd >= 0) {
		(void)netns_run(fd, delete_rules, &rules);
		close(fd);
	}
	diag_free(&ignored);
}
