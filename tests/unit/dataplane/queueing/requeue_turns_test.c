// SPDX-License-Identifier: BSD-3-Clause
// What waits when the maps change, where tenants take turns; what stays as it was; and changes at
// random.
#include "letters.h"

#include "dataplane/base/random.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>

// Tables in which tenants 0 and 1, of ports 0 and 1, take turns in these queues; tenant 0 has 500
// cells of each pool set aside.
static struct tables *
fair_tables(uint8_t fair)
{
	struct tables *t = harness_tables(PORTS);

	harness_profile(t)->mtu = 1500;
	harness_profile(t)->fair = fair;
	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		harness_profile(t)->tc[tc].fair = fair >> tc & 1;
	t->tenant_buffers = true;
	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	for (unsigned int i = 0; i < POOL_COUNT; i++) {
		t->tenants[0].guaranteed[i] = 500;
		t->tenants[0].share[i] =
			(struct threshold){.fixed = THRESHOLD_UNLIMITED, .down = 63};
		t->tenants[1].share[i] = t->tenants[0].share[i];
	}
	t->ports[0].tenant = 0;
	t->ports[1].tenant = 1;
	return t;
}

// From queue 1 to queue 5, either of which, or both, the tenants share by turns.
static void
expect_turns(uint8_t fair, const char *queue)
{
	struct tables *t = fair_tables(fair);
	struct harness h;
	const struct tenant_use *use;
	const struct queue *q;

	map(t, 1, 5);
	open_frozen(&h, fair_tables(fair));
	use = h.node->buffer.tenants;
	q = out_port(&h)->queues;
	hold(&h, 1, 5, "z");
	hold(&h, 0, 1, "abc");
	hold(&h, 1, 1, "mn");
	hold(&h, 2, 1, "x");
	hold(&h, 0, 1, "d");
	assert_int_equal(q[1].usage.guaranteed, BYTES); // the second would take 600
	harness_adopt(&h, t);
	expect_queue(&h, 1, "");
	expect_queue(&h, 5, queue);
	assert_int_equal(q[1].usage.guaranteed, 0);
	assert_int_equal(q[5].usage.guaranteed, BYTES);
	assert_int_equal(q[5].usage.own, 7 * BYTES);
	assert_int_equal(use[0].guarantee[POOL_EGRESS_LOSSY], BYTES);
	assert_int_equal(use[0].pool_used[POOL_EGRESS_LOSSY], 4 * BYTES);
	assert_int_equal(use[1].pool_used[POOL_EGRESS_LOSSY], 3 * BYTES);
	harness_check(&h);
	freeze(&h, 0);
	harness_run(&h, h.now + PS_PER_US);
	assert_int_equal(harness_drain(&h, OUT), 8);
	assert_int_equal(use[0].pool_used[POOL_EGRESS_LOSSY], 0);
	harness_check(&h);
	harness_close(&h);
}

// What is listed of a queue by turns: its head, then nobody's packets, then each tenant's. A turn
// of queue 1 is five packets.
static void
test_tenants_take_turns(void **state)
{
	(void)state;
	expect_turns(0, "zabcmnxd");
	expect_turns(1 << 1, "zabcdmnx");
	expect_turns(1 << 5, "zxabcdmn");
	expect_turns(1 << 1 | 1 << 5, "zxabcdmn");
}

// Tables that ask for nothing else leave every queue as it was: packets, turns, deficits, when it
// sends next.
static void
test_nothing_changes(void **state)
{
	struct harness h;
	struct tenant_queues *turns;
	struct tenant_fifo fifos[3];
	struct port before;

	(void)state;
	open_frozen(&h, fair_tables(1 << 1));
	hold(&h, 0, 1, "abc");
	hold(&h, 1, 1, "mno");
	hold(&h, 2, 1, "xyz");
	hold(&h, 0, 2, "ghi");
	freeze(&h, 0);
	harness_run(&h, h.now + 3 * harness_slot(BYTES));
	freeze(&h, 0xff);
	turns = out_port(&h)->queue_cold[1].tenants;
	before = *out_port(&h);
	memcpy(fifos, turns->fifos, sizeof(fifos));
	harness_adopt(&h, fair_tables(1 << 1));
	assert_ptr_equal(out_port(&h)->queue_cold[1].tenants, turns);
	assert_memory_equal(turns->fifos, fifos, sizeof(fifos));
	assert_memory_equal(out_port(&h)->queues, before.queues, sizeof(before.queues));
	assert_int_equal(out_port(&h)->nonempty, before.nonempty);
	assert_int_equal(out_port(&h)->dwrr_tc, before.dwrr_tc);
	assert_int_equal(out_port(&h)->next_send, before.next_send);
	freeze(&h, 0);
	harness_run(&h, h.now + PS_PER_US);
	harness_drain(&h, OUT);
	harness_check(&h);
	harness_close(&h);
}

// Maps, marks that are trusted and turns, all at random; traffic is let through in between.
static struct tables *
random_tables(struct random *r)
{
	struct tables *t = fair_tables((uint8_t)random_u32(r));
	struct port_profile *p = harness_profile(t), *own;

	for (unsigned int i = 0; i < PRIORITIES; i++)
		if (random_below(r, 2) == 0)
			map(t, i, random_below(r, PRIORITIES));
	for (unsigned int i = 0; i < 64; i++)
		if (random_below(r, 8) == 0)
			p->dscp_to_priority[i] = (uint8_t)random_below(r, PRIORITIES);
	p->strict = (uint8_t)random_u32(r);
	p->tc[random_below(r, PRIORITIES)].red = true; // the whole pipeline
	own = harness_own_profile(t, random_below(r, PORTS));
	own->trust_pcp = random_below(r, 2);
	own->trust_dscp = random_below(r, 4) != 0;
	own->pcp_first = random_below(r, 2);
	own->port_priority = (uint8_t)random_below(r, PRIORITIES);
	return t;
}

// A flow is a port, a DSCP's upper half and a PCP, or no tag: of each, packets come in by number.
#define FLOWS (3 * 8 * 9)

static void
put_some(struct harness *h, struct random *r, uint16_t sent[FLOWS])
{
	for (unsigned int i = random_below(r, 12); i != 0; i--) {
		unsigned int flow = random_below(r, FLOWS), pcp = flow / 24;
		const struct frame f = {.to = OUT,
					.bytes = 60 + random_below(r, 1400),
					.dscp = (uint8_t)(flow / 3 % 8 * 8),
					.vlan_pcp = (uint16_t)(pcp == 8 ? 0 : 8 + pcp),
					.sport = (uint16_t)(1 + flow),
					.id = ++sent[flow]};

		harness_put(h, flow % 3, harness_frame(h, &f), h->now);
	}
}

static unsigned int
take_all(struct harness *h, uint16_t seen[FLOWS])
{
	unsigned int count = 0;
	struct rte_mbuf *m;

	for (; (m = harness_take(h, OUT, NULL)) != NULL; count++) {
		const uint8_t *ip = packet_data(m) + packet_meta(m)->l3_off;
		unsigned int flow = (unsigned int)(ip[20] << 8 | ip[21]) - 1;

		assert_in_range(flow, 0, FLOWS - 1);
		assert_int_equal(ip[4] << 8 | ip[5], ++seen[flow]);
		packet_free(h->pool, m);
	}
	return count;
}

static void
test_random(void **state)
{
	struct random r = random_stream(7, 0);
	uint16_t sent[FLOWS] = {0}, seen[FLOWS] = {0};
	unsigned int taken = 0, waiting = 0;
	struct harness h;

	(void)state;
	harness_open(&h, random_tables(&r));
	for (unsigned int step = 0; step < 3000; step++) {
		put_some(&h, &r, sent);
		freeze(&h, random_below(&r, 3) == 0 ? 0 : (uint8_t)random_u32(&r));
		harness_run(&h, h.now + 1 + random_below(&r, 1000000));
		waiting += node_queued(h.node) > 10;
		if (random_below(&r, 3) == 0)
			harness_adopt(&h, random_tables(&r));
		harness_check(&h);
		taken += take_all(&h, seen);
	}
	freeze(&h, 0);
	harness_run(&h, h.now + PS_PER_MS);
	taken += take_all(&h, seen);
	assert_memory_equal(sent, seen, sizeof(sent));
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(taken, h.node->ports[OUT].tx_packets);
	assert_true(waiting > 800);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tenants_take_turns),
		cmocka_unit_test(test_nothing_changes),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
