// SPDX-License-Identifier: BSD-3-Clause
//
// The sending end: what it sends, and what it does about loss, acknowledgements that were never
// earned, repetitions.

#include "pair.h"

static void
test_packets_of_a_message(void **state)
{
	struct pair w;
	struct journal *j;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, A);
	// Over the end of the PSNs; 256 + 256 + 3 B, then a message of one packet.
	pair_add_flow(&w, (struct nic_flow){
				  .endpoint.first_psn = 0xfffffe, .path_mtu = 256, .bytes = 515});
	pair_run(&w, PS_PER_MS);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 256, .bytes = 256, .start = w.now});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(j->count, 4);
	assert_int_equal(j->entries[0].opcode, ROCE_OP_WRITE_FIRST);
	assert_int_equal(j->entries[1].opcode, ROCE_OP_WRITE_MIDDLE);
	assert_int_equal(j->entries[2].opcode, ROCE_OP_WRITE_LAST);
	assert_int_equal(j->entries[3].opcode, ROCE_OP_WRITE_ONLY);
	assert_int_equal(j->entries[0].psn, 0xfffffe);
	assert_int_equal(j->entries[1].psn, 0xffffff);
	assert_int_equal(j->entries[2].psn, 0);
	assert_false(j->entries[0].ack_req);
	assert_true(j->entries[2].ack_req);
	assert_true(j->entries[3].ack_req);
	assert_int_equal(j->entries[0].wire_bytes, 58 + 16 + 256);
	assert_int_equal(j->entries[1].wire_bytes, 58 + 256);
	assert_int_equal(j->entries[2].wire_bytes, 58 + 4);
	free(j);
	pair_stop(&w);
}

// Looks at all headers of the packets that pass.
struct inspection {
	unsigned int packets;
	unsigned int firsts;
	uint64_t dma_bytes;
	uint64_t payload;
	uint64_t va;
	unsigned int wrong;
};

static unsigned int
inspect(void *context, struct rte_mbuf *m, ps_t at)
{
	struct inspection *i = context;
	const uint8_t *data = packet_data(m);
	const struct roce_bth *bth = packet_bth(m);
	uint32_t ip_bytes = (uint32_t)data[16] << 8 | data[17],
		 udp_bytes = (uint32_t)data[38] << 8 | data[39];
	uint16_t checksum = checksum_ipv4_header(data + 14, 20);
	uint32_t icrc;

	(void)at;
	i->packets++;
	i->wrong += memcmp(data + 24, &checksum, 2) != 0;
	i->wrong += ip_bytes + 14 != packet_meta(m)->wire_bytes ||
		    udp_bytes + 34 != packet_meta(m)->wire_bytes;
	i->wrong += (uint16_t)(data[18] << 8 | data[19]) != (uint16_t)(i->packets - 1); // ID
	i->wrong += data[15] != (26 << 2 | 2) || data[20] != 0x40 || data[22] != 64;
	i->wrong += icrc_compute(data, packet_meta(m)->data_len, &icrc) != 0;
	i->payload += udp_bytes - 8 - roce_op_header_bytes(bth->opcode) - roce_bth_pad(bth) - 4;
	if (roce_op_has_reth(bth->opcode)) {
		const struct roce_reth *reth = (const struct roce_reth *)(bth + 1);

		i->wrong += roce_reth_va(reth) != i->va;
		i->firsts++;
		i->dma_bytes += roce_reth_dma_bytes(reth);
		i->va += roce_reth_dma_bytes(reth);
	}
	return PAIR_PASS;
}

static void
test_headers(void **state)
{
	(void)state;
	for (uint64_t bytes = 1; bytes < 600; bytes += 7) {
		struct inspection seen = {0};
		struct pair w;

		pair_init(&w, 1);
		pair_start(&w);
		w.relays[A][0].hook = inspect;
		w.relays[A][0].context = &seen;
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 259, .bytes = bytes});
		pair_run(&w, PS_PER_MS);
		assert_int_equal(seen.wrong, 0);
		assert_int_equal(seen.firsts, 1);
		assert_int_equal(seen.dma_bytes, bytes);
		assert_int_equal(seen.payload, bytes);
		pair_stop(&w);
	}
}

static void
test_long_flow_is_several_writes(void **state)
{
	struct inspection seen = {0};
	struct pair w;
	uint64_t bytes = UINT64_C(256) * (2 * NIC_WRITE_PACKETS) + 1000;

	(void)state;
	pair_init(&w, 1);
	for (unsigned int side = A; side <= B; side++)
		w.config[side].ack_every = 16;
	pair_start(&w);
	w.relays[A][0].hook = inspect;
	w.relays[A][0].context = &seen;
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 256, .bytes = bytes});
	pair_run(&w, PS_PER_S);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(seen.packets, 2 * NIC_WRITE_PACKETS + 4);
	assert_int_equal(seen.wrong, 0);
	assert_int_equal(seen.firsts, 3);
	assert_int_equal(seen.dma_bytes, bytes);
	assert_int_equal(seen.payload, bytes);
	pair_stop(&w);
}

static void
test_go_back_on_nak(void **state)
{
	struct pair w;
	struct journal *j;
	struct nic_flow_result result;
	uint32_t qpn;
	unsigned int ahead = 0;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, A);
	j->script[5] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 100000});
	pair_run(&w, 900 * PS_PER_US);
	result = pair_result(&w, qpn);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(result.naks, 1);
	assert_int_equal(result.timeouts, 0);
	// What follows the lost packet is sent until the NAK is back, then all from the lost one
	// on.
	while (j->entries[5 + ahead].psn == 5 + ahead)
		ahead++;
	assert_int_equal(j->entries[5 + ahead].psn, 5);
	assert_int_equal(result.retransmitted, ahead);
	assert_int_equal(j->count, 100 + ahead);
	assert_int_equal(pair_received(&w, qpn).out_of_order, ahead - 1);
	assert_int_equal(pair_received(&w, qpn).naks, 1);
	free(j);
	pair_stop(&w);
}

static void
test_lost_tail_times_out(void **state)
{
	struct pair w;
	struct journal *j;
	struct nic_flow_result result;
	uint32_t qpn;
	ps_t acked;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, A);
	j->script[3] = PAIR_DROP;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 4000});
	pair_run(&w, 10 * PS_PER_MS);
	result = pair_result(&w, qpn);
	assert_int_equal(result.timeouts, 1);
	assert_int_equal(result.retransmitted, 1);
	assert_int_equal(j->count, 5);
	assert_int_equal(j->entries[4].psn, 3);
	assert_int_equal(j->entries[4].opcode, ROCE_OP_WRITE_LAST);
	// The timeout counts from the last progress, packet 2's acknowledgement. The relay has the
	// first packet at 1086 byte times and sends three of them from there, 1098 + 1082 + 1070;
	// back it is 2 x 74.
	acked = (1086 + 1098 + 1082 + 1070 + 2 * 74) * PAIR_BYTE + 4 * PAIR_DELAY;
	assert_int_equal(j->entries[4].at, acked + PS_PER_MS + 1070 * PAIR_BYTE + PAIR_DELAY);
	assert_int_equal(result.completed - j->entries[4].at,
			 1070 * PAIR_BYTE + 2 * 74 * PAIR_BYTE + 3 * PAIR_DELAY);
	free(j);
	pair_stop(&w);
}

static void
test_lost_ack_is_made_good(void **state)
{
	struct pair w;
	struct journal *j;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, B);
	j->script[0] = PAIR_DROP; // covered by the next
	j->script[3] = PAIR_DROP; // the last
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 4000});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 1);
	assert_int_equal(pair_received(&w, qpn).duplicates, 1);
	assert_int_equal(j->count, 5);
	assert_int_equal(j->entries[4].psn, 3);
	assert_int_equal(j->entries[4].msn, 1);
	free(j);
	pair_stop(&w);
}

static void
test_heavy_loss_both_ways(void **state)
{
	(void)state;
	for (unsigned int placement = 0; placement < 2; placement++) {
		struct random r = random_stream(9, placement);
		struct journal *forth, *back;
		struct pair w;
		uint32_t qpn;

		pair_init(&w, 1);
		for (unsigned int side = A; side <= B; side++) {
			w.config[side].placement = placement;
			w.config[side].ack_every = 1 + 3 * placement;
			w.config[side].reorder_window = 20;
			w.config[side].reorder_timeout = 10 * PS_PER_US;
			w.config[side].rto = 100 * PS_PER_US;
		}
		pair_start(&w);
		forth = pair_journal(&w, A);
		back = pair_journal(&w, B);
		for (unsigned int i = 0; i < 2000; i++) {
			forth->script[i] = random_below(&r, 10) == 0 ? PAIR_DROP : PAIR_PASS;
			back->script[i] = random_below(&r, 10) == 0 ? PAIR_DROP : PAIR_PASS;
		}
		qpn = pair_add_flow(&w, (struct nic_flow){
						.endpoint.first_psn = 0xffffe0,
						.path_mtu = 1000,
						.bytes = 30000,
						.repeat = 3,
					});
		pair_run(&w, PS_PER_S);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		assert_int_equal(pair_result(&w, qpn).repetitions, 3);
		assert_true(pair_result(&w, qpn).retransmitted > 0);
		assert_int_equal(forth->count, 90 + pair_result(&w, qpn).retransmitted);
		free(forth);
		free(back);
		pair_stop(&w);
	}
}

static void
test_repetitions_and_gap(void **state)
{
	ps_t one = 2 * ((1074 + 12) * PAIR_BYTE + PAIR_DELAY) + 2 * (74 * PAIR_BYTE + PAIR_DELAY);

	(void)state;
	for (unsigned int gap = 0; gap <= 5; gap += 5) {
		struct nic_flow_result result;
		struct pair w;
		uint32_t qpn;

		pair_init(&w, 1);
		pair_start(&w);
		qpn = pair_add_flow(&w, (struct nic_flow){
						.path_mtu = 1000,
						.bytes = 1000,
						.start = 123456,
						.repeat = 4,
						.gap = gap * PS_PER_US,
					});
		pair_run(&w, PS_PER_MS);
		result = pair_result(&w, qpn);
		assert_int_equal(result.start, 123456);
		assert_int_equal(result.repetitions, 4);
		assert_int_equal(result.busy, 4 * one);
		assert_int_equal(result.completed, 123456 + 4 * one + 3 * gap * PS_PER_US);
		pair_stop(&w);
	}
}

static void
test_start_jitter(void **state)
{
	ps_t least = PS_NEVER, most = 0;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	w.config[A].start_jitter = PS_PER_US;
	pair_start(&w);
	for (unsigned int i = 0; i < 100; i++) {
		uint32_t qpn = pair_add_flow(
			&w, (struct nic_flow){.path_mtu = 1000, .bytes = 1, .start = PS_PER_MS});
		ps_t start = pair_result(&w, qpn).start;

		least = time_min(least, start);
		most = start > most ? start : most;
	}
	assert_true(least >= PS_PER_MS && least < PS_PER_MS + PS_PER_US / 10);
	assert_true(most < PS_PER_MS + PS_PER_US && most > PS_PER_MS + PS_PER_US * 9 / 10);
	pair_stop(&w);
}

// Hands A an acknowledgement as if from B.
static void
hand_aeth(struct pair *w, uint32_t qpn, uint32_t psn, uint8_t syndrome, ps_t at)
{
	struct frame_template t;
	struct frame_address a = {.peer_ip = {10, 0, 0, 1}, .peer_qpn = qpn};

	frame_template_init(&t, false, w->config[B].ports[0].mac, w->config[B].ports[0].gateway_mac,
			    w->config[B].ports[0].ip4);
	frame_address_init(&a, &t);
	assert_int_equal(wire_put(w->nodes[A]->ports[0].in,
				  frame_make_ack(w->packets, &t, &a, 62, psn, syndrome, 0), at),
			 0);
}

static void
test_unearned_acknowledgements(void **state)
{
	struct pair w;
	struct nic_flow flow = {
		.path_mtu = 1000, .bytes = 100000, .repeat = 1, .program = NIC_NONE};
	struct nic_flow_result result;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	flow.endpoint = pair_endpoint(&w, A, 16, 99); // nobody answers
	assert_int_equal(nic_add_sender(w.nics[A], &flow), 0);
	hand_aeth(&w, 16, 99, ROCE_SYNDROME_ACK_NO_CREDITS, PS_PER_US); // not yet sent
	hand_aeth(&w, 16, 0x800000, ROCE_SYNDROME_ACK_NO_CREDITS, PS_PER_US + 1);
	hand_aeth(&w, 16, 0xffffff, ROCE_SYNDROME_ACK_NO_CREDITS, PS_PER_US + 2);
	hand_aeth(&w, 16, 12, ROCE_SYNDROME_NAK_PSN_SEQUENCE,
		  PS_PER_US + 3); // 12 packets have been started
	hand_aeth(&w, 16, 0xfffffe, ROCE_SYNDROME_NAK_PSN_SEQUENCE, PS_PER_US + 4);
	hand_aeth(&w, 16, 5, ROCE_SYNDROME_NAK_INVALID_REQUEST, PS_PER_US + 5);
	hand_aeth(&w, 16, 5, ROCE_SYNDROME_RNR, PS_PER_US + 6);
	pair_pass(&w, 500 * PS_PER_US);
	result = pair_result(&w, 16);
	assert_int_equal(result.naks, 0);
	assert_int_equal(result.retransmitted, 0);
	assert_int_equal(result.completed, PS_NEVER);
	assert_int_equal(w.nodes[A]->ports[0].tx_packets, 100);
	// The 100 packets acknowledged: it is complete, and deaf to what comes later.
	hand_aeth(&w, 16, 99, ROCE_SYNDROME_ACK_NO_CREDITS, 600 * PS_PER_US);
	hand_aeth(&w, 16, 99, ROCE_SYNDROME_ACK_NO_CREDITS, 601 * PS_PER_US);
	hand_aeth(&w, 16, 50, ROCE_SYNDROME_NAK_PSN_SEQUENCE, 602 * PS_PER_US);
	hand_aeth(&w, 16, 100, ROCE_SYNDROME_NAK_PSN_SEQUENCE, 603 * PS_PER_US);
	pair_pass(&w, 5 * PS_PER_MS);
	assert_int_equal(pair_result(&w, 16).completed, 600 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(w.nodes[A]->ports[0].tx_packets, 100);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets_of_a_message),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_long_flow_is_several_writes),
		cmocka_unit_test(test_go_back_on_nak),
		cmocka_unit_test(test_lost_tail_times_out),
		cmocka_unit_test(test_lost_ack_is_made_good),
		cmocka_unit_test(test_heavy_loss_both_ways),
		cmocka_unit_test(test_repetitions_and_gap),
		cmocka_unit_test(test_start_jitter),
		cmocka_unit_test(test_unearned_acknowledgements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
