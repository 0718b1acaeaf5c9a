// SPDX-License-Identifier: BSD-3-Clause
//
// READs: what goes over the wire, that it takes as long as it must, what is lost, and requests that
// nobody should send. SENDs and immediate data beside them.

#include "dataplane/roce/ideal.h"
#include "pair.h"

static struct nic_flow_result
read_result(const struct pair *w, uint32_t qpn)
{
	struct nic_flow_result result;

	assert_int_equal(nic_flow_result(w->nics[B], qpn, &result), 0);
	return result;
}

static void
test_packets_of_a_read(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	qpn = pair_add_flow(&w, (struct nic_flow){.op = NIC_OP_READ,
						  .endpoint.first_psn = 0xfffffe,
						  .path_mtu = 256,
						  .bytes = 515,
						  .repeat = 2});
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(nic_open_flows(w.nics[B]), 1);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[B]), 0);
	assert_int_equal(back->count, 2); // requests, and nothing else
	assert_int_equal(back->entries[0].opcode, ROCE_OP_READ_REQUEST);
	assert_int_equal(back->entries[0].psn, 0xfffffe);
	assert_int_equal(back->entries[0].wire_bytes, 14 + 20 + 8 + 12 + 16 + 4);
	assert_int_equal(back->entries[1].psn, 1); // a request takes as many as its responses
	assert_int_equal(forth->count, 6);
	assert_int_equal(forth->entries[0].opcode, ROCE_OP_READ_RESPONSE_FIRST);
	assert_int_equal(forth->entries[1].opcode, ROCE_OP_READ_RESPONSE_MIDDLE);
	assert_int_equal(forth->entries[2].opcode, ROCE_OP_READ_RESPONSE_LAST);
	assert_int_equal(forth->entries[0].psn, 0xfffffe);
	assert_int_equal(forth->entries[2].psn, 0);
	assert_int_equal(forth->entries[3].psn, 1);
	assert_int_equal(forth->entries[0].wire_bytes, 58 + 4 + 256); // AETH
	assert_int_equal(forth->entries[1].wire_bytes, 58 + 256);
	assert_int_equal(forth->entries[2].wire_bytes, 58 + 4 + 4);
	assert_int_equal(forth->entries[0].msn, 1);
	assert_int_equal(forth->entries[5].msn, 2);
	assert_false(forth->entries[2].ack_req);
	assert_int_equal(read_result(&w, qpn).repetitions, 2);
	assert_int_equal(pair_result(&w, qpn).repetitions, 0);
	assert_int_equal(pair_received(&w, qpn).packets, 0 + 6);
	free(forth);
	free(back);
	pair_stop(&w);
}

static void
test_packets_of_a_send(void **state)
{
	struct journal *forth;
	struct pair w;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	forth = pair_journal(&w, A);
	pair_add_flow(&w, (struct nic_flow){.op = NIC_OP_SEND, .path_mtu = 256, .bytes = 515});
	pair_run(&w, PS_PER_MS);
	pair_add_flow(&w, (struct nic_flow){
				  .op = NIC_OP_SEND, .path_mtu = 256, .bytes = 9, .start = w.now});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(forth->count, 4);
	assert_int_equal(forth->entries[0].opcode, ROCE_OP_SEND_FIRST);
	assert_int_equal(forth->entries[1].opcode, ROCE_OP_SEND_MIDDLE);
	assert_int_equal(forth->entries[2].opcode, ROCE_OP_SEND_LAST);
	assert_int_equal(forth->entries[3].opcode, ROCE_OP_SEND_ONLY);
	assert_int_equal(forth->entries[0].wire_bytes, 58 + 256); // no RETH
	assert_int_equal(forth->entries[2].wire_bytes, 58 + 4);
	assert_int_equal(forth->entries[3].wire_bytes, 58 + 12);
	assert_true(forth->entries[2].ack_req);
	free(forth);
	pair_stop(&w);
}

// Each operation alone takes what ideal_completion() says, to the picosecond.
static void
test_ideal(void **state)
{
	struct random r = random_stream(5, 5);

	(void)state;
	for (unsigned int round = 0; round < 120; round++) {
		enum nic_op op = round % 3;
		uint32_t relays = 1 + round % PAIR_RELAYS_MAX, qpn;
		uint64_t bytes = 1 + random_below(&r, round < 60 ? 3000 : 300000);
		struct ideal_hop hop = {.byte_time = time_byte_time(UINT64_C(100000000000)),
					.preamble = 8,
					.fcs = 4,
					.gap = 12,
					.delay = PAIR_DELAY},
				 hops[4] = {hop, hop, hop, hop};
		struct ideal_flow flow = {
			.op = op,
			.sizes = {FRAME_SIZE_REAL, FRAME_SIZE_REAL, false},
			.bytes = bytes,
			.path_mtu = 1000,
			.ack_every = 1 + random_below(&r, 5),
			.handover = round % 2 ? random_below(&r, 5000000) : 0,
			.data = hops,
			.acks = hops,
			.data_hops = relays + 1,
			.ack_hops = relays + 1,
		};
		struct nic_flow_result result;
		struct pair w;
		ps_t ideal;

		pair_init(&w, relays);
		w.config[B].ack_every = flow.ack_every;
		pair_start(&w);
		qpn = pair_add_flow(&w, (struct nic_flow){.op = op,
							  .path_mtu = 1000,
							  .bytes = bytes,
							  .start = 777,
							  .handover = flow.handover});
		pair_run(&w, PS_PER_MS);
		result = op == NIC_OP_READ ? read_result(&w, qpn) : pair_result(&w, qpn);
		assert_int_equal(ideal_completion(&flow, &ideal), 0);
		assert_int_equal(result.start, 777);
		assert_int_equal(result.busy, ideal);
		assert_int_equal(result.completed, 777 + ideal);
		pair_stop(&w);
	}
}

// Counts and checks that responses follow one another without a bubble.
struct stream_check {
	uint64_t packets;
	ps_t last;
	uint32_t last_bytes;
	unsigned int bubbles;
};

static unsigned int
check_stream(void *context, struct rte_mbuf *m, ps_t at)
{
	struct stream_check *c = context;

	if (c->packets++ != 0)
		c->bubbles += at - c->last > (packet_meta(m)->wire_bytes + 24) * PAIR_BYTE;
	c->last = at;
	return PAIR_PASS;
}

static void
test_long_read_is_several(void **state)
{
	struct stream_check check = {0};
	struct journal *back;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	w.relays[A][0].hook = check_stream;
	w.relays[A][0].context = &check;
	back = pair_journal(&w, B);
	qpn = pair_add_flow(&w, (struct nic_flow){
					.op = NIC_OP_READ,
					.path_mtu = 256,
					.bytes = UINT64_C(256) * (3 * NIC_WRITE_PACKETS) + 100,
				});
	pair_run(&w, PS_PER_S);
	assert_int_equal(nic_open_flows(w.nics[B]), 0);
	assert_int_equal(back->count, 4);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(back->entries[i].psn, i * NIC_WRITE_PACKETS);
	assert_int_equal(check.packets, 3 * NIC_WRITE_PACKETS + 1);
	assert_int_equal(check.bubbles, 0);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
	free(back);
	pair_stop(&w);
}

static void
read_init(struct pair *w, enum nic_recovery recovery)
{
	pair_init(w, 1);
	for (unsigned int side = A; side <= B; side++)
		w->config[side].recovery = recovery;
}

// A response is lost: go-back-N asks for all from it on, selective recovery for it alone.
static void
test_lost_response(void **state)
{
	(void)state;
	for (unsigned int recovery = 0; recovery < 3; recovery++) {
		struct journal *forth, *back;
		struct pair w;
		uint32_t qpn, ahead = 0;

		read_init(&w, recovery);
		pair_start(&w);
		forth = pair_journal(&w, A);
		back = pair_journal(&w, B);
		forth->script[5] = PAIR_DROP;
		qpn = pair_add_flow(
			&w, (struct nic_flow){.op = NIC_OP_READ, .path_mtu = 1000, .bytes = 99500});
		pair_run(&w, 900 * PS_PER_US);
		assert_int_equal(nic_open_flows(w.nics[B]), 0);
		assert_int_equal(back->count, 2);
		assert_int_equal(back->entries[1].opcode, ROCE_OP_READ_REQUEST);
		assert_int_equal(back->entries[1].psn, recovery == NIC_RECOVERY_GO_BACK_0 ? 0 : 5);
		// It goes when packet 6 has come.
		assert_int_equal(back->entries[1].at,
				 forth->entries[6].at + (1070 + 86) * PAIR_BYTE + 2 * PAIR_DELAY);
		while (forth->entries[6 + ahead].psn == 6 + ahead)
			ahead++;
		assert_int_equal(forth->entries[6 + ahead].psn,
				 recovery == NIC_RECOVERY_GO_BACK_0 ? 0 : 5);
		assert_int_equal(forth->entries[6 + ahead].opcode,
				 recovery == NIC_RECOVERY_SELECTIVE ? ROCE_OP_READ_RESPONSE_ONLY
								    : ROCE_OP_READ_RESPONSE_FIRST);
		assert_int_equal(forth->entries[6 + ahead].msn, 1); // it is a duplicate
		assert_int_equal(pair_result(&w, qpn).retransmitted,
				 recovery == NIC_RECOVERY_SELECTIVE   ? 1
				 : recovery == NIC_RECOVERY_GO_BACK_N ? 1 + ahead
								      : 6 + ahead);
		assert_int_equal(read_result(&w, qpn).naks, 1);
		assert_int_equal(read_result(&w, qpn).timeouts, 0);
		free(forth);
		free(back);
		pair_stop(&w);
	}
}

// The only request is lost: the next goes after the retransmission time. Of two, the second tells
// the responder.
static void
test_lost_request(void **state)
{
	(void)state;
	for (unsigned int two = 0; two < 2; two++) {
		struct journal *forth, *back;
		struct pair w;
		uint32_t qpn;

		read_init(&w, NIC_RECOVERY_GO_BACK_N);
		pair_start(&w);
		forth = pair_journal(&w, A);
		back = pair_journal(&w, B);
		back->script[0] = PAIR_DROP;
		qpn = pair_add_flow(
			&w, (struct nic_flow){
				    .op = NIC_OP_READ,
				    .path_mtu = 256,
				    .bytes = UINT64_C(256) * (two ? NIC_WRITE_PACKETS + 10 : 10),
			    });
		pair_run(&w, PS_PER_S);
		assert_int_equal(nic_open_flows(w.nics[B]), 0);
		assert_int_equal(read_result(&w, qpn).timeouts, two ? 0 : 1);
		if (two) {
			assert_int_equal(forth->entries[0].opcode, ROCE_OP_ACK);
			assert_int_equal(forth->entries[0].syndrome,
					 ROCE_SYNDROME_NAK_PSN_SEQUENCE);
			assert_int_equal(forth->entries[0].psn, 0);
			assert_int_equal(back->count, 4);
		} else {
			assert_int_equal(back->count, 2);
			assert_int_equal(back->entries[1].at - back->entries[0].at, PS_PER_MS);
		}
		assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
		free(forth);
		free(back);
		pair_stop(&w);
	}
}

// Hands A, which responds, a request as if from B.
static void
hand_request(struct pair *w, uint32_t qpn, uint32_t psn, uint32_t bytes, ps_t at)
{
	struct frame_template t;
	struct frame_address a = {.peer_ip = {10, 0, 0, 1}, .peer_qpn = qpn};
	const struct nic_port_config *b = &w->config[B].ports[0];
	struct rte_mbuf *m;

	frame_template_init(&t, false, b->mac, b->gateway_mac, b->ip4);
	frame_address_init(&a, &t);
	m = frame_make_request(w->packets, &t, &a, 74, psn, 0, bytes);
	assert_int_equal(wire_put(w->nodes[A]->ports[0].in, m, at), 0);
}

static void
test_requests_of_nobody(void **state)
{
	struct journal *forth;
	struct pair w;
	uint32_t qpn;

	(void)state;
	read_init(&w, NIC_RECOVERY_GO_BACK_N);
	pair_start(&w);
	forth = pair_journal(&w, A);
	qpn = pair_add_flow(&w, (struct nic_flow){.op = NIC_OP_READ,
						  .path_mtu = 256,
						  .bytes = 2560,
						  .start = 100 * PS_PER_US});
	// More than a READ may have.
	hand_request(&w, qpn, 0, UINT32_MAX, PS_PER_US);
	pair_pass(&w, 2 * PS_PER_US);
	assert_int_equal(w.nodes[A]->ports[0].drops[DROP_MALFORMED], 1);
	// Ahead of all: one NAK, whatever follows.
	for (unsigned int i = 0; i < 5; i++)
		hand_request(&w, qpn, 100 + i, 256, (3 + i) * PS_PER_US);
	pair_pass(&w, 10 * PS_PER_US);
	assert_int_equal(forth->count, 1);
	assert_int_equal(forth->entries[0].opcode, ROCE_OP_ACK);
	assert_int_equal(forth->entries[0].psn, 0);
	// Of no bytes, and before all; one under way, four wait, and the fifth is ignored.
	hand_request(&w, qpn, 0, 0, 11 * PS_PER_US);
	hand_request(&w, qpn, 0xffff00, 300, 12 * PS_PER_US);
	for (unsigned int i = 0; i < 5; i++)
		hand_request(&w, qpn, 0xffff02 + i, 256, 12 * PS_PER_US);
	pair_pass(&w, 20 * PS_PER_US);
	assert_int_equal(forth->entries[1].opcode, ROCE_OP_READ_RESPONSE_ONLY);
	assert_int_equal(forth->entries[1].wire_bytes, 62); // a BTH, an AETH
	assert_int_equal(forth->entries[2].psn, 0xffff00);
	assert_int_equal(forth->entries[3].psn, 0xffff01);
	assert_int_equal(forth->entries[3].wire_bytes, 62 + 44);
	assert_int_equal(forth->entries[7].psn, 0xffff05);
	assert_int_equal(forth->count, 8);
	// The reader's own is answered all the same.
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[B]), 0);
	assert_int_equal(read_result(&w, qpn).timeouts, 0);
	assert_int_equal(pair_received(&w, qpn).packets, forth->count - 1);
	free(forth);
	pair_stop(&w);
}

// Marked responses make CNPs, which the responder counts.
static void
test_cnps(void **state)
{
	struct journal *forth, *back;
	struct pair w;
	uint32_t qpn;

	(void)state;
	read_init(&w, NIC_RECOVERY_GO_BACK_N);
	pair_start(&w);
	forth = pair_journal(&w, A);
	back = pair_journal(&w, B);
	forth->ce[0] = 1 << 5;
	qpn = pair_add_flow(&w,
			    (struct nic_flow){.op = NIC_OP_READ, .path_mtu = 1000, .bytes = 20000});
	pair_run(&w, PS_PER_MS);
	pair_pass(&w, w.now + 10 * PS_PER_US);
	assert_int_equal(back->entries[1].opcode, ROCE_OP_CNP);
	assert_int_equal(pair_result(&w, qpn).cnps, 1);
	assert_int_equal(pair_received(&w, qpn).cnps, 1);
	free(forth);
	free(back);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets_of_a_read),
		cmocka_unit_test(test_packets_of_a_send),
		cmocka_unit_test(test_ideal),
		cmocka_unit_test(test_long_read_is_several),
		cmocka_unit_test(test_lost_response),
		cmocka_unit_test(test_lost_request),
		cmocka_unit_test(test_requests_of_nobody),
		cmocka_unit_test(test_cnps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
