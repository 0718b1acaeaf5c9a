// SPDX-License-Identifier: BSD-3-Clause
// A slow receiver: by itself, packets made by hand on a port of 100G, and in a NIC that another one
// writes to. A byte takes 160 ps at a drain rate of 50G.
#include "dataplane/roce/drain.h"

#include "dataplane/roce/misbehaviour.h"
#include "pair.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/loop.h"

#define DRAIN_BYTE time_byte_time(UINT64_C(50000000000))

// ---- by itself -----------------------------------------------------------------------------

struct bench {
	struct packet_pool *packets;
	struct port_profile profile;
	struct port_tables port_tables;
	struct tables tables;
	struct node *node;
	struct port *port;
	struct wire *wire;
	struct drain_config config;
	struct drain drain;
	struct xoff xoff;
};

static void
bench_start(struct bench *b, struct drain_config config)
{
	*b = (struct bench){.config = config};
	b->profile = (struct port_profile){
		.byte_time = time_byte_time(UINT64_C(100000000000)),
		.preamble = 8,
		.fcs = 4,
		.gap = 12,
		.obeyed = 1 << 3 | 1 << 4,
		.trust_dscp = true,
		.quanta = 0xffff,
		.refresh = UINT64_C(167769600),
		.quantum_time = time_byte_time(UINT64_C(100000000000)) * 64,
	};
	for (unsigned int dscp = 0; dscp < 64; dscp++)
		b->profile.dscp_to_priority[dscp] = (uint8_t)(dscp / 8);
	b->port_tables = (struct port_tables){.profile = &b->profile, .tenant = TENANT_NONE};
	b->tables = (struct tables){.cell = 1,
				    .cell_magic = UINT64_C(1) << 32,
				    .ports = &b->port_tables,
				    .port_count = 1};
	assert_int_equal(packet_pool_create(&b->packets, 256), 0);
	assert_int_equal(node_create(&b->node, NODE_NIC, 1, 0, 1, b->packets), 0);
	assert_int_equal(wire_create(&b->wire, PAIR_DELAY, false, 0), 0);
	b->port = &b->node->ports[0];
	b->port->out = b->wire;
	node_set_tables(b->node, &b->tables);
	node_open(b->node, 0, 1);
	drain_init(&b->drain, &b->config);
	xoff_init(&b->xoff);
}

static void
bench_stop(struct bench *b)
{
	struct rte_mbuf *m;

	while ((m = drain_next(b->node, b->port, &b->drain, &b->xoff, PS_NEVER - 1)) != NULL)
		packet_free(b->packets, m);
	assert_int_equal(b->drain.bytes, 0);
	while (wire_next(b->wire) != PS_NEVER)
		packet_free(b->packets, wire_take(b->wire));
	wire_destroy(b->wire);
	node_destroy(b->node);
	packet_pool_destroy(b->packets);
}

// A packet of DSCP 8 x priority arrives.
static int
arrive(struct bench *b, unsigned int priority, uint32_t bytes, ps_t now)
{
	struct rte_mbuf *m = packet_alloc(b->packets);
	int verdict;

	if (m == NULL)
		abort();
	*packet_meta(m) =
		(struct packet_meta){.wire_bytes = bytes, .dscp = (uint8_t)(8 * priority)};
	verdict = drain_take(b->node, b->port, &b->drain, &b->xoff, m, now);
	if (verdict != STAGE_CONSUMED)
		packet_free(b->packets, m);
	return verdict;
}

// The first packet has been taken at `at` and not before.
static void
expect_taken(struct bench *b, ps_t at)
{
	struct rte_mbuf *m;

	assert_int_equal(b->drain.done_at, at);
	assert_null(drain_next(b->node, b->port, &b->drain, &b->xoff, at - 1));
	m = drain_next(b->node, b->port, &b->drain, &b->xoff, at);
	assert_non_null(m);
	packet_free(b->packets, m);
}

static void
expect_idle(const struct bench *b)
{
	assert_int_equal(b->drain.done_at, PS_NEVER);
	assert_int_equal(b->drain.packets, 0);
	assert_int_equal(b->drain.bytes, 0);
}

static void
test_packets_are_taken_one_after_the_other(void **state)
{
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.byte_time = DRAIN_BYTE,
					      .buffer_bytes = 1000000,
					      .xoff_bytes = 1000000});
	assert_int_equal(arrive(&b, 3, 1000, 1000), STAGE_CONSUMED);
	assert_int_equal(arrive(&b, 0, 500, 2000), STAGE_CONSUMED);
	expect_taken(&b, 1000 + 160000);
	expect_taken(&b, 1000 + 160000 + 80000);
	expect_idle(&b);
	assert_int_equal(arrive(&b, 3, 100, 500000), STAGE_CONSUMED);
	expect_taken(&b, 516000);
	assert_int_equal(b.drain.bytes_max, 1500);
	bench_stop(&b);
}

// 30G is 266 2/3 ps a byte: 3,000 packets of 100 B that wait for one another take 80,000,000 ps, of
// which 2^-20 ps a byte are lost.
static void
test_the_rate_is_exact_over_many_packets(void **state)
{
	uint64_t byte_time = time_byte_time(UINT64_C(30000000000));
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.byte_time = byte_time,
					      .buffer_bytes = 300000,
					      .xoff_bytes = 300000});
	for (unsigned int i = 0; i < 3000; i++)
		assert_int_equal(arrive(&b, 3, 100, 0), STAGE_CONSUMED);
	for (uint64_t i = 1; i <= 3000; i++)
		expect_taken(&b, byte_time * 100 * i >> BYTE_TIME_FRACTION_BITS);
	expect_idle(&b);
	bench_stop(&b);
}

// Stalls of 4 us every 10 us. Before the first there is none; a packet that needs from 9.9 to 10.06
// us ends at 14.06; one that comes in a stall begins at its end; 20 us of work pass two stalls.
static void
test_stalls_stop_what_they_meet(void **state)
{
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.byte_time = DRAIN_BYTE,
					      .buffer_bytes = 1000000,
					      .xoff_bytes = 1000000,
					      .stall_every = 10 * PS_PER_US,
					      .stall_for = 4 * PS_PER_US});
	assert_int_equal(arrive(&b, 3, 1000, 0), STAGE_CONSUMED);
	expect_taken(&b, 160000);
	assert_int_equal(arrive(&b, 3, 1000, 9900000), STAGE_CONSUMED);
	expect_taken(&b, 14060000);
	// To its end at the very begin of a stall: it is done.
	assert_int_equal(arrive(&b, 3, 1000, 19840000), STAGE_CONSUMED);
	expect_taken(&b, 20000000);
	assert_int_equal(arrive(&b, 3, 1000, 21000000), STAGE_CONSUMED);
	expect_taken(&b, 24160000);
	// 125,000 B take 20 us: 25 to 30, 34 to 40, 44 to 50, 54 to 57.
	assert_int_equal(arrive(&b, 3, 125000, 25000000), STAGE_CONSUMED);
	expect_taken(&b, 57000000);
	assert_int_equal(arrive(&b, 3, 1000, 1003000000), STAGE_CONSUMED); // after a long silence
	expect_taken(&b, 1004160000);
	bench_stop(&b);
}

// Without a rate: at once, but for stalls, and then all together at the end.
static void
test_stalls_alone(void **state)
{
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.buffer_bytes = 1000000,
					      .xoff_bytes = 1000000,
					      .stall_every = 10 * PS_PER_US,
					      .stall_for = 4 * PS_PER_US});
	assert_int_equal(arrive(&b, 3, 1000, 9999999), STAGE_NEXT);
	assert_int_equal(arrive(&b, 3, 1000, 10000000), STAGE_CONSUMED);
	assert_int_equal(arrive(&b, 3, 1000, 13999999), STAGE_CONSUMED);
	expect_taken(&b, 14000000);
	expect_taken(&b, 14000000);
	expect_idle(&b);
	assert_int_equal(arrive(&b, 3, 1000, 14000000), STAGE_NEXT);
	expect_idle(&b);
	bench_stop(&b);
}

static void
test_what_does_not_fit_is_dropped(void **state)
{
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.byte_time = DRAIN_BYTE,
					      .buffer_bytes = 20000,
					      .xoff_bytes = 20000});
	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(arrive(&b, i % 8, 1000, 0), STAGE_CONSUMED);
	assert_int_equal(arrive(&b, 3, 60, 0), DROP_RECEIVE_BUFFER);
	expect_taken(&b, 160000);
	assert_int_equal(arrive(&b, 3, 1001, 160000), DROP_RECEIVE_BUFFER);
	assert_int_equal(arrive(&b, 3, 1000, 160000), STAGE_CONSUMED);
	assert_int_equal(b.drain.bytes_max, 20000);
	bench_stop(&b);
}

// Priorities 3 and 4 have PFC, 5 has not. XOFF above 3000 B of a priority, XON at 1000.
static void
test_each_priority_is_paused_by_itself(void **state)
{
	struct bench b;

	(void)state;
	bench_start(&b, (struct drain_config){.byte_time = DRAIN_BYTE,
					      .buffer_bytes = 100000,
					      .xoff_bytes = 3000,
					      .xon_bytes = 1000});
	for (unsigned int i = 0; i < 9; i++) { // 3, 4, 5, 3, 4, 5, 3, 4, 5
		arrive(&b, 3 + i % 3, 1000, 0);
		assert_int_equal(b.xoff.told, 0);
	}
	arrive(&b, 3, 1, 100);
	assert_int_equal(b.xoff.told, 1 << 3);
	assert_int_equal(b.port->tx_pause[3].last_start, 100);
	arrive(&b, 5, 1000, 200);
	assert_int_equal(b.xoff.told, 1 << 3);
	arrive(&b, 4, 1, 300);
	assert_int_equal(b.xoff.told, 1 << 3 | 1 << 4);
	assert_int_equal(b.port->tx_pause[4].last_start, 300);
	// 3001 B of priority 3: 2001 when the first is taken, 1001 with the fourth, 1 with the
	// seventh, at 1120 ns; of 4 with the eighth.
	for (unsigned int i = 1; i <= 6; i++)
		expect_taken(&b, i * 160000);
	assert_int_equal(b.xoff.told, 1 << 3 | 1 << 4);
	expect_taken(&b, 7 * 160000);
	assert_int_equal(b.xoff.told, 1 << 4);
	assert_int_equal(b.port->tx_pause[3].last_end, 7 * 160000);
	expect_taken(&b, 8 * 160000);
	assert_int_equal(b.xoff.told, 0);
	assert_int_equal(b.xoff.refresh_at, PS_NEVER);
	assert_int_equal(b.port->tx_pause[4].last_end, 8 * 160000);
	assert_int_equal(b.port->pfc_tx[3], 2);
	assert_int_equal(b.port->pfc_tx[4], 2);
	assert_int_equal(b.port->pfc_tx[5], 0);
	bench_stop(&b);
}

// ---- in a NIC ------------------------------------------------------------------------------

// B takes packets at 50G; frames are 4200 B, which take 337.92 ns of the line and 672 ns to take.
// Packet k, from 0, arrives at T + k x 337.92 ns, T = 2 x (4212 x 80 ps + 1 us). There are five
// with packet 7 (three have been taken by then), 21,000 B: XOFF. It holds A 2 x (72 x 80 ps + 1 us)
// later, when 21 packets have begun. The 19th is taken at T + 19 x 672 ns; two are left then,
// 8400 B: XON.
#define FRAME 4200
#define LINE_TIME ((FRAME + 24) * 80)
#define TAKE_TIME (FRAME * 160)
#define FIRST_ARRIVAL (2 * ((FRAME + 12) * 80 + PAIR_DELAY))

static uint32_t
write_to_slow_receiver(struct pair *w, struct drain_config *config, uint16_t quanta,
		       uint64_t packets)
{
	pair_init(w, 1);
	*config = (struct drain_config){.byte_time = DRAIN_BYTE,
					.buffer_bytes = 100000,
					.xoff_bytes = 20000,
					.xon_bytes = 10000};
	w->profile.quanta = quanta;
	w->profile.refresh = quanta * UINT64_C(2560);
	w->profile.port_priority = 3;
	for (unsigned int side = A; side <= B; side++)
		w->config[side].header_bytes = FRAME - 4096;
	pair_start(w);
	assert_int_equal(nic_misbehave(w->nics[B], config, NULL), 0);
	return pair_add_flow(
		w, (struct nic_flow){.path_mtu = 4096, .bytes = packets * UINT64_C(4096)});
}

static void
test_xoff_and_xon_come_at_known_instants(void **state)
{
	struct drain_config config;
	const struct port *a, *b;
	struct pair w;
	uint32_t qpn;

	(void)state;
	qpn = write_to_slow_receiver(&w, &config, 0xffff, 100);
	a = &w.nodes[A]->ports[0];
	b = &w.nodes[B]->ports[0];
	pair_pass(&w, FIRST_ARRIVAL + 7 * LINE_TIME);
	assert_int_equal(b->pfc_tx[3], 0);
	assert_int_equal(nic_held(w.nics[B]), 4);
	pair_pass(&w, FIRST_ARRIVAL + 7 * LINE_TIME + 1);
	assert_int_equal(b->pfc_tx[3], 1);
	assert_int_equal(b->tx_pause[3].last_start, FIRST_ARRIVAL + 7 * LINE_TIME);
	assert_int_equal(nic_held(w.nics[B]), 5);
	pair_pass(&w, FIRST_ARRIVAL + 20 * LINE_TIME + 1);
	assert_int_equal(a->rx_pause[3].last_start,
			 FIRST_ARRIVAL + 7 * LINE_TIME + 2 * (72 * 80 + PAIR_DELAY));
	assert_int_equal(nic_held(w.nics[B]), 21 - 20 * LINE_TIME / TAKE_TIME);
	pair_pass(&w, FIRST_ARRIVAL + 19 * TAKE_TIME);
	assert_int_equal(b->rx_packets, 21);
	assert_int_equal(b->pfc_tx[3], 1);
	pair_pass(&w, FIRST_ARRIVAL + 19 * TAKE_TIME + 1);
	assert_int_equal(b->pfc_tx[3], 2);
	assert_int_equal(b->tx_pause[3].last_end, FIRST_ARRIVAL + 19 * TAKE_TIME);
	assert_int_equal(nic_held(w.nics[B]), 2);
	pair_run(&w, PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_int_equal(nic_held(w.nics[B]), 0);
	assert_int_equal(pair_result(&w, qpn).retransmitted, 0);
	assert_int_equal(b->drops[DROP_RECEIVE_BUFFER], 0);
	pair_stop(&w);
}

// A pause of 200 quanta of 5.12 ns is refreshed every 512 ns: between XOFF and XON lie 19 x 672 - 7
// x 337.92 = 10402.56 ns, so 20 times.
static void
test_a_short_pause_is_refreshed(void **state)
{
	struct drain_config config;
	struct pair w;

	(void)state;
	write_to_slow_receiver(&w, &config, 200, 100);
	pair_pass(&w, FIRST_ARRIVAL + 19 * TAKE_TIME + 1);
	assert_int_equal(w.nodes[B]->ports[0].pfc_tx[3], 1 + 20 + 1);
	assert_int_equal(w.nodes[A]->ports[0].rx_pause[3].transitions, 1);
	pair_stop(&w);
}

// Without PFC the buffer overflows: 100,000 B are 23 frames; every packet that arrives, is taken
// later or dropped, and the flow is complete in the end by going back.
static void
test_without_pfc_it_overflows(void **state)
{
	struct drain_config config;
	const struct port *b;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	w.profile.obeyed = 0;
	w.profile.port_priority = 3;
	config = (struct drain_config){
		.byte_time = DRAIN_BYTE, .buffer_bytes = 100000, .xoff_bytes = 20000};
	for (unsigned int side = A; side <= B; side++)
		w.config[side].header_bytes = FRAME - 4096;
	pair_start(&w);
	assert_int_equal(nic_misbehave(w.nics[B], &config, NULL), 0);
	qpn = pair_add_flow(&w, (struct nic_flow){.path_mtu = 4096, .bytes = 4096 * 100});
	b = &w.nodes[B]->ports[0];
	// Of the first k + 1 packets k x 337.92 / 672 have been taken when packet k comes: 23 wait
	// with packet 44, and packet 45 comes before the next is taken.
	pair_pass(&w, FIRST_ARRIVAL + 45 * LINE_TIME);
	assert_int_equal(nic_held(w.nics[B]), 23);
	assert_int_equal(b->drops[DROP_RECEIVE_BUFFER], 0);
	pair_pass(&w, FIRST_ARRIVAL + 45 * LINE_TIME + 1);
	assert_int_equal(b->drops[DROP_RECEIVE_BUFFER], 1);
	assert_int_equal(b->pfc_tx[3], 0);
	pair_run(&w, 100 * PS_PER_MS);
	assert_int_equal(nic_open_flows(w.nics[A]), 0);
	assert_true(pair_result(&w, qpn).retransmitted >= b->drops[DROP_RECEIVE_BUFFER]);
	pair_stop(&w);
}

// What waits when the NIC ends is given back.
static void
test_what_waits_is_freed(void **state)
{
	struct drain_config config;
	struct pair w;

	(void)state;
	write_to_slow_receiver(&w, &config, 0xffff, 100);
	pair_pass(&w, FIRST_ARRIVAL + 10 * LINE_TIME);
	assert_int_not_equal(nic_held(w.nics[B]), 0);
	pair_stop(&w);
}

static void
test_settings_that_make_no_sense(void **state)
{
	const struct drain_config bad[] = {
		{.buffer_bytes = 1000},
		{.buffer_bytes = 100000, .xoff_bytes = 1, .xon_bytes = 2},
		{.buffer_bytes = 100000, .stall_every = 5, .stall_for = 5},
	};
	const struct storm_config storm = {.from = 5, .to = 5, .priorities = 8};
	struct misbehaviour *b;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(misbehaviour_create(&b, 1, &bad[i], NULL), -EINVAL);
	assert_int_equal(misbehaviour_create(&b, 1, NULL, &storm), -EINVAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets_are_taken_one_after_the_other),
		cmocka_unit_test(test_the_rate_is_exact_over_many_packets),
		cmocka_unit_test(test_stalls_stop_what_they_meet),
		cmocka_unit_test(test_stalls_alone),
		cmocka_unit_test(test_what_does_not_fit_is_dropped),
		cmocka_unit_test(test_each_priority_is_paused_by_itself),
		cmocka_unit_test(test_xoff_and_xon_come_at_known_instants),
		cmocka_unit_test(test_a_short_pause_is_refreshed),
		cmocka_unit_test(test_without_pfc_it_overflows),
		cmocka_unit_test(test_what_waits_is_freed),
		cmocka_unit_test(test_settings_that_make_no_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
