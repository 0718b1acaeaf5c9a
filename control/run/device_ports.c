// SPDX-License-Identifier: BSD-3-Clause
// All devices receive into packets of one pool. So the largest MTU decides how large its packets
// are, and a driver with an upper limit (AF_XDP: a page) limits every port beside it.
#include "device_ports.h"

#include "control/base/memory.h"
#include "control/config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NETDEV_FIRST 1000u // devices that users number begin with 0
#define VETH_MTU 1500u
#define ROOM_MIN 2048u
#define FRAME_EXTRA 288u // Ethernet header, tag, and what AF_XDP keeps
#define ERR_BYTES 512
// What an edge NIC without a size of its own counts as, and bytes of it for which there is a packet.
#define NIC_BUFFER_BYTES UINT64_C(1000000)
#define NIC_PACKET_BYTES 512u

static struct device_port *
add_port(struct device_port *list, uint32_t *count, const struct topology *t, uint32_t node,
	 uint16_t port)
{
	struct device_port *d = &list[(*count)++];

	d->node = node;
	d->port = port;
	d->host = TOPOLOGY_NONE;
	d->mtu = t->nodes[node].ports[port].mtu;
	topology_port_name(t, node, port, d->name);
	return d;
}

// Every host's interface is eth1, so each needs a namespace of its own.
static int
check_netns_free(const struct device_port *list, uint32_t count, const struct topology *t,
		 const struct config_attach *attach, struct diag *diag)
{
	for (uint32_t i = 0; i < count && attach->netns.text != NULL; i++) {
		if (list[i].netns == NULL || strcmp(list[i].netns, attach->netns.text) != 0)
			continue;
		diag_error(diag, t->config->file, attach->netns.pos, "attach.netns",
			   "%s is the namespace of %s already", list[i].netns,
			   topology_host(t, list[i].host)->name);
		return -EINVAL;
	}
	return 0;
}

// One priority full, each way.
static uint32_t
nic_packets(const struct config_attach *attach)
{
	uint64_t bytes = attach->buffer_bytes != 0 ? attach->buffer_bytes : NIC_BUFFER_BYTES;

	return attach->nic ? (uint32_t)(2 * bytes / NIC_PACKET_BYTES) : 0;
}

static int
list_attached(struct device_port *list, uint32_t *count, const struct topology *t,
	      const struct config_attach *attach, struct diag *diag)
{
	const struct topo_port *eth;
	struct device_port *d;
	uint32_t host;
	int rc = topology_resolve_host(t, &attach->host, "attach", &host, diag);

	if (rc == 0)
		rc = check_netns_free(list, *count, t, attach, diag);
	if (rc != 0)
		return rc;
	eth = &topology_host(t, host)->ports[0];
	d = add_port(list, count, t, eth->peer_node, eth->peer_port);
	d->host = host;
	d->nic_packets = nic_packets(attach);
	d->netns = attach->netns.text;
	d->own_veth = attach->dev.text == NULL;
	d->pos = d->own_veth ? attach->netns.pos : attach->dev.pos;
	if (d->own_veth)
		snprintf(d->spec, sizeof(d->spec), "net_af_xdp%u,iface=%s", *count,
			 attach->host.text);
	else
		snprintf(d->spec, sizeof(d->spec), "%s", attach->dev.text);
	return 0;
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
	if (!written->mtu_written)
		d->mtu = 0;
}

int
device_ports_list(struct device_port **out, uint32_t *count, const struct topology *t,
		  struct diag *diag)
{
	const struct config *config = t->config;
	bool lone = config->fabric.topology == CONFIG_TOPOLOGY_SINGLE;
	struct device_port *list = memory_array(config->attach_count + config->single.port_count,
						sizeof(*list), "device ports");
	int rc = 0;

	*count = 0;
	for (unsigned i = 0; rc == 0 && i < config->attach_count; i++)
		rc = list_attached(list, count, t, &config->attach[i], diag);
	for (uint16_t i = 0; rc == 0 && lone && i < t->nodes[0].port_count; i++)
		list_lone(list, count, t, i);
	*out = list;
	return rc;
}

static struct pool_options
pool_for_mtu(uint32_t mtu)
{
	return (struct pool_options){
		.name = "packets",
		.private_bytes = PACKET_META_BYTES,
		.room = mtu + FRAME_EXTRA > ROOM_MIN ? mtu + FRAME_EXTRA : ROOM_MIN,
	};
}

static const struct device_port *
largest_mtu(const struct device_port *ports, uint32_t count)
{
	const struct device_port *largest = ports;

	for (uint32_t i = 1; i < count; i++)
		largest = ports[i].mtu > largest->mtu ? &ports[i] : largest;
	return largest;
}

struct pool_options
device_ports_pool(const struct device_port *ports, uint32_t count)
{
	uint32_t mtu = count != 0 ? largest_mtu(ports, count)->mtu : 0;
	struct pool_options pool = pool_for_mtu(mtu > VETH_MTU ? mtu : VETH_MTU);

	for (uint32_t i = 0; i < count; i++)
		pool.packets += ports[i].nic_packets +
				device_packets_held(ports[i].spec, &pool.one_chunk);
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
	snprintf(key, sizeof(key), "%s.%s", attached ? "attach" : "switch.ports",
		 attached ? topology_host(t, widest->host)->name
			  : t->nodes[widest->node].ports[widest->port].name);
	diag_error(diag, t->config->file, widest->pos, key, "%s", err);
	return rc;
}

int
device_ports_check(const struct device_port *ports, uint32_t count, const struct topology *t,
		   struct diag *diag)
{
	int rc = 0;

	for (uint32_t i = 0; i < count; i++)
		if (check_port(&ports[i], &ports[i], t, diag) != 0)
			rc = -EINVAL;
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = check_port(&ports[i], largest_mtu(ports, count), t, diag);
	return rc;
}
