// SPDX-License-Identifier: BSD-3-Clause
// An edge NIC with one link (edged.h). A frame of 300 bytes takes 25.92 ns of the link at 100 Gb/s,
// gap included.
#include "dataplane/roce/edge.h"

#include "dataplane/base/headers.h"
#include "edged.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/node/ports.h"

#include <errno.h>
#include <string.h>

static const struct reorder_settings REORDER = {.packets = 8, .timeout = 10 * PS_PER_US};

static void
test_host_packets_leave_at_the_links_rate(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_many(&h, HOST, 5, 0, START);
	put_many(&h, HOST, 1, 0, START + harness_slot(300)); // behind the others
	harness_run(&h, 3 * PS_PER_US);
	for (unsigned int i = 0; i < 6; i++)
		expect_started(&h, LINK, START + i * harness_slot(300));
	assert_int_equal(h.node->ports[HOST].rx_packets, 6);
	assert_int_equal(h.node->ports[LINK].tx_packets, 6);
	assert_int_equal(h.node->ports[LINK].queues[0].packets, 6);
	edge_close(&h);
}

static void
test_packets_for_the_host_leave_at_once(void **state)
{
	struct harness h;
	ps_t left;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_many(&h, LINK, 3, 0, START);
	harness_run(&h, 3 * PS_PER_US);
	for (unsigned int i = 0; i < 3; i++) {
		struct rte_mbuf *m = harness_take(&h, HOST, &left);

		assert_non_null(m);
		assert_int_equal(left, START);
		packet_free(h.pool, m);
	}
	edge_close(&h);
}

// Ten packets of 300 bytes fill a priority. More are the host's loss; others pass them.
static void
test_a_full_priority_drops_its_own(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	put_pfc(&h, LINK, 1 << 3, 65535, START);
	put_many(&h, HOST, 13, 3, START + 1000);
	put_many(&h, HOST, 10, 0, START + 1000);
	harness_run(&h, START + PS_PER_US);
	assert_int_equal(harness_drain(&h, LINK), 10);
	assert_int_equal(depth(&h, LINK, 3), LIMIT);
	assert_int_equal(harness_drops(&h, HOST, DROP_HOST_BUFFER), 3);
	put_pfc(&h, LINK, 1 << 3, 0, START + 2 * PS_PER_US);
	harness_run(&h, START + 3 * PS_PER_US);
	assert_int_equal(harness_drain(&h, LINK), 10);
	edge_close(&h);
}

static void
put_roce(struct harness *h, uint32_t psn, ps_t at)
{
	const struct frame frame = {.dscp = 26, .dport = ROCE_UDP_PORT, .opcode = 0x04};
	struct rte_mbuf *m = harness_frame(h, &frame);

	roce_put24(packet_data(m) + 14 + 20 + 8 + 9, psn);
	harness_put(h, LINK, m, at);
}

static void
expect_psn(struct harness *h, uint32_t psn, ps_t at)
{
	ps_t left;
	struct rte_mbuf *m = harness_take(h, HOST, &left);

	assert_non_null(m);
	assert_int_equal(roce_get24(packet_data(m) + 14 + 20 + 8 + 9), psn);
	assert_int_equal(left, at);
	packet_free(h->pool, m);
}

// Packets that wait for their turn count as waiting in their queue, until their time is over. What
// is not RoCE passes them.
static void
test_packets_are_put_in_order(void **state)
{
	const struct reorder_counters *c;
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	assert_int_equal(edge_set_reorder(h.node->edge, h.node, 1, &REORDER), -EINVAL);
	assert_int_equal(edge_set_reorder(h.node->edge, h.node, 0, &REORDER), 0);
	assert_int_equal(edge_set_reorder(h.node->edge, h.node, 0, &REORDER), -EINVAL);
	c = h.node->ports[LINK].reorder;
	put_roce(&h, 1, START);
	put_roce(&h, 3, START + 1000);
	put_many(&h, LINK, 1, 0, START + 2000);
	harness_run(&h, START + 3000);
	expect_psn(&h, 1, START);
	assert_int_equal(harness_drain(&h, HOST), 1);
	assert_int_equal(depth(&h, HOST, 3), 300);
	assert_int_equal(node_queued(h.node), 1);
	put_roce(&h, 2, START + 3000);
	put_roce(&h, 6, START + 4000);
	harness_run(&h, START + 5000);
	expect_psn(&h, 2, START + 3000);
	expect_psn(&h, 3, START + 3000);
	assert_int_equal(depth(&h, HOST, 3), 300);
	harness_run(&h, START + 20 * PS_PER_US);
	expect_psn(&h, 6, START + 4000 + 10 * PS_PER_US);
	assert_int_equal(depth(&h, HOST, 3), 0);
	assert_int_equal(c->held, 2);
	assert_int_equal(c->released, 1);
	assert_int_equal(c->timeouts, 1);
	edge_close(&h);
}

// Five packets of 300 bytes are what the priority may hold before the leaf must pause it: the sixth
// has no room to wait. Without a way to the host those that wait are lost.
static void
test_no_room_and_no_host(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	assert_int_equal(edge_set_reorder(h.node->edge, h.node, 0, &REORDER), 0);
	put_roce(&h, 1, START);
	for (uint32_t i = 0; i < 6; i++)
		put_roce(&h, 3 + i, START + 1000);
	harness_run(&h, START + 2000);
	expect_psn(&h, 1, START);
	for (uint32_t i = 0; i < 6; i++)
		expect_psn(&h, 3 + i, START + 1000);
	assert_int_equal(h.node->ports[LINK].reorder->overflows, 1);
	put_roce(&h, 20, START + 3000);
	harness_run(&h, START + 4000);
	assert_int_equal(depth(&h, HOST, 3), 300);
	node_set_link(h.node, &h.node->ports[HOST], false, START + 4000);
	harness_run(&h, START + 20 * PS_PER_US);
	assert_int_equal(depth(&h, HOST, 3), 0);
	assert_int_equal(harness_drops(&h, LINK, DROP_LINK_DOWN), 1);
	harness_drain(&h, LINK); // XOFF and XON
	edge_close(&h);
}

// What waits when a host is detached is lost, in either direction, and the next one has a link of
// its own settings.
static void
test_a_link_is_set_anew(void **state)
{
	const struct edge_buffer next = {.limit = 600, .xoff = 300, .xon = 0};
	struct reorder *first, *second;
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	assert_int_equal(reorder_create(&first, &REORDER), 0);
	assert_int_equal(reorder_create(&second, &REORDER), 0);
	assert_null(edge_set_link(h.node, 0, &h.node->edge->link[0].buffer, first, 0));
	put_roce(&h, 1, START);
	put_roce(&h, 3, START + 1000);
	put_pfc(&h, LINK, 1 << 3, 65535, START + 1000);
	put_many(&h, HOST, 4, 3, START + 2000);
	harness_run(&h, START + 3000);
	expect_psn(&h, 1, START);
	assert_int_equal(depth(&h, HOST, 3), 300);
	assert_int_equal(depth(&h, LINK, 3), 1200);
	assert_ptr_equal(edge_set_link(h.node, 0, &next, second, START + 3000), first);
	assert_int_equal(depth(&h, HOST, 3), 0);
	assert_int_equal(depth(&h, LINK, 3), 0);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(harness_drops(&h, LINK, DROP_LINK_DOWN), 1);
	assert_int_equal(harness_drops(&h, HOST, DROP_LINK_DOWN), 4);
	assert_ptr_equal(h.node->ports[LINK].reorder, reorder_counters(second));
	reorder_destroy(first);
	// Two packets of 300 bytes are all that it holds now.
	put_many(&h, HOST, 3, 3, START + 4000);
	harness_run(&h, START + 5000);
	assert_int_equal(depth(&h, LINK, 3), 600);
	assert_int_equal(harness_drops(&h, HOST, DROP_HOST_BUFFER), 1);
	reorder_destroy(edge_set_link(h.node, 0, &next, NULL, START + 5000));
	assert_null(h.node->ports[LINK].reorder);
	edge_close(&h);
}

// A packet of the MTU, tagged, is 300 bytes.
static void
test_room_is_what_any_priority_can_take(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	const struct port *host;

	(void)state;
	harness_profile(t)->mtu = 300 - 18;
	edge_open(&h, t);
	host = &h.node->ports[HOST];
	assert_int_equal(edge_room(h.node, host, 0, 64), 8); // 10 would fit, but not 16
	assert_int_equal(edge_room(h.node, host, 0, 4), 4);
	assert_int_equal(edge_room(h.node, host, 6, 64), 4);
	assert_int_equal(edge_room(h.node, host, 10, 64), 0);
	put_pfc(&h, LINK, 1 << 3, 65535, START);
	put_many(&h, HOST, 8, 3, START + 1000);
	harness_run(&h, START + PS_PER_US);
	assert_int_equal(edge_room(h.node, host, 0, 64), 2);
	assert_int_equal(edge_room(h.node, host, 1, 64), 1);
	assert_int_equal(edge_room(h.node, host, 2, 64), 0);
	put_many(&h, HOST, 2, 3, START + PS_PER_US);
	harness_run(&h, START + 2 * PS_PER_US);
	assert_int_equal(edge_room(h.node, host, 0, 64), 0);
	assert_int_equal(harness_drops(&h, HOST, DROP_HOST_BUFFER), 0);
	put_pfc(&h, LINK, 1 << 3, 0, START + 2 * PS_PER_US);
	harness_run(&h, START + 3 * PS_PER_US);
	assert_int_equal(edge_room(h.node, host, 0, 64), 8);
	assert_int_equal(harness_drain(&h, LINK), 10);
	edge_close(&h);
}

static struct rte_mbuf *
other_frame(struct harness *h, const uint8_t destination[6], uint16_t type, uint16_t bytes)
{
	struct rte_mbuf *m = harness_frame(h, &(struct frame){.dscp = 24});

	memcpy(packet_data(m), destination, 6);
	header_put16(packet_data(m) + 12, type);
	packet_meta(m)->data_len = bytes;
	return m;
}

// LLDP, ARP, a runt, IPv4 with a wrong checksum: all with the priority of what has no marks.
static void
test_what_cannot_be_parsed_passes(void **state)
{
	static const uint8_t lldp[6] = {0x01, 0x80, 0xc2, 0, 0, 0x0e},
			     all[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->port_priority = 2;
	edge_open(&h, t);
	for (unsigned int from = LINK; from <= HOST; from++) {
		struct rte_mbuf *bad = harness_frame(&h, &(struct frame){.dscp = 24});

		packet_data(bad)[24] ^= 1;
		harness_put(&h, from, other_frame(&h, lldp, 0x88cc, 300), START);
		harness_put(&h, from, other_frame(&h, all, 0x0806, 300), START);
		harness_put(&h, from, other_frame(&h, harness_leaf_mac, HEADER_TYPE_IP4, 10),
			    START);
		harness_put(&h, from, bad, START);
	}
	harness_run(&h, START + PS_PER_US);
	for (unsigned int to = LINK; to <= HOST; to++) {
		assert_int_equal(h.node->ports[to].queues[2].packets, 4);
		assert_int_equal(harness_drain(&h, to), 4);
	}
	edge_close(&h);
}

static void
test_a_link_that_is_down_loses_what_is_sent(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	node_set_link(h.node, &h.node->ports[LINK], false, 0);
	h.out[LINK]->down = true;
	wire_update_special(h.out[LINK]);
	put_many(&h, HOST, 2, 3, START);
	put_pfc(&h, HOST, 1 << 3, 77, START);
	put_many(&h, LINK, 1, 3, START); // was on its way
	harness_run(&h, START + PS_PER_US);
	assert_int_equal(harness_drops(&h, HOST, DROP_LINK_DOWN), 3);
	assert_int_equal(harness_drops(&h, LINK, DROP_LINK_DOWN), 1);
	edge_close(&h);
}

static void
test_a_host_that_is_not_there_gets_nothing(void **state)
{
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	node_set_link(h.node, &h.node->ports[HOST], false, 0);
	put_many(&h, LINK, 2, 3, START);
	harness_run(&h, START + PS_PER_US);
	h.node->ports[HOST].out = NULL;
	put_many(&h, LINK, 1, 3, START + PS_PER_US);
	harness_run(&h, START + 2 * PS_PER_US);
	assert_int_equal(harness_drops(&h, LINK, DROP_LINK_DOWN), 3);
	edge_close(&h);
}

// Packets of random sizes and priorities both ways, with random pauses and a device that stops:
// each priority keeps its order, the link its rate, and edge_close() finds everything again.
static void
test_at_random(void **state)
{
	struct random random = random_stream(1, 2);
	ps_t free_at[2] = {0};
	uint16_t last[2][PRIORITIES] = {{0}};
	struct harness h;
	uint16_t id = 0;

	(void)state;
	edge_open(&h, harness_tables(2));
	for (unsigned int turn = 0; turn < 2000; turn++) {
		ps_t at = h.now + random_below(&random, 100000);

		for (unsigned int i = random_below(&random, 4); i > 0; i--) {
			struct frame f = {.dscp = (uint8_t)random_below(&random, 64),
					  .bytes = 60 + random_below(&random, 400),
					  .id = ++id};

			harness_put(&h, random_below(&random, 2), harness_frame(&h, &f), at);
		}
		if (random_below(&random, 20) == 0)
			put_pfc(&h, LINK, 1 << 3, (uint16_t)random_below(&random, 500), at);
		h.out[HOST]->limit = random_below(&random, 3) == 0 ? 0 : 100;
		harness_run(&h, h.now + 200000);
		for (unsigned int to = LINK; to <= HOST; to++) {
			struct rte_mbuf *m;
			ps_t left;

			while ((m = harness_take(&h, to, &left)) != NULL) {
				const struct packet_meta *meta = packet_meta(m);
				const uint8_t *data = packet_data(m);

				if (to == LINK) {
					ps_t began = left - harness_frame_time(meta->wire_bytes);

					assert_true(began >= free_at[LINK]);
					free_at[LINK] = began + harness_slot(meta->wire_bytes);
				}
				if (header_get16(data + 12) == HEADER_TYPE_IP4) {
					unsigned int priority = data[15] >> 2 >> 3;

					assert_true(header_get16(data + 18) > last[to][priority]);
					last[to][priority] = header_get16(data + 18);
				}
				packet_free(h.pool, m);
			}
		}
	}
	assert_true(h.node->ports[LINK].tx_packets > 1000);
	edge_close(&h);
}

static void
test_contradictions_are_refused(void **state)
{
	struct edge_buffer buffer = {.limit = LIMIT, .xoff = XOFF_AT, .xon = XON_AT};
	struct edge *edge;
	struct harness h;

	(void)state;
	edge_open(&h, harness_tables(2));
	assert_int_equal(edge_create(&edge, h.node, 2, &buffer), -EINVAL);
	buffer.xon = XOFF_AT + 1;
	assert_int_equal(edge_create(&edge, h.node, 1, &buffer), -EINVAL);
	buffer = (struct edge_buffer){.limit = LIMIT, .xoff = LIMIT, .xon = XON_AT};
	assert_int_equal(edge_create(&edge, h.node, 1, &buffer), -EINVAL);
	edge_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_packets_leave_at_the_links_rate),
		cmocka_unit_test(test_packets_for_the_host_leave_at_once),
		cmocka_unit_test(test_a_full_priority_drops_its_own),
		cmocka_unit_test(test_packets_are_put_in_order),
		cmocka_unit_test(test_no_room_and_no_host),
		cmocka_unit_test(test_a_link_is_set_anew),
		cmocka_unit_test(test_room_is_what_any_priority_can_take),
		cmocka_unit_test(test_what_cannot_be_parsed_passes),
		cmocka_unit_test(test_a_link_that_is_down_loses_what_is_sent),
		cmocka_unit_test(test_a_host_that_is_not_there_gets_nothing),
		cmocka_unit_test(test_at_random),
		cmocka_unit_test(test_contradictions_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
