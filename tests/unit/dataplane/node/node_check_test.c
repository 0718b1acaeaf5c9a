// SPDX-License-Identifier: BSD-3-Clause
// A switch that holds packets is found to be in order; any counter of it that is changed by hand is
// found.
#include "dataplane/node/node_check.h"
#include "tests/unit/dataplane/harness.h"
#include "tests/unit/dataplane/queueing/credited.h"
#include "dataplane/base/credit.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

#define QUEUED 6

static char what[NODE_CHECK_TEXT_BYTES];

// A leaf that has sent one packet of group 3 and holds others, by ports 0 and 1 for port 2, which
// is paused.
static void
open_holding(struct harness *h)
{
	struct tables *t = harness_tables(3);

	t->tenant_count = 1;
	t->tenants = calloc(1, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	t->ports[0].tenant = 0;
	harness_open(h, t);
	harness_put(h, 0, harness_frame(h, &(struct frame){.to = 2, .dscp = 24}), 1000);
	harness_run(h, PS_PER_US);
	node_set_tx_off(h->node, &h->node->ports[2], 0xff, h->now);
	for (unsigned int i = 0; i < QUEUED; i++)
		harness_put(h, i % 2,
			    harness_frame(h, &(struct frame){.to = 2, .dscp = i < 4 ? 24 : 0}),
			    h->now + 1000 * (i + 1));
	harness_run(h, h->now + PS_PER_US);
	assert_int_equal(node_queued(h->node), QUEUED);
}

static void
close_holding(struct harness *h)
{
	node_set_tx_off(h->node, &h->node->ports[2], 0, h->now);
	harness_run(h, h->now + PS_PER_US);
	harness_close(h);
}

static void
test_in_order(void **state)
{
	struct harness h;

	(void)state;
	open_holding(&h);
	assert_true(node_check_find(h.node, what));
	close_holding(&h);
}

// Adds 1 to a counter, expects a complaint with this word, and takes it back.
static void
expect(struct harness *h, void *counter, size_t size, const char *word)
{
	uint64_t value = 0;

	memcpy(&value, counter, size);
	value++;
	memcpy(counter, &value, size);
	what[0] = '\0';
	assert_false(node_check_find(h->node, what));
	assert_non_null(strstr(what, word));
	value--;
	memcpy(counter, &value, size);
	assert_true(node_check_find(h->node, what));
}

#define EXPECT(counter, word) expect(&h, &(counter), sizeof(counter), word)

static void
test_each_counter(void **state)
{
	struct harness h;
	struct port *in, *out;
	struct buffer *b;

	(void)state;
	open_holding(&h);
	in = &h.node->ports[0];
	out = &h.node->ports[2];
	b = &h.node->buffer;
	EXPECT(*node_depth(h.node, out, 3), "depth");
	EXPECT(out->queues[3].usage.own, "queue's own");
	EXPECT(out->queues[3].usage.guaranteed, "queue's guaranteed");
	EXPECT(in->groups[3].usage.own, "group's own");
	EXPECT(in->groups[3].headroom, "headroom");
	EXPECT(in->groups[0].usage.guaranteed, "group's guaranteed");
	EXPECT(b->pools[POOL_INGRESS_LOSSY].used, "pool 1");
	EXPECT(b->pools[POOL_EGRESS_LOSSLESS].shared_use, "pool 2");
	EXPECT(b->pools[POOL_HEADROOM].used, "headroom");
	EXPECT(b->tenants[0].used, "tenant 0: used");
	EXPECT(in->rx_packets, "received");
	EXPECT(in->drops[DROP_HEADROOM], "received");
	EXPECT(in->groups[3].packets, "admitted");
	EXPECT(out->queues[3].packets, "admitted");
	EXPECT(out->queues[0].dropped, "admitted");
	EXPECT(packet_meta(out->queues[3].head)->cells, "cells");
	EXPECT(packet_meta(out->queues[3].head)->tc, "queue 4");
	EXPECT(out->nonempty, "empty");
	close_holding(&h);
}

// A switch of more keys than one block.
static void
test_least_keys(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(8));
	assert_true(node_has_minima(h.node));
	assert_true(node_check_find(h.node, what));
	node_set_key(h.node, 16, 77);
	assert_true(node_check_find(h.node, what));
	node_write_key(h.node->keys, 16, 78);
	assert_false(node_check_find(h.node, what));
	assert_non_null(
		strstr(what, "block 1 of keys: its least key 0 is 0x4d, its keys say 0x4e"));
	node_note_minima(h.node, 1);
	assert_true(node_check_find(h.node, what));
	node_set_key(h.node, 16, NODE_KEY_NONE);
	harness_close(&h);
}

static void
test_forgotten_departure(void **state)
{
	struct harness h;

	(void)state;
	open_holding(&h);
	h.node->ports[2].tx_off = 0;
	h.node->ports[2].next_send = PS_NEVER;
	assert_false(node_check_find(h.node, what));
	assert_non_null(strstr(what, "no departure"));
	close_holding(&h);
}

// A refresh that comes before the node looks for one.
static void
test_forgotten_refresh(void **state)
{
	struct harness h;
	ps_t due;

	(void)state;
	open_holding(&h);
	due = h.now + 10 * PS_PER_US;
	h.node->ports[0].refresh_at[3] = h.node->pfc_due = due;
	assert_true(node_check_find(h.node, what));
	h.node->pfc_due = due + 1;
	assert_false(node_check_find(h.node, what));
	assert_non_null(strstr(what, "group 3"));
	assert_non_null(strstr(what, "nobody looks"));
	h.node->ports[0].refresh_at[3] = h.node->pfc_due = PS_NEVER;
	close_holding(&h);
}

// A queue that is held for want of credit, and could go.
static void
test_held_with_credit(void **state)
{
	struct credits *credits;
	struct harness h;

	(void)state;
	harness_open(&h, credited_tables(2, CREDIT_INFINIBAND, 20, PS_PER_S));
	for (unsigned int i = 0; i < 5; i++) // of 5 blocks
		harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .dscp = 24}),
			    1000 + i * harness_slot(300));
	harness_run(&h, PS_PER_US);
	credits = h.node->ports[1].credits;
	assert_int_equal(credits->starved, 1 << 3);
	assert_true(node_check_find(h.node, what));
	credits->lanes[3].limit += 4;
	assert_true(node_check_find(h.node, what));
	credits->lanes[3].limit++;
	assert_false(node_check_find(h.node, what));
	assert_non_null(strstr(what, "5 blocks of 5 on a link that is up"));
	credits->lanes[3].limit -= 5;
	credits->starved |= 1 << 4;
	assert_false(node_check_find(h.node, what));
	assert_non_null(strstr(what, "queue 4: empty"));
	credits->starved = 1 << 3;
	assert_true(node_check_find(h.node, what));
	harness_drain(&h, 0);
	harness_drain(&h, 1);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_each_counter),
		cmocka_unit_test(test_least_keys),
		cmocka_unit_test(test_forgotten_departure),
		cmocka_unit_test(test_forgotten_refresh),
		cmocka_unit_test(test_held_with_credit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
