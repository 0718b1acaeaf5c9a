// SPDX-License-Identifier: BSD-3-Clause
//
// What the transport does for congestion control: it obeys next_at and the window, and makes the
// calls that it owes, each at its time.

#include "dataplane/roce/congestion.h"
#include "pair.h"

#include <errno.h>

// An algorithm that keeps to a rate, ticks, and writes down what it is told.
struct tell_parameters {
	uint64_t byte_time;
	uint64_t window;
	ps_t tick; // 0: never
};

static struct {
	unsigned int sent, acknowledged, notified, lost, ticks;
	uint64_t acknowledged_bytes, occupancy;
	ps_t last_tick, late_ticks;
	struct congestion_path path;
} told;

static void
tell_start(struct congestion *c, const struct congestion_path *path)
{
	const struct tell_parameters *p = c->parameters;

	told.path = *path;
	c->byte_time = p->byte_time;
	if (p->window != 0)
		c->window_bytes = p->window;
	c->timer_at = p->tick != 0 ? p->tick : PS_NEVER;
}

static void
tell_sent(struct congestion *c, uint32_t occupancy_bytes, ps_t now)
{
	told.sent++;
	told.occupancy += occupancy_bytes;
	assert_true(now >= c->next_at);
	congestion_pace(c, occupancy_bytes, now);
}

static void
tell_acknowledged(struct congestion *c, uint64_t bytes, ps_t now)
{
	(void)c, (void)now;
	told.acknowledged++;
	told.acknowledged_bytes += bytes;
}

static void
tell_notified(struct congestion *c, ps_t now)
{
	assert_true(c->timer_at > now); // those missed have run
	told.notified++;
}

static void
tell_lost(struct congestion *c, ps_t now)
{
	(void)c, (void)now;
	told.lost++;
}

static void
tell_timer(struct congestion *c, ps_t at)
{
	const struct tell_parameters *p = c->parameters;

	assert_int_equal(at, c->timer_at);
	told.ticks++;
	told.last_tick = at;
	c->timer_at = at + p->tick;
}

static void
tell_read(const struct congestion *c, ps_t now, struct congestion_reading *out)
{
	(void)now;
	*out = (struct congestion_reading){.rate_bps = congestion_rate_of(c->byte_time)};
}

static const struct congestion_algorithm tell = {
	.parameters_bytes = sizeof(struct tell_parameters),
	.start = tell_start,
	.sent = tell_sent,
	.acknowledged = tell_acknowledged,
	.notified = tell_notified,
	.lost = tell_lost,
	.timer = tell_timer,
	.read = tell_read,
};

static void
pacing_init(struct pair *w, struct tell_parameters *parameters)
{
	memset(&told, 0, sizeof(told));
	pair_init(w, 1);
	w->config[A].congestion = &tell;
	w->config[A].congestion_parameters = parameters;
	pair_start(w);
	parameters->byte_time = 1; // theirs is a copy
}

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
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_rests),
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_window_of_one),
		cmocka_unit_test(test_responder),
		cmocka_unit_test(test_slower_than_the_rto),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_a_small_window_asks),
		cmocka_unit_test(test_a_window_that_shrinks_asks),
		cmocka_unit_test(test_no_times_of_what_goes_again),
		cmocka_unit_test(test_times_out_of_order),
		cmocka_unit_test(test_busy),
		cmocka_unit_test(test_no_times_of_a_responder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
