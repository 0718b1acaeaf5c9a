// SPDX-License-Identifier: BSD-3-Clause
// Congestion notices: when a switch sends one and what is in it, and what becomes of one, whatever
// it holds.
#include "../harness.h"

#include "dataplane/stages/notice.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"
#include "dataplane/stages/path_state.h"

#include <string.h>

#define HOLD (10 * PS_PER_US)
#define NOTICE_FRAME 42u // the bytes of it that say something

static void
open_switch(struct harness *h, enum node_role role)
{
	struct tables *t = harness_tables(5);

	t->notices = (struct notice_profile){.on = true, .depth = 1000, .hold = HOLD};
	t->grades[0] = 100;
	for (unsigned int i = 0; i < t->port_count; i++)
		t->ports[i].inner = i != 4;
	harness_open(h, t);
	h->node->role = (uint8_t)role;
	node_adopt_tables(h->node, h->tables);
	assert_int_equal(h->node->variant, role == NODE_LEAF ? 0 : NODE_TENANTS | NODE_NOTICES);
}

// Packets of 300 cells for port 1, which is frozen.
static void
send(struct harness *h, unsigned int from, unsigned int packets, uint8_t opcode, bool ip6)
{
	for (unsigned int i = 0; i < packets; i++)
		harness_put(h, from,
			    harness_frame(h, &(struct frame){.to = 1,
							     .dscp = 24,
							     .ip6 = ip6,
							     .dport = ROCE_UDP_PORT,
							     .opcode = opcode}),
			    h->now);
	harness_run(h, h->now + 1);
}

// Time passes, and what has left is freed. Returns how many frames left by the port.
static unsigned int
settle(struct harness *h, unsigned int port)
{
	unsigned int count;

	harness_run(h, h->now + PS_PER_US);
	count = harness_drain(h, port);
	for (unsigned int i = 0; i < h->tables->port_count; i++)
		harness_drain(h, i);
	return count;
}

static void
test_depth(void **state)
{
	struct harness h;

	(void)state;
	open_switch(&h, NODE_SPINE);
	node_set_tx_off(h.node, &h.node->ports[1], 1 << 2, h.now); // another queue
	h.node->ports[1].tx_free = 100 * PS_PER_US;                // all packets wait
	send(&h, 0, 3, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 0), 0); // 900 cells
	send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 0), 1); // 1200
	send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 0), 0); // told already
	send(&h, 2, 1, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 2), 1); // but not to port 2
	send(&h, 4, 1, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 4), 0); // a host
	send(&h, 3, 1, ROCE_OP_ACK, false);
	assert_int_equal(settle(&h, 3), 0); // has no choice of path
	assert_int_equal(h.node->ports[0].notices_tx, 1);
	harness_run(&h, 1 + 3 * PS_PER_US + HOLD / 2);
	send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 0), 1); // half the time has passed
	harness_check(&h);
	harness_close(&h);
}

// A leaf sends none.
static void
test_leaf(void **state)
{
	struct harness h;

	(void)state;
	open_switch(&h, NODE_LEAF);
	h.node->ports[1].tx_free = 100 * PS_PER_US;
	send(&h, 0, 5, ROCE_OP_WRITE_MIDDLE, false);
	assert_int_equal(settle(&h, 0), 0);
	harness_close(&h);
}

static void
expect_notice(struct harness *h, unsigned int port, bool held, bool ip6)
{
	static const uint8_t ip4[] = {10, 0, 1, 2};
	static const uint8_t to6[16] = {0xfd, [7] = 1, [15] = 2};
	struct rte_mbuf *m = harness_take(h, port, NULL);
	const uint8_t *d;

	assert_non_null(m);
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	d = packet_data(m);
	assert_memory_equal(d, "\x01\x80\xc2\x00\x00\x0e", 6);
	assert_memory_equal(d + 6, harness_leaf_mac, 6);
	assert_memory_equal(d + 12, "\x88\xb5RN\x01", 5);
	assert_int_equal(d[17], held);
	assert_int_equal(d[18], 3);
	assert_int_equal(d[19], ip6 ? 6 : 4);
	assert_memory_equal(d + 22, "\x00\x00\x27\x10", 4); // 10,000 ns
	assert_memory_equal(d + 26, ip6 ? to6 : ip4, ip6 ? 16 : 4);
	packet_free(h->pool, m);
	assert_null(harness_take(h, port, NULL));
}

// Held, degraded, or no way on: told from the first packet on.
static void
test_reasons(void **state)
{
	struct harness h;

	(void)state;
	for (unsigned int ip6 = 0; ip6 < 2; ip6++) {
		open_switch(&h, NODE_SPINE);
		node_set_tx_off(h.node, &h.node->ports[1], 1 << 3, h.now);
		send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, ip6);
		harness_run(&h, h.now + PS_PER_US);
		expect_notice(&h, 0, false, ip6);
		node_set_tx_off(h.node, &h.node->ports[1], 0, h.now);
		harness_run(&h, h.now + HOLD);
		send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, ip6);
		assert_int_equal(settle(&h, 0), 0);
		paths_set_degraded(h.node, &h.node->ports[1], true);
		send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, ip6);
		harness_run(&h, h.now + PS_PER_US);
		expect_notice(&h, 0, false, ip6);
		paths_set_degraded(h.node, &h.node->ports[1], false);
		node_set_link(h.node, &h.node->ports[1], false, h.now);
		harness_run(&h, h.now + HOLD);
		send(&h, 0, 1, ROCE_OP_WRITE_MIDDLE, ip6);
		harness_run(&h, h.now + PS_PER_US);
		expect_notice(&h, 0, true, ip6);
		assert_int_equal(harness_drops(&h, 0, DROP_NO_NEXT_HOP), 1);
		harness_drain(&h, 1);
		harness_check(&h);
		harness_close(&h);
	}
}

static struct rte_mbuf *
notice(struct harness *h, const uint8_t *bytes, uint16_t length)
{
	struct rte_mbuf *m = packet_alloc(h->pool);

	assert_non_null(m);
	packet_init_frame(m, 0, length);
	memcpy(packet_data(m), bytes, length);
	return m;
}

static void
put(struct harness *h, unsigned int port, const uint8_t *bytes, uint16_t length)
{
	harness_put(h, port, notice(h, bytes, length), h->now);
	harness_run(h, h->now + 1);
}

// For 10.1.0.1: the group of ports 1 to 4.
static const uint8_t good[60] = {0x01, 0x80, 0xc2, 0,    0,    0x0e, 2,  0, 0, 0,
				 7,    7,    0x88, 0xb5, 'R',  'N',  1,  0, 3, 4,
				 0,    0,    0,    0,    0x27, 0x10, 10, 1, 0, 1};

static void
test_believed(void **state)
{
	struct harness h;
	const struct path_notice *notices;
	uint8_t held[60];

	(void)state;
	open_switch(&h, NODE_LEAF);
	notices = &h.node->paths.notices[h.tables->groups[5].first];
	put(&h, 2, good, 60);
	assert_int_equal(h.node->ports[2].notices_rx, 1);
	assert_int_equal(h.node->ports[2].control_rx, 1);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(notices[i].congested, i == 1 ? 1 << 3 : 0);
	assert_true(notices[1].until == h.now - 1 + HOLD);
	memcpy(held, good, 60);
	held[17] = 1;
	held[18] = 5;
	put(&h, 2, held, 60);
	assert_int_equal(notices[1].congested, 1 << 3);
	assert_int_equal(notices[1].held, 1 << 5);
	h.node->paths.notices[h.tables->groups[5].first + 1].until = h.now; // it is over
	put(&h, 2, held, 60);
	assert_int_equal(notices[1].congested, 0);
	memset(held + 22, 0xff, 4); // 4.29 s: a second is the most that is believed
	put(&h, 3, held, 60);
	assert_true(notices[2].until == h.now - 1 + PS_PER_S);
	held[26] = 99; // no route
	put(&h, 3, held, 60);
	assert_int_equal(h.node->ports[3].notices_rx, 2);
	harness_check(&h);
	harness_close(&h);
}

// From a host, where notices are off, cut anywhere, and with every byte of its header wrong.
static void
test_not_believed(void **state)
{
	static const unsigned int must[] = {14, 15, 16, 18, 19};
	struct harness h;
	uint8_t bad[60];

	(void)state;
	open_switch(&h, NODE_LEAF);
	put(&h, 4, good, 60);
	assert_int_equal(harness_drops(&h, 4, DROP_RESERVED_ADDRESS), 1);
	for (uint16_t length = 14; length < NOTICE_FRAME; length++)
		put(&h, 1, good, length);
	assert_int_equal(harness_drops(&h, 1, DROP_TRUNCATED), NOTICE_FRAME - 14);
	for (unsigned int i = 0; i < sizeof(must) / sizeof(must[0]); i++) {
		memcpy(bad, good, 60);
		bad[must[i]] ^= 0x80;
		put(&h, 1, bad, 60);
		assert_int_equal(harness_drops(&h, 1, DROP_MALFORMED), i + 1);
	}
	memcpy(bad, good, 60);
	bad[13] = 0xb6; // another local experiment
	put(&h, 1, bad, 60);
	bad[13] = 0xb5;
	bad[5] = 0x03; // to another address
	put(&h, 1, bad, 60);
	assert_int_equal(harness_drops(&h, 1, DROP_RESERVED_ADDRESS), 2);
	assert_int_equal(h.node->ports[1].notices_rx, 0);
	h.tables->notices.on = false;
	put(&h, 1, good, 60);
	assert_int_equal(harness_drops(&h, 1, DROP_RESERVED_ADDRESS), 3);
	for (uint32_t i = 0; i < h.tables->next_hop_count; i++)
		assert_true(h.node->paths.notices[i].until == 0);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth),        cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_reasons),      cmocka_unit_test(test_believed),
		cmocka_unit_test(test_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
