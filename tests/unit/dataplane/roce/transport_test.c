// SPDX-License-Identifier: BSD-3-Clause
// Two NICs through relays: exact completion times, turns at the transmitter, pauses.

#include "pair.h"
#include "dataplane/node/ports.h"

// ---- completion times. A byte at 100G takes 80 ps; a link's delay is 1 us.

static ps_t
complete(unsigned int relays, uint16_t path_mtu, uint64_t bytes, int32_t header_bytes,
	 int32_t ack_bytes, ps_t window)
{
	struct pair w;
	uint32_t qpn;
	ps_t completed;

	pair_init(&w, relays);
	w.window = window;
	for (unsigned int side = A; side <= B; side++) {
		w.config[side].header_bytes = header_bytes;
		w.config[side].ack_bytes = ack_bytes;
	}
	pair_start(&w);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = path_mtu, .bytes = bytes});
	pair_run(&w, 10 * PS_PER_MS);
	completed = pair_result(&w, qpn).completed;
	assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
	pair_stop(&w);
	return completed;
}

static void
test_real_frames(void **state)
{
	(void)state;
	// 4096 B through one leaf: the frame is 14 + 20 + 8 + 12 + 16 + 4096 + 4 = 4170 B, and
	// takes 4182 with preamble and FCS: 2 x (4182 x 80 ps + 1 us); the ACK, 62 B: 2 x (74 x 80
	// ps + 1 us).
	assert_int_equal(complete(1, 4096, 4096, -1, -1, PAIR_DELAY), 4680960);
	// 245 packets through three switches: the first 4194 with its gap, 243 x 4178, the last 576
	// + 58 + 12 behind them; each of three hops more adds one packet's time of the largest that
	// goes before it.
	assert_int_equal(complete(3, 4096, 1000000, -1, -1, PAIR_DELAY), 90634880);
}

static void
test_windows_do_not_matter(void **state)
{
	(void)state;
	assert_int_equal(complete(3, 4096, 1000000, -1, -1, PAIR_DELAY / 2), 90634880);
	assert_int_equal(complete(3, 4096, 1000000, -1, -1, 77777), 90634880);
}

static void
test_given_sizes(void **state)
{
	(void)state;
	// Headers of 100 B, ACKs of 80 B: 2 x ((1100 + 12 + 80 + 12) x 80 ps + 2 us).
	assert_int_equal(complete(1, 1000, 1000, 100, 80, PAIR_DELAY), 2 * (1204 * 80 + 2000000));
	// Smaller than the headers themselves: 1 + 48 B.
	assert_int_equal(complete(1, 1000, 1, 48, 60, PAIR_DELAY),
			 2 * ((49 + 12 + 60 + 12) * 80 + 2000000));
}

static void
test_ip6(void **state)
{
	struct pair w;
	struct nic_flow flow = {.path_mtu = 1024, .bytes = 1024, .repeat = 1, .program = NIC_NONE};
	struct nic_endpoint receiver;
	struct nic_flow_result result;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	flow.endpoint = pair_endpoint(&w, A, 20, 30);
	receiver = pair_endpoint(&w, B, 30, 20);
	flow.endpoint.ip_version = receiver.ip_version = 6;
	memcpy(flow.endpoint.peer_ip, w.config[B].ports[0].ip6, 16);
	memcpy(receiver.peer_ip, w.config[A].ports[0].ip6, 16);
	assert_int_equal(nic_add_sender(w.nics[A], &flow), 0);
	assert_int_equal(nic_add_receiver(w.nics[B], &receiver, NIC_NONE), 0);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_flow_result(w.nics[A], 20, &result), 0);
	// 20 B more each way and hop than IPv4: 1118 and 82.
	assert_int_equal(result.completed, 2 * ((1118 + 12 + 82 + 12) * 80 + 2000000));
	pair_stop(&w);
}

// ---- turns

static void
test_queue_pairs_take_turns(void **state)
{
	struct pair w;
	uint32_t qpn[3];

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	for (unsigned int i = 0; i < 3; i++)
		qpn[i] = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 100000});
	pair_run(&w, PS_PER_MS);
	// 300 packets of 1082 B (1098 the first of each), the last of the three flows behind one
	// another.
	for (unsigned int i = 1; i < 3; i++)
		assert_int_equal(pair_result(&w, qpn[i]).completed -
					 pair_result(&w, qpn[i - 1]).completed,
				 1082 * PAIR_BYTE);
	pair_stop(&w);
}

static void
test_strict_class_goes_first(void **state)
{
	struct pair w;
	struct nic_flow flow = {
		.path_mtu = 1000, .bytes = 100000, .repeat = 1, .program = NIC_NONE};
	struct nic_endpoint receiver;
	struct nic_flow_result low, high;
	uint32_t first;

	(void)state;
	pair_init(&w, 1);
	w.profile.strict = 1u << 6;
	pair_start(&w);
	first = pair_add_flow(&w, flow);
	flow.endpoint = pair_endpoint(&w, A, first + 1, first + 1);
	flow.endpoint.priority = flow.endpoint.tc = 6;
	receiver = pair_endpoint(&w, B, first + 1, first + 1);
	assert_int_equal(nic_add_sender(w.nics[A], &flow), 0);
	assert_int_equal(nic_add_receiver(w.nics[B], &receiver, NIC_NONE), 0);
	pair_run(&w, PS_PER_MS);
	low = pair_result(&w, first);
	high = pair_result(&w, first + 1);
	// The strict flow is as fast as alone, the other has the whole line after it: 100 packets
	// each.
	assert_int_equal(high.completed, complete(1, 1000, 100000, -1, -1, PAIR_DELAY));
	assert_int_equal(low.completed - high.completed, (99 * 1082 + 1098) * PAIR_BYTE);
	pair_stop(&w);
}

// ---- pauses

// Puts a PFC frame of one priority on the wire to A, to arrive at `at`.
static void
send_pfc(struct pair *w, unsigned int priority, uint16_t quanta, ps_t at)
{
	static const uint8_t header[18] = {0x01, 0x80, 0xc2, 0,    0,    1, 2, 0, 0,
					   0,    0,    9,    0x88, 0x08, 1, 1, 0};
	struct rte_mbuf *m = packet_alloc(w->packets);
	uint8_t *data;

	packet_init_frame(m, 0, 60);
	data = packet_data(m);
	memset(data, 0, 60);
	memcpy(data, header, sizeof(header));
	data[17] = (uint8_t)(1u << priority);
	data[18 + 2 * priority] = (uint8_t)(quanta >> 8);
	data[19 + 2 * priority] = (uint8_t)quanta;
	assert_int_equal(wire_put(w->nodes[A]->ports[0].in, m, at), 0);
}

static void
test_pause_holds_data(void **state)
{
	struct pair w;
	struct journal *j;
	uint32_t qpn;
	ps_t paused_at = 500 * PS_PER_NS, next;
	unsigned int before = 0;

	(void)state;
	pair_init(&w, 1);
	w.config[A].rto = PS_PER_S;
	pair_start(&w);
	j = pair_journal(&w, A);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 4096, .bytes = 20 * 4096});
	// 1000 quanta of 512 bit times at 100G: 5.12 us.
	send_pfc(&w, 3, 1000, paused_at);
	send_pfc(&w, 4, 65535, paused_at);
	pair_run(&w, PS_PER_MS);
	// Packets start at 0, 4194 x 80 ps, then each 4178 x 80 later; those that started before
	// the pause pass.
	for (ps_t start = 0; start < paused_at; start += (before == 1 ? 4194 : 4178) * PAIR_BYTE)
		before++;
	assert_int_equal(before, 2);
	assert_int_equal(j->count, 20);
	next = j->entries[before].at - PAIR_DELAY - (4154 + 12) * PAIR_BYTE;
	assert_int_equal(next, paused_at + 5120 * PS_PER_NS);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
	assert_int_equal(w.nodes[A]->ports[0].pfc_rx[3], 1);
	free(j);
	pair_stop(&w);
}

static void
test_resume_at_once(void **state)
{
	struct pair w;
	struct journal *j;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, A);
	pair_add_flow(&w, (struct nic_flow){
				  .path_mtu = 4096, .bytes = 5 * 4096, .start = 100 * PS_PER_NS});
	send_pfc(&w, 3, 65535,
		 100 * PS_PER_NS); // an arrival of the instant of the start: it holds the start
	send_pfc(&w, 3, 0, 7777 * PS_PER_NS);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(j->entries[0].at, 7777 * PS_PER_NS + 4182 * PAIR_BYTE + PAIR_DELAY);
	free(j);
	pair_stop(&w);
}

static void
test_frozen_queue_goes_on(void **state)
{
	struct pair w;
	uint32_t qpn;
	ps_t alone = complete(1, 4096, 40960, -1, -1, PAIR_DELAY);

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 4096, .bytes = 40960});
	pair_pass(&w, PS_PER_US);
	node_set_tx_off(w.nodes[A], &w.nodes[A]->ports[0], 0xff, w.now);
	pair_pass(&w, 51 * PS_PER_US);
	assert_int_equal(nic_open_flows(w.nics[A]), 1);
	node_set_tx_off(w.nodes[A], &w.nodes[A]->ports[0], 0, w.now);
	pair_run(&w, PS_PER_MS);
	// Three packets had started by 1 us; the fourth was to start at (4194 + 2 x 4178) x 80 ps =
	// 1.004 us. Alone, the relay delays all that follow the first packet by its RETH; behind
	// the pause it does not.
	assert_int_equal(pair_result(&w, qpn).completed,
			 alone + 51 * PS_PER_US - (12550 + 16) * PAIR_BYTE);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real_frames),
		cmocka_unit_test(test_windows_do_not_matter),
		cmocka_unit_test(test_given_sizes),
		cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_queue_pairs_take_turns),
		cmocka_unit_test(test_strict_class_goes_first),
		cmocka_unit_test(test_pause_holds_data),
		cmocka_unit_test(test_resume_at_once),
		cmocka_unit_test(test_frozen_queue_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
