// SPDX-License-Identifier: BSD-3-Clause
#include "watermarks.h"

#include "buffer.h"

static void
clear_port(struct node *n, struct port *p, bool persistent)
{
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		const struct threshold *threshold = &p->profile->pg[i].threshold;
		struct priority_group *g = &p->groups[i];
		struct group_cold *cold = &p->group_cold[i];

		watermark_clear(&p->queue_cold[i].depth_before, &p->queues[i].depth_max,
				*node_depth(n, p, i), persistent);
		watermark_clear(&cold->used_before, &g->used_max,
				g->usage.own + g->usage.guaranteed + g->headroom, persistent);
		watermark_clear(&cold->shared_before, &g->shared_max,
				buffer_shared(g->usage.own, threshold->reserved), persistent);
		watermark_clear(&cold->headroom_before, &g->headroom_max, g->headroom, persistent);
	}
}

void
watermarks_clear(struct node *n, bool persistent)
{
	struct buffer *b = &n->buffer;

	for (unsigned int i = 0; i < n->port_count; i++)
		if (n->ports[i].profile != NULL)
			clear_port(n, &n->ports[i], persistent);
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		watermark_clear(&b->pools[i].used_before, &b->pools[i].used_max, b->pools[i].used,
				persistent);
	for (unsigned int i = 0; i < PACKET_KINDS; i++)
		watermark_clear(&b->packets[i].used_before, &b->packets[i].used_max,
				b->packets[i].used, persistent);
	for (unsigned int i = 0; i < b->tenant_count; i++) {
		struct tenant_use *t = &b->tenants[i];

		watermark_clear(&t->used_before, &t->used_max, t->used, persistent);
	}
}
