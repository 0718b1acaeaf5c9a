// SPDX-License-Identifier: BSD-3-Clause
// What a NIC makes of frames that are not of its own kind's making: it answers some and drops
// others, by name.

#include "pair.h"

#include "dataplane/base/ib_headers.h"
#include "dataplane/roce/icrc.h"

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
	assert_int_equal(nic_add_receiver(w.nics[B], &e, NIC_NONE), 0);
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
	struct nic_flow flow = {
		.path_mtu = 1024, .bytes = 1, .repeat = 1, .start = PS_PER_S, .program = NIC_NONE};
	uint64_t reasons = 0, total = 0;

	pair_init(&w, 1);
	pair_start(&w);
	e = pair_endpoint(&w, B, 40, 77);
	assert_int_equal(nic_add_receiver(w.nics[B], &e, NIC_NONE), 0);
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
	f.bytes[42] = 0x13; // an atomic operation
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(NOT_FOR_HOST));
	f.bytes[42] = ROCE_OP_SEND_ONLY;
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), 0);
	f.bytes[42] = ROCE_OP_READ_REQUEST; // of no responder
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(NO_QUEUE_PAIR));
	f.bytes[42] = ROCE_OP_READ_RESPONSE_ONLY;
	assert_int_equal(icrc_write(f.bytes, f.length), 0);
	assert_int_equal(drops_of(f), REASON(NO_QUEUE_PAIR));
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

// What a switch has trimmed to 256 B is known by its UDP length and dropped by that name, whatever
// it was: its ICRC tells nothing any more. One for another host is that first.
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

// Of its own making too: packets without payload, trimmed on their way as a switch does. Each is a
// loss, which go-back-N repairs.
static unsigned int
trim_some(void *context, struct rte_mbuf *m, ps_t at)
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
	w.relays[A][0].hook = trim_some;
	w.relays[A][0].context = &seen;
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1024, .bytes = 30 * 1024});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_not_equal(pair_result(&w, qpn).completed, PS_NEVER);
	assert_true(pair_result(&w, qpn).retransmitted >= 4);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_TRIMMED], seen / 7);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_MALFORMED], 0);
	pair_stop(&w);
}

// Sound frames with any opcode, PSN and length of data, to queue pairs of every role: what is done
// for each is bounded, by the reorder window, and the NIC goes on to do its work.
static void
test_anything(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 6; round++) {
		struct random r = random_stream(77, round);
		struct nic_flow flow = {.path_mtu = 1024,
					.bytes = 50000,
					.repeat = 1,
					.program = NIC_NONE,
					.start = 50 * PS_PER_MS};
		struct pair w;

		pair_init(&w, 1);
		for (unsigned int side = A; side <= B; side++) {
			w.config[side].recovery = round % 3;
			w.config[side].placement = round / 3;
			w.config[side].reorder_window = 64;
		}
		pair_start(&w);
		// B: 16 and 17 receive, 18 responds, 19 reads, 20 sends; A has the other ends.
		for (unsigned int i = 0; i < 5; i++) {
			static const enum nic_op ops[] = {NIC_OP_WRITE, NIC_OP_SEND, NIC_OP_READ,
							  NIC_OP_READ, NIC_OP_WRITE};
			unsigned int from = i < 2 || i == 3 ? A : B;
			struct nic_endpoint to = pair_endpoint(&w, !from, 16 + i, 16 + i);

			flow.op = ops[i];
			flow.endpoint = pair_endpoint(&w, from, 16 + i, 16 + i);
			assert_int_equal(nic_add_sender(w.nics[from], &flow), 0);
			flow.endpoint = to;
			if (flow.op == NIC_OP_READ)
				assert_int_equal(nic_add_reader(w.nics[!from], &flow), 0);
			else
				assert_int_equal(nic_add_receiver(w.nics[!from], &to, NIC_NONE), 0);
		}
		for (unsigned int i = 0; i < 3000; i++) {
			struct foreign f = foreign_write(
				16 + random_below(&r, 5),
				random_below(&r, 2) ? random_below(&r, 100) - 50u : random_u32(&r));
			uint64_t before = w.nodes[B]->ports[0].tx_packets;
			static const uint8_t opcodes[] = {0,  1,  2,    3,    4,    5,   6,  7,
							  8,  9,  10,   11,   12,   13,  14, 15,
							  16, 17, 0x81, 0x12, 0x13, 0xff};

			f.bytes[42] = opcodes[random_below(&r, 22)];
			for (unsigned int k = 54; k < 70; k++)
				f.bytes[k] = random_below(&r, 3) ? 0 : (uint8_t)random_u32(&r);
			assert_int_equal(icrc_write(f.bytes, f.length), 0);
			hand_to_b(&w, &f, w.now + 10000);
			assert_in_range(w.nodes[B]->ports[0].tx_packets - before, 0, 2 * 64);
		}
		pair_run(&w, 100 * PS_PER_MS);
		// Only receivers can be led to take forged packets for the sender's.
		for (unsigned int i = 2; i < 5; i++) {
			struct nic_flow_result result;

			assert_int_equal(nic_flow_result(w.nics[i == 2 ? A : B], 16 + i, &result),
					 0);
			assert_true(result.completed != PS_NEVER);
		}
		pair_stop(&w);
	}
}

// A SEND ONLY from LID 1 in partition 5 to queue pair 40 of LID 2, in 40 bytes; with a GRH 80.
static struct foreign
infiniband_send(uint16_t dlid, uint16_t pkey, bool global)
{
	const uint32_t bth = global ? 48 : 8;
	struct foreign f = {.length = bth + 12 + 16 + 4};
	struct ib_lrh *lrh = (struct ib_lrh *)f.bytes;
	uint32_t icrc;

	*lrh = (struct ib_lrh){
		.sl_next = global ? IB_NEXT_GRH : IB_NEXT_BTH,
		.dlid = {dlid >> 8, dlid & 0xff},
		.slid = {0, 1},
	};
	ib_lrh_set_bytes(lrh, f.length);
	roce_bth_init((struct roce_bth *)(f.bytes + bth), ROCE_OP_SEND_ONLY, 40, 7, 0);
	f.bytes[bth + 2] = pkey >> 8;
	f.bytes[bth + 3] = pkey & 0xff;
	f.bytes[bth + 8] = ROCE_BTH_ACK_REQ;
	assert_int_equal(icrc_compute_infiniband(f.bytes, f.length, f.length, &icrc), 0);
	icrc_store(f.bytes + f.length - 4, icrc);
	return f;
}

// The acknowledgements that B sends to such packets, one after the other, or the reason.
static void
test_infiniband(void **state)
{
	static const struct {
		uint16_t dlid, pkey;
		bool global, corrupt;
		int reason; // -1: it is answered
	} cases[] = {
		{2, 0x8005, false, false, -1},
		{2, 0x8005, true, false, -1},
		{2, 0x0005, false, false, -1},
		{2, 0x8006, false, false, DROP_PARTITION},
		{2, 0xffff, true, false, DROP_PARTITION},
		{3, 0x8005, false, false, DROP_NOT_FOR_HOST},
		{3, 0x8006, false, false, DROP_NOT_FOR_HOST},
		{2, 0x8005, false, true, DROP_BAD_ICRC},
		{2, 0x8005, true, true, DROP_BAD_ICRC},
	};
	struct nic_endpoint e;
	struct pair w;
	uint64_t sent = 0;

	(void)state;
	pair_init(&w, 0);
	for (unsigned int side = A; side <= B; side++) {
		w.config[side].ports[0].lid = (uint16_t)(1 + side);
		w.config[side].ports[0].pkey = 0x8005;
	}
	pair_start(&w);
	e = pair_endpoint(&w, B, 40, 77);
	e.ip_version = 0;
	e.first_psn = 7;
	memcpy(e.peer_ip, (uint8_t[2]){0, 1}, 2);
	assert_int_equal(nic_add_receiver(w.nics[B], &e, NIC_NONE), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct foreign f = infiniband_send(cases[i].dlid, cases[i].pkey, cases[i].global);
		struct rte_mbuf *m = packet_alloc(w.packets);
		const struct port *p = &w.nodes[B]->ports[0];

		f.bytes[f.length - 9] ^= cases[i].corrupt;
		packet_init_infiniband(m, 0, (uint16_t)f.length);
		memcpy(packet_data(m), f.bytes, f.length);
		assert_int_equal(wire_put(w.nodes[B]->ports[0].in, m, (i + 1) * 10 * PS_PER_US), 0);
		pair_pass(&w, ((i + 1) * 10 + 5) * PS_PER_US);
		sent += cases[i].reason < 0;
		assert_int_equal(p->tx_packets, sent);
		assert_int_equal(p->tx_bytes, 28 * sent); // LRH, BTH, AETH, ICRC
		if (cases[i].reason >= 0)
			assert_int_equal(p->drops[cases[i].reason] > 0, true);
	}
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_PARTITION], 2);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_NOT_FOR_HOST], 2);
	assert_int_equal(w.nodes[B]->ports[0].drops[DROP_BAD_ICRC], 2);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_foreign_write_is_acknowledged),
		cmocka_unit_test(test_drops),
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_trimmed),
		cmocka_unit_test(test_trimmed_on_the_way),
		cmocka_unit_test(test_infiniband),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
