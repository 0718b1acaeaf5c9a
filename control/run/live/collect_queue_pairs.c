// SPDX-License-Identifier: BSD-3-Clause
#include "collect.h"

// The queue pairs of a node. Those of a NIC are made before workers run.
struct pairs {
	struct qp_state *list; // NULL: there is no NIC
	unsigned int count;
};

// On the worker that owns the node.
static void
read_pairs(void *context, struct node *n, ps_t now)
{
	struct pairs *p = &((struct pairs *)context)[n->index];
	uint32_t end = n->nic != NULL ? nic_next_qpn(n->nic) : 0;

	for (uint32_t qpn = NIC_QPN_FIRST; qpn < end; qpn++)
		p->count += nic_read_qp(n->nic, qpn, now, &p->list[p->count]) == 0;
}

void
collect_queue_pairs(struct show_state *s, struct arena *arena, struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct show_nic *nics = arena_alloc(arena, t->host_count * sizeof(*nics));
	struct pairs *pairs = arena_alloc(arena, t->node_count * sizeof(*pairs));

	for (uint32_t i = 0; i < t->host_count; i++) {
		const struct nic *nic = live->fabric->nics[i];

		if (nic != NULL)
			pairs[t->first_host + i].list =
				arena_alloc(arena, (nic_next_qpn(nic) - NIC_QPN_FIRST) *
							   sizeof(struct qp_state));
	}
	live_call(&live->drive, read_pairs, pairs);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		if (pairs[i].list != NULL)
			nics[s->nic_count++] = (struct show_nic){
				.node = t->nodes[i].name,
				.pairs = pairs[i].list,
				.count = pairs[i].count,
			};
	s->nics = nics;
}
