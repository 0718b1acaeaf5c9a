// SPDX-License-Identifier: BSD-3-Clause
//
// Multipath Reliable Connection between two NICs: headers byte by byte, acknowledgements, loss
// either way, trimmed packets, states of paths and probes, and frames that are none.

#include "mrc_pair.h"

#include "dataplane/roce/congestion.h"
#include "dataplane/roce/qp_state.h"

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
			(const struct roce_reth *)(x.forth.entries[i].header + 4);

		assert_int_equal(x.forth.entries[i].type, i == 0    ? MRC_OP_WRITE_FIRST
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
		const struct mrc_sack *h = (const struct mrc_sack *)x.back.entries[i].header;
		unsigned int psn = (FIRST_PSN + (i < 8 ? 4 * i + 3 : 32)) & ROCE_PSN_MASK;

		assert_int_equal(x.back.entries[i].type, MRC_OP_SACK);
		assert_int_equal(x.back.entries[i].wire_bytes, SACK_FRAME);
		assert_int_equal(roce_get24(h->cack_psn), psn);
		assert_int_equal(roce_get64(h->sack_bitmap), 0);
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
	assert_memory_equal(x.forth.entries[10].header + 4, data + 4, 16);
	nack = (const struct mrc_nack *)x.back.entries[0].header;
	assert_int_equal(x.back.entries[0].type, MRC_OP_NACK);
	assert_int_equal(x.back.entries[0].wire_bytes, NACK_FRAME);
	expected[2] = MRC_NACK_TRIMMED;
	roce_put16(expected + 4, SPORT + x.forth.entries[2].value);
	expected[9] = expected[11] = NIC_QPN_FIRST; // contexts
	roce_put24(expected + 13, FIRST_PSN + 2);
	assert_memory_equal(nack, expected, 20);
	// Four packets after that: 0, 1, 3 and 4 are there.
	sack = (const struct mrc_sack *)x.back.entries[1].header;
	memset(expected, 0, sizeof(expected));
	roce_put16(expected + 2, 3); // packet 4, from packet 1
	roce_put16(expected + 4, SPORT + x.forth.entries[4].value);
	expected[9] = expected[11] = NIC_QPN_FIRST;
	roce_put24(expected + 13, FIRST_PSN + 1);
	expected[17] = 1024 / 128 - 1; // a window of 1,023 packets
	roce_put16(expected + 18, 1);  // the bitmap begins at packet 2
	roce_put64(expected + 20, 6);  // of which are here 3 and 4
	roce_put16(expected + 30, 2);
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
		const struct mrc_sack *h = (const struct mrc_sack *)x.back.entries[i].header;
		uint64_t bitmap = roce_get64(h->sack_bitmap);

		for (unsigned int bit = 0; bit < 64; bit++) {
			uint32_t psn = roce_get24(h->cack_psn) +
				       (uint32_t)(int16_t)roce_get16(h->sack_psn_offset) + bit;

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
	assert_int_equal(x.back.entries[0].type, MRC_OP_NACK);
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
			assert_int_equal(((const struct mrc_sack *)x.back.entries[0].header)->flags,
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

			if (x.forth.entries[i].type != MRC_OP_PROBE) {
				lost += x.forth.dead >> value & 1;
				continue;
			}
			probes++;
			probed |= 1u << value;
			assert_true(x.forth.dead >> value & 1);
			assert_int_equal(x.forth.entries[i].wire_bytes, PROBE_FRAME);
			assert_int_equal(roce_get16(x.forth.entries[i].header + 4), value);
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
			probes += x.forth.entries[i].type == MRC_OP_PROBE;
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
	assert_true(count_type(&x.forth, MRC_OP_PROBE) >= 5);
	x.forth.dead = 0;
	expect_complete(&x, 40);
	pair_stop(&x.w);
}

// Settings of the other transport do nothing: nobody waits for credit.
static void
test_settings_of_uet(void **state)
{
	static struct world x;

	(void)state;
	prepare(&x);
	for (unsigned int side = A; side <= B; side++)
		x.w.config[side].uet = (struct uet_config){.spray = ENTROPY_REPS, .credits = true};
	start(&x, 32500);
	expect_complete(&x, 33);
	assert_int_equal(x.forth.count, 33);
	assert_int_equal(count_type(&x.back, MRC_OP_SACK), 9);
	assert_int_equal(pair_result(&x.w, x.qpn).timeouts, 0);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_message),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_sack),
		cmocka_unit_test(test_loss_of_each),
		cmocka_unit_test(test_nacks),
		cmocka_unit_test(test_skip),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_no_path),
		cmocka_unit_test(test_settings_of_uet),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
