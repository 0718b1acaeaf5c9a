// SPDX-License-Identifier: BSD-3-Clause
#include "result.h"

// What was refused by a lossless group (its headroom had run out) or by a queue of the lossless
// egress pool. A packet is counted by one of the two at most.
static uint64_t
lossless_drops(const struct port *p, const struct port_profile *profile)
{
	uint64_t drops = 0;

	for (unsigned int i = 0; profile != NULL && i < PRIORITIES; i++) {
		if (profile->pg[i].lossless)
			drops += p->groups[i].dropped;
		if (profile->tc[i].threshold.pool == POOL_EGRESS_LOSSLESS)
			drops += p->queues[i].dropped;
	}
	return drops;
}

static void
add_port(const struct report_node *n, unsigned int index, struct report_totals *out)
{
	const struct port *p = &n->node->ports[index];

	out->packet_hops += p->tx_packets;
	if (n->node->role == NODE_NIC)
		out->packets += p->tx_packets;
	out->drops_lossless += lossless_drops(p, report_profile(n, index));
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		out->pfc_tx += p->pfc_tx[i];
		out->ecn_marked += p->queues[i].ecn_marked;
	}
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		out->drops += p->drops[i];
		out->by_reason[i] += p->drops[i];
	}
}

void
report_totals_compute(const struct report_node *nodes, unsigned int count,
		      struct report_totals *out)
{
	*out = (struct report_totals){0};
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int k = 0; k < nodes[i].node->port_count; k++)
			add_port(&nodes[i], k, out);
}

double
report_uplink_imbalance(const struct report_node *nodes, unsigned int count)
{
	double sum = 0;
	unsigned int leaves = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint64_t least = UINT64_MAX, most = 0, total = 0;
		unsigned int uplinks = 0;

		for (unsigned int k = 0; k < nodes[i].node->port_count; k++) {
			uint64_t bytes = nodes[i].node->ports[k].tx_bytes;

			if (nodes[i].node->role != NODE_LEAF || !nodes[i].ports[k].uplink)
				continue;
			least = bytes < least ? bytes : least;
			most = bytes > most ? bytes : most;
			total += bytes;
			uplinks++;
		}
		if (uplinks < 2 || total == 0)
			continue;
		sum += (double)(most - least) * uplinks / (double)total;
		leaves++;
	}
	return leaves != 0 ? sum / leaves : 0;
}
