// SPDX-License-Identifier: BSD-3-Clause
// Warns of attached hosts to which the workload sends RoCE packets by several paths, chosen packet by
// packet. What attached hosts run mostly goes back N: rdma_rxe asks again for all that was overtaken.
#include "flows_internal.h"

#include "dataplane/base/lpm.h"

static bool
chooses_by_packet(const struct tables *t, uint32_t group)
{
	return group != LPM_NONE && t->groups[group].count > 1 &&
	       t->groups[group].mode >= GROUP_ADAPTIVE && t->groups[group].mode != GROUP_FLOWLET;
}

// The first switch that sends packets for the port by several paths, packet by packet, or NULL.
static const struct topo_node *
find_switch(const struct fabric *f, const struct topo_port *port)
{
	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		const struct tables *t = f->tables[n];

		for (uint16_t v = 0; v < t->vrf_count; v++)
			if (chooses_by_packet(t, lpm_lookup4(t->vrfs[v].ip4, port->ip4)) ||
			    chooses_by_packet(t, lpm_lookup6(t->vrfs[v].ip6, port->ip6)))
				return &f->topology->nodes[n];
	}
	return NULL;
}

void
flows_warn_reordering(struct fabric_flows *flows, const struct flow_spec *spec, struct diag *diag)
{
	const struct fabric *f = flows->fabric;
	const struct topo_node *host = topology_host(f->topology, spec->dst);
	const struct topo_node *from = topology_host(f->topology, spec->src);
	const struct topo_port *port = &host->ports[spec->dst_port];
	const struct config_attach *attach =
		fabric_find_attach(f->topology, spec->dst, spec->dst_port);
	const struct topo_node *node;

	// Written, it is the user's decision.
	if (flows->reorder_warned || attach == NULL || attach->reorder_written)
		return;
	if (from->ports[spec->src_port].peer_node == port->peer_node)
		return; // one leaf has one path
	node = find_switch(f, port);
	if (node == NULL)
		return;
	flows->reorder_warned = true;
	diag_warning(diag, f->config->file, attach->host.pos, "attach",
		     "RoCE packets for %s may overtake each other: %s chooses a path for each of "
		     "them; a host that goes back N, such as rdma_rxe, needs attach.%s.reorder: on "
		     "(with nic: on), or routing.mode: ecmp, ecmp-qp or flowlet",
		     host->name, node->name, attach->host.text);
}
