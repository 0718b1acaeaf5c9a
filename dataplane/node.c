// SPDX-License-Identifier: BSD-3-Clause
#include "node.h"

#include "glean.h"
#include "node_log.h"
#include "dataplane/queueing/charge.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/histogram.h"
#include "dataplane/queueing/pause.h"
#include "dataplane/queueing/pfc.h"
#include "dataplane/queueing/requeue.h"
#include "dataplane/queueing/shaper.h"
#include "dataplane/queueing/watchdog.h"
#include "dataplane/stages/moved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Keys are scanned four at a time from a cache line's start.
#define KEY_ALIGN 4

static uint32_t
align_keys(uint32_t count)
{
	return (count + KEY_ALIGN - 1) / KEY_ALIGN * KEY_ALIGN;
}

static void *
aligned_zeroed(size_t bytes)
{
	size_t rounded = (bytes + 63) / 64 * 64;
	void *memory = aligned_alloc(64, rounded);

	if (memory != NULL)
		memset(memory, 0, rounded);
	return memory;
}

static void
port_init(struct node *n, struct port *p, uint8_t index)
{
	const struct pause_clock closed = {
		.since = PS_NEVER, .last_start = PS_NEVER, .last_end = PS_NEVER};

	p->index = index;
	p->more = &n->queue_more[PRIORITIES * index];
	p->group_more = &n->group_more[PRIORITIES * index];
	p->up = true;
	p->next_send = PS_NEVER;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		p->refresh_at[i] = PS_NEVER;
		p->more[i].held = closed;
		p->more[i].watchdog.stuck_since = PS_NEVER;
	}
	for (unsigned int i = 0; i < PAUSES; i++)
		p->rx_pause[i] = p->tx_pause[i] = closed;
}

int
node_create(struct node **out, enum node_role role, uint16_t ports, uint32_t index, uint64_t seed,
	    struct packet_pool *packets)
{
	struct node *n;

	if (ports == 0 || ports > PORTS_MAX)
		return -EINVAL;
	n = aligned_zeroed(sizeof(*n));
	if (n == NULL)
		return -ENOMEM;
	n->key_count = align_keys(1 + 2 * (uint32_t)ports);
	n->ports = aligned_zeroed(ports * sizeof(*n->ports));
	n->keys = aligned_zeroed(n->key_count * sizeof(*n->keys));
	n->depth = aligned_zeroed(PRIORITIES * ports * sizeof(*n->depth));
	n->held = aligned_zeroed(ports);
	n->worse = aligned_zeroed(ports);
	n->queue_more = aligned_zeroed(PRIORITIES * ports * sizeof(*n->queue_more));
	n->group_more = aligned_zeroed(PRIORITIES * ports * sizeof(*n->group_more));
	n->watchdog_due = PS_NEVER;
	n->pfc_due = PS_NEVER;
	if (n->ports == NULL || n->keys == NULL || n->depth == NULL || n->held == NULL ||
	    n->worse == NULL || n->queue_more == NULL || n->group_more == NULL ||
	    (role != NODE_NIC &&
	     (node_log_create(&n->log, ports) != 0 || glean_create(&n->glean) != 0))) {
		node_destroy(n);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n->key_count; i++)
		n->keys[i] = NODE_KEY_NONE;
	n->departures = 1 + ports;
	n->port_count = ports;
	n->role = (uint8_t)role;
	n->index = index;
	n->packets = packets;
	n->generation = &n->own_generation;
	n->random = random_stream(seed, index);
	n->timer_at = PS_NEVER;
	for (unsigned int i = 0; i < ports; i++)
		port_init(n, &n->ports[i], (uint8_t)i);
	*out = n;
	return 0;
}

void
node_destroy(struct node *n)
{
	if (n == NULL)
		return;
	for (unsigned int i = 0; n->ports != NULL && i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		fair_destroy(p);
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			while (p->queues[tc].head != NULL)
				packet_free(n->packets, queue_pop(p, tc));
		for (struct rte_mbuf *m = p->pfc_head, *next; m != NULL; m = next) {
			next = packet_meta(m)->next;
			packet_free(n->packets, m);
		}
	}
	free(n->buffer.tenants);
	node_log_destroy(n->log);
	glean_destroy(n->glean);
	free(n->histograms);
	free(n->histogram_due);
	free(n->turns);
	free(n->group_more);
	free(n->queue_more);
	paths_destroy(n);
	free(n->worse);
	free(n->held);
	free(n->depth);
	free(n->keys);
	free(n->ports);
	free(n);
}

const struct tables *
node_set_tables(struct node *n, const struct tables *t)
{
	const struct tables *before = __atomic_exchange_n(&n->tables, t, __ATOMIC_ACQ_REL);

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
	n->start = now;
	node_adopt_tables(n, t);
}

// Adds a queued packet to the tenants' use of pools, as charging it would have.
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
		charge_note_tenant(n, &c, sides[i], c.cells, t->tenant_buffers);
	}
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
		n->buffer.pools[i].used_max =
			watermark_greater(n->buffer.pools[i].used_max, n->buffer.pools[i].used);
	for (unsigned int i = 0; i < n->port_count; i++)
		for (unsigned int pg = 0; pg < PRIORITIES; pg++)
			charge_note_peaks(&n->ports[i].groups[pg],
					  n->ports[i].profile->pg[pg].threshold.reserved);
}

// What is held stays held; what it counts for follows the new thresholds. Returns whether something
// waits that was cut.
static bool
buffer_recount(struct node *n, const struct tables *t)
{
	struct buffer *b = &n->buffer;
	bool cut = false;

	for (unsigned int i = 0; i < POOL_HEADROOM; i++)
		b->pools[i].used = b->pools[i].shared_use = 0;
	for (unsigned int i = 0; i < b->tenant_count; i++) {
		memset(b->tenants[i].used, 0, sizeof(b->tenants[i].used));
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
				cut |= packet_meta(m)->flags & PACKET_TRIMMED;
				if (packet_meta(m)->flags & PACKET_CHARGED)
					recount_packet(n, t, m);
			}
		}
	}
	note_peaks(n);
	return cut;
}

static void
buffer_add_tenants(struct buffer *b, uint16_t count)
{
	struct tenant_use *tenants;

	if (count <= b->tenant_count)
		return;
	tenants = realloc(b->tenants, count * sizeof(*tenants));
	if (tenants == NULL)
		abort(); // the control side has just built profiles for as many
	memset(tenants + b->tenant_count, 0, (count - b->tenant_count) * sizeof(*tenants));
	b->tenants = tenants;
	b->tenant_count = count;
}

// A turn for every next-hop group. Memory runs out before the first packet or, when there are more
// groups than ever, as abruptly as anywhere else where nothing sensible is left to do.
static void
add_turns(struct node *n, uint32_t count)
{
	uint16_t *turns;

	if (count <= n->turn_count)
		return;
	turns = realloc(n->turns, count * sizeof(*turns));
	if (turns == NULL)
		abort();
	memset(turns + n->turn_count, 0, (count - n->turn_count) * sizeof(*turns));
	n->turns = turns;
	n->turn_count = count;
}

static bool
port_wants_whole(const struct port *p)
{
	const struct port_profile *profile = p->profile;
	bool wants = profile->min_rated | profile->max_rated | profile->fair || profile->remarks ||
		     profile->max_rate.byte_time != 0;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		wants |= profile->tc[tc].red;
	return wants;
}

// Whether some packet may meet what only the whole pipeline has.
static bool
wants_whole(const struct node *n, const struct tables *t)
{
	bool wants = t->tenant_buffers || t->port_levels || t->latency_wanted ||
		     t->trim.size != 0 || t->watchdog.poll != 0 || t->notices.on;

	for (unsigned int i = 0; i < n->port_count; i++)
		wants |= port_wants_whole(&n->ports[i]);
	return wants;
}

void
node_adopt_tables(struct node *n, const struct tables *t)
{
	const struct tables *before = n->current;
	bool cut;

	add_turns(n, t->group_count);
	buffer_add_tenants(&n->buffer, t->tenant_count);
	n->current = t;
	for (unsigned int i = 0; i < n->port_count; i++)
		n->ports[i].profile = t->ports[i].profile;
	for (unsigned int i = 0; n->role != NODE_NIC && i < n->port_count; i++)
		requeue_adopt(n, &n->ports[i], n->start);
	paths_adopt(n);
	cut = buffer_recount(n, t);
	n->whole = cut || wants_whole(n, t);
	n->tunnels = t->tunnels != NULL || t->moved != NULL;
	for (unsigned int i = 0; i < n->port_count; i++) {
		fair_adopt(n, &n->ports[i]);
		shaper_adopt(n, &n->ports[i], n->start);
		pause_adopt(n, &n->ports[i], n->start);
		pfc_adopt(n, &n->ports[i], n->start);
	}
	watchdog_adopt(n, n->start);
	histogram_adopt(n, before, t);
	if (unlikely(t->moved != NULL) && n->role != NODE_NIC)
		moved_purge(n, n->start);
}

void
node_set_tx_off(struct node *n, struct port *p, uint8_t queues, ps_t now)
{
	p->tx_off = queues;
	pause_update_held(n, p);
	if (p->nonempty != 0)
		p->next_send = p->tx_free > now ? p->tx_free : now;
}

void
node_set_link(struct node *n, struct port *p, bool up, ps_t now)
{
	p->up = up;
	p->rx_doubt = (uint8_t)(up ? p->rx_doubt & ~PORT_RX_DOWN : p->rx_doubt | PORT_RX_DOWN);
	if (up) {
		pfc_tell_again(n, p, now);
	} else {
		pause_clear(n, p, now);
		pfc_forget_told(p, now);
	}
	pause_update_held(n, p);
}

void
node_drop(struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);

	n->ports[meta->in_port].drops[reason]++;
	if (meta->tenant != TENANT_NONE && n->buffer.tenants != NULL)
		n->buffer.tenants[meta->tenant].dropped++;
	if (unlikely(n->tap != NULL) && n->tap->dropped != NULL)
		n->tap->dropped(n->tap->context, n, m, reason, now);
	packet_free(n->packets, m);
}

void
node_show_pfc(struct node *n, struct port *p)
{
	n->tap->sent(n->tap->context, n, p, p->pfc_last, p->pfc_last_left);
	p->pfc_last_left = 0;
}

void
node_flush_tap(struct node *n)
{
	for (unsigned int i = 0; i < n->port_count; i++)
		if (n->ports[i].pfc_last_left != 0)
			node_show_pfc(n, &n->ports[i]);
}

uint64_t
node_queued(const struct node *n)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < n->port_count; i++)
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			for (struct rte_mbuf *m = n->ports[i].queues[tc].head; m != NULL;
			     m = fair_next(&n->ports[i], tc, m))
				count++;
	return count;
}
