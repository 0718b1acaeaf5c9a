// SPDX-License-Identifier: BSD-3-Clause
//
// Ultra Ethernet Transport between two NICs: acknowledgements, loss either way, trimmed packets,
// credits, and frames that are none.

#include "uet_pair.h"

#include "dataplane/roce/congestion.h"
#include "dataplane/roce/qp_state.h"

static void
test_a_message(void **state)
{
	static struct world x;
	bool seen[PATHS] = {0};
	struct qp_state state_of;

	(void)state;
	prepare(&x);
	start(&x, 32500); // 33 packets
	expect_complete(&x, 33);
	assert_int_equal(x.forth.count, 33);
	for (unsigned int i = 0; i < 33; i++) {
		assert_int_equal(x.forth.entries[i].type, UET_RUD_REQUEST);
		assert_int_equal(x.forth.entries[i].psn, FIRST_PSN + i);
		assert_int_equal(x.forth.entries[i].wire_bytes, DATA_FRAME(i == 32 ? 500 : 1000));
		assert_true(x.forth.entries[i].value < PATHS);
		// Nothing came back yet: in turn, 16 values in 16 packets.
		if (i < PATHS) {
			assert_false(seen[x.forth.entries[i].value]);
			seen[x.forth.entries[i].value] = true;
		}
	}
	// Every fourth, and the last, which asks for it.
	assert_int_equal(x.back.count, 9);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(x.back.entries[i].type, UET_ACK_CC);
		assert_int_equal(x.back.entries[i].wire_bytes, ACK_FRAME);
		assert_int_equal(x.back.entries[i].psn, FIRST_PSN + (i < 8 ? 4 * i + 3 : 32));
		assert_int_equal(roce_get16(ack_of(&x.back.entries[i])->ack_psn_offset), 0);
		assert_int_equal(roce_get64(ack_of(&x.back.entries[i])->sack_bitmap), 0);
	}
	assert_int_equal(nic_read_qp(x.w.nics[A], x.qpn, x.w.now, &state_of), 0);
	assert_int_equal(state_of.psn, FIRST_PSN + 33); // more than 24 bits
	assert_int_equal(nic_read_qp(x.w.nics[B], x.qpn, x.w.now, &state_of), 0);
	assert_int_equal(state_of.psn, FIRST_PSN + 33);
	assert_true(x.forth.entries[32].flags & UET_REQUEST_ACK);
	assert_false(x.forth.entries[31].flags & UET_REQUEST_ACK);
	// The last packet, which is shorter, waits at the relay for the one before it.
	assert_int_equal(pair_result(&x.w, x.qpn).completed,
			 (32 * (DATA_FRAME(1000) + 24) + (DATA_FRAME(1000) + 12) +
			  (DATA_FRAME(500) + 12) + 2 * (ACK_FRAME + 12)) *
					 PAIR_BYTE +
				 4 * PAIR_DELAY);
	pair_stop(&x.w);
}

// A trimmed packet is requested when it arrives and sent again at once.
static void
test_trimmed(void **state)
{
	static struct world x;
	unsigned int again = 0;

	(void)state;
	prepare(&x);
	start(&x, 100000);
	x.forth.deeds[10] = TRIM;
	expect_complete(&x, 100);
	assert_int_equal(x.forth.count, 101);
	assert_int_equal(count_type(&x.back, UET_NACK), 1);
	assert_int_equal(pair_result(&x.w, x.qpn).naks, 1);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	assert_int_equal(pair_result(&x.w, x.qpn).retransmitted, 1);
	assert_int_equal(pair_received(&x.w, x.qpn).duplicates, 0);
	assert_int_equal(pair_received(&x.w, x.qpn).naks, 1);
	for (unsigned int i = 11; i < 101; i++)
		if (x.forth.entries[i].psn == FIRST_PSN + 10)
			again = i;
	assert_true(x.forth.entries[again].flags & UET_REQUEST_RETX);
	// One frame is on its way out when the NACK comes, behind the relay and two wires each.
	assert_true(x.forth.entries[again].at - x.forth.entries[10].at <
		    4 * PAIR_DELAY + 6 * (DATA_FRAME(1000) + 24) * PAIR_BYTE);
	for (unsigned int i = 0; i < x.back.count; i++)
		if (x.back.entries[i].type == UET_NACK)
			assert_int_equal(x.back.entries[i].wire_bytes, NACK_FRAME);
	pair_stop(&x.w);
}

// A packet of a place in the ring that many have had before it is like the first.
static void
test_trimmed_late(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	x.w.config[A].reorder_window = x.w.config[B].reorder_window = 128;
	start(&x, 2000000);
	x.forth.deeds[1500] = TRIM;
	expect_complete(&x, 2000);
	assert_int_equal(pair_result(&x.w, x.qpn).naks, 1);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	assert_int_equal(pair_result(&x.w, x.qpn).retransmitted, 1);
	pair_stop(&x.w);
}

// The receiver's window is smaller than the sender's, which does not know: what it does not reach
// is not taken for what has arrived, and goes again once for each timeout.
static void
test_small_window(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	x.w.config[B].reorder_window = 64;
	start(&x, 400000);
	x.forth.deeds[10] = DROP;
	expect_complete(&x, 400);
	assert_true(pair_received(&x.w, x.qpn).naks > 0);
	assert_true(pair_result(&x.w, x.qpn).timeouts > 0);
	assert_true(x.forth.count <= 400 * (1 + pair_result(&x.w, x.qpn).timeouts));
	pair_stop(&x.w);
	// One that knows waits.
	prepare(&x);
	x.w.config[B].reorder_window = 64;
	x.window = 64;
	start(&x, 400000);
	x.forth.deeds[10] = DROP;
	expect_complete(&x, 400);
	assert_int_equal(pair_received(&x.w, x.qpn).naks, 0);
	assert_int_equal(x.forth.count, 401);
	pair_stop(&x.w);
}

// Packets ahead of a gap are reported by the bitmap, so nothing but the lost one goes again.
static void
test_sack(void **state)
{
	static struct world x;
	uint64_t reported = 0;

	(void)state;
	prepare(&x);
	start(&x, 100000);
	x.forth.deeds[10] = DROP;
	expect_complete(&x, 100);
	assert_int_equal(x.forth.count, 101);
	assert_int_equal(x.forth.entries[100].psn, FIRST_PSN + 10);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 1);
	assert_int_equal(pair_received(&x.w, x.qpn).duplicates, 0);
	// Until then: all before the lost one, and each of the 89 behind it once or more.
	for (unsigned int i = 0; i < x.back.count && x.back.entries[i].at < 100 * PS_PER_US; i++) {
		const struct uet_ack_cc *h = ack_of(&x.back.entries[i]);
		uint32_t ahead = roce_get32(h->cack_psn) +
				 (uint32_t)(int16_t)roce_get16(h->sack_psn_offset) -
				 (FIRST_PSN + 11);

		for (unsigned int bit = 0; bit < 64; bit++)
			if (roce_get64(h->sack_bitmap) >> bit & 1 && ahead + bit < 64)
				reported |= UINT64_C(1) << (ahead + bit);
	}
	assert_int_equal(reported, UINT64_MAX);
	assert_int_equal(x.back.entries[x.back.count - 1].psn, FIRST_PSN + 99);
	pair_stop(&x.w);
}

// Each packet of either direction lost in turn: the message completes once.
static void
test_loss_of_each(void **state)
{
	static struct world x;

	(void)state;
	for (unsigned int side = A; side <= B; side++)
		for (unsigned int lost = 0; lost < (side == A ? 20u : 5u); lost++) {
			prepare(&x);
			start(&x, 20000);
			(side == A ? &x.forth : &x.back)->deeds[lost] = DROP;
			expect_complete(&x, 20);
			assert_true(pair_result(&x.w, x.qpn).timeouts <= 1);
			pair_stop(&x.w);
		}
}

// A NACK, or what it asked for, is lost: the timer makes up for it.
static void
test_loss_of_nack(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 20000);
	x.forth.deeds[3] = TRIM;
	x.back.deeds[0] = DROP; // the NACK is the first answer
	expect_complete(&x, 20);
	assert_int_equal(x.back.entries[0].type, UET_NACK);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 1);
	assert_int_equal(pair_result(&x.w, x.qpn).naks, 0);
	pair_stop(&x.w);
}

// All of a window is trimmed, and so are the packets that are sent again, once.
static void
test_all_trimmed(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 20000);
	for (unsigned int i = 0; i < 40; i++)
		x.forth.deeds[i] = TRIM;
	expect_complete(&x, 20);
	assert_int_equal(pair_result(&x.w, x.qpn).retransmitted, 40);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	assert_int_equal(pair_received(&x.w, x.qpn).duplicates, 0);
	pair_stop(&x.w);
}

// A marked packet is answered at once.
static void
test_marked(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 20000);
	x.forth.deeds[1] = MARK;
	expect_complete(&x, 20);
	assert_int_equal(x.back.entries[0].psn, FIRST_PSN + 1);
	assert_true(x.back.entries[0].flags & UET_ANSWER_MARKED);
	assert_int_equal(x.back.entries[1].psn, FIRST_PSN + 5);
	assert_false(x.back.entries[1].flags & UET_ANSWER_MARKED);
	pair_stop(&x.w);
}

// The window holds what is in flight, and a window smaller than what acknowledgements are collected
// for does not stop the sender.
static void
test_window(void **state)
{
	static const struct window_parameters two = {.size_bytes = 2000};
	static struct world x;

	(void)state;
	prepare(&x);
	x.w.config[A].congestion = &congestion_window;
	x.w.config[A].congestion_parameters = &two;
	start(&x, 20000);
	expect_complete(&x, 20);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	// Each of ten rounds takes a round trip of the second packet.
	assert_int_equal(x.forth.entries[19].at - x.forth.entries[1].at,
			 9 * (4 * PAIR_DELAY + 2 * (DATA_FRAME(1000) + 12) * PAIR_BYTE +
			      2 * (ACK_FRAME + 12) * PAIR_BYTE +
			      (DATA_FRAME(1000) + 24) * PAIR_BYTE));
	pair_stop(&x.w);
}

// The window shrinks under what is in flight, of which nothing asked: a packet more goes, and asks.
static void
test_shrinking_window(void **state)
{
	static const struct nscc_parameters parameters = {
		.max_window_bytes = 8000, .decrease = 0.8, .delay_gain = 1, .target_delay = 1000};
	static struct world x;

	(void)state;
	for (unsigned int trimmed = 0; trimmed < 20; trimmed++) {
		prepare(&x);
		x.w.config[A].sprayed.ack_every = x.w.config[B].sprayed.ack_every = 8;
		x.w.config[A].congestion = &congestion_nscc;
		x.w.config[A].congestion_parameters = &parameters;
		start(&x, 40000);
		for (unsigned int i = trimmed; i < trimmed + 4; i++)
			x.forth.deeds[i] = TRIM;
		expect_complete(&x, 40);
		assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
		pair_stop(&x.w);
	}
}

// What becomes of a frame at B, which has a receiver.
static void
expect_drop(const uint8_t *pds, uint32_t bytes, uint32_t there, unsigned int reason)
{
	static struct world x;
	struct rte_mbuf *m;

	prepare(&x);
	start(&x, 1000);
	m = sprayed_frame(&x.w, B, UET_UDP_PORT, pds, bytes, there);
	assert_int_equal(wire_put(x.w.nodes[B]->ports[0].in, m, 2), 0);
	pair_step(&x.w, PS_PER_US);
	assert_int_equal(x.w.nodes[B]->ports[0].drops[reason], 1);
	pair_stop(&x.w);
}

static void
test_malformed(void **state)
{
	uint8_t pds[256] = {0};
	struct uet_request *h = (struct uet_request *)pds;

	(void)state;
	expect_drop(pds, 1, 1, DROP_MALFORMED);      // no prologue
	expect_drop(pds, 56, 56, DROP_NOT_FOR_HOST); // type 0
	uet_prologue_init(&h->prologue, UET_RUD_REQUEST, UET_NEXT_REQUEST, 0);
	expect_drop(pds, 11, 11, DROP_MALFORMED); // less than a request
	expect_drop(pds, 55, 55, DROP_MALFORMED); // less than its message header
	expect_drop(pds, 56, 56, DROP_NO_QUEUE_PAIR);
	roce_put16(h->dpdcid, NIC_QPN_FIRST);
	roce_put16(h->spdcid, NIC_QPN_FIRST + 1); // not its peer
	expect_drop(pds, 56, 56, DROP_NO_QUEUE_PAIR);
	uet_prologue_init(&h->prologue, UET_RUD_REQUEST, UET_NEXT_NONE, 0);
	expect_drop(pds, 56, 56, DROP_MALFORMED);
	uet_prologue_init(&h->prologue, UET_ACK_CC, UET_NEXT_NONE, 0);
	expect_drop(pds, 31, 31, DROP_MALFORMED);
	expect_drop(pds, 32, 32, DROP_NO_QUEUE_PAIR); // a receiver takes no ACK
	uet_prologue_init(&h->prologue, UET_NACK, UET_NEXT_NONE, 0);
	expect_drop(pds, 15, 15, DROP_MALFORMED);
	uet_prologue_init(&h->prologue, UET_CONTROL, 1, 0);
	expect_drop(pds, 16, 16, DROP_NOT_FOR_HOST);
	uet_prologue_init(&h->prologue, UET_CONTROL, UET_CONTROL_CREDIT, 0);
	expect_drop(pds, 16, 16, DROP_NO_QUEUE_PAIR);
	// Trimmed: the rest tells whose it is.
	uet_prologue_init(&h->prologue, UET_ACK_CC, UET_NEXT_NONE, 0);
	expect_drop(pds, 1000, 214, DROP_NO_QUEUE_PAIR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message),    cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_sack),         cmocka_unit_test(test_loss_of_each),
		cmocka_unit_test(test_loss_of_nack), cmocka_unit_test(test_all_trimmed),
		cmocka_unit_test(test_marked),       cmocka_unit_test(test_window),
		cmocka_unit_test(test_malformed),    cmocka_unit_test(test_trimmed_late),
		cmocka_unit_test(test_small_window), cmocka_unit_test(test_shrinking_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
