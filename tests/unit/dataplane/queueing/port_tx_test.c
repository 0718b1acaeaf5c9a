// SPDX-License-Identifier: BSD-3-Clause
// When frames leave and arrive, what goes first, and what a link does to them.
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/roce_headers.h"
#include "dataplane/node/ports.h"

#include <stdio.h>
#include <string.h>

static struct rte_mbuf *
frame(struct harness *h, unsigned int to, uint32_t bytes, unsigned int priority)
{
	return harness_frame(
		h, &(struct frame){.to = to, .bytes = bytes, .dscp = (uint8_t)(priority * 8)});
}

static void
expect_left(struct harness *h, unsigned int port, uint32_t bytes, ps_t at)
{
	ps_t left = 0;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_int_equal(packet_meta(m)->wire_bytes, bytes);
	assert_int_equal(left, at);
	packet_free(h->pool, m);
}

// At 100 Gb/s a byte takes 80 ps. A frame's last bit has left preamble + frame + FCS = bytes + 12
// byte times after it started, the next may start bytes + 24 after.
static void
test_times(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	harness_put(&h, 0, frame(&h, 1, 1000, 0), 5000);
	harness_put(&h, 0, frame(&h, 1, 300, 0), 5000);
	harness_put(&h, 0, frame(&h, 1, 42, 0), 6000); // padded to 60
	harness_run(&h, 10 * PS_PER_US);
	expect_left(&h, 1, 1000, 5000 + 1012 * 80);
	expect_left(&h, 1, 300, 5000 + 1024 * 80 + 312 * 80);
	expect_left(&h, 1, 60, 5000 + 1024 * 80 + 324 * 80 + 72 * 80);
	assert_int_equal(h.node->ports[1].tx_packets, 3);
	assert_int_equal(h.node->ports[1].tx_bytes, 1360);
	assert_int_equal(h.node->ports[1].queues[0].bytes, 1360);
	assert_int_equal(h.node->ports[0].rx_bytes, 1360);
	assert_int_equal(h.node->ports[0].groups[0].packets, 3);
	harness_close(&h);
}

// The instant at which the transmitter becomes free: an idle port begins with the first to arrive
// then; a port with something waiting picks among all that is there by then.
static void
test_instant_of_tx_free(void **state)
{
	ps_t t = 1000, free_at = t + harness_slot(300);
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(4));
	harness_put(&h, 0, frame(&h, 3, 300, 0), t);
	harness_put(&h, 0, frame(&h, 3, 301, 0), free_at); // idle port: starts
	harness_put(&h, 1, frame(&h, 3, 302, 6), free_at); // strict, but second
	harness_run(&h, PS_PER_US);
	expect_left(&h, 3, 300, t + harness_frame_time(300));
	expect_left(&h, 3, 301, free_at + harness_frame_time(301));
	expect_left(&h, 3, 302, free_at + harness_slot(301) + harness_frame_time(302));

	t = h.now;
	free_at = t + harness_slot(300);
	harness_put(&h, 0, frame(&h, 3, 300, 0), t);
	harness_put(&h, 0, frame(&h, 3, 301, 0), t + 1); // waits
	// Arrivals come before departures: strict goes first.
	harness_put(&h, 1, frame(&h, 3, 302, 6), free_at);
	harness_run(&h, 2 * PS_PER_US);
	expect_left(&h, 3, 300, t + harness_frame_time(300));
	expect_left(&h, 3, 302, free_at + harness_frame_time(302));
	expect_left(&h, 3, 301, free_at + harness_slot(302) + harness_frame_time(301));
	harness_close(&h);
}

// "rate: device": no time at all, and no departure is left armed.
static void
test_no_byte_time(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;

	(void)state;
	harness_profile(t)->byte_time = 0;
	harness_open(&h, t);
	for (unsigned int i = 0; i < 100; i++)
		harness_put(&h, 0, frame(&h, 1, 300 + i, 0), 777);
	assert_int_equal(harness_run(&h, PS_PER_US), 777 + HARNESS_DELAY);
	assert_int_equal(h.node->ports[1].next_send, PS_NEVER);
	for (unsigned int i = 0; i < 100; i++)
		expect_left(&h, 1, 300 + i, 777);
	harness_check(&h);
	harness_close(&h);
}

// While the far side has no room nothing is sent or lost; the port tries again turn by turn.
static void
test_wire_full(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	h.out[1]->limit = 1;
	for (unsigned int i = 0; i < 3; i++)
		harness_put(&h, 0, frame(&h, 1, 300 + i, 0), 1000 * (i + 1));
	harness_run(&h, 3 * PS_PER_US);
	expect_left(&h, 1, 300, 1000 + harness_frame_time(300));
	assert_null(harness_take(&h, 1, NULL));
	assert_int_equal(node_queued(h.node), 2);
	harness_run(&h, 4 * PS_PER_US);
	expect_left(&h, 1, 301, 3 * PS_PER_US + harness_frame_time(301));
	assert_null(harness_take(&h, 1, NULL));
	h.out[1]->limit = UINT32_MAX;
	harness_run(&h, 5 * PS_PER_US);
	expect_left(&h, 1, 302, 4 * PS_PER_US + harness_frame_time(302));
	harness_check(&h);
	harness_close(&h);
}

static const uint16_t pause_3[PRIORITIES] = {[3] = 65535};

// A link that goes down: what its queues hold is lost, pauses with it; what was on its way in is
// lost, what would have gone there has no way. Up again it carries as before.
static void
test_link_down(void **state)
{
	struct harness h;
	struct port *p;

	(void)state;
	harness_open(&h, harness_tables(3));
	p = &h.node->ports[1];
	harness_put(&h, 1, harness_pfc(&h, 1 << 3, pause_3), 100);
	harness_put(&h, 0, frame(&h, 1, 300, 3), 1000); // held by the pause
	harness_run(&h, PS_PER_US);
	assert_int_equal(node_queued(h.node), 1);
	harness_put(&h, 1, frame(&h, 2, 300, 0), PS_PER_US + 500); // on its way when the link fails
	h.out[1]->down = true;
	wire_update_special(h.out[1]);
	node_set_link(h.node, p, false, h.now);
	harness_put(&h, 0, frame(&h, 1, 300, 3), PS_PER_US + 700);
	harness_run(&h, 2 * PS_PER_US);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_DOWN), 1);
	assert_int_equal(harness_drops(&h, 0, DROP_NO_NEXT_HOP), 1);
	assert_int_equal(harness_drops(&h, 1, DROP_LINK_DOWN), 1);
	assert_int_equal(p->tx_packets, 0);
	assert_int_equal(p->rx_pause[3].total, PS_PER_US - 100); // the pause ended with the link
	harness_check(&h);

	h.out[1]->down = false;
	wire_update_special(h.out[1]);
	node_set_link(h.node, p, true, h.now);
	harness_put(&h, 0, frame(&h, 1, 300, 3), 2 * PS_PER_US);
	harness_run(&h, 3 * PS_PER_US);
	expect_left(&h, 1, 300, 2 * PS_PER_US + harness_frame_time(300));
	harness_check(&h);
	harness_close(&h);
}

// Faults of a wire: a packet in four is lost (2^30 of 2^32), or those whose IPv4 ID ends in a byte;
// what is lost has taken the transmitter's time, counts as dropped and not as sent.
static void
test_link_faults(void **state)
{
	struct harness h;
	unsigned int arrived, lost;

	(void)state;
	harness_open(&h, harness_tables(2));
	h.out[1]->loss = UINT32_C(1) << 30;
	wire_update_special(h.out[1]);
	for (unsigned int i = 0; i < 2000; i++)
		harness_put(&h, 0, frame(&h, 1, 300, 0), 1000 + i * harness_slot(300));
	harness_run(&h, 100 * PS_PER_US);
	lost = (unsigned int)harness_drops(&h, 0, DROP_LINK_FAULT);
	arrived = harness_drain(&h, 1);
	assert_int_equal(arrived + lost, 2000);
	assert_int_equal(arrived, h.node->ports[1].tx_packets);
	assert_in_range(lost, 500 - 78, 500 + 78); // 4 sigma: sqrt(2000 * 1/4 * 3/4) = 19.4
	harness_check(&h);

	h.out[1]->loss = 0;
	h.out[1]->drop_ip_id_low = 0xff;
	for (uint16_t i = 0; i < 4; i++) {
		static const uint16_t ids[] = {0x01ff, 0xff01, 0x00ff, 0xffff};

		harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .id = ids[i]}),
			    h.now);
	}
	harness_put(&h, 0, harness_frame(&h, &(struct frame){.to = 1, .ip6 = true}), h.now);
	harness_run(&h, h.now + 2 * PS_PER_US);
	assert_int_equal(harness_drops(&h, 0, DROP_LINK_FAULT), lost + 3);
	assert_int_equal(harness_drain(&h, 1), 2);
	harness_check(&h);
	harness_close(&h);
}

// A wire that can take nothing more, and cannot grow: a pause frame that begins to leave is lost,
// and what else changes at that instant makes one of its own.
static void
test_pause_frame_lost(void **state)
{
	struct tables *t = harness_tables(2);
	struct harness h;
	struct port *p;
	struct rte_mbuf *m;
	uint16_t quanta[PRIORITIES];

	(void)state;
	harness_profile(t)->pg[3].threshold = (struct threshold){.down = 63};
	harness_profile(t)->pg[4] = harness_profile(t)->pg[3];
	harness_profile(t)->pg[4].pfc_priorities = 1 << 4;
	harness_open(&h, t);
	p = &h.node->ports[1];
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	for (unsigned int i = 0; i <= h.out[1]->put_mask; i++)
		harness_put(&h, 0, frame(&h, 1, 300, 0), 1000);
	harness_run(&h, PS_PER_US);
	wire_publish(h.out[1]);
	h.out[1]->visible = &h.out[1]->published;
	harness_put(&h, 1, frame(&h, 0, 300, 3), PS_PER_US);
	harness_put(&h, 1, frame(&h, 0, 300, 4), PS_PER_US);
	harness_run(&h, PS_PER_US + 1);
	assert_int_equal(harness_drops(&h, 1, DROP_NO_MBUF), 1);
	assert_non_null(p->pfc_head);
	assert_ptr_equal(p->pfc_last, p->pfc_head);
	harness_drain(&h, 1);
	harness_run(&h, 2 * PS_PER_US);
	wire_publish(h.out[1]);
	m = harness_take(&h, 1, NULL);
	assert_int_equal(harness_read_pfc(&h, 1, m, quanta), 1 << 4);
	assert_int_equal(quanta[4], 65535);
	packet_free(h.pool, m);
	assert_int_equal(p->control_tx, 1);
	assert_int_equal(p->control_lost, 1);
	harness_check(&h);
	harness_close(&h);
}

struct seen {
	char text[400];
	size_t used;
};

static void
see(struct seen *s, const char *what, const struct port *p, struct rte_mbuf *m, ps_t at)
{
	s->used += (size_t)snprintf(
		s->text + s->used, sizeof(s->text) - s->used, "%s%u:%u/%02x@%llu ", what, p->index,
		packet_meta(m)->wire_bytes, packet_data(m)[12] == 0x88 ? packet_data(m)[17] : 0,
		(unsigned long long)at);
}

static void
see_sent(void *context, struct node *n, struct port *p, struct rte_mbuf *m, ps_t at)
{
	(void)n;
	see(context, "s", p, m, at);
}

static void
see_received(void *context, struct node *n, struct port *p, struct rte_mbuf *m, ps_t at)
{
	(void)n;
	see(context, "r", p, m, at);
}

static void
see_dropped(void *context, struct node *n, struct rte_mbuf *m, enum drop_reason reason, ps_t at)
{
	assert_int_equal(reason, DROP_NO_ROUTE);
	see(context, "d", &n->ports[packet_meta(m)->in_port], m, at);
}

// A capture sees each packet once, when it came, when it will have left and when it was dropped; a
// PFC frame with all the priorities that joined it.
static void
test_tap(void **state)
{
	struct seen seen = {.used = 0};
	const struct node_tap tap = {.received = see_received,
				     .sent = see_sent,
				     .dropped = see_dropped,
				     .context = &seen};
	struct tables *t = harness_tables(3);
	struct harness h;

	(void)state;
	// Groups 3 and 4 have no space of their own: every packet of theirs causes XOFF.
	harness_profile(t)->pg[3].threshold = (struct threshold){.down = 63};
	harness_profile(t)->pg[4] = harness_profile(t)->pg[3];
	harness_profile(t)->pg[4].pfc_priorities = 1 << 4;
	harness_open(&h, t);
	h.node->tap = &tap;
	h.node->ports[0].tapped = true;
	node_set_tx_off(h.node, &h.node->ports[1], 0xff, 0);
	harness_put(&h, 0, frame(&h, 1, 300, 3), 1000);
	harness_put(&h, 0, frame(&h, 1, 301, 4), 1000);
	harness_put(&h, 1, frame(&h, 0, 302, 0), 1001);
	// No route; port 2 is not tapped, drops are seen anyway.
	harness_put(&h, 2, frame(&h, 77, 303, 0), 1002);
	harness_run(&h, PS_PER_US);
	// The PFC frame takes 72 byte times to leave and 84 until the next starts.
	assert_string_equal(seen.text, "r0:300/00@1000 r0:301/00@1000 d2:303/00@1002 s0:60/18@6760 "
				       "s0:302/00@32840 ");
	harness_check(&h);
	harness_close(&h);
}

// A wrong FCS: the packet is sent, takes its time, and is dropped where it arrives, which no
// capture sees; a packet in four, to 4 sigma as above. Only a link that corrupts is looked at.
static void
test_corrupted_frames(void **state)
{
	struct harness h;
	unsigned int bad = 0, passed;

	(void)state;
	harness_open(&h, harness_tables(2));
	h.out[1]->corrupt = UINT32_C(1) << 30;
	wire_update_special(h.out[1]);
	for (unsigned int i = 0; i < 2000; i++)
		harness_put(&h, 0, frame(&h, 1, 300, 0), 1000 + i * harness_slot(300));
	harness_run(&h, 100 * PS_PER_US);
	assert_int_equal(h.node->ports[1].tx_packets, 2000);
	h.node->ports[0].rx_faults = PORT_RX_CORRUPT;
	for (struct rte_mbuf *m; (m = harness_take(&h, 1, NULL)) != NULL;) {
		bad += (packet_meta(m)->flags & PACKET_BAD_FCS) != 0;
		harness_write_frame(packet_data(m), &(struct frame){.to = 1});
		harness_put(&h, 0, m, h.now); // as if it came back
	}
	assert_in_range(bad, 500 - 78, 500 + 78);
	h.out[1]->corrupt = 0;
	harness_run(&h, h.now + 100 * PS_PER_US);
	passed = harness_drain(&h, 1);
	assert_int_equal(harness_drops(&h, 0, DROP_BAD_FCS), bad);
	assert_int_equal(passed, 2000 - bad);
	harness_check(&h);
	harness_close(&h);
}

// A wrong ICRC passes switches; a bit of it is changed where it is there.
static void
test_corrupted_payload(void **state)
{
	struct harness h;
	struct rte_mbuf *m;
	uint8_t before[64];

	(void)state;
	harness_open(&h, harness_tables(2));
	h.out[1]->corrupt_payload = UINT32_MAX;
	wire_update_special(h.out[1]);
	harness_put(&h, 0,
		    harness_frame(&h, &(struct frame){.to = 1,
						      .bytes = 64,
						      .dport = ROCE_UDP_PORT,
						      .opcode = ROCE_OP_WRITE_ONLY}),
		    1000);
	harness_write_frame(before, &(struct frame){.to = 1,
						    .bytes = 64,
						    .dport = ROCE_UDP_PORT,
						    .opcode = ROCE_OP_WRITE_ONLY});
	harness_put(&h, 0, frame(&h, 1, 300, 0), 2000); // no RoCEv2
	harness_run(&h, 10 * PS_PER_US);
	m = harness_take(&h, 1, NULL);
	assert_non_null(m);
	assert_true(packet_meta(m)->flags & PACKET_BAD_PAYLOAD);
	assert_memory_equal(packet_data(m) + 34, before + 34, 64 - 35);
	assert_int_equal(packet_data(m)[63], before[63] ^ 1);
	packet_free(h.pool, m);
	m = harness_take(&h, 1, NULL);
	assert_non_null(m);
	assert_false(packet_meta(m)->flags & PACKET_BAD_PAYLOAD);
	packet_free(h.pool, m);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_instant_of_tx_free),
		cmocka_unit_test(test_no_byte_time),
		cmocka_unit_test(test_wire_full),
		cmocka_unit_test(test_link_down),
		cmocka_unit_test(test_link_faults),
		cmocka_unit_test(test_corrupted_frames),
		cmocka_unit_test(test_corrupted_payload),
		cmocka_unit_test(test_pause_frame_lost),
		cmocka_unit_test(test_tap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
