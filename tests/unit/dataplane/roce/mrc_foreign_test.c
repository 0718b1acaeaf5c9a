// SPDX-License-Identifier: BSD-3-Clause
//
// Frames of Multipath Reliable Connection that were made elsewhere: a Transport ACK, and what is
// none.

#include "mrc_pair.h"

// A frame from the other side reaches `side`: `bytes` behind UDP, of which `there` are here.
static void
deliver(struct world *x, unsigned int side, const uint8_t *behind, uint32_t bytes, uint32_t there,
	bool checked)
{
	struct rte_mbuf *m = sprayed_frame(&x->w, side, ROCE_UDP_PORT, behind, bytes, there);

	if (checked)
		icrc_write(packet_data(m), 42 + there);
	assert_int_equal(wire_put(x->w.nodes[side]->ports[0].in, m, x->w.now + 2), 0);
	pair_step(&x->w, x->w.now + PS_PER_US);
}

// What becomes of a frame at B, which has a receiver.
static void
expect_drop(const uint8_t *behind, uint32_t bytes, uint32_t there, unsigned int reason)
{
	static struct world x;

	prepare(&x);
	start(&x, 1000);
	deliver(&x, B, behind, bytes, there, reason != DROP_BAD_ICRC && there == bytes);
	assert_int_equal(x.w.nodes[B]->ports[0].drops[reason], 1);
	pair_stop(&x.w);
}

static void
put_bth(struct roce_bth *bth, uint8_t opcode, uint32_t qpn, unsigned int pad)
{
	roce_bth_init(bth, ROCE_OP_WRITE_ONLY, qpn, 0, pad);
	bth->opcode = opcode;
}

// A Transport ACK from elsewhere acknowledges what is before it. With the syndrome of a NAK or of
// RNR it does not.
static void
test_transport_ack(void **state)
{
	static const uint8_t others[] = {ROCE_SYNDROME_RNR, 0x40, ROCE_SYNDROME_NAK};
	uint8_t behind[20] = {0};
	struct roce_bth *bth = (struct roce_bth *)behind;
	struct roce_aeth *aeth = (struct roce_aeth *)(bth + 1);
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 5000);
	x.forth.dead = UINT16_MAX;
	pair_pass(&x.w, 5 * PS_PER_US);
	roce_bth_init(bth, ROCE_OP_ACK, x.qpn, FIRST_PSN + 4, 0);
	bth->opcode = MRC_OP_ACK;
	for (unsigned int i = 0; i < 3; i++) {
		aeth->syndrome = others[i];
		deliver(&x, A, behind, 20, 20, true);
		assert_int_equal(pair_result(&x.w, x.qpn).repetitions, 0);
	}
	aeth->syndrome = ROCE_SYNDROME_ACK_NO_CREDITS;
	deliver(&x, A, behind, 20, 20, true);
	assert_int_equal(pair_result(&x.w, x.qpn).repetitions, 1);
	pair_stop(&x.w);
}

static void
test_malformed(void **state)
{
	static const struct {
		uint8_t opcode;
		uint8_t bytes; // at least, with the ICRC
		unsigned int reason;
	} rows[] = {
		{MRC_OP_WRITE_MIDDLE, 36, DROP_NO_QUEUE_PAIR},
		{MRC_OP_WRITE_ONLY_IMM, 40, DROP_NO_QUEUE_PAIR},
		{MRC_OP_ACK, 20, DROP_NO_QUEUE_PAIR},
		{MRC_OP_SACK, 52, DROP_NO_QUEUE_PAIR},
		{MRC_OP_NACK, 36, DROP_NO_QUEUE_PAIR},
		{MRC_OP_PROBE, 32, DROP_NO_QUEUE_PAIR},
		{0xd8, 20, DROP_NOT_FOR_HOST}, // not spoken here
		{ROCE_OP_WRITE_ONLY, 36, DROP_NOT_FOR_HOST},
		{0xff, 20, DROP_NOT_FOR_HOST},
	};
	uint8_t behind[300] = {0};
	struct roce_bth *bth = (struct roce_bth *)behind;

	(void)state;
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_bth(bth, rows[i].opcode, 99, 0);
		expect_drop(behind, rows[i].bytes, rows[i].bytes, rows[i].reason);
		expect_drop(behind, 15, 15, DROP_MALFORMED); // less than a BTH and an ICRC
		if (rows[i].reason == DROP_NOT_FOR_HOST)
			continue;
		expect_drop(behind, rows[i].bytes, rows[i].bytes, DROP_BAD_ICRC);
		expect_drop(behind, rows[i].bytes - 1u, rows[i].bytes - 1u, DROP_MALFORMED);
		bth->flags |= 1; // a transport version
		expect_drop(behind, rows[i].bytes, rows[i].bytes, DROP_MALFORMED);
	}
	// A time header is missing, and padding that is not there.
	put_bth(bth, MRC_OP_WRITE_ONLY, NIC_QPN_FIRST, 0);
	bth->ack_req = MRC_BTH_TIME;
	expect_drop(behind, 36, 36, DROP_MALFORMED);
	put_bth(bth, MRC_OP_WRITE_ONLY, NIC_QPN_FIRST, 3);
	expect_drop(behind, 38, 38, DROP_MALFORMED);
	// A receiver takes no answers, and no probe of another than its peer.
	put_bth(bth, MRC_OP_SACK, NIC_QPN_FIRST, 0);
	expect_drop(behind, 52, 52, DROP_NO_QUEUE_PAIR);
	put_bth(bth, MRC_OP_PROBE, NIC_QPN_FIRST, 0);
	expect_drop(behind, 32, 32, DROP_NO_QUEUE_PAIR);
	// Trimmed: a WRITE's rest tells whose it is, anything else is lost.
	put_bth(bth, MRC_OP_WRITE_MIDDLE, 99, 0);
	expect_drop(behind, 1000, 214, DROP_NO_QUEUE_PAIR);
	put_bth(bth, MRC_OP_SACK, NIC_QPN_FIRST, 0);
	expect_drop(behind, 1000, 214, DROP_TRIMMED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_transport_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
