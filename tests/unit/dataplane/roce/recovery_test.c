// SPDX-License-Identifier: BSD-3-Clause
//
// What becomes of lost packets by each way of recovery, with either placement.

#include "pair.h"

#include "dataplane/roce/placement.h"

static void
recovery_init(struct pair *w, enum nic_recovery recovery, enum nic_placement placement)
{
	pair_init(w, 1);
	for (unsigned int side = A; side <= B; side++) {
		w->config[side].recovery = recovery;
		w->config[side].placement = placement;
		w->config[side].rto = PS_PER_S;
	}
}

// The NAKs in a journal, up to `most` PSNs.
static unsigned int
naks_of(const struct journal *j, uint32_t *psns, unsigned int most)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < j->count; i++)
		if (j->entries[i].opcode == ROCE_OP_ACK &&
		    j->entries[i].syndrome == ROCE_SYNDROME_NAK_PSN_SEQUENCE && count++ < most)
			psns[count - 1] = j->entries[i].psn;
	return count;
}

// When the n-th response of PSN `psn` and that syndrome passed.
static ps_t
response_at(const struct journal *j, uint32_t psn, uint8_t syndrome)
{
	for (unsigned int i = 0; i < j->count; i++)
		if (j->entries[i].psn == psn && j->entries[i].syndrome == syndrome)
			return j->entries[i].at;
	return PS_NEVER;
}

static void
test_selective_in_order(void **state)
{
	static const uint32_t lost[] = {5, 6, 7, 20, 90};
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn, naks[8];

	(void)state;
	recovery_init(&w, NIC_RECOVERY_SELECTIVE, NIC_PLACEMENT_IN_ORDER);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	for (unsigned int i = 0; i < 4; i++)
		forth->script[lost[i]] = PAIR_DROP;
	forth->script[94] = PAIR_DROP; // 90: four were sent again before
	qpn = pair_add_flow(&w, (struct nic_flow){.endpoint.first_psn = 0xfffff8,
						  .path_mtu = 1000,
						  .bytes = 100000});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(naks_of(back, naks, 8), 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(naks[i], psn_add(0xfffff8, (int32_t)lost[i]));
	// Only the lost ones go again, each once; nothing else comes twice.
	assert_int_equal(forth->count, 105);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 5);
	assert_int_equal(pair_result(&w, qpn).naks, 5);
	assert_int_equal(pair_result(&w, qpn).timeouts, 0);
	assert_int_equal(pair_received(&w, qpn).duplicates, 0);
	assert_int_equal(pair_received(&w, qpn).packets, 100);
	// All three NAKs go when packet 8 has come, back to back.
	assert_int_equal(response_at(back, 0xfffffd, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[8].at + 1070 * PAIR_BYTE + 74 * PAIR_BYTE + 2 * PAIR_DELAY);
	assert_int_equal(response_at(back, 0xffffff, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[8].at + 1070 * PAIR_BYTE + 74 * PAIR_BYTE +
				 2 * 86 * PAIR_BYTE + 2 * PAIR_DELAY);
	free(forth);
	free(back);
	pair_stop(&w);
}

// Each gap waits for its own time: the first packet behind it.
static void
test_selective_reorder_timeout(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn, naks[4];

	(void)state;
	recovery_init(&w, NIC_RECOVERY_SELECTIVE, NIC_PLACEMENT_OUT_OF_ORDER);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[4] = PAIR_DROP;
	forth->script[11] = forth->script[12] = PAIR_DROP;
	forth->script[30] = PAIR_HOLD + 5; // comes late, and is not asked for
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 50000});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(naks_of(back, naks, 4), 3);
	assert_int_equal(naks[0], 4);
	assert_int_equal(naks[1], 11);
	assert_int_equal(naks[2], 12);
	// Packets 5 and 13 pass the relay alone, long enough after the first.
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(response_at(back, naks[i], ROCE_SYNDROME_NAK_PSN_SEQUENCE),
				 forth->entries[i == 0 ? 5 : 13].at + 1070 * PAIR_BYTE +
					 PAIR_DELAY + 100 * PS_PER_US + 74 * PAIR_BYTE +
					 PAIR_DELAY);
	assert_int_equal(forth->count, 53);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 3);
	assert_int_equal(pair_received(&w, qpn).duplicates, 0);
	free(forth);
	free(back);
	pair_stop(&w);
}

// A window of 8: packet 12 shows that 4 is lost, 13 that 5 is. They are themselves not kept, and so
// lost.
static void
test_selective_window(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn, naks[64];
	unsigned int count;

	(void)state;
	recovery_init(&w, NIC_RECOVERY_SELECTIVE, NIC_PLACEMENT_OUT_OF_ORDER);
	w.config[B].reorder_window = 8;
	w.config[B].reorder_timeout = 20 * PS_PER_US;
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[4] = forth->script[5] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 30000});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	count = naks_of(back, naks, 64);
	assert_int_equal(naks[0], 4);
	assert_int_equal(naks[1], 12);
	assert_int_equal(naks[2], 5);
	assert_int_equal(naks[3], 13);
	assert_int_equal(response_at(back, 4, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[12].at + 1070 * PAIR_BYTE + 74 * PAIR_BYTE +
				 2 * PAIR_DELAY);
	assert_int_equal(response_at(back, 5, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[13].at + 1070 * PAIR_BYTE + 74 * PAIR_BYTE +
				 2 * PAIR_DELAY);
	// What came beyond the window is asked for once too.
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int k = 0; k < i; k++)
			assert_int_not_equal(naks[i], naks[k]);
	assert_int_equal(pair_result(&w, qpn).retransmitted, count);
	free(forth);
	free(back);
	pair_stop(&w);
}

// A burst that is longer than the window is lost, and what follows it is not kept: all of it is
// asked for, once, and nobody waits for the retransmission timer.
static void
test_selective_burst(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 4; round++) {
		enum nic_op op = round & 1 ? NIC_OP_READ : NIC_OP_WRITE;
		struct nic_flow_result result;
		struct journal *forth;
		struct pair w;
		uint32_t qpn;

		recovery_init(&w, NIC_RECOVERY_SELECTIVE,
			      round & 2 ? NIC_PLACEMENT_OUT_OF_ORDER : NIC_PLACEMENT_IN_ORDER);
		w.config[A].reorder_window = w.config[B].reorder_window = 8;
		pair_start(&w);
		forth = pair_journal(&w, A);
		for (unsigned int i = 0; i < 20; i++)
			forth->script[20 + i] = PAIR_DROP;
		qpn = pair_add_flow(&w, (struct nic_flow){.endpoint.first_psn = 0xffffe0,
							  .op = op,
							  .path_mtu = 1000,
							  .bytes = 300000});
		pair_run(&w, PS_PER_MS);
		assert_int_equal(nic_open_flows(w.nics[A]) + nic_open_flows(w.nics[B]), 0);
		assert_int_equal(nic_flow_result(w.nics[op == NIC_OP_READ], qpn, &result), 0);
		assert_int_equal(result.timeouts, 0);
		assert_int_equal(forth->count - 300, pair_received(&w, qpn).naks);
		assert_int_equal(pair_received(&w, qpn).duplicates, 0);
		free(forth);
		pair_stop(&w);
	}
}

// More gaps than the list has room for: the last of them share the later time.
static void
test_many_gaps(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn, naks[64];

	(void)state;
	recovery_init(&w, NIC_RECOVERY_SELECTIVE, NIC_PLACEMENT_OUT_OF_ORDER);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	for (unsigned int i = 0; i < 40; i++)
		forth->script[2 + 2 * i] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 100000});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(naks_of(back, naks, 64), 40);
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(naks[i], 2 + 2 * i);
	assert_int_equal(forth->count, 140);
	assert_int_equal(response_at(back, 30, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[31].at + 1070 * PAIR_BYTE + PAIR_DELAY + 100 * PS_PER_US +
				 74 * PAIR_BYTE + PAIR_DELAY);
	// Of the sixteenth gap on: packet 81's time, of the last.
	assert_int_equal(response_at(back, 32, ROCE_SYNDROME_NAK_PSN_SEQUENCE),
			 forth->entries[81].at + 1070 * PAIR_BYTE + PAIR_DELAY + 100 * PS_PER_US +
				 74 * PAIR_BYTE + PAIR_DELAY);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 40);
	free(forth);
	free(back);
	pair_stop(&w);
}

// The single packet that goes again is lost again: nothing asks for it a second time, and the
// retransmission timer sends all that is not acknowledged.
static void
test_selective_lost_again(void **state)
{
	struct journal *forth;
	struct pair w;
	uint32_t qpn;

	(void)state;
	recovery_init(&w, NIC_RECOVERY_SELECTIVE, NIC_PLACEMENT_IN_ORDER);
	w.config[A].rto = 50 * PS_PER_US;
	pair_start(&w);
	forth = pair_journal(&w, A);
	forth->script[5] = PAIR_DROP;
	forth->script[10] = PAIR_DROP; // the tail, 10 packets in all, then 5 again
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 10000});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(forth->entries[10].psn, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(forth->entries[11 + i].psn, 5 + i);
	assert_int_equal(forth->count, 16);
	assert_int_equal(pair_result(&w, qpn).timeouts, 1);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 6);
	assert_int_equal(pair_received(&w, qpn).naks, 1);
	free(forth);
	pair_stop(&w);
}

static void
test_go_back_0(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn, naks[2];
	unsigned int ahead = 0;

	(void)state;
	recovery_init(&w, NIC_RECOVERY_GO_BACK_0, NIC_PLACEMENT_IN_ORDER);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->script[10 + 50] = PAIR_DROP; // of the second message, of 50 packets each
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 50000, .repeat = 2});
	pair_run(&w, 900 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(naks_of(back, naks, 2), 1);
	assert_int_equal(naks[0], 50);
	while (forth->entries[61 + ahead].psn == 61 + ahead)
		ahead++;
	assert_int_equal(forth->entries[61 + ahead].psn, 50);
	assert_int_equal(forth->entries[61 + ahead].opcode, ROCE_OP_WRITE_FIRST);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 11 + ahead);
	assert_int_equal(forth->count, 100 + 11 + ahead);
	// Until the NAK came, packets 50 to 59 were acknowledged, which did not count.
	assert_int_equal(pair_received(&w, qpn).packets, forth->count - 1);
	free(forth);
	free(back);
	pair_stop(&w);
}

// Drops what has an IPv4 ID that ends in 0xff: one packet in 256.
static unsigned int
drop_0xff(void *context, struct rte_mbuf *m, ps_t at)
{
	uint64_t *sent = context;

	(void)at;
	++*sent;
	return packet_data(m)[19] == 0xff ? PAIR_DROP : PAIR_PASS;
}

// Guo et al.: RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.1: messages of 4 MB,
// one packet in 256 lost. Go-back-0 never completes one; the link is busy all the same.
static void
test_livelock(void **state)
{
	(void)state;
	for (unsigned int recovery = 0; recovery < 3; recovery++) {
		struct pair w;
		uint64_t sent = 0;
		uint32_t qpn;

		recovery_init(&w, recovery, NIC_PLACEMENT_IN_ORDER);
		pair_start(&w);
		w.relays[A][0].hook = drop_0xff;
		w.relays[A][0].context = &sent;
		qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1024,
							  .bytes = 4 * 1024 * 1024,
							  .repeat = 10});
		pair_pass(&w, 10 * PS_PER_MS);
		if (recovery == NIC_RECOVERY_GO_BACK_0) {
			assert_int_equal(pair_result(&w, qpn).repetitions, 0);
			assert_int_equal(nic_open_flows(w.nics[A]), 1);
			assert_true(sent > 100000); // 10 ms of 1106 B are 113,000
		} else {
			assert_int_equal(pair_result(&w, qpn).repetitions, 10);
		}
		pair_stop(&w);
	}
}

// Everything is lost now and then, either way, by every combination; all of it arrives.
static void
test_heavy_loss(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3 * 2 * 3 * 4; round++) {
		enum nic_recovery recovery = round % 3;
		enum nic_placement placement = round / 3 % 2;
		enum nic_op op = round / 6 % 3;
		struct random r = random_stream(21, round);
		struct journal *forth, *back;
		struct nic_flow_result result;
		struct pair w;
		uint32_t qpn;

		recovery_init(&w, recovery, placement);
		for (unsigned int side = A; side <= B; side++) {
			w.config[side].rto = 100 * PS_PER_US;
			w.config[side].ack_every = 1 + random_below(&r, 4);
			w.config[side].reorder_window = 10 + random_below(&r, 60);
			w.config[side].reorder_timeout = 1 + random_below(&r, 10 * PS_PER_US);
		}
		pair_start(&w);
		forth = pair_journal(&w, A);
		back = pair_journal(&w, B);
		for (unsigned int i = 0; i < 3000; i++) {
			forth->script[i] = random_below(&r, 20) == 0   ? PAIR_DROP
					   : random_below(&r, 50) == 0 ? PAIR_HOLD + 2
								       : PAIR_PASS;
			back->script[i] = random_below(&r, 20) == 0 ? PAIR_DROP : PAIR_PASS;
			if (i != 0 && forth->script[i - 1] >= PAIR_HOLD)
				forth->script[i] = PAIR_PASS;
			if (i > 1 && forth->script[i - 2] >= PAIR_HOLD)
				forth->script[i] = PAIR_PASS;
		}
		qpn = pair_add_flow(&w, (struct nic_flow){
						.op = op,
						.endpoint.first_psn = 0xffffe0,
						.path_mtu = 1000,
						.bytes = 19700,
						.repeat = 5,
					});
		pair_run(&w, PS_PER_S);
		assert_int_equal(nic_open_flows(w.nics[A]) + nic_open_flows(w.nics[B]), 0);
		pair_pass(&w, w.now + 100 * PS_PER_US); // what is still on its way
		assert_int_equal(nic_flow_result(w.nics[op == NIC_OP_READ ? B : A], qpn, &result),
				 0);
		assert_int_equal(result.repetitions, 5);
		assert_true(pair_result(&w, qpn).retransmitted > 0);
		assert_int_equal(forth->count - (op == NIC_OP_READ ? naks_of(forth, NULL, 0) : 0),
				 100 + pair_result(&w, qpn).retransmitted);
		free(forth);
		free(back);
		pair_stop(&w);
	}
}

// A single packet far ahead causes so many requests and no more. The next packets go on from there.
static void
test_requests_of_one_packet(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 8; round++) {
		bool beyond = round & 1, out_of_order = round & 2,
		     timeout = out_of_order && !beyond;
		enum nic_op op = round & 4 ? NIC_OP_READ : NIC_OP_WRITE;
		struct journal *forth;
		struct pair w;
		uint32_t qpn;

		recovery_init(&w, NIC_RECOVERY_SELECTIVE,
			      out_of_order ? NIC_PLACEMENT_OUT_OF_ORDER : NIC_PLACEMENT_IN_ORDER);
		w.config[A].reorder_window = w.config[B].reorder_window = beyond ? 512 : 2048;
		pair_start(&w);
		forth = pair_journal(&w, A);
		for (unsigned int i = 0; i < 1000; i++)
			forth->script[5 + i] = PAIR_DROP;
		qpn = pair_add_flow(
			&w, (struct nic_flow){.op = op, .path_mtu = 256, .bytes = 1006 * 256});
		pair_run(&w, 900 * PS_PER_US);
		// Of 1006 packets all but five are lost; the last shows it.
		assert_int_equal(pair_received(&w, qpn).naks,
				 timeout ? 1000 : PLACEMENT_REQUESTS_MAX);
		free(forth);
		pair_stop(&w);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selective_in_order),
		cmocka_unit_test(test_selective_reorder_timeout),
		cmocka_unit_test(test_selective_window),
		cmocka_unit_test(test_selective_burst),
		cmocka_unit_test(test_many_gaps),
		cmocka_unit_test(test_selective_lost_again),
		cmocka_unit_test(test_requests_of_one_packet),
		cmocka_unit_test(test_go_back_0),
		cmocka_unit_test(test_livelock),
		cmocka_unit_test(test_heavy_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
