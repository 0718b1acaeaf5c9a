// SPDX-License-Identifier: BSD-3-Clause
#include "node.h"

void
node_drop(struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);

	port_count_drop(&n->ports[meta->in_port], reason);
	if (meta->tenant != TENANT_NONE && n->buffer.tenants != NULL)
		n->buffer.tenants[meta->tenant].dropped++;
	if (unlikely(n->tap != NULL) && n->tap->dropped != NULL)
		n->tap->dropped(n->tap->context, n, m, reason, now);
	packet_free(n->packets, m);
}

uint64_t
node_drop_depth(const struct node *n, struct rte_mbuf *m, enum drop_reason reason)
{
	const struct packet_meta *meta = packet_meta(m);

	if (!drop_is_at_queue(reason))
		return 0;
	return (uint64_t)n->depth[meta->tc * n->port_count + meta->out_port] * n->current->cell;
}

void
node_show_pfc(struct node *n, struct port *p)
{
	n->tap->sent(n->tap->context, n, p, p->pfc_last, p->pfc_last_left);
	p->pfc_last_left = 0;
}
