// SPDX-License-Identifier: BSD-3-Clause
#include "watermarks.h"

#include "buffer.h"

// Whether a choice of an index, where -1 means all, has this one.
static bool
chosen(int which, unsigned int index)
{
	return which < 0 || (unsigned int)which == index;
}

static void
clear_queue(struct node *n, struct port *p, unsigned int i, bool persistent)
{
	watermark_clear(&p->queue_cold[i].depth_before, &p->queues[i].depth_max,
			*node_depth(n, p, i), persistent);
}

static void
clear_group(struct port *p, unsigned int i, bool persistent)
{
	const struct threshold *threshold = &p->profile->pg[i].threshold;
	struct priority_group *g = &p->groups[i];
	struct group_cold *cold = &p->group_cold[i];

	watermark_clear(&cold->used_before, &g->used_max,
			g->usage.own + g->usage.guaranteed + g->headroom, persistent);
	watermark_clear(&cold->shared_before, &g->shared_max,
			buffer_shared(g->usage.own, threshold->reserved), persistent);
	watermark_clear(&cold->headroom_before, &g->headroom_max, g->headroom, persistent);
}

static void
clear_port(struct node *n, struct port *p, const struct watermark_choice *which)
{
	if (p->profile == NULL)
		return;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		if (which->pg < 0 && chosen(which->queue, i))
			clear_queue(n, p, i, which->persistent);
		if (which->queue < 0 && chosen(which->pg, i))
			clear_group(p, i, which->persistent);
	}
}

static void
clear_pool(struct pool *pool, bool persistent)
{
	watermark_clear(&pool->used_before, &pool->used_max, pool->used, persistent);
	watermark_clear(&pool->shared_before, &pool->shared_max, pool->shared_use, persistent);
}

void
watermarks_clear(struct node *n, const struct watermark_choice *which)
{
	const bool persistent = which->persistent;
	struct buffer *b = &n->buffer;

	for (unsigned int i = 0; which->pool < 0 && i < n->port_count; i++)
		if (chosen(which->port, i))
			clear_port(n, &n->ports[i], which);
	if (which->port >= 0)
		return;
	for (unsigned int i = 0; i < POOL_COUNT; i++)
		if (chosen(which->pool, i))
			clear_pool(&b->pools[i], persistent);
	if (which->pool >= 0)
		return;
	for (unsigned int i = 0; i < PACKET_KINDS; i++)
		watermark_clear(&b->packets[i].used_before, &b->packets[i].used_max,
				b->packets[i].used, persistent);
	for (unsigned int i = 0; i < b->tenant_count; i++) {
		struct tenant_use *t = &b->tenants[i];

		watermark_clear(&t->used_before, &t->used_max, t->used, persistent);
	}
}
