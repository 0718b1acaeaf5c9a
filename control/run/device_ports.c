// SPDX-License-Identifier: BSD-3-Clause
// All devices receive into packets of one pool. So the largest MTU decides how large its packets
// are, and a driver with an upper limit (AF_XDP: a page) limits every port beside it. Where Roost
// itself chooses the driver, it chooses one without that limit if a port needs more.
#include "device_ports.h"

#include "control/base/memory.h"
#include "control/config/config.h"

#include <rte_mempool.h>

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NETDEV_FIRST 1000u // devices that users number begin with 0
#define OWN_FIRST 1u
#define OWN_DRIVER "net_af_xdp"
#define OWN_DRIVER_JUMBO "net_af_packet"
#define INTERFACE_KEY ",iface="
#define ERR_BYTES 512
#define SOCKET_MAX (INET6_ADDRSTRLEN + sizeof("[]:65535"))
// Packets that a device which is opened while the fabric runs leaves for the others.
#define DEVICE_PORTS_FREE 6144u

static struct device_port *
add_port(struct device_port *list, uint32_t *count, const struct topology *t, uint32_t node,
	 uint16_t port)
{
	uint32_t i = 0;
	struct device_port *d;

	while (i < *count && !device_port_is_free(&list[i]))
		i++;
	*count += i == *count;
	d = &list[i];
	*d = (struct device_port){.node = node};
	d->port = port;
	d->host = TOPOLOGY_NONE;
	d->mtu = t->nodes[node].ports[port].mtu;
	topology_port_name(t, node, port, d->name);
	return d;
}

// Whether two entries name the same network namespace, by the same words.
static bool
shares_netns(const struct config_attach *a, const struct config_attach *b)
{
	return (a->netns.text != NULL && b->netns.text != NULL &&
		strcmp(a->netns.text, b->netns.text) == 0) ||
	       (a->container.text != NULL && b->container.text != NULL &&
		strcmp(a->container.text, b->container.text) == 0) ||
	       (a->pid != 0 && a->pid == b->pid) ||
	       (a->tap.text != NULL && b->tap.text != NULL &&
		strcmp(a->tap.text, b->tap.text) == 0);
}

static int
fail_twice(const struct topology *t, const struct config_attach *attach,
	   const struct config_attach *other, struct diag *diag)
{
	const bool same = strcmp(attach->host.text, other->host.text) == 0;

	return diag_error(diag, t->config->file, attach->host.pos, "attach",
			  "%s is attached already%s%s", attach->host.text, same ? "" : ", as ",
			  same ? "" : other->host.text);
}

// Every NIC is attached once. A namespace is that of one host, because NICs of two would have the
// same names in it.
static int
check_free(const struct device_port *list, uint32_t count, const struct topology *t,
	   const struct device_port *d, struct diag *diag)
{
	const struct config_attach *attach = d->attach;
	const struct config_name *way = attach->netns.text != NULL       ? &attach->netns
					: attach->container.text != NULL ? &attach->container
					: attach->tap.text != NULL       ? &attach->tap
									 : &attach->host;
	const char *key = way == &attach->netns       ? "attach.netns"
			  : way == &attach->container ? "attach.container"
			  : way == &attach->tap       ? "attach.tap"
						      : "attach.pid";

	for (uint32_t i = 0; i < count; i++) {
		const struct device_port *other = &list[i];

		if (other->detached || other->attach == NULL)
			continue;
		if (other->host == d->host && other->host_port == d->host_port)
			return fail_twice(t, attach, other->attach, diag);
		if (shares_netns(other->attach, attach) &&
		    (other->host != d->host || attach->tap.text != NULL))
			return diag_error(
				diag, t->config->file, way->pos, key, "%s is %s of %s already",
				way != &attach->host ? way->text : "this process",
				attach->tap.text != NULL ? "the interface" : "the namespace",
				other->attach->host.text);
	}
	return 0;
}

// The near end of a veth is named after its host, as far as Linux's names reach.
static void
name_interface(struct device_port *d, const struct topology *t, uint32_t number)
{
	const struct topo_node *host = topology_host(t, d->host);
	char name[TOPOLOGY_NAME_MAX];
	int length = host->port_count == 1 ? snprintf(name, sizeof(name), "%s", host->name)
					   : snprintf(name, sizeof(name), "%s.%s", host->name,
						      host->ports[d->host_port].name);

	if (length < IFNAMSIZ)
		memcpy(d->interface, name, (size_t)length + 1);
	else
		snprintf(d->interface, sizeof(d->interface), "host-%u", number);
}

static int
list_nic(struct device_port *list, uint32_t *count, const struct topology *t,
	 const struct device_port *nic, struct diag *diag)
{
	const struct topo_port *eth = topology_host_port(t, nic->host, nic->host_port);
	const struct config_attach *attach = nic->attach;
	int rc = check_free(list, *count, t, nic, diag);
	struct device_port *d;

	if (rc != 0)
		return rc;
	d = add_port(list, count, t, eth->peer_node, eth->peer_port);
	d->host = nic->host;
	d->host_port = nic->host_port;
	d->attach = attach;
	d->netns = attach->netns.text;
	d->own_veth = config_attach_makes_interface(attach);
	d->pos = attach->dev.text != NULL ? attach->dev.pos : attach->host.pos;
	if (d->own_veth && d->netns != NULL)
		d->pos = attach->netns.pos;
	if (d->own_veth)
		name_interface(d, t, (uint32_t)(d - list) + OWN_FIRST);
	else if (attach->tap.text != NULL)
		snprintf(d->interface, sizeof(d->interface), "%s", attach->tap.text);
	else
		snprintf(d->spec, sizeof(d->spec), "%s", attach->dev.text);
	return 0;
}

static int
list_attached(struct device_port *list, uint32_t *count, const struct topology *t,
	      const struct config_attach *attach, struct diag *diag)
{
	struct device_port nic = {.attach = attach};
	struct topo_endpoint end;
	struct topo_attached at;
	int rc = topology_resolve_endpoint(t, NULL, &attach->host, "attach", &end, diag);

	if (rc != 0 || !topology_find_attached(t, attach, &at))
		return rc;
	nic.host = at.host;
	for (uint8_t p = at.first; rc == 0 && p < at.first + at.count; p++) {
		nic.host_port = p;
		rc = list_nic(list, count, t, &nic, diag);
	}
	return rc;
}

static void
list_lone(struct device_port *list, uint32_t *count, const struct topology *t, uint16_t port)
{
	const struct config_port *written = t->config->single.ports;
	uint16_t number = t->nodes[0].ports[port].number;
	struct device_port *d;

	while (written->number != number)
		written++;
	if (written->dev.text == NULL && written->netdev.text == NULL)
		return;
	d = add_port(list, count, t, 0, port);
	d->netdev = written->netdev.text;
	d->pos = d->netdev != NULL ? written->netdev.pos : written->dev.pos;
	if (d->netdev == NULL) {
		snprintf(d->spec, sizeof(d->spec), "%s", written->dev.text);
		return;
	}
	snprintf(d->spec, sizeof(d->spec), "net_af_xdp%u,iface=%s", NETDEV_FIRST + number,
		 d->netdev);
	// Which interfaces are there in time is left to chance: none decides then.
	if (!written->mtu_written && !t->config->live.wait_for_interfaces)
		d->mtu = 0;
}

// "192.0.2.1:47900", "[2001:db8::1]:47900".
static void
format_socket(const struct config_part *part, uint32_t link, char text[static SOCKET_MAX])
{
	const bool ip6 = part->address.version == 6;
	char address[INET6_ADDRSTRLEN];

	inet_ntop(ip6 ? AF_INET6 : AF_INET, part->address.bytes, address, sizeof(address));
	snprintf(text, SOCKET_MAX, ip6 ? "[%s]:%u" : "%s:%u", address, part->port + link);
}

// The ends of links between this part and others.
static void
list_crossings(struct device_port *list, uint32_t *count, const struct topology *t,
	       const struct config_part *part)
{
	uint32_t number = 0; // of the link among all that cross

	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_link *link = &t->links[i];
		const bool at_b = topology_part_of(t, link->b.node) == part;
		const struct topo_end *here = at_b ? &link->b : &link->a;
		const struct topo_end *there = at_b ? &link->a : &link->b;
		char local[SOCKET_MAX], remote[SOCKET_MAX];
		struct device_port *d;

		if (!topology_crosses(t, link))
			continue;
		if (topology_part_of(t, here->node) == part) {
			d = add_port(list, count, t, here->node, here->port);
			d->far = topology_part_of(t, there->node);
			d->pos = part->address.pos;
			format_socket(part, number, local);
			format_socket(d->far, number, remote);
			snprintf(d->spec, sizeof(d->spec), "net_udp%u,local=%s,remote=%s", number,
				 local, remote);
		}
		number++;
	}
}

static const struct device_port *
largest_mtu(const struct device_port *ports, uint32_t count)
{
	const struct device_port *largest = ports;

	for (uint32_t i = 1; i < count; i++)
		largest = ports[i].mtu > largest->mtu ? &ports[i] : largest;
	return largest;
}

static void
use_driver(struct device_port *d, uint32_t number, const char *driver)
{
	snprintf(d->spec, sizeof(d->spec), "%s%u" INTERFACE_KEY "%s", driver, OWN_FIRST + number,
		 d->interface);
}

// Roost opens the interfaces that it makes by AF_XDP, or by packet sockets where a packet is larger
// than AF_XDP can carry: then all of them, because they share one pool. A tap's far side is a
// virtual machine, whose frames AF_XDP would have to copy as well.
static void
choose_drivers(struct device_port *ports, uint32_t count)
{
	bool jumbo = count != 0 && largest_mtu(ports, count)->mtu > device_mtu_max(OWN_DRIVER);

	for (uint32_t i = 0; i < count; i++)
		if (ports[i].interface[0] != '\0')
			use_driver(&ports[i], i,
				   jumbo || !ports[i].own_veth ? OWN_DRIVER_JUMBO : OWN_DRIVER);
}

void
device_ports_avoid_af_xdp(struct device_port *ports, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (ports[i].own_veth)
			use_driver(&ports[i], i, OWN_DRIVER_JUMBO);
}

int
device_ports_add(struct device_port *list, uint32_t *count, const struct topology *t,
		 const struct config_attach *attach, struct diag *diag)
{
	int rc = list_attached(list, count, t, attach, diag);

	// Packet sockets take nothing from the pool, which was made for the devices of the file.
	// If the pool has room for AF_XDP, device_port_use_af_xdp() changes the device.
	for (uint32_t i = 0; i < *count; i++)
		if (list[i].attach == attach && list[i].interface[0] != '\0')
			use_driver(&list[i], i, OWN_DRIVER_JUMBO);
	return rc;
}

static struct pool_options
pool_for_mtu(uint32_t mtu)
{
	return (struct pool_options){
		.name = "packets",
		.private_bytes = PACKET_META_BYTES,
		.room = device_room(mtu),
	};
}

const char *
device_port_interface(const char *spec, char name[static IFNAMSIZ])
{
	const char *at = strstr(spec, INTERFACE_KEY);
	size_t length;

	if (at == NULL)
		return NULL;
	at += strlen(INTERFACE_KEY);
	length = strcspn(at, ",");
	if (length == 0 || length >= IFNAMSIZ)
		return NULL;
	snprintf(name, IFNAMSIZ, "%.*s", (int)length, at);
	return name;
}

bool
device_port_fits_af_xdp(const struct rte_mempool *pool, uint32_t mtu)
{
	const struct pool_options largest = pool_for_mtu(device_mtu_max(OWN_DRIVER));
	bool one_chunk;
	unsigned held = device_packets_held(OWN_DRIVER, &one_chunk);

	return mtu <= device_mtu_max(OWN_DRIVER) && pool_is_packed(pool) &&
	       pool_element_bytes(pool) <= pool_planned_element_bytes(&largest) &&
	       rte_mempool_avail_count(pool) >= held + DEVICE_PORTS_FREE;
}

void
device_port_use_af_xdp(struct device_port *d, uint32_t number)
{
	use_driver(d, number, OWN_DRIVER);
}

// Another part may have the host.
static bool
is_attached_here(const struct topology *t, const struct config_attach *attach,
		 const struct config_part *part)
{
	struct topo_attached at;

	return part == NULL || !topology_find_attached(t, attach, &at) ||
	       topology_part_of(t, t->first_host + at.host) == part;
}

int
device_ports_list(struct device_port **out, uint32_t *count, const struct topology *t,
		  const struct config_part *part, struct diag *diag)
{
	const struct config *config = t->config;
	bool lone = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	struct device_port *list = memory_array(
		TOPOLOGY_HOST_PORTS_MAX * (size_t)config->attach_count + config->single.port_count +
			(part != NULL ? t->link_count : 0) + DEVICE_PORTS_SPARE,
		sizeof(*list), "device ports");
	int rc = 0;

	*count = 0;
	for (unsigned i = 0; rc == 0 && i < config->attach_count; i++)
		if (is_attached_here(t, &config->attach[i], part))
			rc = list_attached(list, count, t, &config->attach[i], diag);
	for (uint16_t i = 0; rc == 0 && lone && i < t->nodes[0].port_count; i++)
		list_lone(list, count, t, i);
	if (part != NULL)
		list_crossings(list, count, t, part);
	if (rc == 0)
		choose_drivers(list, *count);
	*out = list;
	return rc;
}

struct pool_options
device_ports_pool(const struct device_port *ports, uint32_t count)
{
	uint32_t mtu = count != 0 ? largest_mtu(ports, count)->mtu : 0;
	struct pool_options pool = pool_for_mtu(mtu);

	for (uint32_t i = 0; i < count; i++)
		pool.packets += device_packets_held(ports[i].spec, &pool.one_chunk);
	return pool;
}

// Checks a device with packets for the MTU of `widest`, which is blamed.
static int
check_port(const struct device_port *d, const struct device_port *widest, const struct topology *t,
	   struct diag *diag)
{
	bool attached = widest->host != TOPOLOGY_NONE;
	const struct pool_options pool = pool_for_mtu(widest->mtu);
	char err[DEVICE_SPEC_MAX + ERR_BYTES], key[TOPOLOGY_NAME_MAX + sizeof("switch.ports.")];
	int rc = device_check(d->spec, (uint16_t)d->mtu, &pool, err, sizeof(err));

	if (rc == 0)
		return 0;
	snprintf(key, sizeof(key), "%s.%s",
		 widest->far != NULL ? "fabric.parts"
		 : attached          ? "attach"
				     : "switch.ports",
		 widest->far != NULL ? widest->far->name.text
		 : attached          ? topology_host(t, widest->host)->name
				     : t->nodes[widest->node].ports[widest->port].name);
	diag_error(diag, t->config->file, widest->pos, key, "%s", err);
	return rc;
}

// What is behind a device knows no credits.
static int
check_credits(const struct device_port *d, const struct topology *t, struct diag *diag)
{
	const struct topo_node *node = &t->nodes[d->node];
	struct switch_config settings;

	if (config_switch(t->config, node->name, node->role, &settings) != 0 ||
	    !config_has_credits(settings.flow_control))
		return 0;
	diag_error(diag, t->config->file, d->pos, "qos.flow-control",
		   "%s has a device, which cannot grant credit: links with credits are between "
		   "simulated switches and hosts only",
		   d->name);
	return -EINVAL;
}

static int
check_llr(const struct device_port *d, const struct topology *t, struct diag *diag)
{
	const struct topo_node *node = &t->nodes[d->node];
	struct switch_config settings;

	if (config_switch(t->config, node->name, node->role, &settings) != 0 || !settings.llr.on)
		return 0;
	diag_error(diag, t->config->file, d->pos, "qos.llr.state",
		   "%s has a device, which does not speak link-level retry: set it to off%s%s",
		   d->name, d->attach != NULL ? ", or do not attach " : "",
		   d->attach != NULL ? d->attach->host.text : "");
	return -EINVAL;
}

// Warns once of a host whose packets may be larger than what carries them to another attached host.
static void
check_paths(const struct device_port *ports, uint32_t count, const struct device_port *from,
	    const struct topology *t, struct diag *diag)
{
	const struct device_port *to = NULL;
	char key[CONFIG_NAME_MAX + sizeof("attach..eth1")];
	uint32_t least = from->mtu;

	for (uint32_t i = 0; i < count; i++) {
		const struct device_port *other = &ports[i];
		uint32_t mtu;

		if (other->host == TOPOLOGY_NONE || other->host == from->host ||
		    !topology_joined(t, from->host, from->host_port, other->host, other->host_port))
			continue;
		mtu = topology_path_mtu(t, from->host, from->host_port, other->host,
					other->host_port);
		if (mtu < least) {
			least = mtu;
			to = other;
		}
	}
	if (to == NULL)
		return;
	snprintf(key, sizeof(key), "attach.%s", from->attach->host.text);
	diag_warning(
		diag, t->config->file, from->pos, key,
		"its MTU of %u is more than the %u that the path to %s carries: larger packets are "
		"dropped as mtu-exceeded",
		from->mtu, least, to->attach->host.text);
}

int
device_ports_check(const struct device_port *ports, uint32_t count, const struct topology *t,
		   struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; i < count; i++)
		if (check_credits(&ports[i], t, diag) != 0 || check_llr(&ports[i], t, diag) != 0 ||
		    check_port(&ports[i], &ports[i], t, diag) != 0)
			rc = -EINVAL;
	// All of them share the packets of the widest: one error is enough.
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = check_port(&ports[i], largest_mtu(ports, count), t, diag);
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		if (ports[i].host != TOPOLOGY_NONE)
			check_paths(ports, count, &ports[i], t, diag);
	return rc;
}
