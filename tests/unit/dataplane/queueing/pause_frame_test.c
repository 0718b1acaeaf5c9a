// SPDX-License-Identifier: BSD-3-Clause
// The frames themselves, and what joins one that nobody has seen.
#include "../harness.h"

#include "dataplane/queueing/pause_frame.h"

#include <string.h>

// The next frame out of port 0, byte by byte behind the addresses.
static void
expect_frame(struct harness *h, const uint8_t behind[48])
{
	static const uint8_t to[6] = {0x01, 0x80, 0xc2, 0, 0, 0x01};
	struct rte_mbuf *m = harness_take(h, 0, NULL);

	assert_non_null(m);
	assert_int_equal(packet_meta(m)->data_len, 60);
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	assert_memory_equal(packet_data(m), to, 6);
	assert_memory_equal(packet_data(m) + 6, h->tables->ports[0].mac, 6);
	assert_memory_equal(packet_data(m) + 12, behind, 48);
	packet_free(h->pool, m);
}

// A PFC frame's bytes, and an 802.3x one's (annexes 31D, 31B): opcode, vector, quanta, zeros to
// 60 bytes.
static void
test_bytes(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[0];
	pause_frame_send_pfc(h.node, p, 1 << 0 | 1 << 7, 0x1234, 1000);
	pause_frame_send_link(h.node, p, 0xabcd, 1000 + harness_slot(60));
	expect_frame(&h, (const uint8_t[48]){0x88, 0x08, 0x01, 0x01, 0x00, 0x81, 0x12,
					     0x34, [20] = 0x12, 0x34});
	expect_frame(&h, (const uint8_t[48]){0x88, 0x08, 0x00, 0x01, 0xab, 0xcd});
	assert_int_equal(p->pfc_tx[0] + p->pfc_tx[7], 2);
	assert_int_equal(p->pause_tx, 1);
	assert_int_equal(p->control_tx, 2);
	harness_check(&h);
	harness_close(&h);
}

// A frame that a fault takes is not sent: it counts apart, and once among the drops.
static void
test_lost(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[0];
	p->out->down = true;
	wire_update_special(p->out);
	pause_frame_send_pfc(h.node, p, 1 << 3, 7, 1000);
	assert_null(harness_take(&h, 0, NULL));
	assert_int_equal(p->control_tx + p->tx_multicast + p->tx_packets, 0);
	assert_int_equal(p->control_lost, 1);
	assert_int_equal(p->drops[DROP_LINK_DOWN], 1);
	p->out->down = false;
	wire_update_special(p->out);
	pause_frame_send_pfc(h.node, p, 1 << 3, 7, 1000 + harness_slot(60));
	packet_free(h.pool, harness_take(&h, 0, NULL));
	assert_int_equal(p->control_tx, 1);
	assert_int_equal(p->tx_multicast, 1);
	assert_int_equal(p->control_lost, 1);
	harness_check(&h);
	harness_close(&h);
}

// At one instant, PFC joins PFC and link joins link; the word said last counts, and who is asked
// learns that the one before never went. One kind does not join the other.
static void
test_joins(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[0];
	assert_int_equal(pause_frame_send_pfc(h.node, p, 1 << 1 | 1 << 2, 7, 1000), 0);
	assert_int_equal(pause_frame_send_pfc(h.node, p, 1 << 2 | 1 << 3, 0, 1000), 1 << 2);
	assert_false(pause_frame_send_link(h.node, p, 9, 1000));
	assert_true(pause_frame_send_link(h.node, p, 0, 1000));
	assert_int_equal(pause_frame_send_pfc(h.node, p, 1 << 1, 0, 1000), 0);
	harness_run(&h, PS_PER_US);
	expect_frame(&h, (const uint8_t[48]){0x88, 0x08, 0x01, 0x01, 0x00, 0x0e, [8] = 0, 7});
	expect_frame(&h, (const uint8_t[48]){0x88, 0x08, 0x00, 0x01});
	expect_frame(&h, (const uint8_t[48]){0x88, 0x08, 0x01, 0x01, 0x00, 0x02});
	assert_null(harness_take(&h, 0, NULL));
	assert_int_equal(p->pfc_tx[1], 2);
	assert_int_equal(p->pfc_tx[2], 1);
	assert_int_equal(p->pfc_tx[3], 1);
	assert_int_equal(p->pause_tx, 1);
	for (unsigned int i = 0; i < PAUSES; i++) {
		assert_int_equal(p->tx_pause[i].since, PS_NEVER);
		assert_int_equal(p->tx_pause[i].total, 0);
	}
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_joins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
