// SPDX-License-Identifier: BSD-3-Clause
// Every counter of the buffer is taken again from the packets that wait in queues, each of which
// knows how it was charged, and compared with what the dataplane has kept by adding and
// subtracting:
//
//   queue    depth = own + guaranteed cells = the cells of its packets
//   group    own + headroom, guaranteed     = the cells of packets that came in by it
//   pool     used, shared use               = the sums over its groups or queues, of each port too
//   tenant   used                           = the cells of its packets
//            used, guaranteed by pool       = the same, of pools that know tenants
//   switch   received + its own answers     = sent + dropped + queued + being received
//
// Besides, a port that may send has a departure due, and a group in XOFF its refresh: nothing waits
// for an event that never comes. What is held for want of credit lacks it. And the least keys of a
// block are those of its keys.
#include "node_check.h"

#include "dataplane/base/credit.h"
#include "dataplane/base/llr.h"
#include "dataplane/queueing/buffer.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/xon.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL_CHECKED 20000

// The cells of packets that a group or queue holds.
struct held {
	uint64_t own; // of a group: in headroom too
	uint64_t guaranteed;
};

struct tenant_held {
	uint64_t used;
	uint64_t pool_used[POOL_COUNT];
	uint64_t guaranteed[POOL_COUNT];
};

struct node_checker {
	const struct node *n;
	const struct tables *t;
	char *what;
	struct held *groups; // by port and number
	struct tenant_held *tenants;
	uint64_t queued;
};

static bool __attribute__((format(printf, 2, 3)))
fail(struct node_checker *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->what, NODE_CHECK_TEXT_BYTES, format, args);
	va_end(args);
	return false;
}

static bool
equal(struct node_checker *c, uint64_t kept, uint64_t counted, const char *what, unsigned int port,
      unsigned int index)
{
	return kept == counted ||
	       fail(c, "port %u, %u: %s is %" PRIu64 ", its packets say %" PRIu64, port + 1, index,
		    what, kept, counted);
}

static void
note_tenant(struct node_checker *c, const struct packet_meta *meta, unsigned int pool,
	    bool guaranteed)
{
	if (!c->t->tenant_buffers || meta->tenant >= c->n->buffer.tenant_count ||
	    c->t->pools[pool].size == POOL_UNLIMITED)
		return;
	c->tenants[meta->tenant].pool_used[pool] += meta->cells;
	if (guaranteed)
		c->tenants[meta->tenant].guaranteed[pool] += meta->cells;
}

static bool
check_packet(struct node_checker *c, const struct packet_meta *meta, unsigned int port,
	     unsigned int tc, struct held *queue)
{
	const struct tables *t = c->t;
	bool in_guarantee = meta->flags & PACKET_IN_GUARANTEE,
	     out_guarantee = meta->flags & PACKET_OUT_GUARANTEE;
	struct held *group;

	if (!(meta->flags & PACKET_CHARGED) || meta->out_port != port || meta->tc != tc)
		return fail(c, "port %u, queue %u: a packet for port %u, queue %u, %s", port + 1,
			    tc, meta->out_port + 1u, meta->tc,
			    meta->flags & PACKET_CHARGED ? "charged" : "not charged");
	if (meta->in_port >= c->n->port_count || meta->pg >= PRIORITIES ||
	    (!(meta->flags & PACKET_RESIZED) && meta->cells != tables_cells(t, meta->wire_bytes)))
		return fail(
			c, "port %u, queue %u: a packet of %u B in %u cells, of port %u, group %u",
			port + 1, tc, meta->wire_bytes, meta->cells, meta->in_port + 1u, meta->pg);
	group = &c->groups[meta->in_port * PRIORITIES + meta->pg];
	*(in_guarantee ? &group->guaranteed : &group->own) += meta->cells;
	*(out_guarantee ? &queue->guaranteed : &queue->own) += meta->cells;
	note_tenant(c, meta, t->ports[meta->in_port].profile->pg[meta->pg].threshold.pool,
		    in_guarantee);
	note_tenant(c, meta, t->ports[port].profile->tc[tc].threshold.pool, out_guarantee);
	if (meta->tenant < c->n->buffer.tenant_count)
		c->tenants[meta->tenant].used += meta->cells;
	c->queued++;
	return true;
}

static bool
check_queue(struct node_checker *c, unsigned int port, unsigned int tc)
{
	const struct port *p = &c->n->ports[port];
	const struct queue *q = &p->queues[tc];
	uint32_t depth = c->n->depth[tc * c->n->port_count + port];
	struct held held = {0};

	for (struct rte_mbuf *m = q->head; m != NULL; m = fair_next(p, tc, m))
		if (!check_packet(c, packet_meta(m), port, tc, &held))
			return false;
	if ((q->head != NULL) != (p->nonempty >> tc & 1))
		return fail(c, "port %u, queue %u: its bit does not say whether it is empty",
			    port + 1, tc);
	return equal(c, depth, held.own + held.guaranteed, "depth", port, tc) &&
	       equal(c, q->usage.own, held.own, "queue's own", port, tc) &&
	       equal(c, q->usage.guaranteed, held.guaranteed, "queue's guaranteed", port, tc);
}

static bool
check_groups(struct node_checker *c, unsigned int port)
{
	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		const struct priority_group *g = &c->n->ports[port].groups[pg];
		const struct held *held = &c->groups[port * PRIORITIES + pg];

		if (!equal(c, g->usage.own + (uint64_t)g->headroom, held->own,
			   "group's own and headroom", port, pg) ||
		    !equal(c, g->usage.guaranteed, held->guaranteed, "group's guaranteed", port,
			   pg))
			return false;
	}
	return true;
}

static void
sum_usage(const struct threshold *t, const struct usage *u, unsigned int pool, uint64_t *used,
	  uint64_t *shared)
{
	if (t->pool != pool)
		return;
	*used += (uint64_t)u->own + u->guaranteed;
	*shared += buffer_shared(u->own, t->reserved);
}

// A pool of groups or of queues.
static bool
check_pool(struct node_checker *c, unsigned int pool)
{
	const struct pool *kept = &c->n->buffer.pools[pool];
	uint64_t used = 0, shared = 0;

	for (unsigned int i = 0; i < c->n->port_count; i++) {
		const struct port *p = &c->n->ports[i];
		const struct port_profile *profile = c->t->ports[i].profile;
		uint64_t before = shared;

		for (unsigned int k = 0; k < PRIORITIES; k++) {
			sum_usage(&profile->pg[k].threshold, &p->groups[k].usage, pool, &used,
				  &shared);
			sum_usage(&profile->tc[k].threshold, &p->queues[k].usage, pool, &used,
				  &shared);
		}
		if (c->t->port_levels &&
		    !equal(c, p->shared_use[pool], shared - before, "share of a pool", i, pool))
			return false;
	}
	if (kept->used != used || kept->shared_use != shared)
		return fail(c,
			    "pool %u: used %u, shared use %u; its users have %" PRIu64 ", %" PRIu64,
			    pool, kept->used, kept->shared_use, used, shared);
	if (kept->shared_use > kept->shared_max)
		return fail(c, "pool %u: shared use %u is above its peak, %u", pool,
			    kept->shared_use, kept->shared_max);
	return true;
}

static bool
check_headroom(struct node_checker *c)
{
	uint64_t used = 0;

	for (unsigned int i = 0; i < c->n->port_count; i++)
		for (unsigned int pg = 0; pg < PRIORITIES; pg++)
			used += c->n->ports[i].groups[pg].headroom;
	return c->n->buffer.pools[POOL_HEADROOM].used == used ||
	       fail(c, "headroom: used %u, its groups have %" PRIu64,
		    c->n->buffer.pools[POOL_HEADROOM].used, used);
}

static bool
check_tenant_pool(struct node_checker *c, unsigned int i, unsigned int pool)
{
	const struct tenant_use *use = &c->n->buffer.tenants[i];
	const struct tenant_held *held = &c->tenants[i];

	if (!c->t->tenant_buffers || c->t->pools[pool].size == POOL_UNLIMITED)
		return true;
	if (use->pool_used[pool] != held->pool_used[pool] ||
	    use->guarantee[pool] != held->guaranteed[pool])
		return fail(c,
			    "tenant %u, pool %u: used %u, guaranteed %u; its packets say %" PRIu64
			    ", %" PRIu64,
			    i, pool, use->pool_used[pool], use->guarantee[pool],
			    held->pool_used[pool], held->guaranteed[pool]);
	return true;
}

static bool
check_tenants(struct node_checker *c)
{
	for (unsigned int i = 0; i < c->n->buffer.tenant_count; i++) {
		const struct tenant_use *use = &c->n->buffer.tenants[i];

		if (use->used != c->tenants[i].used || use->used > use->used_max)
			return fail(c, "tenant %u: used %u, at most %u; its packets say %" PRIu64,
				    i, use->used, use->used_max, c->tenants[i].used);
		for (unsigned int pool = 0; pool < POOL_HEADROOM; pool++)
			if (!check_tenant_pool(c, i, pool))
				return false;
	}
	return true;
}

static bool
check_memory(struct node_checker *c)
{
	uint64_t used = 0;

	for (unsigned int kind = 0; kind < PACKET_KINDS; kind++)
		used += c->n->buffer.packets[kind].used;
	return !c->n->packets_limited || used == c->queued ||
	       fail(c, "%" PRIu64 " packets in memory, %" PRIu64 " queued", used, c->queued);
}

// A packet lost behind the transmitter counts as sent by its queue; one that came by a link that is
// down was never offered to the buffer. Both are dropped as link-down. The same holds for no-mbuf:
// the wire could not grow, or the packet has no room for a tunnel.
static bool
check_conservation(struct node_checker *c)
{
	uint64_t received = 0, gone = 0, offered = 0, either = 0;

	for (unsigned int i = 0; i < c->n->port_count; i++) {
		const struct port *p = &c->n->ports[i];

		received += p->rx_packets - p->control_rx - (p->partial != NULL);
		for (unsigned int kind = 0; kind < ANSWER_PACKETS; kind++)
			received += p->answers[kind];
		for (unsigned int reason = 0; reason < DROP_COUNT; reason++)
			if (reason != DROP_LINK_DOWN && reason != DROP_LINK_FAULT &&
			    reason != DROP_NO_MBUF && reason != DROP_LLR_FLUSH &&
			    reason != DROP_LLR_DISCARD)
				gone += p->drops[reason];
		either += p->drops[DROP_LINK_DOWN] + p->drops[DROP_NO_MBUF];
		for (unsigned int k = 0; k < PRIORITIES; k++) {
			gone += p->queues[k].packets;
			offered += p->groups[k].packets - p->groups[k].dropped;
			offered -= p->queues[k].packets + p->queues[k].dropped;
		}
	}
	if (offered != c->queued)
		return fail(c, "%" PRIu64 " packets admitted and not sent, %" PRIu64 " queued",
			    offered, c->queued);
	if (received < gone + c->queued || received > gone + c->queued + either)
		return fail(c,
			    "%" PRIu64 " packets received, %" PRIu64 " sent or dropped, %" PRIu64
			    " queued",
			    received, gone, c->queued);
	return true;
}

// A queue is held for want of credit only while its first packet lacks some.
static bool
check_starved(struct node_checker *c, unsigned int port)
{
	const struct port *p = &c->n->ports[port];

	if (p->credits == NULL)
		return true;
	for (unsigned int bits = p->credits->starved; bits != 0; bits &= bits - 1) {
		const unsigned int tc = (unsigned int)__builtin_ctz(bits);
		const int32_t available = credit_available(credits_lane_of_queue(c->n, p, tc));
		uint32_t needed;

		if (!(p->nonempty >> tc & 1))
			return fail(c, "port %u, queue %u: empty, and held for want of credit",
				    port + 1, tc);
		needed = credits_blocks(c->n, packet_meta(p->queues[tc].head)->wire_bytes);
		if (!p->up || available >= (int32_t)needed)
			return fail(c,
				    "port %u, queue %u: held for want of credit, with %d blocks of "
				    "%u on a link that is %s",
				    port + 1, tc, available, needed, p->up ? "up" : "down");
	}
	return true;
}

static bool
check_departure(struct node_checker *c, unsigned int port)
{
	const struct port *p = &c->n->ports[port];

	const unsigned int starved = p->credits != NULL ? p->credits->starved : 0;

	const bool blocked = p->llr != NULL && p->llr->blocked;

	if (p->next_send != PS_NEVER || (p->pfc_head == NULL && !llr_replays(p) &&
					 (blocked || (p->nonempty & ~(p->tx_off | starved)) == 0)))
		return true;
	return fail(c,
		    "port %u: queues %#x wait, of which %#x are paused, %#x shaped and %#x frozen, "
		    "and no departure is due",
		    port + 1, p->nonempty, p->paused, p->shaped, p->tx_off);
}

// Pauses that are to be sent again are due when the node looks for them.
static bool
check_refreshes(struct node_checker *c, unsigned int port)
{
	for (unsigned int pg = 0; pg < PRIORITIES; pg++)
		if (c->n->ports[port].refresh_at[pg] < c->n->pfc_due)
			return fail(c,
				    "port %u, group %u: its XOFF is to be sent again at %" PRIu64
				    " ps, and nobody looks before %" PRIu64,
				    port + 1, pg, c->n->ports[port].refresh_at[pg], c->n->pfc_due);
	return true;
}

// A group in XOFF that may send XON does so at the next release in its pool.
static bool
check_xoffs(struct node_checker *c, unsigned int port)
{
	const struct node *n = c->n;
	const struct port *p = &n->ports[port];
	unsigned int xoffs = 0;

	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		const uint8_t pool = p->profile->pg[pg].threshold.pool;
		uint32_t below;

		if (!p->groups[pg].xoff)
			continue;
		xoffs |= 1u << pg;
		below = xon_below(n, p, pg);
		if (below > n->buffer.pools[pool].xon_below)
			return fail(c,
				    "port %u, group %u: may send XON below %u, and nobody looks "
				    "above %u",
				    port + 1, pg, below, n->buffer.pools[pool].xon_below);
	}
	return (p->xoffs == xoffs &&
		(n->buffer.xoff_ports[port / 64] >> port % 64 & 1) == !!xoffs) ||
	       fail(c, "port %u: groups %#x are in XOFF, its bits say %#x", port + 1, xoffs,
		    p->xoffs);
}

// One of the least keys of a block is of every fourth key.
static bool
check_minima(struct node_checker *c)
{
	const struct node *n = c->n;

	for (uint32_t i = 0; node_has_minima(n) && i < n->key_count / 4; i++) {
		const uint32_t *keys = &n->keys[i / 4 * NODE_KEY_BLOCK + i % 4];
		uint32_t least = NODE_KEY_NONE;

		for (uint32_t k = 0; k < NODE_KEY_BLOCK; k += 4)
			least = keys[k] < least ? keys[k] : least;
		if (node_minima(n)[i] != least)
			return fail(c,
				    "block %u of keys: its least key %u is %#x, its keys say %#x",
				    i / 4, i % 4, node_minima(n)[i], least);
	}
	return true;
}

static bool
check_all(struct node_checker *c)
{
	if (!check_minima(c))
		return false;
	for (unsigned int i = 0; i < c->n->port_count; i++)
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			if (!check_queue(c, i, tc))
				return false;
	for (unsigned int i = 0; i < c->n->port_count; i++)
		if (!check_groups(c, i) || !check_starved(c, i) || !check_departure(c, i) ||
		    !check_refreshes(c, i) || !check_xoffs(c, i))
			return false;
	for (unsigned int pool = 0; pool < POOL_HEADROOM; pool++)
		if (!check_pool(c, pool))
			return false;
	return check_headroom(c) && check_tenants(c) && check_memory(c) && check_conservation(c);
}

bool
node_check_find(const struct node *n, char what[static NODE_CHECK_TEXT_BYTES])
{
	struct node_checker c = {.n = n, .t = n->current, .what = what};
	bool good;

	if (n->role == NODE_NIC || n->current == NULL)
		return true;
	c.groups = calloc((size_t)n->port_count * PRIORITIES, sizeof(*c.groups));
	c.tenants = calloc(n->buffer.tenant_count + 1u, sizeof(*c.tenants));
	good = c.groups != NULL && c.tenants != NULL ? check_all(&c)
						     : fail(&c, "no memory to check it");
	free(c.groups);
	free(c.tenants);
	return good;
}

void
node_check(const struct node *n, ps_t now)
{
	static _Thread_local uint32_t calls;
	char what[NODE_CHECK_TEXT_BYTES];

	// A wrong count stays wrong, so in a long run one call in eight finds it, whatever the
	// number of nodes.
	if (++calls > ALL_CHECKED && calls * UINT32_C(2654435761) >> 29 != 0)
		return;
	if (node_check_find(n, what))
		return;
	fprintf(stderr, "roost: %s at %" PRIu64 " ps: %s\n", n->name != NULL ? n->name : "a node",
		now, what);
	abort();
}
