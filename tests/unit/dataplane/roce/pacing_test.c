// SPDX-License-Identifier: BSD-3-Clause
//
// What the transport does for congestion control: it obeys next_at and the window, and makes the
// calls that it owes, each at its time.

#include "told.h"

#include <errno.h>

// At 40G, packets of 1000 B start so far apart as they take there, to the picosecond.
static void
test_rate(void **state)
{
	struct tell_parameters parameters = {.byte_time = time_byte_time(UINT64_C(40000000000)),
					     .tick = 10 * PS_PER_US};
	struct congestion_reading reading;
	struct journal *forth;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pacing_init(&w, &parameters);
	forth = pair_journal(&w, A);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000,
						  .bytes = 100000,
						  .base_rtt = 4 * PS_PER_US,
						  .bdp_bytes = 50000});
	assert_int_equal(told.path.base_rtt, 4 * PS_PER_US);
	assert_int_equal(told.path.bdp_bytes, 50000);
	assert_int_equal(told.path.byte_time, w.profile.byte_time);
	assert_int_equal(nic_congestion_read(w.nics[A], qpn, &reading), 0);
	assert_true(reading.rate_bps > 39.99e9 && reading.rate_bps < 40.01e9);
	assert_int_equal(nic_congestion_read(w.nics[B], qpn, &reading), -ENOENT);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	for (unsigned int i = 2; i < 100; i++)
		assert_int_equal(forth->entries[i].at - forth->entries[i - 1].at, 1082 * 200);
	// The first has a RETH, which takes its time before the second starts; of arrivals, the
	// ends count.
	assert_int_equal(forth->entries[1].at - forth->entries[0].at, 1098 * 200 - 16 * 80);
	assert_int_equal(told.sent, 100);
	assert_int_equal(told.occupancy, 100 * 1082 + 16);
	assert_int_equal(told.acknowledged, 100);
	assert_int_equal(told.acknowledged_bytes, 100000);
	assert_int_equal(told.lost, 0);
	assert_int_equal(told.ticks, (pair_result(&w, qpn).completed - 1) / (10 * PS_PER_US));
	free(forth);
	pair_stop(&w);
}

// Packets that are further apart than the retransmission time: what is not under way is not waited
// for, so that nothing goes again, by go-back-0 either, which counts no packet inside a message.
static void
test_slower_than_the_rto(void **state)
{
	(void)state;
	for (int recovery = NIC_RECOVERY_GO_BACK_N; recovery <= NIC_RECOVERY_GO_BACK_0;
	     recovery++) {
		struct tell_parameters parameters = {
			.byte_time = time_byte_time(UINT64_C(100000000))};
		struct pair w;
		uint32_t qpn;

		memset(&told, 0, sizeof(told));
		pair_init(&w, 1);
		w.config[A].recovery = w.config[B].recovery = (enum nic_recovery)recovery;
		w.config[A].rto = 20 * PS_PER_US; // packets start 85 us apart
		w.config[A].congestion = &tell;
		w.config[A].congestion_parameters = &parameters;
		pair_start(&w);
		qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 10000});
		pair_run(&w, 10 * PS_PER_MS);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		assert_int_equal(pair_result(&w, qpn).timeouts, 0);
		assert_int_equal(pair_received(&w, qpn).packets, 10);
		pair_stop(&w);
	}
}

// Two queue pairs at 40G on a link of 100G do not disturb one another's rate.
static void
test_two_at_once(void **state)
{
	struct tell_parameters parameters = {.byte_time = time_byte_time(UINT64_C(40000000000))};
	struct nic_flow_result result[2];
	struct pair w;
	uint32_t qpn[2];
	ps_t alone = 99 * 1082 * 200;

	(void)state;
	pacing_init(&w, &parameters);
	for (unsigned int i = 0; i < 2; i++)
		qpn[i] = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 100000});
	pair_run(&w, PS_PER_MS);
	for (unsigned int i = 0; i < 2; i++) {
		result[i] = pair_result(&w, qpn[i]);
		assert_in_range(result[i].busy, alone, alone + 6 * PS_PER_US);
	}
	pair_stop(&w);
}

// While a flow rests its timer does not wake the node; the ticks that it missed come first when it
// starts again.
static void
test_rests(void **state)
{
	struct tell_parameters parameters = {.byte_time = time_byte_time(UINT64_C(100000000000)),
					     .tick = PS_PER_US};
	struct pair w;

	(void)state;
	pacing_init(&w, &parameters);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000,
					    .bytes = 1000,
					    .start = 10 * PS_PER_US + 500,
					    .repeat = 2,
					    .gap = 100 * PS_PER_US});
	pair_pass(&w, 10 * PS_PER_US);
	assert_int_equal(told.ticks, 0);
	pair_pass(&w, 11 * PS_PER_US);
	assert_int_equal(told.ticks, 10);
	pair_pass(&w, 100 * PS_PER_US);
	assert_int_equal(told.ticks, 14); // acknowledged at 14.2 us
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(told.ticks, 118);
	assert_int_equal(told.last_tick, 118 * PS_PER_US);
	pair_stop(&w);
}

static void
test_news(void **state)
{
	(void)state;
	for (unsigned int recovery = 0; recovery < 3; recovery++) {
		struct tell_parameters parameters = {
			.byte_time = time_byte_time(UINT64_C(100000000000)), .tick = PS_PER_US};
		struct journal *forth, *back;
		struct pair w;

		memset(&told, 0, sizeof(told));
		pair_init(&w, 1);
		w.config[A].congestion = &tell;
		w.config[A].congestion_parameters = &parameters;
		w.config[A].recovery = w.config[B].recovery = recovery;
		w.config[A].rto = 50 * PS_PER_US;
		pair_start(&w);
		forth = pair_journal(&w, A);
		back = pair_journal(&w, B);
		forth->ce[0] = 1 << 3;
		forth->script[5] = PAIR_DROP;
		back->script[0] = PAIR_DROP;
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 20000});
		pair_run(&w, PS_PER_MS);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		assert_int_equal(told.notified, 1);
		assert_int_equal(told.lost, 1);
		assert_int_equal(told.acknowledged_bytes >= 20000, true);
		free(forth);
		free(back);
		pair_stop(&w);
	}
}

// A window of 4 packets: never more in flight, and a window's worth each round trip. Go-back-0
// must not stall on what it does not count.
static void
test_window(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 6; round++) {
		struct window_parameters parameters = {.size_bytes = 4000};
		struct journal *forth;
		struct pair w;
		ps_t rtt;

		pair_init(&w, 1);
		w.config[A].congestion = &congestion_window;
		w.config[A].congestion_parameters = &parameters;
		w.config[A].recovery = w.config[B].recovery = round % 3;
		pair_start(&w);
		forth = pair_journal(&w, A);
		if (round >= 3)
			forth->script[21] = PAIR_DROP;
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 40000});
		pair_run(&w, 10 * PS_PER_MS);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		// A packet starts when the fourth before it is acknowledged. (Those of the first
		// two windows waited behind the first's 16 B more.)
		rtt = (2 * 1070 + 2 * 74) * PAIR_BYTE + 4 * PAIR_DELAY;
		for (unsigned int i = 9; i < 20; i++)
			assert_int_equal(forth->entries[i].at - forth->entries[i - 4].at, rtt);
		free(forth);
		pair_stop(&w);
	}
}

// A window below one packet is one packet.
static void
test_window_of_one(void **state)
{
	struct tell_parameters parameters = {.window = 1};
	struct journal *forth;
	struct pair w;

	(void)state;
	pacing_init(&w, &parameters);
	forth = pair_journal(&w, A);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 5000});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(forth->entries[4].at - forth->entries[3].at,
			 (2 * 1070 + 2 * 74) * PAIR_BYTE + 4 * PAIR_DELAY);
	free(forth);
	pair_stop(&w);
}

// A READ's responder is paced, and told of CNPs; nobody tells it what has arrived, so that no
// window holds it.
static void
test_responder(void **state)
{
	struct tell_parameters parameters = {.byte_time = time_byte_time(UINT64_C(40000000000)),
					     .window = 4000,
					     .tick = PS_PER_US};
	struct nic_flow_result result;
	struct journal *forth;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pacing_init(&w, &parameters);
	forth = pair_journal(&w, A);
	forth->ce[0] = 1 << 3;
	qpn = pair_add_flow(&w,
			    (struct nic_flow){.op = NIC_OP_READ, .path_mtu = 1000, .bytes = 50000});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[B]), 0);
	assert_int_equal(nic_flow_result(w.nics[B], qpn, &result), 0);
	assert_int_equal(result.timeouts, 0);
	for (unsigned int i = 2; i < 49; i++)
		assert_int_equal(forth->entries[i].at - forth->entries[i - 1].at, 1082 * 200);
	assert_int_equal(told.notified, 1);
	assert_int_equal(told.sent, 50);
	free(forth);
	pair_stop(&w);
}

// How many queue pairs have something to send or await, for those that share what the port sends.
static void
test_busy(void **state)
{
	struct tell_parameters parameters = {.byte_time = time_byte_time(UINT64_C(40000000000))};
	struct pair w;

	(void)state;
	pacing_init(&w, &parameters);
	for (unsigned int i = 0; i < 3; i++)
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000,
						    .bytes = 1000,
						    .start = 10 * (1 + i) * PS_PER_US,
						    .repeat = 2,
						    .gap = 100 * PS_PER_US});
	pair_add_flow(
		&w, (struct nic_flow){.path_mtu = 1000, .bytes = 200000, .start = 20 * PS_PER_US});
	assert_int_equal(*told.path.busy, 0);
	pair_pass(&w, 12 * PS_PER_US);
	assert_int_equal(*told.path.busy, 1);
	pair_pass(&w, 19 * PS_PER_US);
	assert_int_equal(*told.path.busy, 0);
	pair_pass(&w, 21 * PS_PER_US);
	assert_int_equal(*told.path.busy, 2);
	pair_pass(&w, 30 * PS_PER_US);
	assert_int_equal(*told.path.busy, 1);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(*told.path.busy, 0);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate),      cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_rests),     cmocka_unit_test(test_news),
		cmocka_unit_test(test_window),    cmocka_unit_test(test_window_of_one),
		cmocka_unit_test(test_responder), cmocka_unit_test(test_slower_than_the_rto),
		cmocka_unit_test(test_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
