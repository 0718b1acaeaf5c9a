// SPDX-License-Identifier: BSD-3-Clause
// The whole transmit side at random: where nothing is asked of it, it does what the plain one does,
// and whatever is asked, its books are right.
#include "red.h"

#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>

#define PORTS 4
#define OUT 1u

// An uncommon port of which nothing is asked does to the picosecond what a common one does.
static void
trace(bool uncommon, uint64_t *sum)
{
	struct tables *t = harness_tables(PORTS);
	struct random random = random_stream(5, 5);
	struct harness h;
	struct rte_mbuf *m;
	ps_t left;

	harness_profile(t)->tc[1].ecn = step(5000);
	harness_profile(t)->tc[7].red = uncommon; // without ECN it never drops
	harness_open(&h, t);
	assert_int_equal(h.node->variant & NODE_FULL, uncommon);
	for (unsigned int i = 0; i < 3000; i++) {
		const struct frame f = {.to = 3,
					.bytes = 64 + random_below(&random, 900),
					.dscp = (uint8_t)random_below(&random, 64),
					.ecn = 2,
					.id = (uint16_t)i};

		harness_put(&h, i % 3, harness_frame(&h, &f), i / 3 * UINT64_C(100000) + 1000);
		if (i % 100 == 0)
			harness_put(&h, 3,
				    harness_pfc(&h, 1 << 3, (uint16_t[PRIORITIES]){[3] = 100}),
				    i / 3 * UINT64_C(100000) + 1000);
	}
	harness_run(&h, 400 * PS_PER_US);
	*sum = 0;
	while ((m = harness_take(&h, 3, &left)) != NULL) {
		*sum = random_mix(*sum ^ left ^ (uint64_t)packet_data(m)[19] << 56 ^
				  (uint64_t)packet_data(m)[15] << 48);
		packet_free(h.pool, m);
	}
	for (unsigned int i = 0; i < 3; i++)
		harness_drain(&h, i);
	harness_check(&h);
	harness_close(&h);
}

static void
test_same_as_common(void **state)
{
	uint64_t common, uncommon;

	(void)state;
	trace(false, &common);
	trace(true, &uncommon);
	assert_int_equal(common, uncommon);
}

// Rates, turns, RED and trimming at random.
static void
random_queues(struct port_profile *p, struct random *random)
{
	static const uint64_t rates[] = {UINT64_C(1000000000), UINT64_C(20000000000),
					 UINT64_C(90000000000)};

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct rate_profile rate = {
			.byte_time = time_byte_time(rates[random_below(random, 3)])};

		rate.burst = time_of_bytes(rate.byte_time, 1514);
		if (random_below(random, 4) == 0) {
			p->tc[tc].max_rate = rate;
			p->max_rated |= (uint8_t)(1u << tc);
		}
		if (random_below(random, 4) == 0) {
			p->tc[tc].min_rate = rate;
			p->min_rated |= (uint8_t)(1u << tc);
		}
		if (random_below(random, 3) == 0)
			set_red(p, tc, random_below(random, 8000));
		if (random_below(random, 3) == 0)
			p->fair |= (uint8_t)(1u << tc);
		if (random_below(random, 8) == 0)
			p->max_rate = rate;
		p->tc[tc].quantum = tc == 6 ? 0 : 300 + random_below(random, 3000);
	}
}

static struct tables *
random_tables(struct random *random)
{
	struct tables *t = harness_tables(PORTS);

	random_queues(harness_profile(t), random);
	if (random_below(random, 2) == 0)
		t->trim = (struct trim_profile){.size = 256, .dscp = 11, .tc = 4, .eligible = 0x07};
	for (unsigned int i = 0; i < POOL_EGRESS_LOSSLESS; i++)
		t->pools[i].size = t->pools[i].shared = 60000;
	t->pools[POOL_EGRESS_LOSSY].size = t->pools[POOL_EGRESS_LOSSY].shared = 40000;
	t->tenant_count = 2;
	t->tenants = calloc(2, sizeof(*t->tenants));
	assert_non_null(t->tenants);
	t->ports[0].tenant = 0;
	t->ports[2].tenant = 1;
	return t;
}

// Of one port and class nothing overtakes but trimmed packets. Returns how many left.
static unsigned int
take_all(struct harness *h, uint16_t last[PORTS][PRIORITIES][2])
{
	struct rte_mbuf *m;
	unsigned int left = 0;

	while ((m = harness_take(h, OUT, NULL)) != NULL) {
		const struct packet_meta *meta = packet_meta(m);
		const uint8_t *data = packet_data(m);
		uint16_t id = (uint16_t)(data[18] << 8 | data[19]);
		uint16_t *seen =
			&last[meta->in_port][meta->tc][meta->flags & PACKET_TRIMMED ? 1 : 0];

		if (data[12] == 0x08) {
			assert_true((uint16_t)(id - *seen) < 0x8000 && id != *seen);
			*seen = id;
			left++;
		}
		packet_free(h->pool, m);
	}
	for (unsigned int i = 0; i < PORTS; i++)
		if (i != OUT)
			harness_drain(h, i);
	return left;
}

// Packets and pauses, frozen queues and emptied ones, and new tables.
static void
disturb(struct harness *h, struct random *random, uint16_t *sent)
{
	const uint16_t quanta[PRIORITIES] = {[3] = 300};
	struct port *out = &h->node->ports[OUT];

	for (unsigned int i = random_below(random, 40); i > 0; i--) {
		struct frame f = {.to = OUT,
				  .bytes = 64 + random_below(random, 1400),
				  .dscp = (uint8_t)(8 * random_below(random, 8)),
				  .ecn = (uint8_t)random_below(random, 4),
				  .id = ++*sent};

		harness_put(h, random_below(random, PORTS), harness_frame(h, &f), h->now + 1);
	}
	if (random_below(random, 5) == 0)
		harness_put(h, OUT, harness_pfc(h, 1 << 3, quanta), h->now + 1);
	node_set_tx_off(h->node, out, random_below(random, 6) == 0 ? 0xff : 0, h->now);
	if (random_below(random, 10) == 0)
		port_drop_queue(h->node, out, random_below(random, 8), DROP_WATCHDOG, h->now);
	if (random_below(random, 3) == 0)
		harness_adopt(h, random_tables(random));
}

// Nothing is lost or counted twice while all of it changes.
static void
test_random_changes(void **state)
{
	struct random random = random_stream(3, 1);
	uint16_t sent = 0, last[PORTS][PRIORITIES][2] = {{{0}}};
	unsigned int left = 0;
	struct harness h;

	(void)state;
	harness_open(&h, random_tables(&random));
	for (unsigned int round = 0; round < 600; round++) {
		disturb(&h, &random, &sent);
		harness_run(&h, h.now + 1 + random_below(&random, 2000000));
		harness_check(&h);
		left += take_all(&h, last);
	}
	assert_true(left > 3000);
	assert_true(harness_drops(&h, 0, DROP_RED) > 0);
	node_set_tx_off(h.node, &h.node->ports[OUT], 0, h.now);
	harness_run(&h, h.now + 20 * PS_PER_MS);
	assert_int_equal(node_queued(h.node), 0);
	assert_int_equal(h.node->ports[OUT].next_send, PS_NEVER);
	harness_check(&h);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_common),
		cmocka_unit_test(test_random_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
