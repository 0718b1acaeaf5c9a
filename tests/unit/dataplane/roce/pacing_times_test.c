// SPDX-License-Identifier: BSD-3-Clause
//
// Round-trip times of packets, for congestion control that asks for them: which packets are timed,
// and when one more acknowledgement is asked for.

#include "told.h"

// The same algorithm, and it wants round-trip times.
static struct {
	unsigned int count;
	ps_t rtt[256];
	uint64_t window; // from the first on; 0: as it was
} timed;

static void
time_sampled(struct congestion *c, ps_t rtt, ps_t now)
{
	assert_true(rtt <= now);
	assert_in_range(timed.count, 0, 255);
	timed.rtt[timed.count++] = rtt;
	if (timed.window != 0)
		c->window_bytes = timed.window;
}

static void
timing_init(struct pair *w, struct tell_parameters *parameters)
{
	static struct congestion_algorithm times;

	times = tell;
	times.sampled = time_sampled;
	memset(&told, 0, sizeof(told));
	memset(&timed, 0, sizeof(timed));
	pair_init(w, 1);
	w->config[A].congestion = &times;
	w->config[A].congestion_parameters = parameters;
	w->config[A].ack_every = w->config[B].ack_every = 16;
}

// Of a packet of 1000 B through one relay, and of the acknowledgement.
#define ROUND_TRIP ((2 * 1070 + 2 * 74) * PAIR_BYTE + 4 * PAIR_DELAY)

// One packet is timed at a time, the next one behind its acknowledgement. The receiver sends that
// at once, though it acknowledges every sixteenth packet only.
static void
test_times(void **state)
{
	struct tell_parameters parameters = {0};
	struct journal *forth;
	unsigned int requests = 0;
	struct pair w;

	(void)state;
	timing_init(&w, &parameters);
	pair_start(&w);
	forth = pair_journal(&w, A);
	pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 400000});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	for (unsigned int i = 0; i < 399; i++)
		requests += forth->entries[i].ack_req;
	assert_int_equal(timed.count, requests);
	assert_int_equal(requests, 9); // a round trip is the time of 49 packets
	assert_int_equal(timed.rtt[0], ROUND_TRIP + 2 * 16 * PAIR_BYTE); // with a RETH
	// At the relay the others wait behind the RETH.
	for (unsigned int i = 1; i < timed.count; i++)
		assert_int_equal(timed.rtt[i], ROUND_TRIP + 16 * PAIR_BYTE);
	free(forth);
	pair_stop(&w);
}

// A window that is smaller than what the receiver waits for does not stall: the packet that closes
// it requests an acknowledgement.
static void
test_a_small_window_asks(void **state)
{
	struct tell_parameters parameters = {.window = 3000};
	struct pair w;
	uint32_t qpn;

	(void)state;
	timing_init(&w, &parameters);
	pair_start(&w);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 90000});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(pair_result(&w, qpn).timeouts, 0);
	// Three packets a round trip, and what the first of them waits for the third.
	assert_in_range(pair_result(&w, qpn).busy, 30 * ROUND_TRIP, 31 * ROUND_TRIP);
	pair_stop(&w);
}

// Nor does one that shrinks below what is in flight, of which nothing requested one: one packet
// more does.
static void
test_a_window_that_shrinks_asks(void **state)
{
	struct tell_parameters parameters = {.window = 60000};
	struct journal *forth;
	struct pair w;
	uint32_t qpn;

	(void)state;
	timing_init(&w, &parameters);
	timed.window = 5000;
	w.config[B].ack_every = 100;
	pair_start(&w);
	forth = pair_journal(&w, A);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 90000});
	pair_run(&w, 10 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(pair_result(&w, qpn).timeouts, 0);
	// 49 are in flight when the first is acknowledged, and nobody would hear of the others.
	for (unsigned int i = 0; i < 49; i++)
		assert_int_equal(forth->entries[i].ack_req, i == 0);
	assert_true(forth->entries[49].ack_req);
	free(forth);
	pair_stop(&w);
}

// What was sent again gives no round-trip time, nor what was timed behind it.
static void
test_no_times_of_what_goes_again(void **state)
{
	(void)state;
	for (unsigned int recovery = 0; recovery < 3; recovery++)
		for (unsigned int drop = 0; drop < 120; drop += 20) {
			struct tell_parameters parameters = {0};
			struct journal *forth;
			struct pair w;
			uint32_t qpn;

			timing_init(&w, &parameters);
			w.config[A].recovery = w.config[B].recovery = recovery;
			pair_start(&w);
			forth = pair_journal(&w, A);
			forth->script[drop] = PAIR_DROP;
			qpn = pair_add_flow(&w,
					    (struct nic_flow){.path_mtu = 1000, .bytes = 300000});
			pair_run(&w, 10 * PS_PER_MS);
			assert_int_equal(nic_open_flows(w.nics[A]), 0);
			assert_true(pair_result(&w, qpn).retransmitted != 0);
			assert_int_equal(pair_result(&w, qpn).timeouts, 0);
			assert_true(timed.count >= 2);
			for (unsigned int i = 0; i < timed.count; i++)
				assert_in_range(timed.rtt[i], ROUND_TRIP,
						ROUND_TRIP + 2 * 16 * PAIR_BYTE);
			free(forth);
			pair_stop(&w);
		}
}

// The timed packet arrives before the one sent before it: the acknowledgement that it requested
// comes when that one has arrived, two packets later. (The relay, which misses a packet for so
// long, has got over the RETH by then.)
static void
test_times_out_of_order(void **state)
{
	unsigned int second = 0;

	(void)state;
	for (unsigned int held = 0; held < 2; held++) {
		struct tell_parameters parameters = {0};
		struct journal *forth;
		struct pair w;

		timing_init(&w, &parameters);
		w.config[B].placement = NIC_PLACEMENT_OUT_OF_ORDER;
		w.config[A].recovery = w.config[B].recovery = NIC_RECOVERY_SELECTIVE;
		pair_start(&w);
		forth = pair_journal(&w, A);
		if (held)
			forth->script[second - 1] = PAIR_HOLD + 2;
		pair_add_flow(&w, (struct nic_flow){.path_mtu = 1000, .bytes = 300000});
		pair_run(&w, PS_PER_MS);
		assert_int_equal(nic_open_flows(w.nics[A]), 0);
		for (second = 1; !forth->entries[second].ack_req;)
			second++;
		assert_in_range(second, 20, 100);
		assert_int_equal(timed.rtt[1], ROUND_TRIP + (held ? 2 * 1082 : 16) * PAIR_BYTE);
		free(forth);
		pair_stop(&w);
	}
}

// Nothing acknowledges the responses of a READ, so none of them is timed or requests that.
static void
test_no_times_of_a_responder(void **state)
{
	struct tell_parameters parameters = {.window = 3000};
	struct journal *forth;
	struct pair w;

	(void)state;
	timing_init(&w, &parameters);
	pair_start(&w);
	forth = pair_journal(&w, A);
	pair_add_flow(&w, (struct nic_flow){.op = NIC_OP_READ, .path_mtu = 1000, .bytes = 50000});
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[B]), 0);
	assert_int_equal(forth->count, 50);
	for (unsigned int i = 0; i < 50; i++)
		assert_false(forth->entries[i].ack_req);
	assert_int_equal(timed.count, 0);
	free(forth);
	pair_stop(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_a_small_window_asks),
		cmocka_unit_test(test_a_window_that_shrinks_asks),
		cmocka_unit_test(test_no_times_of_what_goes_again),
		cmocka_unit_test(test_times_out_of_order),
		cmocka_unit_test(test_no_times_of_a_responder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
