// SPDX-License-Identifier: BSD-3-Clause
#include "result_internal.h"

#include "dataplane/base/credit.h"

// What was refused by a lossless group (its headroom had run out) or by a queue of the lossless
// egress pool. A packet is counted by one of the two at most.
uint64_t
report_lossless_drops(const struct report_node *n, unsigned int port, unsigned int i)
{
	const struct port_profile *profile = report_profile(n, port);
	const struct port *p = &n->node->ports[port];
	uint64_t drops = 0;

	if (profile == NULL)
		return 0;
	if (profile->pg[i].lossless)
		drops += p->groups[i].dropped;
	if (profile->tc[i].threshold.pool == POOL_EGRESS_LOSSLESS)
		drops += p->queues[i].dropped;
	return drops;
}

static void
add_llr(const struct llr *l, struct report_totals *out)
{
	out->llr_ports++;
	out->llr_replays += l->tx_replay;
	out->llr_again += l->tx_again;
	out->llr_flushes += l->tx_flush;
}

static void
add_port(const struct report_node *n, unsigned int index, struct report_totals *out)
{
	const struct port *p = &n->node->ports[index];

	out->packet_hops += p->tx_packets;
	if (n->node->role == NODE_NIC)
		out->packets += p->tx_packets;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		out->drops_lossless += report_lossless_drops(n, index, i);
		out->pfc_tx += p->pfc_tx[i];
		out->ecn_marked += p->queues[i].ecn_marked;
		out->trimmed += p->queue_cold[i].trimmed;
	}
	out->credit_tx += credit_updates_sent(p);
	if (p->llr != NULL)
		add_llr(p->llr, out);
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		out->drops += p->drops[i];
		out->by_reason[i] += p->drops[i];
	}
}

void
report_totals_add(const struct report_node *n, struct report_totals *out)
{
	for (unsigned int k = 0; k < n->node->port_count; k++)
		add_port(n, k, out);
}

void
report_totals_compute(const struct report_node *nodes, unsigned int count,
		      struct report_totals *out)
{
	*out = (struct report_totals){0};
	for (unsigned int i = 0; i < count; i++)
		if (nodes[i].node != NULL)
			report_totals_add(&nodes[i], out);
}

double
report_leaf_imbalance(const struct report_node *n)
{
	uint64_t least = UINT64_MAX, most = 0, total = 0;
	unsigned int uplinks = 0;

	for (unsigned int k = 0; n->node->role == NODE_LEAF && k < n->node->port_count; k++) {
		uint64_t bytes = n->node->ports[k].tx_bytes;

		if (!n->ports[k].uplink)
			continue;
		least = bytes < least ? bytes : least;
		most = bytes > most ? bytes : most;
		total += bytes;
		uplinks++;
	}
	if (uplinks < 2 || total == 0)
		return -1;
	return (double)(most - least) * uplinks / (double)total;
}
