// SPDX-License-Identifier: BSD-3-Clause
// Charging a packet to the shared buffer and releasing it: the exact rule. A packet of p cells is
// charged on the ingress side (its priority group) and on the egress side (its queue); both must
// admit it or neither is charged. Each side tries its tenant's guarantee, then its own space within
// its limit, then, for a lossless group, headroom. It is released when its transmission starts.
//
// The rule has variants (enum node_variant), of which new tables choose one. With tenants it counts
// what each tenant holds. The full one also has tenants with parts of the buffer and pools with a
// per-port level.
#pragma once

#include "buffer.h"
#include "credits.h"
#include "packet_memory.h"
#include "pfc.h"
#include "xon.h"

// What a packet holds, kept apart so that the packet may leave first.
struct charge {
	uint32_t cells;
	uint32_t bytes;
	uint16_t tenant;
	uint16_t flags; // the lower ones; 16 bytes in all: two registers
	uint8_t in_port;
	uint8_t out_port;
	uint8_t pg;
	uint8_t tc;
};

static inline struct charge
charge_of(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	return (struct charge){
		.cells = meta->cells,
		.bytes = meta->wire_bytes,
		.tenant = meta->tenant,
		.flags = (uint16_t)meta->flags,
		.in_port = meta->in_port,
		.out_port = meta->out_port,
		.pg = meta->pg,
		.tc = meta->tc,
	};
}

// How a side admits a packet; a refusal is the drop reason as a negative number, -1 - reason.
enum charge_place { CHARGE_GUARANTEE, CHARGE_OWN, CHARGE_HEADROOM };

static __rte_always_inline bool
charge_tenant_known(const struct tables *t, const struct charge *c,
		    const struct threshold *threshold, bool full)
{
	return full && t->tenant_buffers && c->tenant != TENANT_NONE &&
	       t->pools[threshold->pool].size != POOL_UNLIMITED;
}

static __rte_always_inline bool
charge_fits_own(const struct node *n, const struct port *p, const struct usage *usage,
		const struct threshold *threshold, uint32_t cells, bool full, uint32_t *shared)
{
	const struct pool *pool = &n->buffer.pools[threshold->pool];
	const struct pool_profile *profile = &n->current->pools[threshold->pool];

	if (full && profile->port_level)
		return buffer_fits_port(usage, threshold, pool, profile,
					p->shared_use[threshold->pool], cells, shared);
	return buffer_fits_own(usage, threshold, pool, profile, cells, shared);
}

// Steps 1 and 2 of a side, the port's. *shared: how many of the cells would count as shared.
static __rte_always_inline int
charge_try(struct node *n, const struct charge *c, const struct port *p, const struct usage *usage,
	   const struct threshold *threshold, bool full, enum drop_reason refusal, uint32_t *shared)
{
	const struct tables *t = n->current;

	if (charge_tenant_known(t, c, threshold, full)) {
		const struct pool *pool = &n->buffer.pools[threshold->pool];
		const struct pool_profile *pool_profile = &t->pools[threshold->pool];
		const struct tenant_use *use = &n->buffer.tenants[c->tenant];
		const struct tenant_profile *profile = &t->tenants[c->tenant];

		if (buffer_fits_guarantee(use, profile, threshold->pool, c->cells))
			return CHARGE_GUARANTEE;
		if (!charge_fits_own(n, p, usage, threshold, c->cells, full, shared))
			return -1 - (int)refusal;
		if (buffer_shared(usage->own + c->cells, threshold->reserved) != 0 &&
		    !buffer_fits_share(use, profile, threshold->pool, pool, pool_profile, c->cells))
			return -1 - (int)DROP_TENANT_SHARE;
		return CHARGE_OWN;
	}
	if (charge_fits_own(n, p, usage, threshold, c->cells, full, shared))
		return CHARGE_OWN;
	return -1 - (int)refusal;
}

// Whether the packet's tenant counts what it holds.
static __rte_always_inline bool
charge_has_tenant(const struct charge *c, unsigned int variant)
{
	return variant & NODE_TENANTS && c->tenant != TENANT_NONE;
}

static __rte_always_inline void
charge_note_tenant_peak(struct tenant_use *use, uint32_t used)
{
	if (used > use->used_max)
		use->used_max = used;
}

// Adds a packet to what its tenant holds.
static __rte_always_inline void
charge_take_tenant(struct node *n, const struct charge *c, unsigned int variant)
{
	if (charge_has_tenant(c, variant)) {
		struct tenant_use *use = &n->buffer.tenants[c->tenant];

		use->used += c->cells;
		charge_note_tenant_peak(use, use->used);
	}
}

// A tenant's use of a pool counts all cells of its packets, headroom too: a group does not know
// which of its packets holds headroom.
static __rte_always_inline void
charge_note_pool(struct node *n, const struct charge *c, const struct threshold *threshold,
		 uint32_t cells, bool full)
{
	if (charge_tenant_known(n->current, c, threshold, full))
		n->buffer.tenants[c->tenant].pool_used[threshold->pool] += cells;
}

static __rte_always_inline void
charge_take_side(struct node *n, const struct charge *c, struct port *p, struct usage *usage,
		 const struct threshold *threshold, int place, uint32_t shared, bool full)
{
	struct pool *pool = &n->buffer.pools[threshold->pool];

	charge_note_pool(n, c, threshold, c->cells, full);
	if (place == CHARGE_GUARANTEE) {
		buffer_take_guarantee(usage, &n->buffer.tenants[c->tenant], pool, threshold->pool,
				      c->cells);
		return;
	}
	buffer_take_own(usage, pool, c->cells, shared);
	if (full)
		p->shared_use[threshold->pool] += shared;
}

// Step 3: within the group's headroom and, where groups share one, the headroom pool.
static inline bool
charge_fits_headroom(const struct node *n, const struct priority_group *g,
		     const struct pg_profile *pg, uint32_t cells)
{
	return g->headroom + cells <= pg->headroom &&
	       n->buffer.pools[POOL_HEADROOM].used + cells <=
		       n->current->pools[POOL_HEADROOM].shared;
}

static __rte_always_inline void
charge_take_headroom(struct node *n, const struct charge *c, struct priority_group *g,
		     const struct threshold *threshold, bool full)
{
	struct pool *pool = &n->buffer.pools[POOL_HEADROOM];
	uint32_t cells = c->cells;

	charge_note_pool(n, c, threshold, cells, full);
	g->headroom += cells;
	if (g->headroom > g->headroom_max)
		g->headroom_max = g->headroom;
	pool->used += cells;
	if (pool->used > pool->used_max)
		pool->used_max = pool->used;
}

// Charges a packet that came in by `in` and is to leave by `out`, at `now`. Returns -1, or the
// reason why it must be dropped. Sends XOFF when the group's own space (or guarantee) does not take
// it.
static __rte_always_inline int
charge_admit(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m, ps_t now,
	     unsigned int variant)
{
	const bool full = variant & NODE_FULL;
	struct packet_meta *meta = packet_meta(m);
	const struct charge c = charge_of(m);
	struct priority_group *g = &in->groups[c.pg];
	const struct pg_profile *pg = &in->profile->pg[c.pg];
	struct queue *q = &out->queues[c.tc];
	const struct tc_profile *tc = &out->profile->tc[c.tc];
	const bool tight = unlikely(packet_memory_short(n, m)) &&
			   packet_memory_refuses(n, m, g->usage.own + g->usage.guaranteed);
	uint32_t in_shared = 0, out_shared = 0;
	int ingress = charge_try(n, &c, in, &g->usage, &pg->threshold, full, DROP_INGRESS_POOL,
				 &in_shared);
	int egress;

	g->packets++;
	g->bytes += c.bytes;
	if (unlikely(tight))
		ingress = -1 - (int)DROP_PACKET_MEMORY;
	if (unlikely(ingress < 0) && pg->lossless) {
		pfc_xoff(n, in, c.pg, now);
		if (!tight)
			ingress = -1 - (int)DROP_HEADROOM;
		if (charge_fits_headroom(n, g, pg, c.cells) &&
		    !(tight && packet_memory_headroom_gone(n, m)))
			ingress = CHARGE_HEADROOM;
	}
	if (unlikely(ingress < 0)) {
		g->dropped++;
		return -1 - ingress;
	}
	egress = charge_try(n, &c, out, &q->usage, &tc->threshold, full, DROP_EGRESS_POOL,
			    &out_shared);
	if (unlikely(egress < 0)) {
		q->dropped++;
		out->queue_cold[c.tc].dropped_bytes += c.bytes;
		return -1 - egress;
	}
	if (ingress == CHARGE_HEADROOM)
		charge_take_headroom(n, &c, g, &pg->threshold, full);
	else
		charge_take_side(n, &c, in, &g->usage, &pg->threshold, ingress, in_shared, full);
	charge_take_side(n, &c, out, &q->usage, &tc->threshold, egress, out_shared, full);
	charge_take_tenant(n, &c, variant);
	buffer_note_group(g, pg->threshold.reserved);
	meta->flags |= PACKET_CHARGED | (ingress == CHARGE_GUARANTEE ? PACKET_IN_GUARANTEE : 0) |
		       (egress == CHARGE_GUARANTEE ? PACKET_OUT_GUARANTEE : 0);
	return -1;
}

// Notes the peaks that a charge to a side of the buffer would set, `shared` cells of it as shared.
static __rte_always_inline void
charge_peak_side(struct node *n, const struct charge *c, const struct threshold *threshold,
		 uint32_t shared)
{
	struct pool *pool = &n->buffer.pools[threshold->pool];

	buffer_note_pool(pool, pool->used + c->cells, pool->shared_use + shared);
}

// charge_admit() and charge_release() in one, of a packet that begins to leave at the instant it
// came: all that remains of the two is counters and peaks. False when it must be charged after all,
// because it does not fit or its release would do more than undo its charge; then nothing has
// changed.
static __rte_always_inline bool
charge_pass(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m,
	    unsigned int variant)
{
	const bool full = variant & NODE_FULL;
	const struct charge c = charge_of(m);
	struct priority_group *g = &in->groups[c.pg];
	const struct threshold *pg = &in->profile->pg[c.pg].threshold;
	const struct threshold *tc = &out->profile->tc[c.tc].threshold;
	const struct pool *pool = &n->buffer.pools[pg->pool];
	uint32_t in_shared = 0, out_shared = 0, own = g->usage.own;
	int place, out_place;

	if (unlikely(g->xoff) || unlikely(g->headroom != 0) ||
	    unlikely(pool->shared_use < pool->xon_below))
		return false;
	place = charge_try(n, &c, in, &g->usage, pg, full, DROP_INGRESS_POOL, &in_shared);
	if (unlikely(place < 0))
		return false;
	out_place = charge_try(n, &c, out, &out->queues[c.tc].usage, tc, full, DROP_EGRESS_POOL,
			       &out_shared);
	if (unlikely(out_place < 0))
		return false;
	charge_peak_side(n, &c, pg, place == CHARGE_OWN ? in_shared : 0);
	charge_peak_side(n, &c, tc, out_place == CHARGE_OWN ? out_shared : 0);
	if (charge_has_tenant(&c, variant))
		charge_note_tenant_peak(&n->buffer.tenants[c.tenant],
					n->buffer.tenants[c.tenant].used + c.cells);
	if (own + g->usage.guaranteed + c.cells > g->used_max)
		g->used_max = own + g->usage.guaranteed + c.cells;
	own += place == CHARGE_OWN ? c.cells : 0;
	if (buffer_shared(own, pg->reserved) > g->shared_max)
		g->shared_max = buffer_shared(own, pg->reserved);
	g->packets++;
	g->bytes += c.bytes;
	return true;
}

static __rte_always_inline void
charge_return_side(struct node *n, const struct charge *c, struct port *p, struct usage *usage,
		   const struct threshold *threshold, uint32_t own_cells, bool guaranteed,
		   bool full)
{
	struct pool *pool = &n->buffer.pools[threshold->pool];
	uint32_t shared;

	charge_note_pool(n, c, threshold, -c->cells, full);
	if (guaranteed) {
		buffer_return_guarantee(usage, &n->buffer.tenants[c->tenant], pool, threshold->pool,
					own_cells);
		return;
	}
	shared = buffer_return_own(usage, threshold, pool, own_cells);
	if (full)
		p->shared_use[threshold->pool] -= shared;
}

// Releases what a packet held, at the instant its transmission starts.
static __rte_always_inline void
charge_return(struct node *n, const struct charge *c, ps_t now, unsigned int variant)
{
	const bool full = variant & NODE_FULL;
	struct port *in = &n->ports[c->in_port];
	struct port *out = &n->ports[c->out_port];
	struct priority_group *g = &in->groups[c->pg];
	const struct pg_profile *pg = &in->profile->pg[c->pg];
	const struct pool *pool = &n->buffer.pools[pg->threshold.pool];
	uint32_t own = c->cells;
	unsigned int waiting; // groups that the release may help, but for others of the pool

	if (charge_has_tenant(c, variant))
		n->buffer.tenants[c->tenant].used -= c->cells;
	charge_return_side(n, c, out, &out->queues[c->tc].usage, &out->profile->tc[c->tc].threshold,
			   own, c->flags & PACKET_OUT_GUARANTEE, full);
	if (unlikely(g->headroom != 0) && !(c->flags & PACKET_IN_GUARANTEE)) {
		uint32_t headroom = own < g->headroom ? own : g->headroom;

		g->headroom -= headroom;
		n->buffer.pools[POOL_HEADROOM].used -= headroom;
		own -= headroom;
	}
	charge_return_side(n, c, in, &g->usage, &pg->threshold, own, c->flags & PACKET_IN_GUARANTEE,
			   full);
	if (full && in->credits != NULL)
		credits_offer(n, in, c->pg, now);
	waiting = full ? in->xoffs : in->xoffs & 1u << c->pg;
	if (unlikely(waiting != 0))
		xon_expect(n, in, waiting);
	if (unlikely(pool->shared_use < pool->xon_below))
		pfc_pool_fell(n, pg->threshold.pool, now);
}

// Releases what a packet held, whichever variant of the rule charged it. Cold: for drops.
void charge_release(struct node *n, const struct charge *c, ps_t now);
