// SPDX-License-Identifier: BSD-3-Clause
// A packet that meets an idle port leaves of the buffer, and of everything else, what it would have
// left had it been charged, queued, sent and released: from random states, by the rule in each
// variant.
#include "../harness.h"

#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/base/random.h"
#include "dataplane/queueing/buffer.h"

#include <stdlib.h>
#include <string.h>

#define PORTS 3
#define TENANTS 2
#define OUT 1u
#define NOW 1000
#define STATES 4000

// All that a passing packet may change.
struct state {
	struct port ports[PORTS];
	struct queue_cold queue_cold[PORTS * PRIORITIES];
	uint32_t depth[PORTS * PRIORITIES];
	struct pool pools[POOL_COUNT];
	struct tenant_use tenants[TENANTS];
};

static void
save(const struct node *n, struct state *s)
{
	memcpy(s->ports, n->ports, sizeof(s->ports));
	memcpy(s->queue_cold, n->queue_cold, sizeof(s->queue_cold));
	memcpy(s->depth, n->depth, sizeof(s->depth));
	memcpy(s->pools, n->buffer.pools, sizeof(s->pools));
	memcpy(s->tenants, n->buffer.tenants, sizeof(s->tenants));
}

static void
restore(struct node *n, const struct state *s)
{
	memcpy(n->ports, s->ports, sizeof(s->ports));
	memcpy(n->queue_cold, s->queue_cold, sizeof(s->queue_cold));
	memcpy(n->depth, s->depth, sizeof(s->depth));
	memcpy(n->buffer.pools, s->pools, sizeof(s->pools));
	memcpy(n->buffer.tenants, s->tenants, sizeof(s->tenants));
}

static uint32_t
sometimes(struct random *r, uint32_t below)
{
	return random_below(r, 2) == 0 ? random_below(r, below) : 0;
}

static struct threshold
random_threshold(struct random *r, unsigned int pool)
{
	struct threshold t = {.pool = (uint8_t)pool, .reserved = sometimes(r, 2000)};

	switch (random_below(r, 4)) {
	case 0:
		t.fixed = random_below(r, 5000);
		t.down = 63;
		break;
	case 1:
		t.fixed = THRESHOLD_UNLIMITED;
		t.down = 63;
		break;
	case 2:
		t.up = (uint8_t)random_below(r, 7);
		break;
	default:
		t.down = (uint8_t)random_below(r, 8);
	}
	return t;
}

static void
random_pools(struct random *r, struct tables *t, bool full)
{
	for (unsigned int i = 0; i < POOL_HEADROOM; i++) {
		struct pool_profile *p = &t->pools[i];

		p->size = p->shared = POOL_UNLIMITED;
		if (random_below(r, 5) == 0)
			continue;
		p->size = 1000 + random_below(r, 20000);
		p->shared = random_below(r, p->size);
		p->port_level = full && random_below(r, 2);
		t->port_levels |= p->port_level;
		p->port_up = (uint8_t)random_below(r, 3);
		p->port_down = (uint8_t)random_below(r, 3);
	}
}

static struct tables *
random_tables(struct random *r, bool full)
{
	struct tables *t = harness_tables(PORTS);
	struct port_profile *p = harness_profile(t);

	random_pools(r, t, full);
	t->tenant_buffers = full && random_below(r, 2);
	t->tenant_count = TENANTS;
	t->tenants = calloc(TENANTS, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (unsigned int i = 0; i < TENANTS * POOL_HEADROOM; i++) {
		struct tenant_profile *tenant = &t->tenants[i % TENANTS];

		tenant->guaranteed[i / TENANTS] = sometimes(r, 3000);
		tenant->share[i / TENANTS] = random_threshold(r, i / TENANTS);
	}
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		p->pg[i].threshold = random_threshold(r, random_below(r, 2));
		p->pg[i].lossless = random_below(r, 2);
		p->pg[i].headroom = random_below(r, 3000);
		p->pg[i].xon = random_below(r, 1000);
		p->tc[i].threshold = random_threshold(r, 2 + random_below(r, 2));
	}
	return t;
}

// A group that holds something, pools and tenants with more in use, and maxima above all that, or
// just so.
static void
random_state(struct random *r, struct node *n, struct priority_group *g, const struct threshold *pg)
{
	g->usage.own = sometimes(r, 4000);
	g->usage.guaranteed = sometimes(r, 1000);
	g->used_max = g->usage.own + g->usage.guaranteed + sometimes(r, 3000);
	g->shared_max = buffer_shared(g->usage.own, pg->reserved) + sometimes(r, 3000);
	g->headroom = random_below(r, 8) == 0 ? 1 : 0;
	g->xoff = random_below(r, 8) == 0;
	for (unsigned int i = 0; i < POOL_HEADROOM; i++) {
		struct pool *pool = &n->buffer.pools[i];

		pool->shared_use = 4000 + random_below(r, 8000);
		pool->used = pool->shared_use + random_below(r, 3000);
		pool->used_max = pool->used + sometimes(r, 3000);
		pool->shared_max = pool->shared_use + sometimes(r, 3000);
		for (unsigned int k = 0; k < PORTS; k++)
			n->ports[k].shared_use[i] = 4000 + random_below(r, 3000);
		for (unsigned int k = 0; k < TENANTS; k++) {
			n->buffer.tenants[k].guarantee[i] = random_below(r, 3000);
			n->buffer.tenants[k].pool_used[i] = n->buffer.tenants[k].guarantee[i] +
							    random_below(r, 4000);
		}
	}
	for (unsigned int k = 0; k < TENANTS; k++) {
		struct tenant_use *use = &n->buffer.tenants[k];

		use->used = random_below(r, 4000);
		use->used_max = use->used + sometimes(r, 2000);
	}
}

static struct rte_mbuf *
random_packet(struct random *r, struct harness *h)
{
	struct rte_mbuf *m =
		harness_frame(h, &(struct frame){.to = OUT, .bytes = 64 + random_below(r, 3000)});
	struct packet_meta *meta = packet_meta(m);

	meta->in_port = (uint8_t)random_below(r, 2); // by the way out too
	meta->out_port = OUT;
	meta->pg = (uint8_t)random_below(r, PRIORITIES);
	meta->tc = (uint8_t)random_below(r, PRIORITIES);
	meta->tenant = random_below(r, 3) == 0 ? TENANT_NONE : (uint16_t)random_below(r, TENANTS);
	meta->cells = meta->wire_bytes;
	return m;
}

static void
go_through(struct node *n, struct rte_mbuf *m, unsigned int variant)
{
	const struct packet_meta *meta = packet_meta(m);
	struct port *in = &n->ports[meta->in_port], *out = &n->ports[OUT];

	assert_int_equal(charge_admit(n, in, out, m, NOW, variant), -1);
	port_note_depth(n, out, m);
	if (variant & NODE_FULL) {
		port_push_full(out, m);
		port_send_full(n, out, NOW);
	} else {
		queue_push(out, meta->tc, m);
		port_send_variant(n, out, NOW, variant);
	}
	out->queues[meta->tc].tail = NULL; // of an empty queue it says nothing
}

// Returns whether the packet could pass; where it could not, nothing has changed.
static bool
try_state(struct random *r, unsigned int variant)
{
	struct state *before = calloc(1, sizeof(*before)), *passed = calloc(1, sizeof(*passed)),
		     *through = calloc(1, sizeof(*through));
	struct harness h;
	struct rte_mbuf *m, *same;
	struct packet_meta *meta;
	struct node *n;
	struct port *in;
	bool passes;

	assert_true(before != NULL && passed != NULL && through != NULL);
	harness_open(&h, random_tables(r, variant & NODE_FULL));
	n = h.node;
	n->until = PS_NEVER;
	m = random_packet(r, &h);
	same = harness_frame(&h, &(struct frame){.to = OUT, .bytes = packet_meta(m)->wire_bytes});
	meta = packet_meta(m);
	*packet_meta(same) = *meta;
	in = &n->ports[meta->in_port];
	random_state(r, n, &in->groups[meta->pg], &in->profile->pg[meta->pg].threshold);
	save(n, before);
	passes = charge_pass(n, in, &n->ports[OUT], m, variant);
	if (passes) {
		if (variant & NODE_FULL)
			port_send_at_once_full(n, &n->ports[OUT], m, NOW);
		else
			port_send_at_once(n, &n->ports[OUT], m, NOW);
		save(n, passed);
		restore(n, before);
		go_through(n, same, variant);
		save(n, through);
		assert_memory_equal(passed, through, sizeof(*passed));
	} else {
		save(n, passed);
		assert_memory_equal(passed, before, sizeof(*passed));
		packet_free(h.pool, m);
		packet_free(h.pool, same);
	}
	harness_close(&h);
	free(through);
	free(passed);
	free(before);
	return passes;
}

static void
expect_same(unsigned int variant)
{
	struct random r = random_stream(1, variant);
	unsigned int passed = 0;

	for (unsigned int i = 0; i < STATES / 2; i++)
		passed += try_state(&r, variant);
	assert_in_range(passed, STATES / 20, STATES * 9 / 20);
}

static void
test_plain(void **state)
{
	(void)state;
	expect_same(0);
}

static void
test_tenants(void **state)
{
	(void)state;
	expect_same(NODE_TENANTS);
}

static void
test_full(void **state)
{
	(void)state;
	expect_same(NODE_TENANTS | NODE_FULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_tenants),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
