// SPDX-License-Identifier: BSD-3-Clause
// Frames of the control plane that a port sends.
#include "dataplane/node/ports.h"

#include "../harness.h"

#include <errno.h>
#include <string.h>

static const uint8_t frame[200] = {0x01, 0x80, 0xc2, 0, 0, 0x0e, 2, 0, 0, 0, 0, 1, 0x88, 0xcc, 42};

// At once, as it is, and paused or not; a short one is padded.
static void
test_sends(void **state)
{
	const uint16_t quanta[PRIORITIES] = {9, 9, 9, 9, 9, 9, 9, 9};
	struct harness h;
	struct rte_mbuf *m;
	ps_t left;

	(void)state;
	harness_open(&h, harness_tables(2));
	harness_put(&h, 1, harness_pfc(&h, 0xff, quanta), 0);
	harness_run(&h, HARNESS_DELAY);
	assert_int_equal(node_send_control(h.node, &h.node->ports[1], frame, 200, h.now), 0);
	assert_int_equal(node_send_control(h.node, &h.node->ports[1], frame, 20, h.now), 0);
	harness_run(&h, 10 * HARNESS_DELAY);
	m = harness_take(&h, 1, &left);
	assert_non_null(m);
	assert_int_equal(left, HARNESS_DELAY + harness_frame_time(200));
	assert_int_equal(packet_meta(m)->wire_bytes, 200);
	assert_memory_equal(packet_data(m), frame, 200);
	packet_free(h.pool, m);
	m = harness_take(&h, 1, &left);
	assert_non_null(m);
	assert_int_equal(left, HARNESS_DELAY + harness_slot(200) + harness_frame_time(60));
	assert_int_equal(packet_meta(m)->wire_bytes, 60);
	assert_int_equal(packet_meta(m)->data_len, 60);
	assert_int_equal(packet_data(m)[59], 0);
	packet_free(h.pool, m);
	assert_int_equal(h.node->ports[1].control_tx, 2);
	harness_check(&h);
	harness_close(&h);
}

// A port that is down sends nothing, and one whose transmitter is busy lets only a few wait.
static void
test_refuses(void **state)
{
	unsigned int sent = 0;
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(2));
	p = &h.node->ports[1];
	node_set_link(h.node, p, false, h.now);
	assert_int_equal(node_send_control(h.node, p, frame, 200, h.now), -ENETDOWN);
	node_set_link(h.node, p, true, h.now);
	while (sent < 100 && node_send_control(h.node, p, frame, 200, h.now) == 0)
		sent++;
	assert_int_equal(sent, 9); // one leaves, eight wait
	assert_int_equal(node_send_control(h.node, p, frame, 200, h.now), -ENOBUFS);
	harness_run(&h, 10 * HARNESS_DELAY);
	assert_int_equal(harness_drain(&h, 1), 9);
	assert_int_equal(node_send_control(h.node, p, frame, 200, h.now), 0);
	harness_run(&h, 20 * HARNESS_DELAY);
	assert_int_equal(harness_drain(&h, 1), 1);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sends),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
