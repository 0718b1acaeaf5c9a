// SPDX-License-Identifier: BSD-3-Clause
// A packet that meets an idle port goes at once; nothing but the way there differs from one that
// was queued.
#include "../harness.h"

#include "dataplane/stages/admit.h"
#include "dataplane/stages/classify.h"
#include "dataplane/stages/enqueue.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/parse.h"

#include <string.h>

#define T 5000

// Has a packet of a priority enqueued for port 1 at T, as the leaf would.
static void
enqueue(struct harness *h, uint32_t bytes, unsigned int priority)
{
	const struct frame f = {.to = 1, .bytes = bytes, .dscp = (uint8_t)(priority * 8), .ecn = 1};
	struct rte_mbuf *m = harness_frame(h, &f);
	struct port *in = &h->node->ports[0];

	packet_meta(m)->in_port = 0;
	assert_int_equal(stage_parse(h->node, in, m, T), STAGE_NEXT);
	assert_int_equal(stage_classify(h->node, in, m, T, 0), STAGE_NEXT);
	packet_meta(m)->out_port = 1;
	assert_int_equal(stage_admit(h->node, in, m, T, 0), STAGE_NEXT);
	assert_int_equal(stage_enqueue(h->node, in, m, T, 0), STAGE_CONSUMED);
}

static void
expect_left(struct harness *h, uint32_t bytes, ps_t at)
{
	ps_t left = 0;
	struct rte_mbuf *m = harness_take(h, 1, &left);

	assert_non_null(m);
	assert_int_equal(packet_meta(m)->wire_bytes, bytes);
	assert_int_equal(left, at);
	packet_free(h->pool, m);
}

// On the wire before stage_enqueue() returns, with nothing charged or armed any more; the next
// waits for the transmitter.
static void
test_at_once(void **state)
{
	struct harness h;
	const struct port *p;
	const struct queue *q;

	(void)state;
	harness_open(&h, harness_tables(2));
	h.node->until = PS_PER_US;
	p = &h.node->ports[1];
	q = &p->queues[3];
	enqueue(&h, 1000, 3);
	assert_int_equal(wire_count(h.out[1]), 1);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(p->next_send, PS_NEVER);
	assert_int_equal(p->tx_free, T + harness_slot(1000));
	assert_int_equal(q->usage.own, 0);
	assert_int_equal(q->packets, 1);
	assert_int_equal(q->bytes, 1000);
	assert_int_equal(q->depth_max, 1000); // it was charged for an instant
	assert_int_equal(h.node->buffer.pools[POOL_EGRESS_LOSSLESS].used_max, 1000);

	enqueue(&h, 300, 3);
	assert_int_equal(node_queued(h.node), 1);
	assert_int_equal(q->usage.own, 300);
	assert_int_equal(*node_depth(h.node, p, 3), 300);
	assert_int_equal(p->nonempty, 1 << 3);
	assert_int_equal(p->next_send, T + harness_slot(1000));
	enqueue(&h, 301, 6);
	assert_int_equal(p->nonempty, 1 << 3 | 1 << 6);
	assert_int_equal(*node_depth(h.node, p, 6), 301);

	harness_run(&h, PS_PER_US);
	expect_left(&h, 1000, T + harness_frame_time(1000));
	expect_left(&h, 301, T + harness_slot(1000) + harness_frame_time(301)); // strict
	expect_left(&h, 300, T + harness_slot(1000) + harness_slot(301) + harness_frame_time(300));
	assert_int_equal(p->nonempty, 0);
	harness_close(&h);
}

// Not idle: its queue is held, or another one has something.
static void
test_not_idle(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	h.node->until = PS_PER_US;
	p = &h.node->ports[1];
	node_set_tx_off(h.node, p, 1 << 3, 0);
	enqueue(&h, 300, 3);
	assert_int_equal(wire_count(h.out[1]), 0);
	assert_int_equal(*node_depth(h.node, p, 3), 300);
	// The held one does not hold others, which take the queue's way and still leave at this
	// instant.
	enqueue(&h, 301, 0);
	assert_int_equal(node_queued(h.node), 1);
	expect_left(&h, 301, T + harness_frame_time(301));
	node_set_tx_off(h.node, p, 0, T);
	harness_run(&h, PS_PER_US);
	expect_left(&h, 300, T + harness_slot(301) + harness_frame_time(300));
	harness_close(&h);
}

// Has a leaf send a packet; `queued`: by way of a queue frozen for an instant.
static void
send(struct harness *h, bool queued, ps_t *left)
{
	struct tables *t = harness_tables(2);
	struct ecn_profile *ecn = &harness_profile(t)->tc[0].ecn;

	*ecn = (struct ecn_profile){.enabled = true, .cell = 1};
	harness_open(h, t);
	harness_run(h, T); // of which no event remains
	h->node->until = PS_PER_US;
	if (queued)
		node_set_tx_off(h->node, &h->node->ports[1], 0xff, T);
	enqueue(h, 777, 0);
	assert_int_equal(node_queued(h->node), queued);
	if (queued)
		node_set_tx_off(h->node, &h->node->ports[1], 0, T);
	harness_run(h, PS_PER_US);
	packet_free(h->pool, harness_take(h, 1, left));
}

static void
test_same_as_queued(void **state)
{
	struct harness a, b;
	ps_t left_a = 0, left_b = 0;

	(void)state;
	send(&a, false, &left_a);
	send(&b, true, &left_b);
	assert_int_equal(left_a, T + harness_frame_time(777));
	assert_int_equal(left_b, left_a);
	for (unsigned int i = 0; i < 2; i++) {
		const struct port *p = &a.node->ports[i], *q = &b.node->ports[i];

		assert_int_equal(p->tx_packets, q->tx_packets);
		assert_int_equal(p->tx_bytes, q->tx_bytes);
		assert_int_equal(p->tx_free, q->tx_free);
		assert_int_equal(p->next_send, q->next_send);
		assert_int_equal(p->nonempty, q->nonempty);
		assert_int_equal(p->dwrr_tc, q->dwrr_tc);
		// Queues end empty: not even a pointer may differ, but for the tail, which then
		// says nothing.
		for (unsigned int k = 0; k < PRIORITIES; k++) {
			struct queue x = p->queues[k], y = q->queues[k];

			x.tail = y.tail = NULL;
			assert_memory_equal(&x, &y, sizeof(x));
		}
		assert_memory_equal(p->groups, q->groups, sizeof(p->groups));
	}
	assert_memory_equal(a.node->buffer.pools, b.node->buffer.pools,
			    sizeof(a.node->buffer.pools));
	assert_memory_equal(a.node->depth, b.node->depth, 2 * PRIORITIES * sizeof(*a.node->depth));
	assert_int_equal(a.node->last_sent, b.node->last_sent);
	assert_int_equal(a.node->random.state, b.node->random.state);
	harness_close(&a);
	harness_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_not_idle),
		cmocka_unit_test(test_same_as_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
