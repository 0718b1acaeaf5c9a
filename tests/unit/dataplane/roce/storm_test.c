// SPDX-License-Identifier: BSD-3-Clause
// A pause storm: B pauses A without need, and both reasons for a pause at once. A quantum of 100G
// is 5.12 ns; a pause frame needs 2 x (72 x 80 ps + 1 us) to A.
#include "dataplane/roce/storm.h"

#include "dataplane/roce/drain.h"
#include "pair.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/loop.h"

#define PAUSE_WAY (2 * (72 * 80 + PAIR_DELAY))

// From 1 to 20 us, 200 quanta: XOFF at 1 us and every 512 ns from then on, 37 times; XON at 20.
static void
test_a_storm_from_beginning_to_end(void **state)
{
	const struct storm_config storm = {
		.from = 1 * PS_PER_US, .to = 20 * PS_PER_US, .priorities = 1 << 3 | 1 << 5};
	const struct port *a, *b;
	struct pair w;
	uint32_t qpn;

	(void)state;
	pair_init(&w, 1);
	w.profile.quanta = 200;
	w.profile.refresh = 512 * PS_PER_NS;
	pair_start(&w);
	assert_int_equal(nic_misbehave(w.nics[B], NULL, &storm), 0);
	qpn = pair_add_flow(
		&w, (struct nic_flow){.path_mtu = 4096, .bytes = 4096, .start = 5 * PS_PER_US});
	a = &w.nodes[A]->ports[0];
	b = &w.nodes[B]->ports[0];
	pair_pass(&w, 20 * PS_PER_US);
	assert_int_equal(b->pfc_tx[3], 1 + 37);
	pair_pass(&w, 30 * PS_PER_US);
	for (unsigned int priority = 0; priority < PRIORITIES; priority++) {
		bool in_it = priority == 3 || priority == 5;

		assert_int_equal(b->pfc_tx[priority], in_it ? 1 + 37 + 1 : 0);
		assert_int_equal(a->rx_pause[priority].total, in_it ? 19 * PS_PER_US : 0);
	}
	assert_int_equal(a->rx_pause[3].last_end, 20 * PS_PER_US + PAUSE_WAY);
	// The flow of 5 us starts when the storm is over, and takes what it takes alone.
	assert_int_equal(pair_result(&w, qpn).completed, 20 * PS_PER_US + PAUSE_WAY + 4680960);
	pair_stop(&w);
}

// A priority is paused as long as there is a reason, and a frame goes only
// for what changes.
static void
test_reasons_add_up(void **state)
{
	struct port_profile profile = {.byte_time = time_byte_time(UINT64_C(100000000000)),
				       .quanta = 1000,
				       .refresh = 2560 * PS_PER_NS,
				       .quantum_time = time_byte_time(UINT64_C(100000000000)) * 64};
	struct port_tables ports = {.profile = &profile, .tenant = TENANT_NONE};
	struct tables tables = {
		.cell = 1, .cell_magic = UINT64_C(1) << 32, .ports = &ports, .port_count = 1};
	struct packet_pool *packets;
	struct node *n;
	struct port *p;
	struct wire *wire;
	struct xoff x;

	(void)state;
	assert_int_equal(packet_pool_create(&packets, 256), 0);
	assert_int_equal(node_create(&n, NODE_NIC, 1, 0, 1, packets), 0);
	assert_int_equal(wire_create(&wire, PAIR_DELAY, false, 0), 0);
	p = &n->ports[0];
	p->out = wire;
	node_set_tables(n, &tables);
	node_open(n, 0, 1);
	xoff_init(&x);

	xoff_want(n, p, &x, XOFF_STORM, 1 << 3, 1000);
	assert_int_equal(x.refresh_at, 1000 + 2560000);
	xoff_want(n, p, &x, XOFF_DRAIN, 1 << 3 | 1 << 4, 2000000);
	assert_int_equal(p->pfc_tx[3], 1);
	assert_int_equal(p->pfc_tx[4], 1);
	assert_int_equal(x.refresh_at, 1000 + 2560000); // all of them then
	xoff_refresh(n, p, &x, x.refresh_at);
	assert_int_equal(p->pfc_tx[3], 2);
	assert_int_equal(p->pfc_tx[4], 2);
	assert_int_equal(x.refresh_at, 1000 + 2 * 2560000);
	xoff_want(n, p, &x, XOFF_STORM, 0, 3000000); // the drain still wants it
	assert_int_equal(p->pfc_tx[3], 2);
	xoff_want(n, p, &x, XOFF_DRAIN, 1 << 4, 4000000);
	assert_int_equal(p->pfc_tx[3], 3);
	assert_int_equal(p->tx_pause[3].last_end, 4000000);
	assert_int_equal(p->tx_pause[4].last_end, PS_NEVER);
	xoff_want(n, p, &x, XOFF_DRAIN, 0, 5000000);
	assert_int_equal(p->tx_pause[4].last_end, 5000000);
	assert_int_equal(x.refresh_at, PS_NEVER);

	// 802.3x: one pause of the link, whatever the priorities.
	profile.link_pause = true;
	xoff_want(n, p, &x, XOFF_DRAIN, 1 << 4, 6000000);
	xoff_want(n, p, &x, XOFF_STORM, 1 << 3, 7000000);
	xoff_want(n, p, &x, XOFF_DRAIN, 0, 8000000);
	assert_int_equal(p->pause_tx, 1);
	xoff_want(n, p, &x, XOFF_STORM, 0, 9000000);
	assert_int_equal(p->pause_tx, 2);
	assert_int_equal(p->tx_pause[PAUSE_LINK].total, 3000000);

	while (wire_next(wire) != PS_NEVER)
		packet_free(packets, wire_take(wire));
	wire_destroy(wire);
	node_destroy(n);
	packet_pool_destroy(packets);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_storm_from_beginning_to_end),
		cmocka_unit_test(test_reasons_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
