// SPDX-License-Identifier: BSD-3-Clause
//
// Two NICs through relays: exact completion times, turns at the transmitter, pauses, what is
// dropped.

#include "pair.h"

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
	struct nic_flow flow = {.path_mtu = 1024, .bytes = 1024, .repeat = 1};
	struct nic_endpoint receiver;
	struct nic_flow_result result;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	flow.endpoint = pair_endpoint(&w, A, 20, 30);
	receiver = pair_endpoint(&w, B, 30, 20);
	flow.endpoint.ip_version = receiver.ip_version = 6;
	memcpy(flow.endpoint.peer_ip, w.config[B].ip6, 16);
	memcpy(receiver.peer_ip, w.config[A].ip6, 16);
	assert_int_equal(nic_add_sender(w.nics[A], &flow), 0);
	assert_int_equal(nic_add_receiver(w.nics[B], &receiver), 0);
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
	struct nic_flow flow = {.path_mtu = 1000, .bytes = 100000, .repeat = 1};
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
	assert_int_equal(nic_add_receiver(w.nics[B], &receiver), 0);
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

// ---- what a NIC drops

struct foreign {
	uint8_t bytes[512];
	uint32_t length;
};

// A WRITE ONLY of 3 bytes (and a pad byte) to queue pair `qpn` of B, as another implementation
// would send it.
static struct foreign
foreign_write(uint32_t qpn, uint32_t psn)
{
	static const uint8_t head[42] = {
		2,    0, 0,    0,    0, 2,  2, 0, 0, 0,  0, 1, 8,  0, // Ethernet
		0x45, 0, 0,    64,   0, 1,  0, 0, 9, 17, 0, 0, 10, 0,
		0,    1, 10,   0,    0, 2,        // IPv4, TTL 9
		0xd0, 0, 0x12, 0xb7, 0, 44, 0, 0, // UDP to 4791
	};
	struct foreign f = {.length = 14 + 20 + 8 + 12 + 16 + 4 + 4};
	uint16_t checksum;

	memcpy(f.bytes, head, sizeof(head));
	checksum = checksum_ipv4_header(f.bytes + 14, 20);
	memcpy(f.bytes + 24, &checksum, 2);
	roce_bth_init((struct roce_bth *)(f.bytes + 42), ROCE_OP_WRITE_ONLY, qpn, psn, 1);
	roce_reth_init((struct roce_reth *)(f.bytes + 54), 0, 0, 3);
	memcpy(f.bytes + 70, "abc", 3);
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	return f;
}

// Hands B a frame at `at` and runs to 5 us later.
static void
hand_to_b(struct pair *w, const struct foreign *f, ps_t at)
{
	struct rte_mbuf *m = packet_alloc(w->packets);

	packet_init_frame(m, 0, (uint16_t)f->length);
	memcpy(packet_data(m), f->bytes, f->length);
	assert_int_equal(wire_put(w->nodes[B]->ports[0].in, m, at), 0);
	pair_pass(w, at + 5 * PS_PER_US);
}

static void
test_foreign_write_is_acknowledged(void **state)
{
	struct pair w;
	struct journal *j;
	struct nic_endpoint e;
	struct foreign f;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	j = pair_journal(&w, B);
	e = pair_endpoint(&w, B, 40, 77);
	e.first_psn = 0xffffff;
	assert_int_equal(nic_add_receiver(w.nics[B], &e), 0);
	f = foreign_write(40, 0xffffff);
	hand_to_b(&w, &f, PS_PER_US);
	f = foreign_write(40, 2); // 0 and 1 are missing
	hand_to_b(&w, &f, 10 * PS_PER_US);
	f = foreign_write(40, 0xffffff);
	hand_to_b(&w, &f, 20 * PS_PER_US);
	assert_int_equal(j->count, 3);
	assert_int_equal(j->entries[0].opcode, ROCE_OP_ACK);
	assert_int_equal(j->entries[0].psn, 0xffffff);
	assert_int_equal(j->entries[0].syndrome, ROCE_SYNDROME_ACK_NO_CREDITS);
	assert_int_equal(j->entries[0].msn, 1);
	assert_int_equal(j->entries[1].syndrome, ROCE_SYNDROME_NAK_PSN_SEQUENCE);
	assert_int_equal(j->entries[1].psn, 0);
	assert_int_equal(j->entries[2].psn, 0xffffff); // a duplicate
	assert_int_equal(j->entries[2].syndrome, ROCE_SYNDROME_ACK_NO_CREDITS);
	free(j);
	pair_stop(&w);
}

static uint64_t
drops_of(struct foreign f)
{
	struct pair w;
	struct nic_endpoint e;
	struct nic_flow flow = {.path_mtu = 1024, .bytes = 1, .repeat = 1, .start = PS_PER_S};
	uint64_t reasons = 0, total = 0;

	pair_init(&w, 1);
	pair_start(&w);
	e = pair_endpoint(&w, B, 40, 77);
	assert_int_equal(nic_add_receiver(w.nics[B], &e), 0);
	flow.endpoint = pair_endpoint(&w, B, 41, 78);
	assert_int_equal(nic_add_sender(w.nics[B], &flow), 0);
	hand_to_b(&w, &f, PS_PER_US);
	for (unsigned int i = 0; i < DROP_COUNT; i++) {
		total += w.nodes[B]->ports[0].drops[i];
		reasons |= w.nodes[B]->ports[0].drops[i] ? UINT64_C(1) << i : 0;
	}
	assert_true(total <= 1);
	assert_int_equal(w.nodes[B]->ports[0].tx_packets, total == 0 ? 1 : 0);
	pair_stop(&w);
	return reasons;
}

#define REASON(name) (UINT64_C(1) << DROP_##name)

static void
test_drops(void **state)
{
	struct foreign good = foreign_write(40, 0), f;

	(void)state;
	assert_int_equal(drops_of(good), 0);
	f = good;
	f.bytes[71] ^= 1;
	assert_int_equal(drops_of(f), REASON(BAD_ICRC));
	assert_int_equal(drops_of(foreign_write(39, 0)), REASON(NO_QUEUE_PAIR));
	assert_int_equal(drops_of(foreign_write(42, 0)), REASON(NO_QUEUE_PAIR));
	assert_int_equal(drops_of(foreign_write(0, 0)), REASON(NO_QUEUE_PAIR));
	assert_int_equal(drops_of(foreign_write(0xffffff, 0)), REASON(NO_QUEUE_PAIR));
	assert_int_equal(drops_of(foreign_write(41, 0)), REASON(NO_QUEUE_PAIR)); // it sends
	f = good;
	f.bytes[33] = 9; // another host's address
	memset(f.bytes + 24, 0, 2);
	f.bytes[24] = (uint8_t)checksum_ipv4_header(f.bytes + 14, 20);
	f.bytes[25] = (uint8_t)(checksum_ipv4_header(f.bytes + 14, 20) >> 8);
	assert_int_equal(drops_of(f), REASON(NOT_FOR_HOST));
	f = good;
	f.bytes[36] = 0x12, f.bytes[37] = 0xb8; // UDP 4792
	assert_int_equal(drops_of(f), REASON(NOT_FOR_HOST));
	f = good;
	f.bytes[42] = ROCE_OP_SEND_ONLY;
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(NOT_FOR_HOST));
	f = good;
	f.bytes[43] |= 1; // transport version
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(MALFORMED));
	f = good; // too short for its RETH
	f.bytes[17] = 44, f.bytes[39] = 24;
	memset(f.bytes + 24, 0, 2);
	f.bytes[24] = (uint8_t)checksum_ipv4_header(f.bytes + 14, 20);
	f.bytes[25] = (uint8_t)(checksum_ipv4_header(f.bytes + 14, 20) >> 8);
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(MALFORMED));
}

static void
fix_ip4_checksum(struct foreign *f)
{
	uint16_t checksum = checksum_ipv4_header(f->bytes + 14, 20);

	memcpy(f->bytes + 24, &checksum, 2);
}

// What a switch has cut to 256 B is known by its UDP length and dropped by that name, whatever it was: its ICRC
// tells nothing any more. One for another host is that first.
static void
test_trimmed(void **state)
{
	struct foreign f = foreign_write(40, 0);

	(void)state;
	f.length = 256;
	f.bytes[16] = (256 - 14) >> 8, f.bytes[17] = (uint8_t)(256 - 14);
	f.bytes[38] = 1050 >> 8, f.bytes[39] = (uint8_t)1050;
	fix_ip4_checksum(&f);
	assert_int_equal(drops_of(f), REASON(TRIMMED));
	f.bytes[36] = 0, f.bytes[37] = 9; // any UDP
	assert_int_equal(drops_of(f), REASON(TRIMMED));
	f.bytes[33] = 9;
	fix_ip4_checksum(&f);
	assert_int_equal(drops_of(f), REASON(NOT_FOR_HOST));
	f.bytes[33] = 2;
	f.length = 260; // something behind the IP packet
	fix_ip4_checksum(&f);
	assert_int_equal(drops_of(f), REASON(MALFORMED));
}

// Of its own making too: packets without payload, cut on their way as a switch cuts them. Each is a loss, which
// go-back-N repairs.
static unsigned int
cut_some(void *context, struct rte_mbuf *m, ps_t at)
{
	unsigned int *seen = context;
	struct packet_meta *meta = packet_meta(m);
	uint8_t *ip = packet_data(m) + 14;

	(void)at;
	if (meta->wire_bytes < 1000 || ++*seen % 7 != 0)
		return PAIR_PASS;
	meta->wire_bytes = 256;
	checksum_ipv4_set_byte(ip, 2, 0);
	checksum_ipv4_set_byte(ip, 3, 256 - 14);
	return PAIR_PASS;
}

static void
test_trimmed_on_the_way(void **state)
{
	struct pair w;
	unsigned int seen = 0;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	pair_start(&w);
	w.relays[A][0].hook = cut_some;
	w.relays[A][0].context = &seen;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1024, .bytes = 30 * 1024});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_not_equal(pair_result(&w, qpn).completed, PS_NEVER);
	assert_true(pair_result(&w, qpn).retransmitted >= 4);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_TRIMMED], seen / 7);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_MALFORMED], 0);
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
		cmocka_unit_test(test_foreign_write_is_acknowledged),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_trimmed_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
