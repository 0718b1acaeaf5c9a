// SPDX-License-Identifier: BSD-3-Clause
//
// The receiving end: acknowledgements, NAKs, placement out of order, CNPs.

#include "pair.h"

static void
pair_init_placement(struct pair *w, enum nic_placement placement, uint32_t ack_every)
{
	pair_init(w, 1);
	for (unsigned int side = A; side <= B; side++) {
		w->config[side].placement = placement;
		w->config[side].ack_every = ack_every;
	}
}

static void
test_acknowledges_every_nth(void **state)
{
	struct pair w;
	struct journal *j;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_IN_ORDER, 4);
	pair_start(&w);
	j = pair_journal(&w, B);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 10000, .repeat = 2});
	pair_run(&w, PS_PER_MS);
	// 4, 8, and 10 for being the last; the count starts anew with each.
	assert_int_equal(j->count, 6);
	for (unsigned int i = 0; i < 6; i++) {
		static const uint32_t psn[6] = {3, 7, 9, 13, 17, 19}, msn[6] = {0, 0, 1, 1, 1, 2};

		assert_int_equal(j->entries[i].psn, psn[i]);
		assert_int_equal(j->entries[i].msn, msn[i]);
		assert_int_equal(j->entries[i].syndrome, ROCE_SYNDROME_ACK_NO_CREDITS);
	}
	free(j);
	pair_stop(&w);
}

static void
test_in_order_naks_once_per_gap(void **state)
{
	struct pair w;
	struct journal *forth, *back;
	struct nic_receiver_result received;
	uint32_t qpn;
	unsigned int naks = 0;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_IN_ORDER, 1);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[10] = PAIR_HOLD + 3; // 11, 12 and 13 overtake it
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 200000});
	pair_run(&w, PS_PER_MS);
	received = pair_received(&w, qpn);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	for (unsigned int i = 0; i < back->count; i++)
		if (back->entries[i].syndrome == ROCE_SYNDROME_NAK_PSN_SEQUENCE)
			assert_int_equal(back->entries[i].psn, naks++ == 0 ? 10 : 11);
	// 11 is the first to come too early; 10 itself comes, and then 14 shows that 11 was
	// discarded.
	assert_int_equal(naks, 2);
	assert_int_equal(received.naks, 2);
	assert_int_equal(received.reorder_max,
			 received.out_of_order - 3 + 2); // 14, 15, ... up to the resent 11
	assert_true(pair_result(&w, qpn).retransmitted > 0);
	free(forth);
	free(back);
	pair_stop(&w);
}

static void
test_out_of_order_is_placed(void **state)
{
	struct pair w;
	struct journal *forth, *back;
	struct nic_receiver_result received;
	uint32_t qpn;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_OUT_OF_ORDER, 1);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[2] = PAIR_HOLD + 3; // arrive: 0 1 3 4 5 2 6 ...
	forth->script[8] = PAIR_HOLD + 1; // ... 7 9 8, 9 being the last
	qpn = pair_add_flow(&w, (struct nic_flow){.endpoint.first_psn = 0xfffffd,
						  .path_mtu = 1000,
						  .bytes = 10000});
	pair_run(&w, PS_PER_MS);
	received = pair_received(&w, qpn);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
	assert_int_equal(received.naks, 0);
	assert_int_equal(received.packets, 10);
	assert_int_equal(received.out_of_order, 4);
	assert_int_equal(received.reorder_max, 3);
	// ACKs for 0, 1, then 5 when 2 has come, 6, 7, and 9 when 8 has.
	assert_int_equal(back->count, 6);
	assert_int_equal(back->entries[1].psn, 0xfffffe);
	assert_int_equal(back->entries[2].psn, 2);
	assert_int_equal(back->entries[4].msn, 0);
	assert_int_equal(back->entries[5].psn, 6);
	assert_int_equal(back->entries[5].msn, 1);
	free(forth);
	free(back);
	pair_stop(&w);
}

static void
test_reorder_timeout(void **state)
{
	struct pair w;
	struct journal *forth, *back;
	uint32_t qpn;
	unsigned int nak = 0;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_OUT_OF_ORDER, 1000);
	w.config[A].rto = w.config[B].rto = PS_PER_S;
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[4] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 20000});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	while (back->entries[nak].syndrome != ROCE_SYNDROME_NAK_PSN_SEQUENCE)
		nak++;
	// Packet 5 was at the relay at entries[5].at, alone on the link behind it; the timeout
	// counts from its arrival. The lost one leaves time enough for the relay to have caught up
	// with the first's 16 B.
	assert_int_equal(back->entries[nak].psn, 4);
	assert_int_equal(back->entries[nak].at, forth->entries[5].at + 1070 * PAIR_BYTE +
							PAIR_DELAY + 100 * PS_PER_US +
							74 * PAIR_BYTE + PAIR_DELAY);
	// Go-back-N: all that had been placed comes again, but needs only the one that was lost.
	assert_int_equal(pair_result(&w, qpn).retransmitted, 16);
	assert_int_equal(pair_result(&w, qpn).naks, 1);
	assert_int_equal(pair_result(&w, qpn).completed, forth->entries[20].at + 1070 * PAIR_BYTE +
								 2 * 74 * PAIR_BYTE +
								 3 * PAIR_DELAY);
	free(forth);
	free(back);
	pair_stop(&w);
}

static void
test_reorder_window(void **state)
{
	struct pair w;
	struct journal *forth, *back;
	uint32_t qpn;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_OUT_OF_ORDER, 1);
	w.config[A].reorder_window = w.config[B].reorder_window = 8;
	w.config[A].reorder_timeout = w.config[B].reorder_timeout = PS_PER_S;
	w.config[A].rto = w.config[B].rto = PS_PER_S;
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[4] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 60000});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	// 4 is missing: 5 to 11 are placed, 12 is beyond 4 + 8 and makes the NAK, which is on the
	// link back.
	assert_int_equal(back->entries[4].psn, 4);
	assert_int_equal(back->entries[4].syndrome, ROCE_SYNDROME_NAK_PSN_SEQUENCE);
	assert_int_equal(back->entries[4].at, forth->entries[12].at + 1070 * PAIR_BYTE +
						      74 * PAIR_BYTE + 2 * PAIR_DELAY);
	// The resent 4 lets the acknowledgement jump to 11, once.
	assert_int_equal(back->entries[5].psn, 11);
	assert_int_equal(pair_received(&w, qpn).naks, 1);
	free(forth);
	free(back);
	pair_stop(&w);
}

// Any order within the window, no loss: nothing is sent again, and everything is acknowledged.
static void
test_random_order(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 50; round++) {
		struct random r = random_stream(11, round);
		struct journal *forth;
		struct pair w;
		uint32_t qpn;

		pair_init_placement(&w, NIC_PLACEMENT_OUT_OF_ORDER, 1 + random_below(&r, 20));
		pair_start(&w);
		forth = pair_journal(&w, A);
		for (unsigned int i = 0; i < 490;) {
			unsigned int overtaken_by = 1 + random_below(&r, 9);

			// Nothing overtakes the last packet of a repetition.
			if (random_below(&r, 2) && i / 50 == (i + overtaken_by) / 50)
				forth->script[i] = PAIR_HOLD + overtaken_by;
			i += overtaken_by + 1;
		}
		qpn = pair_add_flow(&w, (struct nic_flow){
						.endpoint.first_psn = random_below(&r, 1u << 24),
						.path_mtu = 1000,
						.bytes = 50000,
						.repeat = 10,
					});
		pair_run(&w, 900 * PS_PER_US);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
		assert_int_equal(pair_result(&w, qpn).repetitions, 10);
		assert_int_equal(pair_received(&w, qpn).packets, 500);
		assert_true(pair_received(&w, qpn).reorder_max <= 9);
		free(forth);
		pair_stop(&w);
	}
}

static void
test_cnp_at_most_each_interval(void **state)
{
	struct pair w;
	struct journal *forth, *back;
	uint32_t qpn;
	unsigned int cnps = 0;
	ps_t last = 0;

	(void)state;
	pair_init_placement(&w, NIC_PLACEMENT_IN_ORDER, 100);
	w.config[B].cnp_interval = 10 * PS_PER_US;
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 500000});
	for (unsigned int i = 100; i < 400; i++)
		forth->ce[i / 64] |= UINT64_C(1) << i % 64;
	pair_run(&w, PS_PER_MS);
	// Packets 100 to 399 arrive 1082 x 80 ps = 86.56 ns apart: 25.9 us, so CNPs at 0, 10 and 20
	// us, each with the first packet that comes then or later: 116 packets make 10.04 us.
	for (unsigned int i = 0; i < back->count; i++) {
		if (back->entries[i].opcode != ROCE_OP_CNP)
			continue;
		if (cnps++ != 0)
			assert_in_range(back->entries[i].at - last, 10040960, 10040960);
		last = back->entries[i].at;
	}
	assert_int_equal(cnps, 3);
	assert_int_equal(pair_received(&w, qpn).cnps, 3);
	assert_int_equal(pair_result(&w, qpn).cnps, 3);
	free(forth);
	free(back);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acknowledges_every_nth),
		cmocka_unit_test(test_in_order_naks_once_per_gap),
		cmocka_unit_test(test_out_of_order_is_placed),
		cmocka_unit_test(test_reorder_timeout),
		cmocka_unit_test(test_reorder_window),
		cmocka_unit_test(test_random_order),
		cmocka_unit_test(test_cnp_at_most_each_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
