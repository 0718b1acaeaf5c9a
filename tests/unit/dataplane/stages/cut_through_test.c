// SPDX-License-Identifier: BSD-3-Clause
// A packet of which a cut-through switch has only the header goes on if it leaves at the rate at
// which it comes in. Else its port keeps it until its last bit.
#include "../harness.h"

#include "dataplane/node/ports.h"

#define HEAD (5 * PS_PER_US) // when the header of a packet of 1000 B is there
#define TAIL (HEAD + 75200)  // and its last bit: 1000 - 64 + 4 bytes later at 100G

// Tables of a cut-through leaf of three ports, the third of 400G.
static struct tables *
cut_through_tables(void)
{
	struct tables *t = harness_tables(3);

	t->cut_through = true;
	harness_set_rate(harness_own_profile(t, 2), UINT64_C(400000000000));
	return t;
}

static void
open_leaf(struct harness *h)
{
	harness_open(h, cut_through_tables());
	h->in[0]->header_bytes = 64;
	assert_int_equal(h->node->variant, NODE_TENANTS | NODE_CUT_THROUGH);
}

static struct rte_mbuf *
put_partial(struct harness *h, unsigned int to, ps_t head, ps_t tail)
{
	struct rte_mbuf *m = harness_frame(h, &(struct frame){.to = to, .bytes = 1000});

	assert_int_equal(wire_put_head(h->in[0], m, head, tail), 0);
	return m;
}

static void
expect_left(struct harness *h, unsigned int port, ps_t at)
{
	ps_t left = 0;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_int_equal(left, at);
	packet_free(h->pool, m);
}

static void
test_equal_rates(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 1, HEAD, TAIL);
	put_partial(&h, 1, TAIL + 10000, TAIL + 90000); // the transmitter is not free yet
	harness_run(&h, HEAD + 1);
	assert_int_equal(h.node->ports[0].cut_through, 1);
	assert_int_equal(h.node->ports[1].tx_packets, 1);
	harness_run(&h, 2 * HEAD);
	expect_left(&h, 1, HEAD + harness_frame_time(1000));
	expect_left(&h, 1, TAIL + 10000 + harness_frame_time(1000));
	assert_int_equal(h.node->ports[0].cut_through, 2);
	harness_close(&h);
}

static void
test_other_rate(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 2, HEAD, TAIL);
	put_partial(&h, 1, TAIL, TAIL + 80000); // at the same instant: behind it
	harness_run(&h, HEAD + 1);
	assert_int_equal(h.node->ports[0].rx_packets, 1);
	assert_int_equal(node_queued(h.node), 1);
	assert_int_equal(h.node->buffer.pools[POOL_INGRESS_LOSSY].used, 0);
	harness_check(&h);
	harness_run(&h, 2 * HEAD);
	expect_left(&h, 2, TAIL + harness_frame_time(1000) / 4);
	expect_left(&h, 1, TAIL + harness_frame_time(1000));
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(h.node->ports[0].cut_through, 1);
	harness_close(&h);
}

// What was sent before its link became faster comes in more slowly than it would leave.
static void
test_slower_than_it_leaves(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 1, HEAD, HEAD + 4 * (TAIL - HEAD));
	harness_run(&h, 2 * HEAD);
	expect_left(&h, 1, HEAD + 4 * (TAIL - HEAD) + harness_frame_time(1000));
	harness_close(&h);
}

// On a wire that carries whole packets nothing is to be waited for, whatever the metadata says.
static void
test_whole(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 2, TAIL, TAIL);
	m = harness_frame(&h, &(struct frame){.to = 2, .bytes = 1000});
	packet_meta(m)->arrived = PS_PER_S;
	harness_put(&h, 1, m, 2 * TAIL);
	harness_run(&h, 3 * TAIL);
	expect_left(&h, 2, TAIL + harness_frame_time(1000) / 4);
	expect_left(&h, 2, 2 * TAIL + harness_frame_time(1000) / 4);
	assert_int_equal(h.node->ports[0].cut_through, 0);
	harness_close(&h);
}

static void
test_wrong_fcs(void **state)
{
	struct harness h;
	struct rte_mbuf *m;

	(void)state;
	open_leaf(&h);
	h.node->ports[0].rx_faults = PORT_RX_CORRUPT;
	for (unsigned int to = 1; to <= 2; to++)
		packet_meta(put_partial(&h, to, to * HEAD, to * HEAD + TAIL - HEAD))->flags |=
			PACKET_BAD_FCS;
	packet_meta(put_partial(&h, 1, 3 * HEAD, 3 * HEAD))->flags |= PACKET_BAD_FCS;
	harness_run(&h, 4 * HEAD);
	assert_int_equal(h.node->ports[0].bad_fcs_forwarded, 1);
	m = harness_take(&h, 1, NULL);
	assert_true(packet_meta(m)->flags & PACKET_BAD_FCS); // for the next one to drop
	packet_free(h.pool, m);
	assert_int_equal(harness_drops(&h, 0, DROP_BAD_FCS), 2); // that kept, and that whole
	harness_close(&h);
}

// Of what is dropped behind the stage nothing was forwarded.
static void
test_dropped_by_admission(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	h.node->ports[0].rx_faults = PORT_RX_CORRUPT;
	harness_profile(h.tables)->mtu = 500;
	packet_meta(put_partial(&h, 1, HEAD, TAIL))->flags |= PACKET_BAD_FCS;
	put_partial(&h, 1, TAIL + HEAD, 2 * TAIL);
	harness_run(&h, 4 * HEAD);
	assert_int_equal(harness_drops(&h, 0, DROP_MTU_EXCEEDED), 2);
	assert_int_equal(h.node->ports[0].cut_through, 0);
	assert_int_equal(h.node->ports[0].bad_fcs_forwarded, 0);
	harness_close(&h);
}

static void
test_link_goes_down(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 2, HEAD, TAIL);
	harness_run(&h, HEAD + 1);
	node_set_link(h.node, &h.node->ports[0], false, h.now);
	harness_run(&h, 2 * HEAD);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_DOWN), 1);
	node_set_link(h.node, &h.node->ports[0], true, h.now);
	put_partial(&h, 2, 3 * HEAD, 3 * HEAD + TAIL - HEAD);
	harness_run(&h, 3 * HEAD + 1);
	node_drop_partial(h.node, &h.node->ports[0], h.now);
	node_drop_partial(h.node, &h.node->ports[0], h.now);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_DOWN), 2);
	harness_close(&h);
}

// The tables in force at the last bit choose the way, and count it once.
static void
test_tables_change(void **state)
{
	struct harness h;
	struct tables *t = cut_through_tables();

	(void)state;
	open_leaf(&h);
	put_partial(&h, 2, HEAD, TAIL);
	harness_run(&h, HEAD + 1);
	for (uint32_t i = 0; i < t->next_hop_count; i++)
		if (t->next_hops[i].port == 2)
			t->next_hops[i].port = 1;
	for (uint32_t i = 0; i < t->group_count; i++)
		if (t->groups[i].port == 2)
			t->groups[i].port = 1;
	harness_adopt(&h, t);
	harness_run(&h, 2 * HEAD);
	expect_left(&h, 1, TAIL + harness_frame_time(1000));
	assert_int_equal(h.node->ports[0].groups[0].packets, 1);
	assert_int_equal(h.node->ports[0].rx_packets, 1);
	harness_close(&h);
}

// A frame behind another has its header behind the other's last bit, even where the delay shrinks.
static void
test_wire(void **state)
{
	struct harness h;

	(void)state;
	open_leaf(&h);
	put_partial(&h, 1, HEAD, TAIL);
	put_partial(&h, 2, HEAD + 1, HEAD + 2);
	assert_int_equal(wire_next(h.in[0]), HEAD);
	assert_int_equal(h.in[0]->last, TAIL);
	harness_run(&h, 2 * HEAD);
	expect_left(&h, 2, TAIL + harness_frame_time(1000) / 4);
	assert_int_equal(harness_drain(&h, 1), 1);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_rates),
		cmocka_unit_test(test_other_rate),
		cmocka_unit_test(test_slower_than_it_leaves),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_wrong_fcs),
		cmocka_unit_test(test_dropped_by_admission),
		cmocka_unit_test(test_link_goes_down),
		cmocka_unit_test(test_tables_change),
		cmocka_unit_test(test_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
