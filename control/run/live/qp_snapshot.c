// SPDX-License-Identifier: BSD-3-Clause
#include "qp_snapshot.h"

#include "control/base/memory.h"

#include <stdlib.h>

struct qp_snapshot {
	struct show_nic *nics;
	unsigned int count;
	struct qp_state **pairs; // by node of the topology; NULL where there is no NIC
	uint32_t *counts;        // the same
	uint32_t nodes;
};

// On the worker that owns the node. Queue pairs are made before workers run, so there is room.
static void
look(void *context, struct node *n, ps_t now)
{
	struct qp_snapshot *l = context;
	uint32_t end;

	if (n->nic == NULL)
		return;
	end = nic_next_qpn(n->nic);
	for (uint32_t qpn = NIC_QPN_FIRST; qpn < end; qpn++)
		l->counts[n->index] += nic_read_qp(n->nic, qpn, now,
						   &l->pairs[n->index][l->counts[n->index]]) == 0;
}

static struct qp_snapshot *
make_room(const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct qp_snapshot *l = memory_new(sizeof(*l), "snapshot of queue pairs");

	l->nodes = t->node_count;
	l->nics = memory_array(t->host_count, sizeof(*l->nics), "NICs");
	l->pairs = memory_array(t->node_count, sizeof(*l->pairs), "nodes");
	l->counts = memory_array(t->node_count, sizeof(*l->counts), "nodes");
	for (uint32_t h = 0; h < t->host_count; h++) {
		const struct nic *nic = live->fabric->nics[h];

		if (nic != NULL)
			l->pairs[t->first_host + h] =
				memory_array(nic_next_qpn(nic) - NIC_QPN_FIRST, sizeof(**l->pairs),
					     "queue pairs");
	}
	return l;
}

struct qp_snapshot *
qp_snapshot_take(struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct qp_snapshot *l = make_room(live);

	live_call(&live->drive, look, l);
	for (uint32_t i = t->first_host; i < t->node_count; i++)
		if (l->pairs[i] != NULL)
			l->nics[l->count++] = (struct show_nic){
				.node = t->nodes[i].name,
				.pairs = l->pairs[i],
				.count = l->counts[i],
			};
	return l;
}

const struct show_nic *
qp_snapshot_nics(const struct qp_snapshot *l, unsigned int *count)
{
	*count = l != NULL ? l->count : 0;
	return l != NULL ? l->nics : NULL;
}

void
qp_snapshot_destroy(struct qp_snapshot *l)
{
	if (l == NULL)
		return;
	for (uint32_t i = 0; i < l->nodes; i++)
		free(l->pairs[i]);
	free(l->counts);
	free(l->pairs);
	free(l->nics);
	free(l);
}
