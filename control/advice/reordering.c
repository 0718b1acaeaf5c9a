// SPDX-License-Identifier: BSD-3-Clause
// RoCE packets that may overtake each other on their way to an attached host, because a switch
// chooses a path for each of them. What attached hosts run mostly goes back N: rdma_rxe asks again
// for all that was overtaken. The senders are the workload's, or other attached hosts that can send
// RoCE: behind a tap or a device there are drivers for it. A namespace of this machine shares its
// kernel, which opens rdma_rxe's socket only in the first one.
#include "advice_internal.h"

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

static bool
has_route(const struct fabric *f, const struct topo_port *from, const struct topo_port *to)
{
	const struct tables *t = f->tables[from->peer_node];
	uint16_t vrf = t->ports[from->peer_port].vrf;

	return lpm_lookup4(t->vrfs[vrf].ip4, to->ip4) != LPM_NONE ||
	       lpm_lookup6(t->vrfs[vrf].ip6, to->ip6) != LPM_NONE;
}

// Who sends: attached hosts, and the workload's.
struct senders {
	const struct config_attach *const *entries;
	uint32_t count;
	const struct workload *workload; // or NULL
};

// A port of an attached host; where the file says something of `reorder`, it is the user's
// decision.
struct receiver {
	const struct config_attach *attach;
	uint32_t host;
	uint8_t port;
};

static bool
receives_from(const struct fabric *f, const struct receiver *r, uint32_t host, uint8_t port)
{
	const struct topo_port *from = topology_host_port(f->topology, host, port);
	const struct topo_port *to = topology_host_port(f->topology, r->host, r->port);

	return host != r->host && from->peer_node != to->peer_node && // one leaf has one path
	       topology_joined(f->topology, host, port, r->host, r->port) && has_route(f, from, to);
}

static bool
may_run_roce(const struct config_attach *attach)
{
	return attach->tap.text != NULL || attach->dev.text != NULL;
}

static bool
receives_from_attached(const struct fabric *f, const struct receiver *r, const struct senders *s)
{
	struct topo_attached at;

	for (uint32_t i = 0; i < s->count && may_run_roce(r->attach); i++) {
		const struct config_attach *sender = s->entries[i];

		if (!may_run_roce(sender) || !topology_find_attached(f->topology, sender, &at))
			continue;
		for (uint8_t p = at.first; p < at.first + at.count; p++)
			if (receives_from(f, r, at.host, p))
				return true;
	}
	return false;
}

static bool
receives_work(const struct fabric *f, const struct receiver *r, const struct workload *w)
{
	for (uint32_t i = 0; w != NULL && i < w->flow_count; i++) {
		const struct flow_spec *flow = &w->flows[i];

		if (flow->dst == r->host && flow->dst_port == r->port &&
		    receives_from(f, r, flow->src, flow->src_port))
			return true;
	}
	return false;
}

// The switch that has packets overtake each other on their way to one of the host's ports, or NULL.
static const struct topo_node *
find_reorderer(const struct fabric *f, const struct config_attach *attach, const struct senders *s)
{
	struct receiver r = {.attach = attach};
	struct topo_attached at;

	if (attach->reorder_written || !topology_find_attached(f->topology, attach, &at))
		return NULL;
	r.host = at.host;
	for (r.port = at.first; r.port < at.first + at.count; r.port++) {
		const struct topo_node *node =
			find_switch(f, topology_host_port(f->topology, r.host, r.port));

		if (node != NULL &&
		    (receives_work(f, &r, s->workload) || receives_from_attached(f, &r, s)))
			return node;
	}
	return NULL;
}

void
advice_reordering(const struct fabric *f, const struct config_attach *const *entries,
		  uint32_t entry_count, const struct workload *workload, struct diag *diag)
{
	const struct senders senders = {entries, entry_count, workload};
	const struct config_attach *first = NULL;
	const struct topo_node *node = NULL;
	char others[ADVICE_OTHERS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < entry_count; i++) {
		const struct topo_node *found = find_reorderer(f, entries[i], &senders);

		if (found != NULL && count++ == 0) {
			first = entries[i];
			node = found;
		}
	}
	if (first == NULL)
		return;
	diag_warning(diag, f->config->file, first->host.pos, "attach",
		     "RoCE packets for %s%s may overtake each other: %s chooses a path for each of "
		     "them; a host that goes back N, such as rdma_rxe, needs attach.%s.reorder: on "
		     "(with nic: on), or routing.mode: ecmp, ecmp-qp or flowlet",
		     first->host.text,
		     advice_others(count - 1, "attached host", "attached hosts", others),
		     node->name, first->host.text);
}
