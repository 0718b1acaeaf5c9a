// SPDX-License-Identifier: BSD-3-Clause
#include "host.h"

#include <errno.h>
#include <string.h>

// The settings of the leaf that a host hangs on.
static const struct switch_config *
leaf_settings(const struct fabric *f, uint32_t host)
{
	return &f->switches[topology_host(f->topology, host)->ports[0].peer_node];
}

static struct fabric_marking
mark(const struct fabric *f, uint32_t host, uint8_t dscp)
{
	const struct node *n = f->nodes[f->topology->first_host + host];
	uint8_t priority = leaf_settings(f, host)->dscp_to_priority[dscp];

	return (struct fabric_marking){
		.dscp = dscp,
		.priority = priority,
		.tc = n->current->priority_to_tc[priority],
	};
}

int
fabric_data_marking(const struct fabric *f, uint32_t host, uint8_t priority,
		    struct fabric_marking *out)
{
	const struct host_config *settings = &f->hosts[host];
	int dscp = settings->dscp;

	if (dscp < 0 || priority != settings->priority)
		dscp = config_priority_dscp(leaf_settings(f, host), priority);
	if (dscp < 0)
		return -EINVAL;
	*out = mark(f, host, (uint8_t)dscp);
	return 0;
}

int
fabric_ack_marking(const struct fabric *f, uint32_t host, uint8_t data_priority,
		   struct fabric_marking *out)
{
	const struct host_config *settings = &f->hosts[host];

	if (settings->ack_dscp < 0)
		return fabric_data_marking(f, host, data_priority, out);
	*out = mark(f, host, (uint8_t)settings->ack_dscp);
	return 0;
}

int
fabric_create_nic(struct fabric *f, uint32_t host, struct nic **out)
{
	const struct topo_node *place = topology_host(f->topology, host);
	const struct topo_port *port = &place->ports[0];
	const struct topo_port *gateway =
		&f->topology->nodes[port->peer_node].ports[port->peer_port];
	const struct host_config *settings = &f->hosts[host];
	struct fabric_marking cnp = mark(f, host, settings->cnp_dscp);
	struct nic_config nic;

	nic = (struct nic_config){
		.placement = settings->placement == CONFIG_PLACEMENT_OUT_OF_ORDER
				     ? NIC_PLACEMENT_OUT_OF_ORDER
				     : NIC_PLACEMENT_IN_ORDER,
		.ack_every = settings->ack_every,
		.rto = settings->rto_ps,
		.reorder_window = settings->reorder_window,
		.reorder_timeout = settings->reorder_timeout_ps,
		.cnp_interval = settings->cnp_interval_ps,
		.cnp_dscp = cnp.dscp,
		.cnp_priority = cnp.priority,
		.cnp_tc = cnp.tc,
		.header_bytes = settings->header_bytes,
		.ack_bytes = settings->ack_bytes,
	};
	memcpy(nic.mac, port->mac, sizeof(nic.mac));
	memcpy(nic.gateway_mac, gateway->mac, sizeof(nic.gateway_mac));
	memcpy(nic.ip4, port->ip4, sizeof(nic.ip4));
	memcpy(nic.ip6, port->ip6, sizeof(nic.ip6));
	return nic_create(out, f->nodes[f->topology->first_host + host], &nic);
}
