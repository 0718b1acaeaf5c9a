// SPDX-License-Identifier: BSD-3-Clause
//
// Multipath Reliable Connection between two NICs: headers byte by byte, acknowledgements, loss
// either way, trimmed packets, states of paths and probes, and frames that are none.

#include "pair.h"

#include "dataplane/base/mrc_headers.h"
#include "dataplane/base/uet_headers.h"
#include "dataplane/roce/congestion.h"
#include "dataplane/roce/qp_state.h"

#define FIRST_PSN 0xfffff0u // the message goes beyond 24 bits
#define DATA_FRAME(payload) (42u + 12 + 4 + 16 + (payload) + 4)
#define SACK_FRAME (42u + 12 + 36 + 4)
#define NACK_FRAME (42u + 12 + 20 + 4)
#define PROBE_FRAME (42u + 12 + 16 + 4)
#define PATHS 16
#define SPORT (0xc123u & ~(PATHS * NIC_PORTS_MAX - 1u))

enum deed { PASS, DROP, TRIM, MARK };

// What a hook saw, and does to the n-th packet, or to all of a path.
struct record {
	unsigned int count;
	uint8_t deeds[4096];
	uint32_t dead; // a bit per entropy value: its packets are lost
	struct {
		ps_t at;
		uint8_t opcode;
		uint8_t flags; // the BTH's byte of AckReq
		uint32_t psn;
		uint16_t value;
		uint32_t wire_bytes;
		uint8_t behind[40]; // the BTH
	} entries[4096];
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
	const uint8_t *udp = packet_data(m) + 34;
	const struct roce_bth *bth = (const struct roce_bth *)(udp + 8);
	struct record *r = context;
	unsigned int n = r->count++;

	assert_true(n < 4096);
	assert_int_equal(uet_get16(udp + 2), ROCE_UDP_PORT);
	assert_int_equal(packet_meta(m)->opcode, bth->opcode);
	r->entries[n].at = at;
	r->entries[n].opcode = bth->opcode;
	r->entries[n].flags = bth->ack_req;
	r->entries[n].psn = roce_bth_psn(bth);
	r->entries[n].value = (uint16_t)(uet_get16(udp) - SPORT);
	r->entries[n].wire_bytes = packet_meta(m)->wire_bytes;
	memcpy(r->entries[n].behind, bth + 1, sizeof(r->entries[n].behind));
	if (r->dead >> r->entries[n].value & 1)
		return PAIR_DROP;
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
};

static void
prepare(struct world *x)
{
	memset(x, 0, sizeof(*x));
	pair_init(&x->w, 1);
	for (unsigned int side = A; side <= B; side++) {
		x->w.config[side].transport = NIC_TRANSPORT_MRC;
		x->w.config[side].mrc = (struct mrc_config){
			.paths = PATHS, .ack_every = 4, .probe_interval = 50 * PS_PER_US};
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
count_opcode(const struct record *r, uint8_t opcode)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < r->count; i++)
		count += r->entries[i].opcode == opcode;
	return count;
}

static struct nic_totals
totals(const struct world *x)
{
	struct nic_totals out;

	nic_totals(x->w.nics[A], &out);
	return out;
}

static void
test_a_message(void **state)
{
	static struct world x;
	bool seen[PATHS] = {0};

	(void)state;
	prepare(&x);
	start(&x, 32500); // 33 packets
	expect_complete(&x, 33);
	assert_int_equal(x.forth.count, 33);
	for (unsigned int i = 0; i < 33; i++) {
		const struct roce_reth *reth =
			(const struct roce_reth *)(x.forth.entries[i].behind + 4);

		assert_int_equal(x.forth.entries[i].opcode, i == 0    ? MRC_OP_WRITE_FIRST
							    : i == 32 ? MRC_OP_WRITE_LAST
								      : MRC_OP_WRITE_MIDDLE);
		assert_int_equal(x.forth.entries[i].psn, (FIRST_PSN + i) & ROCE_PSN_MASK);
		assert_int_equal(x.forth.entries[i].wire_bytes, DATA_FRAME(i == 32 ? 500 : 1000));
		// Each packet says where it belongs.
		assert_int_equal(roce_reth_va(reth), 1000 * i);
		assert_int_equal(roce_reth_dma_bytes(reth), i == 32 ? 500 : 1000);
		assert_int_equal(x.forth.entries[i].flags, i == 32 ? ROCE_BTH_ACK_REQ : 0);
		assert_true(x.forth.entries[i].value < PATHS);
		if (i < PATHS) {
			assert_false(seen[x.forth.entries[i].value]);
			seen[x.forth.entries[i].value] = true;
		}
	}
	// Every fourth, and the last, which asks for it.
	assert_int_equal(x.back.count, 9);
	for (unsigned int i = 0; i < 9; i++) {
		const struct mrc_sack *h = (const struct mrc_sack *)x.back.entries[i].behind;
		unsigned int psn = (FIRST_PSN + (i < 8 ? 4 * i + 3 : 32)) & ROCE_PSN_MASK;

		assert_int_equal(x.back.entries[i].opcode, MRC_OP_SACK);
		assert_int_equal(x.back.entries[i].wire_bytes, SACK_FRAME);
		assert_int_equal(roce_get24(h->cack_psn), psn);
		assert_int_equal(uet_get64(h->sack_bitmap), 0);
		assert_int_equal(h->flags, 0);
		// The entropy value of the packet that it acknowledges.
		assert_int_equal(roce_get32(h->entropy) >> 16,
				 SPORT + x.forth.entries[i < 8 ? 4 * i + 3 : 32].value);
	}
	assert_int_equal(pair_result(&x.w, x.qpn).completed,
			 (32 * (DATA_FRAME(1000) + 24) + (DATA_FRAME(1000) + 12) +
			  (DATA_FRAME(500) + 12) + 2 * (SACK_FRAME + 12)) *
					 PAIR_BYTE +
				 4 * PAIR_DELAY);
	pair_stop(&x.w);
}

// Headers byte by byte: a packet that is sent again, the NACK that asked for it, a SACK with a gap.
static void
test_bytes(void **state)
{
	static const uint8_t data[20] = {0, 0, 0xff, 0xf0, // METH: the first packet's number
					 0, 0, 0,    0,    0, 0, 0x07, 0xd0,  // RETH: offset 2000,
					 0, 0, 0,    16,   0, 0, 0x03, 0xe8}; // key, 1000 bytes
	static struct world x;
	const struct mrc_nack *nack;
	const struct mrc_sack *sack;
	uint8_t expected[36] = {0};

	(void)state;
	prepare(&x);
	start(&x, 10000);
	x.forth.deeds[2] = TRIM;
	expect_complete(&x, 10);
	assert_int_equal(x.forth.count, 11);
	assert_int_equal(x.forth.entries[10].flags, MRC_BTH_RETX | ROCE_BTH_ACK_REQ);
	assert_int_equal(x.forth.entries[10].psn, FIRST_PSN + 2);
	assert_memory_equal(x.forth.entries[10].behind + 4, data + 4, 16);
	nack = (const struct mrc_nack *)x.back.entries[0].behind;
	assert_int_equal(x.back.entries[0].opcode, MRC_OP_NACK);
	assert_int_equal(x.back.entries[0].wire_bytes, NACK_FRAME);
	expected[2] = MRC_NACK_TRIMMED;
	uet_put16(expected + 4, SPORT + x.forth.entries[2].value);
	expected[9] = expected[11] = NIC_QPN_FIRST; // contexts
	roce_put24(expected + 13, FIRST_PSN + 2);
	assert_memory_equal(nack, expected, 20);
	// Four packets after that: 0, 1, 3 and 4 are there.
	sack = (const struct mrc_sack *)x.back.entries[1].behind;
	memset(expected, 0, sizeof(expected));
	uet_put16(expected + 2, 3); // packet 4, from packet 1
	uet_put16(expected + 4, SPORT + x.forth.entries[4].value);
	expected[9] = expected[11] = NIC_QPN_FIRST;
	roce_put24(expected + 13, FIRST_PSN + 1);
	expected[17] = 1024 / 128 - 1; // a window of 1,023 packets
	uet_put16(expected + 18, 1);   // the bitmap begins at packet 2
	uet_put64(expected + 20, 6);   // of which are here 3 and 4
	uet_put16(expected + 30, 2);
	roce_put24(expected + 33, 4000 / 256);
	assert_memory_equal(sack, expected, 36);
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
	assert_int_equal(pair_result(&x.w, x.qpn).retransmitted, 1);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 1);
	assert_int_equal(pair_received(&x.w, x.qpn).duplicates, 0);
	for (unsigned int i = 0; i < x.back.count && x.back.entries[i].at < 100 * PS_PER_US; i++) {
		const struct mrc_sack *h = (const struct mrc_sack *)x.back.entries[i].behind;
		uint64_t bitmap = uet_get64(h->sack_bitmap);

		for (unsigned int bit = 0; bit < 64; bit++) {
			uint32_t psn = roce_get24(h->cack_psn) +
				       (uint32_t)(int16_t)uet_get16(h->sack_psn_offset) + bit;

			if (bitmap >> bit & 1 && psn - (FIRST_PSN + 11) < 64)
				reported |= UINT64_C(1) << (psn - (FIRST_PSN + 11));
		}
	}
	assert_true(reported == UINT64_MAX);
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

// A NACK, or what it asked for, is lost; or all of a window is trimmed, and once more.
static void
test_nacks(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 20000);
	x.forth.deeds[3] = TRIM;
	x.back.deeds[0] = DROP; // the NACK is the first answer
	expect_complete(&x, 20);
	assert_int_equal(x.back.entries[0].opcode, MRC_OP_NACK);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 1);
	assert_int_equal(pair_result(&x.w, x.qpn).naks, 0);
	pair_stop(&x.w);
	prepare(&x);
	start(&x, 20000);
	for (unsigned int i = 0; i < 40; i++)
		x.forth.deeds[i] = TRIM;
	expect_complete(&x, 20);
	assert_int_equal(pair_result(&x.w, x.qpn).retransmitted, 40);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
	assert_int_equal(pair_received(&x.w, x.qpn).duplicates, 0);
	assert_int_equal(totals(&x).assumed_bad, 0); // there was congestion, and no failure
	pair_stop(&x.w);
}

// The path of a marked packet, and that of a trimmed one, miss one round.
static void
test_skip(void **state)
{
	static struct world x;

	(void)state;
	for (unsigned int deed = TRIM; deed <= MARK; deed++) {
		static const struct window_parameters two = {.size_bytes = 2000};
		uint16_t value;

		prepare(&x);
		x.w.config[A].congestion = &congestion_window;
		x.w.config[A].congestion_parameters = &two;
		start(&x, 60000);
		x.forth.deeds[1] = (uint8_t)deed;
		expect_complete(&x, 60);
		value = x.forth.entries[1].value;
		// The rest of its round, and the whole next one without it.
		for (unsigned int i = 2; i < 2 * PATHS - 1; i++)
			assert_int_not_equal(x.forth.entries[i].value, value);
		if (deed == MARK)
			assert_int_equal(((const struct mrc_sack *)x.back.entries[0].behind)->flags,
					 MRC_PATH_SKIP_ONCE << MRC_SACK_FEEDBACK_SHIFT);
		pair_stop(&x.w);
	}
}

// Paths that lose everything are left, probed, and taken again when a probe comes through.
static void
test_probes(void **state)
{
	static struct world x;
	unsigned int probes = 0, lost = 0;
	struct qp_state read;
	uint32_t probed = 0;
	ps_t last = 0, mended = 3 * PS_PER_MS;

	(void)state;
	prepare(&x);
	start(&x, UINT64_C(50000000)); // 50,000 packets would be 4 ms
	x.forth.dead = 1u << 3 | 1u << 12;
	// The record holds the first 4,096 packets: begin it anew.
	for (ps_t at = 0; at < mended; at += 20 * PS_PER_US) {
		pair_pass(&x.w, at);
		for (unsigned int i = 0; i < x.forth.count; i++) {
			uint16_t value = x.forth.entries[i].value;

			if (x.forth.entries[i].opcode != MRC_OP_PROBE) {
				lost += x.forth.dead >> value & 1;
				continue;
			}
			probes++;
			probed |= 1u << value;
			assert_true(x.forth.dead >> value & 1);
			assert_int_equal(x.forth.entries[i].wire_bytes, PROBE_FRAME);
			assert_int_equal(uet_get16(x.forth.entries[i].behind + 4), value);
			if (last != 0)
				assert_in_range(x.forth.entries[i].at - last, 49 * PS_PER_US,
						51 * PS_PER_US);
			last = x.forth.entries[i].at;
		}
		x.forth.count = x.back.count = 0;
	}
	// Assumed bad after the first timeouts, about 100 us: 1,200 packets are sent until then.
	assert_in_range(lost, 100, 400);
	assert_in_range(probes, 50, 58);
	assert_int_equal(totals(&x).probes, probes);
	assert_int_equal(probed, 1u << 3 | 1u << 12); // in turn
	assert_int_equal(totals(&x).assumed_bad, 2);
	assert_int_equal(nic_read_qp(x.w.nics[A], x.qpn, x.w.now, &read), 0);
	assert_int_equal(read.planes, 1);
	assert_int_equal(read.usable_paths, PATHS - 2);
	assert_int_equal(read.bad_paths, 2);
	x.forth.dead = 0;
	probes = 0;
	lost = 0;
	for (ps_t at = mended; at < mended + 400 * PS_PER_US; at += 20 * PS_PER_US) {
		pair_pass(&x.w, at);
		for (unsigned int i = 0; i < x.forth.count; i++) {
			probes += x.forth.entries[i].opcode == MRC_OP_PROBE;
			lost += x.forth.entries[i].value == 3;
		}
		x.forth.count = x.back.count = 0;
	}
	assert_in_range(probes, 2, 3); // one each, and perhaps one before the first answer
	assert_true(lost > 200);       // it has its share again
	x.w.relays[A][0].hook = x.w.relays[B][0].hook = NULL;
	pair_run(&x.w, 50 * PS_PER_MS);
	assert_int_equal(pair_result(&x.w, x.qpn).repetitions, 1);
	pair_stop(&x.w);
}

// All paths fail for a while, then come back: the message completes once.
static void
test_no_path(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	start(&x, 40000);
	x.forth.dead = UINT16_MAX;
	pair_pass(&x.w, 500 * PS_PER_US);
	assert_int_equal(totals(&x).assumed_bad, PATHS);
	assert_true(count_opcode(&x.forth, MRC_OP_PROBE) >= 5);
	x.forth.dead = 0;
	expect_complete(&x, 40);
	pair_stop(&x.w);
}

// Nothing is probed once nothing is under way.
static void
test_quiet(void **state)
{
	static struct world x;
	unsigned int count;

	(void)state;
	prepare(&x);
	start(&x, 20000);
	x.forth.deeds[5] = DROP;
	expect_complete(&x, 20);
	assert_int_equal(totals(&x).assumed_bad, 1);
	count = x.forth.count;
	pair_pass(&x.w, x.w.now + 2 * PS_PER_MS);
	assert_int_equal(x.forth.count, count);
	pair_stop(&x.w);
}

// A frame from the other side reaches `side`: `bytes` behind UDP, of which `there` are here.
static void
deliver(struct world *x, unsigned int side, const uint8_t *behind, uint32_t bytes, uint32_t there,
	bool checked)
{
	uint8_t *frame, ip[20] = {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 0, 10};
	struct rte_mbuf *m = packet_alloc(x->w.packets);
	uint16_t sum;

	packet_init_frame(m, 0, (uint16_t)(42 + there));
	frame = packet_data(m);
	memset(frame, 0, 42);
	memcpy(frame, x->w.config[side].ports[0].mac, 6);
	memcpy(frame + 6, x->w.config[!side].ports[0].mac, 6);
	frame[12] = 8;
	uet_put16(ip + 2, 28 + there);
	memcpy(ip + 12, x->w.config[!side].ports[0].ip4, 4);
	memcpy(ip + 16, x->w.config[side].ports[0].ip4, 4);
	sum = checksum_ipv4_header(ip, 20);
	memcpy(ip + 10, &sum, 2);
	memcpy(frame + 14, ip, 20);
	uet_put16(frame + 34, 0xc000);
	uet_put16(frame + 36, ROCE_UDP_PORT);
	uet_put16(frame + 38, 8 + bytes);
	memcpy(frame + 42, behind, there);
	if (checked)
		icrc_write(frame, 42 + there);
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
		cmocka_unit_test(test_a_message),     cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_sack),          cmocka_unit_test(test_loss_of_each),
		cmocka_unit_test(test_nacks),         cmocka_unit_test(test_skip),
		cmocka_unit_test(test_probes),        cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_quiet),         cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_transport_ack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
