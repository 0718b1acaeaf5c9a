// SPDX-License-Identifier: BSD-3-Clause
#include "adopt.h"

#include "dataplane/queueing/buffer.h"
#include "dataplane/queueing/charge.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/histogram.h"
#include "dataplane/queueing/llr.h"
#include "dataplane/queueing/packet_memory.h"
#include "dataplane/queueing/pause.h"
#include "dataplane/queueing/pfc.h"
#include "dataplane/queueing/requeue.h"
#include "dataplane/queueing/shaper.h"
#include "dataplane/queueing/watchdog.h"
#include "dataplane/stages/path_state.h"
#include "dataplane/stages/stale_tenant.h"

#include <stdlib.h>
#include <string.h>

// FIFOs of tenants, in every queue that the tables want them in and that has none, or too few.
static void
leave_fair(struct node *n, const struct tables *t)
{
	struct spares *had = &n->spares;
	const bool more = had->tenants > had->fair_tenants;

	if (had->fair == NULL)
		had->fair = calloc(n->port_count, sizeof(*had->fair));
	if (had->fair == NULL)
		abort();
	for (unsigned int i = 0; i < n->port_count; i++) {
		const uint8_t wants = t->ports[i].profile->fair;
		const uint8_t needs = more ? wants : wants & (uint8_t)~had->fair[i];

		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			if (needs & 1u << tc)
				spare_leave(&n->spares, fair_bytes(had->tenants));
		had->fair[i] = wants;
	}
	had->fair_tenants = had->tenants;
}

// Leaves the memory that adopting these tables takes, in the order in which node_adopt_tables()
// takes it, if the node has adopted all before them.
static void
leave_spares(struct node *n, const struct tables *t)
{
	struct spares *had = &n->spares;

	spare_free_returned(&n->spares);
	if (t->group_count > had->turns) {
		spare_leave(&n->spares, t->group_count * sizeof(*n->turns));
		had->turns = t->group_count;
	}
	if (t->tenant_count > had->tenants) {
		spare_leave(&n->spares, t->tenant_count * sizeof(*n->buffer.tenants));
		had->tenants = t->tenant_count;
	}
	if (t->vrf_count > had->vrfs) {
		spare_leave(&n->spares, t->vrf_count * sizeof(*n->answers_due));
		had->vrfs = t->vrf_count;
	}
	paths_leave_spares(n, t);
	leave_fair(n, t);
	if (!had->credits && credits_bytes(n, t) != 0) {
		spare_leave(&n->spares, credits_bytes(n, t));
		had->credits = true;
	}
	if (!had->llr && llr_bytes(n, t) != 0) {
		spare_leave(&n->spares, llr_bytes(n, t));
		had->llr = true;
	}
	if (!had->watchdog && watchdog_bytes(n, t) != 0) {
		spare_leave(&n->spares, watchdog_bytes(n, t));
		had->watchdog = true;
	}
	if (t->histogram_count != 0 || had->histograms) {
		spare_leave(&n->spares, (t->histogram_count + 1u) * sizeof(*n->histograms));
		spare_leave(&n->spares, (t->histogram_count + 1u) * sizeof(*n->histogram_due));
		had->histograms = true;
	}
}

const struct tables *
node_set_tables(struct node *n, const struct tables *t)
{
	const struct tables *before;

	leave_spares(n, t);
	before = __atomic_exchange_n(&n->tables, t, __ATOMIC_ACQ_REL);
	if (n->generation == &n->own_generation)
		node_publish(&n->own_generation);
	return before;
}

void
node_share_generation(struct node *n, const uint32_t *generation)
{
	n->generation = generation;
	n->seen = *generation;
}

void
node_publish(uint32_t *generation)
{
	__atomic_store_n(generation, *generation + 1, __ATOMIC_RELEASE);
}

void
node_take_tables(struct node *n, ps_t now)
{
	const uint32_t generation = __atomic_load_n(n->generation, __ATOMIC_ACQUIRE);
	const struct tables *t;

	if (generation == n->seen)
		return;
	n->seen = generation;
	t = __atomic_load_n(&n->tables, __ATOMIC_ACQUIRE);
	if (t == n->current)
		return;
	__atomic_store_n(&n->start, now, __ATOMIC_RELAXED);
	node_adopt_tables(n, t);
}

// Adds a queued packet to what its tenant holds, as charging it would have.
static void
recount_packet(struct node *n, const struct tables *t, struct rte_mbuf *m)
{
	const struct charge c = charge_of(m);
	const struct port_profile *in = t->ports[c.in_port].profile,
				  *out = t->ports[c.out_port].profile;
	const struct threshold *sides[2] = {&in->pg[c.pg].threshold, &out->tc[c.tc].threshold};
	const uint8_t guaranteed[2] = {PACKET_IN_GUARANTEE, PACKET_OUT_GUARANTEE};

	for (unsigned int i = 0; i < 2; i++) {
		if (c.flags & guaranteed[i])
			n->buffer.tenants[c.tenant].guarantee[sides[i]->pool] += c.cells;
		charge_note_pool(n, &c, sides[i], c.cells, t->tenant_buffers);
	}
	charge_take_tenant(n, &c, NODE_TENANTS);
}

static void
recount_usage(struct buffer *b, struct port *p, const struct threshold *t, const struct usage *u)
{
	uint32_t shared = buffer_shared(u->own, t->reserved);

	b->pools[t->pool].shared_use += shared;
	b->pools[t->pool].used += u->own + u->guaranteed;
	p->shared_use[t->pool] += shared;
}

// What counts for more than before may be more than there ever was.
static void
note_peaks(struct node *n)
{
	for (unsigned int i = 0; i < POOL_HEADROOM; i++)
		buffer_note_pool(&n->buffer.pools[i], n->buffer.pools[i].used,
				 n->buffer.pools[i].shared_use);
	for (unsigned int i = 0; i < n->port_count; i++)
		for (unsigned int pg = 0; pg < PRIORITIES; pg++)
			buffer_note_group(&n->ports[i].groups[pg],
					  n->ports[i].profile->pg[pg].threshold.reserved);
}

// Which variant a packet that waits needs, whatever the tables say.
static unsigned int
variant_of_packet(const struct packet_meta *meta)
{
	return (meta->flags & PACKET_TRIMMED ? NODE_TENANTS | NODE_FULL : 0) |
	       (meta->tenant != TENANT_NONE ? NODE_TENANTS : 0);
}

// What is held stays held; what it counts for follows the new thresholds. Returns the variant that
// the packets that wait need.
static unsigned int
buffer_recount(struct node *n, const struct tables *t)
{
	struct buffer *b = &n->buffer;
	unsigned int variant = 0;

	for (unsigned int i = 0; i < POOL_HEADROOM; i++)
		b->pools[i].used = b->pools[i].shared_use = 0;
	for (unsigned int i = 0; i < b->tenant_count; i++) {
		b->tenants[i].used = 0;
		memset(b->tenants[i].pool_used, 0, sizeof(b->tenants[i].pool_used));
		memset(b->tenants[i].guarantee, 0, sizeof(b->tenants[i].guarantee));
	}
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];
		const struct port_profile *profile = t->ports[i].profile;

		memset(p->shared_use, 0, sizeof(p->shared_use));
		for (unsigned int k = 0; k < PRIORITIES; k++) {
			recount_usage(b, p, &profile->pg[k].threshold, &p->groups[k].usage);
			recount_usage(b, p, &profile->tc[k].threshold, &p->queues[k].usage);
			for (struct rte_mbuf *m = p->queues[k].head; m != NULL;
			     m = fair_next(p, k, m)) {
				variant |= variant_of_packet(packet_meta(m));
				if (packet_meta(m)->flags & PACKET_CHARGED)
					recount_packet(n, t, m);
			}
		}
	}
	note_peaks(n);
	return variant;
}

static void
buffer_add_tenants(struct node *n, uint16_t count)
{
	struct buffer *b = &n->buffer;
	struct tenant_use *tenants;

	if (count <= b->tenant_count)
		return;
	tenants = spare_take(&n->spares, count * sizeof(*tenants));
	if (b->tenant_count != 0)
		memcpy(tenants, b->tenants, b->tenant_count * sizeof(*tenants));
	spare_return(&n->spares, b->tenants);
	b->tenants = tenants;
	b->tenant_count = count;
}

// A turn for every next-hop group.
static void
add_turns(struct node *n, uint32_t count)
{
	uint16_t *turns;

	if (count <= n->turn_count)
		return;
	turns = spare_take(&n->spares, count * sizeof(*turns));
	if (n->turn_count != 0)
		memcpy(turns, n->turns, n->turn_count * sizeof(*turns));
	spare_return(&n->spares, n->turns);
	n->turns = turns;
	n->turn_count = count;
}

// When every VRF's next ICMP is due.
static void
add_vrfs(struct node *n, uint32_t count)
{
	ps_t *due;

	if (count <= n->answers_due_count)
		return;
	due = spare_take(&n->spares, count * sizeof(*due));
	if (n->answers_due_count != 0)
		memcpy(due, n->answers_due, n->answers_due_count * sizeof(*due));
	spare_return(&n->spares, n->answers_due);
	n->answers_due = due;
	n->answers_due_count = count;
}

static bool
port_wants_full(const struct port *p)
{
	const struct port_profile *profile = p->profile;
	bool wants = profile->min_rated | profile->max_rated | profile->fair || profile->remarks ||
		     profile->max_rate.byte_time != 0;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		wants |= profile->tc[tc].red;
	return wants;
}

// Whether some packet may meet what only the full pipeline has.
static bool
wants_full(const struct node *n, const struct tables *t)
{
	bool wants = t->tenant_buffers || t->port_levels || t->latency_wanted ||
		     t->trim.size != 0 || t->watchdog_poll != 0 || t->credits != NULL ||
		     t->llr != NULL;

	for (unsigned int i = 0; i < n->port_count; i++)
		wants |= port_wants_full(&n->ports[i]);
	return wants;
}

static bool
has_tenants(const struct node *n, const struct tables *t)
{
	bool has = false;

	for (unsigned int i = 0; i < n->port_count; i++)
		has |= t->ports[i].tenant != TENANT_NONE;
	return has;
}

// Whether a packet may come or leave in an encapsulation, or be stale: epochs are stamped only with
// NODE_TUNNELS.
static bool
wants_tunnels(const struct tables *t)
{
	return t->tunnels != NULL || t->ipip != NULL || t->stale_hosts != NULL;
}

static unsigned int
choose_variant(const struct node *n, const struct tables *t)
{
	const bool notices = t->notices.on && n->role != NODE_LEAF;

	if (t->lids != NULL)
		return NODE_TENANTS | NODE_INFINIBAND | (wants_full(n, t) ? NODE_FULL : 0) |
		       (t->cut_through ? NODE_CUT_THROUGH : 0);
	if (t->cut_through)
		return NODE_TENANTS | NODE_CUT_THROUGH |
		       (wants_full(n, t) || wants_tunnels(t) || notices ? NODE_FULL | NODE_TUNNELS
									: 0);
	if (wants_full(n, t) || (notices && wants_tunnels(t)))
		return NODE_TENANTS | NODE_FULL | (wants_tunnels(t) ? NODE_TUNNELS : 0);
	if (wants_tunnels(t))
		return NODE_TENANTS | NODE_TUNNELS;
	if (notices)
		return NODE_TENANTS | NODE_NOTICES;
	return has_tenants(n, t) ? NODE_TENANTS : 0;
}

void
node_adopt_tables(struct node *n, const struct tables *t)
{
	const struct tables *before = n->current;
	unsigned int waiting;

	spare_begin(&n->spares);
	add_turns(n, t->group_count);
	buffer_add_tenants(n, t->tenant_count);
	add_vrfs(n, t->vrf_count);
	__atomic_store_n(&n->current, t, __ATOMIC_RELAXED); // node_prefetch_tables()
	packet_memory_adopt(n);
	for (unsigned int i = 0; i < n->port_count; i++)
		n->ports[i].profile = t->ports[i].profile;
	for (unsigned int i = 0; n->role != NODE_NIC && i < n->port_count; i++)
		requeue_adopt(n, &n->ports[i], n->start);
	paths_adopt(n);
	waiting = buffer_recount(n, t);
	n->variant = (uint8_t)(choose_variant(n, t) | waiting);
	if ((n->variant & (NODE_CUT_THROUGH | NODE_INFINIBAND | NODE_FULL)) ==
	    (NODE_CUT_THROUGH | NODE_FULL))
		n->variant |= NODE_TUNNELS; // of cut-through there is no full variant without
	for (unsigned int i = 0; i < n->port_count; i++) {
		fair_adopt(n, &n->ports[i]);
		shaper_adopt(n, &n->ports[i], n->start);
		pause_adopt(n, &n->ports[i], n->start);
		pfc_adopt(n, &n->ports[i], n->start);
		n->ports[i].partial_stale = true;
	}
	credits_adopt(n, before, n->start);
	llr_adopt(n, n->start);
	watchdog_adopt(n, n->start);
	histogram_adopt(n, before, t);
	spare_end(&n->spares);
	if (unlikely(t->stale_hosts != NULL) && n->role != NODE_NIC)
		stale_tenant_purge(n, n->start);
}
