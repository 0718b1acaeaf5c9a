// SPDX-License-Identifier: BSD-3-Clause
// Tenants' turns within one queue. Ports 0 and 1 are red's and blue's, port 2 nobody's; all send to
// port 3, whose queue 0 they share.
#include "../harness.h"

#include "dataplane/queueing/fair.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>
#include <string.h>

#define OUT 3u
#define PORTS 4

enum { RED, BLUE, TENANTS };

static void
set_tenants(struct tables *t, uint16_t tenants)
{
	t->tenant_count = tenants;
	t->tenants = calloc(tenants, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	t->ports[0].tenant = RED;
	t->ports[1].tenant = BLUE;
}

static struct tables *
make_tables(bool fair, uint16_t tenants)
{
	struct tables *t = harness_tables(PORTS);

	for (unsigned int i = 0; i < POOL_COUNT; i++)
		t->pools[i] =
			(struct pool_profile){.size = POOL_UNLIMITED, .shared = POOL_UNLIMITED};
	harness_profile(t)->mtu = 1500; // a turn is 1514 bytes
	if (fair) {
		harness_profile(t)->fair = 1 << 0;
		harness_profile(t)->tc[0].fair = true;
	}
	set_tenants(t, tenants);
	return t;
}

static void
put(struct harness *h, unsigned int in, uint32_t bytes, uint16_t id)
{
	harness_put(h, in, harness_frame(h, &(struct frame){.to = OUT, .bytes = bytes, .id = id}),
		    h->now);
}

static void
freeze(struct harness *h, bool frozen)
{
	node_set_tx_off(h->node, &h->node->ports[OUT], frozen ? 0xff : 0, h->now);
}

static uint16_t
id_of(struct rte_mbuf *m)
{
	const uint8_t *ip = packet_data(m) + 14;

	return (uint16_t)(ip[4] << 8 | ip[5]);
}

// Runs for a time and writes who sent, by letter, and their bytes. Each port's packets have come in
// order.
static void
run(struct harness *h, ps_t time, uint16_t next_id[PORTS], uint64_t bytes[PORTS], char *order,
    size_t size)
{
	struct rte_mbuf *m;
	size_t count = 0;

	harness_run(h, h->now + time);
	while ((m = harness_take(h, OUT, NULL)) != NULL) {
		uint8_t in = packet_meta(m)->in_port;

		assert_int_equal(id_of(m), next_id[in]++);
		bytes[in] += packet_meta(m)->wire_bytes;
		if (count + 1 < size)
			order[count++] = "rbn"[in];
		packet_free(h->pool, m);
	}
	if (size != 0)
		order[count] = '\0';
	harness_check(h);
}

// Three FIFOs of equal packets take turns; a turn of 1514 bytes is five packets of 300 B and what
// is left adds up. The first packet of all went to the queue's head, before there was a turn.
static void
test_turns(void **state)
{
	uint16_t ids[PORTS] = {0};
	uint64_t bytes[PORTS] = {0};
	struct harness h;
	char order[64];

	(void)state;
	harness_open(&h, make_tables(true, TENANTS));
	freeze(&h, true);
	for (uint16_t i = 0; i < 12; i++)
		put(&h, 0, 300, i);
	for (uint16_t i = 0; i < 6; i++)
		put(&h, 1, 300, i);
	for (uint16_t i = 0; i < 2; i++)
		put(&h, 2, 1000, i);
	harness_run(&h, 1);
	assert_int_equal(node_queued(h.node), 20);
	assert_int_equal(*node_depth(h.node, &h.node->ports[OUT], 0),
			 12 * 300 + 6 * 300 + 2 * 1000);
	harness_check(&h);
	freeze(&h, false);
	run(&h, 3 * PS_PER_US, ids, bytes, order, sizeof(order));
	// Of 1000 B packets one goes a turn until 486 + 1514 bytes are there.
	assert_string_equal(order, "r"
				   "rrrrr"
				   "bbbbb"
				   "n"
				   "rrrrr"
				   "b"
				   "n"
				   "r");
	harness_close(&h);
}

// By bytes, not by packets, and whatever each offers: 300 B against 1500 B gives half each, to a
// turn and a frame.
static void
test_equal_bytes(void **state)
{
	uint16_t ids[PORTS] = {0};
	uint64_t bytes[PORTS] = {0};
	struct harness h;

	(void)state;
	harness_open(&h, make_tables(true, TENANTS));
	freeze(&h, true);
	for (uint16_t i = 0; i < 4000; i++)
		put(&h, 0, 300, i);
	for (uint16_t i = 0; i < 4000; i++)
		put(&h, 1, 1500, i);
	harness_run(&h, 1);
	freeze(&h, false);
	run(&h, 100 * PS_PER_US, ids, bytes, NULL, 0);
	assert_true(bytes[0] + bytes[1] > 1150000);
	assert_in_range(bytes[0], bytes[1] - 3014, bytes[1] + 3014);
	harness_close(&h);
}

// One that comes late waits for what stands at the head and for the turn under way, no more.
static void
test_late_comer(void **state)
{
	uint16_t ids[PORTS] = {0};
	uint64_t bytes[PORTS] = {0};
	struct harness h;
	char order[16];

	(void)state;
	harness_open(&h, make_tables(true, TENANTS));
	freeze(&h, true);
	for (uint16_t i = 0; i < 1000; i++)
		put(&h, 0, 1500, i);
	harness_run(&h, 1);
	freeze(&h, false);
	run(&h, PS_PER_US, ids, bytes, NULL, 0);
	put(&h, 1, 1500, 0);
	run(&h, 4 * harness_slot(1500), ids, bytes, order, sizeof(order));
	assert_true(strncmp(order, "rrb", 3) == 0 || strncmp(order, "rb", 2) == 0);
	assert_non_null(strchr(order, 'b'));
	harness_close(&h);
}

// Switched on, off and on again while packets wait, with a tenant more: each tenant's order stays,
// nothing is lost, and what joins leaves in the order of the turns.
static void
test_adopt(void **state)
{
	uint16_t ids[PORTS] = {0}, sent[PORTS] = {0};
	uint64_t bytes[PORTS] = {0};
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, make_tables(false, TENANTS));
	p = &h.node->ports[OUT];
	freeze(&h, true);
	for (unsigned int round = 0; round < 6; round++) {
		struct tables *before = h.tables;

		for (unsigned int i = 0; i < 30; i++) {
			unsigned int in = (i * 7 + round) % 3;

			put(&h, in, 300 + 100 * (i % 5), ids[in]++);
		}
		harness_run(&h, h.now + 1);
		h.tables = make_tables(round % 2 == 0, (uint16_t)(TENANTS + round / 3));
		node_set_tables(h.node, h.tables);
		freeze(&h, round % 3 == 0);
		run(&h, 400000, sent, bytes, NULL, 0);
		tables_destroy(before);
		assert_int_equal(p->queue_cold[0].tenants != NULL, round % 2 == 0);
		assert_int_equal(h.node->variant & NODE_FULL, round % 2 == 0);
		freeze(&h, true);
		harness_check(&h);
	}
	assert_true(node_queued(h.node) > 20);
	freeze(&h, false);
	run(&h, 100 * PS_PER_US, sent, bytes, NULL, 0);
	assert_memory_equal(sent, ids, sizeof(ids));
	assert_int_equal(node_queued(h.node), 0);
	harness_close(&h);
}

// Joining keeps the order of the turns.
static void
test_join_order(void **state)
{
	uint16_t ids[PORTS] = {0};
	uint64_t bytes[PORTS] = {0};
	struct tables *before;
	struct harness h;
	char order[16];

	(void)state;
	harness_open(&h, make_tables(true, TENANTS));
	freeze(&h, true);
	for (uint16_t i = 0; i < 4; i++)
		put(&h, 0, 1500, i);
	for (uint16_t i = 0; i < 3; i++)
		put(&h, 1, 1500, i);
	harness_run(&h, 1);
	before = h.tables;
	h.tables = make_tables(false, TENANTS);
	node_set_tables(h.node, h.tables);
	harness_run(&h, h.now + 1);
	tables_destroy(before);
	freeze(&h, false);
	run(&h, 2 * PS_PER_US, ids, bytes, order, sizeof(order));
	assert_string_equal(order, "rrbrbrb");
	harness_close(&h);
}

// What a tenant's guarantee holds is known wherever the packet stands: new tables count it again, a
// node that goes takes the packets along (harness_close() sees to that).
static void
test_recount_and_destroy(void **state)
{
	struct tables *t = make_tables(true, TENANTS), *other = make_tables(true, TENANTS);
	struct harness h;

	(void)state;
	t->tenant_buffers = other->tenant_buffers = true;
	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		t->pools[i] = other->pools[i] =
			(struct pool_profile){.size = 1000000, .shared = 1000000};
		t->tenants[RED].share[i] = other->tenants[RED].share[i] =
			(struct threshold){.fixed = THRESHOLD_UNLIMITED, .down = 63};
		t->tenants[BLUE].share[i] = other->tenants[BLUE].share[i] =
			t->tenants[RED].share[i];
	}
	t->tenants[RED].guaranteed[POOL_EGRESS_LOSSY] = 1000;
	other->tenants[RED].guaranteed[POOL_EGRESS_LOSSY] = 1000;
	harness_open(&h, t);
	freeze(&h, true);
	for (uint16_t i = 0; i < 5; i++) {
		put(&h, 0, 300, i);
		put(&h, 1, 300, i);
	}
	harness_run(&h, 1);
	node_set_tables(h.node, other);
	h.tables = other;
	harness_run(&h, h.now + 1);
	tables_destroy(t);
	assert_int_equal(h.node->buffer.tenants[RED].pool_used[POOL_EGRESS_LOSSY], 1500);
	assert_int_equal(h.node->buffer.tenants[RED].guarantee[POOL_EGRESS_LOSSY], 900);
	assert_int_equal(h.node->buffer.tenants[BLUE].pool_used[POOL_EGRESS_LOSSY], 1500);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),      cmocka_unit_test(test_equal_bytes),
		cmocka_unit_test(test_late_comer), cmocka_unit_test(test_adopt),
		cmocka_unit_test(test_join_order), cmocka_unit_test(test_recount_and_destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
