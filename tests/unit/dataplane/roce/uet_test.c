// SPDX-License-Identifier: BSD-3-Clause
//
// Ultra Ethernet Transport between two NICs: acknowledgements, loss either way, trimmed packets,
// credits, and frames that are none.

#include "pair.h"

#include "dataplane/base/uet_headers.h"
#include "dataplane/roce/congestion.h"
#include "dataplane/roce/qp_state.h"

#define FIRST_PSN 0xfffff0u // the message goes beyond 24 bits
#define DATA_FRAME(payload) (42u + 12 + 44 + (payload))
#define ACK_FRAME (42u + 32)
#define NACK_FRAME 60u // 58 and padding

enum deed { PASS, DROP, TRIM, MARK };

// What a hook saw, and does to the n-th packet.
struct record {
	unsigned int count;
	uint8_t deeds[8192];
	struct {
		ps_t at;
		uint8_t type;
		uint8_t flags;
		uint32_t psn; // of an ACK: the last in order
		uint16_t sport;
		uint32_t wire_bytes;
		uint64_t bitmap;
		uint32_t first_psn, acked_psn;
	} entries[8192];
};

static void
trim(struct rte_mbuf *m)
{
	uint8_t *ip = packet_data(m) + 14;

	packet_meta(m)->wire_bytes = 256;
	checksum_ipv4_set_byte(ip, 2, 0);
	checksum_ipv4_set_byte(ip, 3, 256 - 14);
}

static unsigned int
hook(void *context, struct rte_mbuf *m, ps_t at)
{
	const uint8_t *pds = packet_data(m) + 42;
	const struct uet_ack_cc *ack = (const struct uet_ack_cc *)pds;
	struct record *r = context;
	unsigned int n = r->count++;

	assert_true(n < 8192);
	assert_int_equal(uet_get16(pds - 6), UET_UDP_PORT);
	r->entries[n].at = at;
	r->entries[n].type = (uint8_t)uet_type((const struct uet_prologue *)pds);
	r->entries[n].flags = (uint8_t)uet_flags((const struct uet_prologue *)pds);
	r->entries[n].psn = roce_get32(pds + 4);
	if (r->entries[n].type == UET_NACK)
		r->entries[n].psn = roce_get32(((const struct uet_nack *)pds)->psn);
	r->entries[n].sport = uet_get16(pds - 8);
	r->entries[n].wire_bytes = packet_meta(m)->wire_bytes;
	if (r->entries[n].type == UET_ACK_CC) {
		uint32_t cack = roce_get32(ack->cack_psn);

		r->entries[n].bitmap = uet_get64(ack->sack_bitmap);
		r->entries[n].first_psn = cack + (uint32_t)(int16_t)uet_get16(ack->sack_psn_offset);
		r->entries[n].acked_psn = cack + (uint32_t)(int16_t)uet_get16(ack->ack_psn_offset);
	}
	switch (r->deeds[n]) {
	case DROP:
		return PAIR_DROP;
	case TRIM:
		trim(m);
		return PAIR_PASS;
	case MARK:
		checksum_ipv4_set_byte(packet_data(m) + 14, 1, packet_data(m)[15] | 3);
		return PAIR_PASS;
	default:
		return PAIR_PASS;
	}
}

struct world {
	struct pair w;
	struct record forth, back;
	uint32_t qpn;
	uint32_t window, repeat; // of the flow
};

static void
prepare(struct world *x)
{
	*x = (struct world){0};
	pair_init(&x->w, 1);
	for (unsigned int side = A; side <= B; side++) {
		x->w.config[side].transport = NIC_TRANSPORT_UET;
		x->w.config[side].uet = (struct uet_config){
			.paths = 16, .ack_every = 4, .grant = 4, .unsolicited = 1};
		x->w.config[side].rto = 100 * PS_PER_US;
	}
}

static void
start(struct world *x, uint64_t bytes)
{
	pair_start(&x->w);
	x->w.relays[A][0].hook = x->w.relays[B][0].hook = hook;
	x->w.relays[A][0].context = &x->forth;
	x->w.relays[B][0].context = &x->back;
	x->qpn = pair_add_flow(&x->w, (struct nic_flow){.path_mtu = 1000,
							.bytes = bytes,
							.repeat = x->repeat,
							.window = x->window,
							.endpoint.first_psn = FIRST_PSN});
}

static void
expect_complete(struct world *x, uint64_t packets)
{
	pair_run(&x->w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(&x->w, x->qpn).repetitions, 1);
	assert_int_equal(pair_received(&x->w, x->qpn).packets -
				 pair_received(&x->w, x->qpn).duplicates,
			 packets);
	// What is left is on the wires and changes nothing.
	pair_pass(&x->w, x->w.now + PS_PER_MS);
	assert_int_equal(pair_result(&x->w, x->qpn).repetitions, 1);
}

static unsigned int
count_type(const struct record *r, unsigned int type)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < r->count; i++)
		count += r->entries[i].type == type;
	return count;
}

static void
test_a_message(void **state)
{
	static struct world x;
	bool seen[16] = {0};
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
		assert_int_equal(x.forth.entries[i].sport & ~15u, 0xc120);
		// Nothing came back yet: in turn, 16 values in 16 packets.
		if (i < 16) {
			assert_false(seen[x.forth.entries[i].sport & 15]);
			seen[x.forth.entries[i].sport & 15] = true;
		}
	}
	// Every fourth, and the last, which asks for it.
	assert_int_equal(x.back.count, 9);
	for (unsigned int i = 0; i < 9; i++) {
		assert_int_equal(x.back.entries[i].type, UET_ACK_CC);
		assert_int_equal(x.back.entries[i].wire_bytes, ACK_FRAME);
		assert_int_equal(x.back.entries[i].psn, FIRST_PSN + (i < 8 ? 4 * i + 3 : 32));
		assert_int_equal(x.back.entries[i].acked_psn, x.back.entries[i].psn);
		assert_int_equal(x.back.entries[i].bitmap, 0);
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
	for (unsigned int i = 0; i < x.back.count && x.back.entries[i].at < 100 * PS_PER_US; i++)
		for (unsigned int bit = 0; bit < 64; bit++)
			if (x.back.entries[i].bitmap >> bit & 1 &&
			    x.back.entries[i].first_psn + bit - (FIRST_PSN + 11) < 64)
				reported |= UINT64_C(1) << (x.back.entries[i].first_psn + bit -
							    (FIRST_PSN + 11));
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
		x.w.config[A].uet.ack_every = x.w.config[B].uet.ack_every = 8;
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

// Three flows share the line as the receiver grants it: a packet each at once, then in turn.
static void
test_credits(void **state)
{
	static struct world x;
	unsigned int packets[3] = {0};
	uint32_t qpns[3];

	(void)state;
	prepare(&x);
	x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
	start(&x, 100000);
	qpns[0] = x.qpn;
	for (unsigned int i = 1; i < 3; i++)
		qpns[i] = pair_add_flow(
			&x.w, (struct nic_flow){.path_mtu = 1000,
						.bytes = 100000,
						.endpoint.first_psn = FIRST_PSN - 4096 * i});
	pair_run(&x.w, 50 * PS_PER_MS);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(pair_result(&x.w, qpns[i]).repetitions, 1);
		assert_int_equal(pair_result(&x.w, qpns[i]).timeouts, 0);
	}
	assert_int_equal(x.forth.count, 300);
	// After 150 packets each has sent 50, but for a grant.
	for (unsigned int i = 0; i < 150; i++)
		packets[(FIRST_PSN + 4095 - x.forth.entries[i].psn) / 4096]++;
	for (unsigned int i = 0; i < 3; i++)
		assert_in_range(packets[i], 46, 54);
	pair_stop(&x.w);
}

// A message that begins on an idle queue pair asks for credit at once.
static void
test_credits_ask(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
	x.w.config[A].rto = 10 * PS_PER_MS;
	x.repeat = 20;
	start(&x, 50000);
	pair_run(&x.w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(&x.w, x.qpn).repetitions, 20);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	// Not even a twentieth of the timeout for each.
	assert_true(pair_result(&x.w, x.qpn).completed < 10 * PS_PER_MS);
	pair_stop(&x.w);
}

// Credits are lost on the way.
static void
test_lost_credits(void **state)
{
	static struct world x;

	(void)state;
	for (unsigned int lost = 0; lost < 12; lost++) {
		prepare(&x);
		x.w.config[A].uet.credits = x.w.config[B].uet.credits = true;
		start(&x, 20000);
		x.back.deeds[lost] = DROP;
		expect_complete(&x, 20);
		pair_stop(&x.w);
	}
}

// What becomes of a frame at B, which has a receiver.
static void
expect_drop(const uint8_t *pds, uint32_t bytes, uint32_t there, unsigned int reason)
{
	static struct world x;
	struct rte_mbuf *m;
	uint8_t *frame,
		ip[20] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
	uint16_t sum;

	prepare(&x);
	start(&x, 1000);
	m = packet_alloc(x.w.packets);
	packet_init_frame(m, 0, (uint16_t)(42 + there));
	frame = packet_data(m);
	memset(frame, 0, 42);
	memcpy(frame, x.w.config[B].ports[0].mac, 6);
	memcpy(frame + 6, x.w.config[A].ports[0].mac, 6);
	frame[12] = 8;
	uet_put16(ip + 2, 28 + there);
	sum = checksum_ipv4_header(ip, 20);
	memcpy(ip + 10, &sum, 2);
	memcpy(frame + 14, ip, 20);
	uet_put16(frame + 34, 0xc000);
	uet_put16(frame + 36, UET_UDP_PORT);
	uet_put16(frame + 38, 8 + bytes);
	memcpy(frame + 42, pds, there);
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
	uet_put16(h->dpdcid, NIC_QPN_FIRST);
	uet_put16(h->spdcid, NIC_QPN_FIRST + 1); // not its peer
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
		cmocka_unit_test(test_credits),      cmocka_unit_test(test_lost_credits),
		cmocka_unit_test(test_malformed),    cmocka_unit_test(test_trimmed_late),
		cmocka_unit_test(test_small_window), cmocka_unit_test(test_shrinking_window),
		cmocka_unit_test(test_credits_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
