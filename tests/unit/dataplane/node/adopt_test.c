// SPDX-License-Identifier: BSD-3-Clause
// The event loop on functions that only write down what they are called for; then what is done to a
// node between two turns.
#include "dataplane/stages/stage.h"
#include "tests/unit/dataplane/harness.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"
#include "dataplane/node/loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORTS 4

static char trace[512];

static void
note(const char *what, unsigned int port, ps_t now)
{
	size_t used = strlen(trace);

	snprintf(trace + used, sizeof(trace) - used, "%s%u@%llu ", what, port,
		 (unsigned long long)now);
}

static int
note_arrival(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	note("a", p->index, now);
	packet_free(n->packets, m);
	return STAGE_CONSUMED;
}

static void
note_departure(struct node *n, struct port *p, ps_t now)
{
	note("d", p->index, now);
	node_arm_send(n, p, PS_NEVER);
}

static ps_t
note_timer(struct node *n, ps_t now)
{
	(void)n;
	note("t", 0, now);
	return now < 1000 ? now + 500 : PS_NEVER;
}

static ps_t
noting_advance(struct node *n, ps_t start, ps_t until)
{
	node_open(n, start, until);
	return node_run(n, note_arrival, NULL, note_departure, note_timer);
}

static const struct node_ops noting = {.advance = noting_advance};

static void
open_noting(struct harness *h, uint16_t ports)
{
	harness_open(h, harness_tables(ports));
	h->node->ops = &noting;
	trace[0] = '\0';
}

static void
put(struct harness *h, unsigned int port, ps_t at)
{
	harness_put(h, port, harness_frame(h, &(struct frame){.to = 0}), at);
}

// At one instant: the timer, arrivals by port, departures by port; on one wire by position.
static void
test_order_at_one_instant(void **state)
{
	struct harness h;

	(void)state;
	open_noting(&h, PORTS);
	put(&h, 2, 1000);
	put(&h, 0, 1000);
	put(&h, 0, 1000);
	put(&h, 3, 999);
	h.node->ports[3].next_send = 1000;
	h.node->ports[1].next_send = 1000;
	h.node->timer_at = 1000;
	assert_int_equal(h.node->ops->advance(h.node, 0, 4000), PS_NEVER);
	assert_string_equal(trace, "a3@999 t0@1000 a0@1000 a0@1000 a2@1000 d1@1000 d3@1000 ");
	harness_close(&h);
}

// What arrives at one port at one instant follows one another, before what arrives at the next
// port.
static void
test_bursts(void **state)
{
	struct harness h;

	(void)state;
	open_noting(&h, PORTS);
	for (unsigned int i = 0; i < 3; i++)
		put(&h, 1, 10);
	put(&h, 1, 11);
	put(&h, 0, 10);
	h.node->ops->advance(h.node, 0, 100);
	assert_string_equal(trace, "a0@10 a1@10 a1@10 a1@10 a1@11 ");
	harness_close(&h);
}

// A window holds what comes before its end, to the last picosecond of the longest, and tells of the
// rest.
static void
test_window_edges(void **state)
{
	struct harness h;

	(void)state;
	open_noting(&h, PORTS);
	put(&h, 0, TIME_WINDOW_MAX - 1);
	put(&h, 1, TIME_WINDOW_MAX);
	h.node->ports[2].next_send = TIME_WINDOW_MAX + 7;
	assert_int_equal(h.node->ops->advance(h.node, 0, TIME_WINDOW_MAX), TIME_WINDOW_MAX);
	assert_string_equal(trace, "a0@3999999 ");
	assert_int_equal(h.node->ops->advance(h.node, TIME_WINDOW_MAX, TIME_WINDOW_MAX + 7),
			 TIME_WINDOW_MAX + 7);
	assert_string_equal(trace, "a0@3999999 a1@4000000 ");
	// A start past the last end: nothing was missed in between.
	assert_int_equal(h.node->ops->advance(h.node, TIME_WINDOW_MAX + 7, TIME_WINDOW_MAX + 8),
			 PS_NEVER);
	assert_string_equal(trace, "a0@3999999 a1@4000000 d2@4000007 ");
	harness_close(&h);
}

// A timer may be due again within its window; arming later than what is armed changes nothing.
static void
test_timer(void **state)
{
	struct harness h;

	(void)state;
	open_noting(&h, PORTS);
	node_arm_timer(h.node, 300);
	node_arm_timer(h.node, 900);
	assert_int_equal(h.node->timer_at, 300);
	assert_int_equal(h.node->ops->advance(h.node, 0, 1200), 1300);
	assert_string_equal(trace, "t0@300 t0@800 ");
	assert_int_equal(h.node->ops->advance(h.node, 1200, 2000), PS_NEVER);
	assert_string_equal(trace, "t0@300 t0@800 t0@1300 ");
	harness_close(&h);
}

// The least key is found whatever keys are set, and in whatever order.
static void
expect_least_keys(struct packet_pool *pool, uint16_t ports)
{
	struct random random = random_stream(7, ports);
	struct node *n;

	assert_int_equal(node_create(&n, NODE_LEAF, ports, 0, 1, pool), 0);
	n->until = 1000;
	for (unsigned int i = 0; i < 2000; i++) {
		struct port *p = &n->ports[random_below(&random, ports)];
		uint32_t least = NODE_KEY_NONE;

		if (random_below(&random, 2) == 0)
			node_arm_send(n, p, random_below(&random, 2000));
		else
			node_arm_arrival(n, p, random_below(&random, 2000));
		for (uint32_t k = 0; k < n->key_count; k++)
			least = n->keys[k] < least ? n->keys[k] : least;
		assert_int_equal(node_least_key(n), least);
	}
	node_destroy(n);
}

static void
test_most_ports(void **state)
{
	static const uint16_t counts[] = {1, 2, 7, 8, 23, 24, 64, PORTS_MAX};
	struct packet_pool *pool;
	struct node *n = NULL;

	(void)state;
	assert_int_equal(packet_pool_create(&pool, 256), 0);
	assert_int_equal(node_create(&n, NODE_LEAF, 0, 0, 1, pool), -EINVAL);
	assert_int_equal(node_create(&n, NODE_LEAF, PORTS_MAX + 1, 0, 1, pool), -EINVAL);
	assert_null(n);
	assert_int_equal(node_create(&n, NODE_LEAF, PORTS_MAX, 0, 1, pool), 0);
	trace[0] = '\0';
	n->until = 100;
	node_arm_send(n, &n->ports[255], 5);
	node_arm_send(n, &n->ports[254], 5);
	assert_int_equal(node_least_key(n), 5u << 10 | NODE_DEPARTURE << 8 | 254);
	node_arm_send(n, &n->ports[254], 6);
	assert_int_equal(node_least_key(n), 5u << 10 | NODE_DEPARTURE << 8 | 255);
	node_destroy(n);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		expect_least_keys(pool, counts[i]);
	node_destroy(NULL);
	packet_pool_destroy(pool);
}

// Frozen queues keep what they have, one by one or all; freed, they go on at once.
static void
test_tx_off(void **state)
{
	struct harness h;
	struct port *p;
	ps_t left;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	p = &h.node->ports[1];
	node_set_tx_off(h.node, p, 1 << 2, 0);
	// Priority 2.
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .dscp = 16}), 1000);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .dscp = 8}), 1000);
	harness_run(&h, PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, &left));
	assert_int_equal(left, 1000 + harness_frame_time(300));
	assert_null(harness_take(&h, 1, NULL));
	assert_int_equal(node_queued(h.node), 1);
	harness_check(&h);
	node_set_tx_off(h.node, p, 0, h.now);
	harness_run(&h, 2 * PS_PER_US);
	packet_free(h.pool, harness_take(&h, 1, &left));
	assert_int_equal(left, PS_PER_US + harness_frame_time(300));
	assert_int_equal(node_queued(h.node), 0);
	harness_close(&h);
}

// By new tables what is held may count for more than there ever was: maxima follow. Group 0, which
// had all reserved, shares it in another pool.
static void
test_adopt_maxima(void **state)
{
	struct tables *before = harness_tables(PORTS), *t = harness_tables(PORTS);
	struct harness h;
	const struct buffer *b;
	const struct priority_group *g;

	(void)state;
	harness_profile(before)->pg[0].threshold.reserved = 1000;
	harness_profile(t)->pg[0].threshold.pool = POOL_INGRESS_LOSSLESS;
	harness_profile(t)->tc[0].threshold.pool = POOL_EGRESS_LOSSLESS;
	harness_open(&h, before);
	b = &h.node->buffer;
	g = &h.node->ports[0].groups[0];
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	put(&h, 0, 1000); // to port 0
	for (unsigned int i = 0; i < 3; i++)
		harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1}), 2000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(g->shared_max, 0);
	assert_int_equal(b->pools[POOL_INGRESS_LOSSLESS].used_max, 0);
	harness_adopt(&h, t);
	assert_int_equal(g->used_max, 900);
	assert_int_equal(g->shared_max, 900);
	assert_int_equal(b->pools[POOL_INGRESS_LOSSLESS].used_max, 900);
	assert_int_equal(b->pools[POOL_EGRESS_LOSSLESS].used_max, 900);
	assert_int_equal(b->pools[POOL_INGRESS_LOSSY].used, 0);
	assert_int_equal(b->pools[POOL_INGRESS_LOSSY].used_max, 900); // history
	harness_check(&h);
	harness_drain(&h, 0);
	harness_close(&h);
}

// Tables that trim packets ask for the whole pipeline, and so does a trimmed packet while it waits;
// no longer.
static void
test_adopt_whole(void **state)
{
	struct tables *t = harness_tables(PORTS);
	struct harness h;

	(void)state;
	t->trim = (struct trim_profile){.size = 256, .dscp = 11, .tc = 4, .eligible = 1 << 0};
	harness_profile(t)->tc[0].threshold =
		(struct threshold){.down = 63, .pool = POOL_EGRESS_LOSSY};
	harness_open(&h, t);
	assert_true(h.node->variant & NODE_FULL);
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1}), 1000);
	harness_run(&h, PS_PER_US);
	assert_int_equal(h.node->ports[1].queue_cold[0].trimmed, 1);
	harness_adopt(&h, harness_tables(PORTS));
	assert_true(h.node->variant & NODE_FULL);
	node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
	harness_run(&h, 2 * PS_PER_US);
	assert_int_equal(h.node->ports[1].queue_cold[4].trim_sent, 1);
	assert_int_equal(harness_drain(&h, 1), 1);
	harness_adopt(&h, harness_tables(PORTS));
	assert_false(h.node->variant & NODE_FULL);
	harness_check(&h);
	harness_close(&h);
}

// Tables whose ports 0 and 1 belong to these of two tenants.
static struct tables *
tenant_tables(uint16_t first, uint16_t second)
{
	struct tables *t = harness_tables(PORTS);

	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	t->ports[0].tenant = first;
	t->ports[1].tenant = second;
	return t;
}

static void
expect_use(const struct harness *h, unsigned int tenant, uint32_t used, uint32_t used_max)
{
	assert_int_equal(h->node->buffer.tenants[tenant].used, used);
	assert_int_equal(h->node->buffer.tenants[tenant].used_max, used_max);
	harness_check(h);
}

// Tenants are counted where a port has one and until the last packet of one has left. A packet
// stays its tenant's when the port that it came by becomes another's, or nobody's.
static void
test_adopt_tenants(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	assert_int_equal(h.node->variant, 0);
	harness_adopt(&h, tenant_tables(0, 1));
	assert_int_equal(h.node->variant, NODE_TENANTS);
	node_set_tx_off(h.node, &h.node->ports[2], 0xff, 0);
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 2, .bytes = 300}), 1000);
	harness_put(&h, 1, harness_frame(&h, &(struct frame){.to = 2, .bytes = 200}), 1000);
	harness_run(&h, PS_PER_US);
	expect_use(&h, 0, 300, 300);
	expect_use(&h, 1, 200, 200);
	harness_adopt(&h, tenant_tables(1, TENANT_NONE));
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 2, .bytes = 100}), h.now);
	harness_put(&h, 1, harness_frame(&h, &(struct frame){.to = 2, .bytes = 400}), h.now);
	harness_run(&h, 2 * PS_PER_US);
	expect_use(&h, 0, 300, 300);
	expect_use(&h, 1, 300, 300);
	harness_adopt(&h, harness_tables(PORTS));
	assert_int_equal(h.node->variant, NODE_TENANTS);
	node_set_tx_off(h.node, &h.node->ports[2], 0, h.now);
	harness_run(&h, 3 * PS_PER_US);
	assert_int_equal(harness_drain(&h, 2), 4);
	expect_use(&h, 0, 0, 300);
	expect_use(&h, 1, 0, 300);
	harness_adopt(&h, harness_tables(PORTS));
	assert_int_equal(h.node->variant, 0);
	harness_close(&h);
}

// Tables left for nodes that share a generation wait until all have theirs; then each turn that
// begins is one by the new ones, and a node that has not run yet holds the old ones until then.
static void
test_generation(void **state)
{
	struct tables *before[2], *after[2] = {harness_tables(PORTS), harness_tables(PORTS)};
	uint32_t generation = 7;
	struct harness h[2];

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		before[i] = harness_tables(PORTS);
		harness_open(&h[i], before[i]);
		node_share_generation(h[i].node, &generation);
	}
	for (unsigned int i = 0; i < 2; i++) {
		assert_ptr_equal(node_set_tables(h[i].node, after[i]), before[i]);
		harness_run(&h[0], h[0].now + PS_PER_US);
		node_take_tables(h[1].node, h[1].now);
		assert_ptr_equal(h[0].node->current, before[0]);
		assert_ptr_equal(h[1].node->current, before[1]);
	}
	node_publish(&generation);
	harness_run(&h[0], h[0].now + PS_PER_US);
	assert_ptr_equal(h[0].node->current, after[0]);
	assert_ptr_equal(h[1].node->current, before[1]);
	node_take_tables(h[1].node, 5);
	assert_ptr_equal(h[1].node->current, after[1]);
	assert_int_equal(h[1].node->start, 5);
	node_take_tables(h[1].node, 6); // there is nothing new
	assert_int_equal(h[1].node->start, 5);
	for (unsigned int i = 0; i < 2; i++) {
		h[i].tables = after[i];
		tables_destroy(before[i]);
		harness_check(&h[i]);
		harness_close(&h[i]);
	}
}

// A node on its own takes what it is left in its next turn.
static void
test_own_generation(void **state)
{
	struct tables *before = harness_tables(PORTS), *after = harness_tables(PORTS);
	struct harness h;

	(void)state;
	harness_open(&h, before);
	assert_ptr_equal(node_set_tables(h.node, after), before);
	assert_ptr_equal(h.node->current, before);
	harness_run(&h, PS_PER_US);
	assert_ptr_equal(h.node->current, after);
	h.tables = after;
	tables_destroy(before);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_at_one_instant), cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_window_edges),         cmocka_unit_test(test_timer),
		cmocka_unit_test(test_most_ports),           cmocka_unit_test(test_tx_off),
		cmocka_unit_test(test_adopt_maxima),         cmocka_unit_test(test_adopt_whole),
		cmocka_unit_test(test_adopt_tenants),        cmocka_unit_test(test_generation),
		cmocka_unit_test(test_own_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
