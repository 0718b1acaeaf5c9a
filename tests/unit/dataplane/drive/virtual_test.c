// SPDX-License-Identifier: BSD-3-Clause
// Windows of virtual time: first on nodes that only write down when they are run, then on a ring of
// leaves.
#include "dataplane/drive/virtual.h"

#include "dataplane/base/roce_headers.h"
#include "../harness.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 4
#define CALLS_MAX 64

// A node of given events, ascending, the last of them PS_NEVER.
struct scripted {
	struct node node;
	ps_t events[EVENTS_MAX + 1];
	unsigned int taken;
};

static struct call {
	ps_t start, until;
} calls[CALLS_MAX];
static unsigned int call_count;
static ps_t call_window; // no call may be longer

static ps_t
scripted_advance(struct node *n, ps_t start, ps_t until)
{
	struct scripted *s = (struct scripted *)n;

	assert_true(start < until && until - start <= call_window);
	assert_int_equal(start / TIME_WINDOW_MAX, (until - 1) / TIME_WINDOW_MAX);
	assert_true(s->events[s->taken] >= start); // nothing was jumped over
	while (s->events[s->taken] < until)
		s->taken++;
	assert_in_range(call_count, 0, CALLS_MAX - 1);
	calls[call_count++] = (struct call){start, until};
	return s->events[s->taken];
}

static const struct node_ops scripted_ops = {.advance = scripted_advance};

static void
expect_calls(unsigned int count, const struct call *want)
{
	assert_int_equal(call_count, count);
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(calls[i].start, want[i].start);
		assert_int_equal(calls[i].until, want[i].until);
	}
}

static void
start_scripted(struct virtual_drive *v, struct node **nodes, unsigned int count, ps_t window)
{
	call_count = 0;
	call_window = time_min(window, TIME_WINDOW_MAX);
	assert_int_equal(virtual_init(v, nodes, count, window), 0);
}

static void
test_no_window(void **state)
{
	struct virtual_drive v;

	(void)state;
	assert_int_equal(virtual_init(&v, NULL, 0, 0), -EINVAL);
}

// What NICs have from switches within a window is there because they run last.
static void
test_switches_come_before_nics(void **state)
{
	struct node leaf = {.role = NODE_LEAF}, spine = {.role = NODE_SPINE};
	struct node nic = {.role = NODE_NIC};
	struct node *right[] = {&leaf, &spine, &nic}, *wrong[] = {&leaf, &nic, &spine};
	struct virtual_drive v;

	(void)state;
	assert_int_equal(virtual_init(&v, right, 3, 1), 0);
	assert_int_equal(v.switch_count, 2);
	assert_int_equal(virtual_init(&v, wrong, 3, 1), -EINVAL);
}

// Between events the clock jumps: one window each, from the event on; the first at 0, where nothing
// is known yet. Drained, nothing is ever next, and now is where the last window ended.
static void
test_skips_empty_windows(void **state)
{
	struct scripted s = {
		.node = {.ops = &scripted_ops},
		.events = {10 * PS_PER_US + 7, 10 * PS_PER_US + 9, PS_PER_S, PS_NEVER}};
	struct node *nodes[] = {&s.node};
	const struct call want[] = {
		{0, PS_PER_US},
		{10 * PS_PER_US + 7, 11 * PS_PER_US + 7},
		{PS_PER_S, PS_PER_S + PS_PER_US},
	};
	struct virtual_drive v;

	(void)state;
	start_scripted(&v, nodes, 1, PS_PER_US);
	virtual_run(&v, 100 * PS_PER_S);
	expect_calls(3, want);
	assert_int_equal(s.taken, 3);
	assert_int_equal(v.windows, 3);
	assert_int_equal(v.next, PS_NEVER);
	assert_int_equal(v.now, PS_PER_S + PS_PER_US);
	virtual_run(&v, 200 * PS_PER_S); // no more
	expect_calls(3, want);
}

// What happens at the earliest of several nodes opens the window, and all run through it.
static void
test_earliest_node(void **state)
{
	struct scripted a = {.node = {.ops = &scripted_ops}, .events = {20 * PS_PER_US, PS_NEVER}};
	struct scripted b = {.node = {.ops = &scripted_ops},
			     .events = {20 * PS_PER_US - 5, PS_NEVER}};
	struct node *nodes[] = {&a.node, &b.node};
	const struct call want[] = {
		{0, PS_PER_US},
		{0, PS_PER_US},
		{20 * PS_PER_US - 5, 20 * PS_PER_US}, // cut at the multiple of 4 us
		{20 * PS_PER_US - 5, 20 * PS_PER_US},
		{20 * PS_PER_US, 21 * PS_PER_US},
		{20 * PS_PER_US, 21 * PS_PER_US},
	};
	struct virtual_drive v;

	(void)state;
	start_scripted(&v, nodes, 2, PS_PER_US);
	virtual_run(&v, PS_PER_MS);
	expect_calls(6, want);
	assert_int_equal(v.next, PS_NEVER);
}

// Windows of 3 us, and of more than 4, end at a multiple of 4 us at the latest; one that begins
// right before it is that short.
static void
test_never_crosses_4_us(void **state)
{
	(void)state;
	for (ps_t window = 3 * PS_PER_US; window <= 9 * PS_PER_US; window += 3 * PS_PER_US) {
		struct scripted s = {
			.node = {.ops = &scripted_ops},
			.events = {3 * PS_PER_US, 4 * PS_PER_US - 1, 7 * PS_PER_US, PS_NEVER}};
		struct node *nodes[] = {&s.node};
		struct virtual_drive v;

		start_scripted(&v, nodes, 1, window);
		virtual_run(&v, PS_PER_S);
		if (window == 3 * PS_PER_US)
			expect_calls(3, (struct call[]){{0, 3 * PS_PER_US},
							{3 * PS_PER_US, 4 * PS_PER_US},
							{7 * PS_PER_US, 8 * PS_PER_US}});
		else
			expect_calls(2, (struct call[]){{0, 4 * PS_PER_US},
							{7 * PS_PER_US, 8 * PS_PER_US}});
		assert_int_equal(s.taken, 3);
	}
}

// A run ends where it was told to, before that instant's events; then they come first. The clock
// stands there even when nothing happened for long.
static void
test_until(void **state)
{
	struct scripted s = {.node = {.ops = &scripted_ops},
			     .events = {500, 5000, PS_PER_S, PS_NEVER}};
	struct node *nodes[] = {&s.node};
	struct virtual_drive v;

	(void)state;
	start_scripted(&v, nodes, 1, PS_PER_US);
	virtual_run(&v, 5000);
	assert_int_equal(s.taken, 1);
	assert_int_equal(v.now, 5000);
	assert_int_equal(v.next, 5000);
	virtual_run(&v, 5001);
	assert_int_equal(s.taken, 2);
	virtual_run(&v, PS_PER_MS);
	assert_int_equal(v.now, PS_PER_MS);
	assert_int_equal(v.next, PS_PER_S);
	virtual_wake(&v); // the caller has changed something
	virtual_run(&v, PS_PER_MS + 1);
	expect_calls(3, (struct call[]){{0, 5000}, {5000, 5001}, {PS_PER_MS, PS_PER_MS + 1}});
}

// Leaves in a ring: port 1 of each leads to port 0 of the next and back; ports 2 and 3 are for
// hosts. Packets for 10.0.1.0/24 go around until their TTL runs out, those for 10.2.0.0/16
// adaptively around or to a host.
#define LEAVES 3
#define PORTS 4
#define HOST_PACKETS 150
#define DELAY PS_PER_US

struct ring {
	struct packet_pool *pool;
	struct tables *tables[LEAVES];
	struct node *leaves[LEAVES];
	struct node *visited[LEAVES]; // in whatever order
	struct wire *in[LEAVES][PORTS];
};

static struct tables *
ring_tables(unsigned int leaf)
{
	struct tables *t = harness_tables(PORTS);

	for (unsigned int i = 0; i < PORTS; i++)
		t->ports[i].mac[4] = (uint8_t)leaf;
	for (unsigned int i = 0; i < t->next_hop_count; i++) {
		unsigned int port = t->next_hops[i].port;
		unsigned int next = port == 0 ? leaf + LEAVES - 1 : leaf + 1;

		if (port < 2)
			memcpy(t->next_hops[i].mac,
			       (uint8_t[]){2, 0, 0, 0, (uint8_t)(next % LEAVES), 1}, 6);
	}
	// Little room, so that packets are lost, marked and paused for.
	harness_profile(t)->tc[0].threshold =
		(struct threshold){.fixed = 5000, .down = 63, .pool = POOL_EGRESS_LOSSY};
	harness_profile(t)->pg[3].threshold = (struct threshold){.fixed = 1000, .down = 63};
	harness_profile(t)->tc[0].ecn = (struct ecn_profile){
		.enabled = true, .cell = 1, .max = 4000, .slope = (UINT64_C(1) << 56) / 4000};
	return t;
}

// Where a leaf's port sends to: a port's wire in, or, behind a host's port, a sink that nobody
// reads.
static void
ring_connect(struct ring *r, struct wire *sinks[LEAVES][PORTS])
{
	for (unsigned int i = 0; i < LEAVES; i++) {
		for (unsigned int k = 0; k < PORTS; k++) {
			assert_int_equal(wire_create(&r->in[i][k], DELAY, false, 0), 0);
			assert_int_equal(wire_create(&sinks[i][k], DELAY, false, 0), 0);
		}
	}
	for (unsigned int i = 0; i < LEAVES; i++) {
		for (unsigned int k = 0; k < PORTS; k++) {
			r->leaves[i]->ports[k].in = r->in[i][k];
			r->leaves[i]->ports[k].out = sinks[i][k];
		}
		r->leaves[i]->ports[0].out = r->in[(i + LEAVES - 1) % LEAVES][1];
		r->leaves[i]->ports[1].out = r->in[(i + 1) % LEAVES][0];
	}
}

// The same packets for every ring: lossless ones to the leaf's own hosts, others anywhere.
static void
ring_offer(struct ring *r, unsigned int leaf, unsigned int port)
{
	struct random random = random_stream(7, leaf * PORTS + port);
	ps_t at = 0;

	for (unsigned int i = 0; i < HOST_PACKETS; i++) {
		const bool lossless = random_below(&random, 4) == 0;
		const struct frame f = {
			.to = lossless ? 2 : 1 + random_below(&random, 3),
			.second = (uint8_t)(lossless ? 0 : random_below(&random, 2) * 2),
			.bytes = 100 + random_below(&random, 900),
			.dscp = lossless ? 24 : 0,
			.ecn = 2,
			.ttl = (uint8_t)(2 + random_below(&random, 8)),
			.dport = ROCE_UDP_PORT,
			.opcode = ROCE_OP_WRITE_MIDDLE,
			.id = (uint16_t)i,
		};
		struct harness h = {.pool = r->pool};
		struct rte_mbuf *m = harness_frame(&h, &f);

		packet_data(m)[4] = (uint8_t)leaf; // the leaf's MAC
		at += random_below(&random, 60000);
		assert_int_equal(wire_put(r->in[leaf][port], m, at), 0);
	}
}

static void
digest_add(uint64_t *digest, const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		*digest = random_mix(*digest ^ ((const uint8_t *)data)[i]);
}

// All that a port counted, and what left towards a host: when, and every byte.
static void
ring_digest(struct ring *r, struct port *p, struct wire *sink, uint64_t *digest)
{
	digest_add(digest, &p->rx_packets, sizeof(uint64_t));
	digest_add(digest, &p->tx_packets, sizeof(uint64_t));
	digest_add(digest, &p->tx_bytes, sizeof(uint64_t));
	digest_add(digest, p->drops, sizeof(p->drops));
	digest_add(digest, p->pfc_tx, sizeof(p->pfc_tx));
	for (unsigned int i = 0; i < PRIORITIES; i++)
		digest_add(digest, &p->queues[i].depth_max, sizeof(uint32_t));
	while (wire_count(sink) != 0) {
		ps_t at = wire_next(sink);
		struct rte_mbuf *m = wire_take(sink);

		digest_add(digest, &at, sizeof(at));
		digest_add(digest, packet_data(m), packet_meta(m)->data_len);
		packet_free(r->pool, m);
	}
}

struct outcome {
	uint64_t digest;
	uint64_t windows;
	uint64_t drops[DROP_COUNT];
	uint64_t pfc, marked;
};

static struct outcome
ring_run(uint64_t seed, ps_t window, uint64_t visit_seed)
{
	struct outcome o = {0};
	struct wire *sinks[LEAVES][PORTS];
	struct virtual_drive v;
	struct ring r;

	assert_int_equal(packet_pool_create(&r.pool, 2048), 0);
	for (unsigned int i = 0; i < LEAVES; i++) {
		r.tables[i] = ring_tables(i);
		assert_int_equal(node_create(&r.leaves[i], NODE_LEAF, PORTS, i, seed, r.pool), 0);
		r.visited[i] = r.leaves[i];
		r.leaves[i]->ops = &pipeline_leaf;
		node_set_tables(r.leaves[i], r.tables[i]);
	}
	ring_connect(&r, sinks);
	for (unsigned int i = 0; i < LEAVES; i++)
		for (unsigned int k = 2; k < PORTS; k++)
			ring_offer(&r, i, k);
	assert_int_equal(virtual_init(&v, r.visited, LEAVES, window), 0);
	v.visit_seed = visit_seed;
	virtual_run(&v, PS_PER_S);
	assert_int_equal(v.next, PS_NEVER);
	o.windows = v.windows;
	for (unsigned int i = 0; i < LEAVES; i++) {
		assert_int_equal(node_queued(r.leaves[i]), 0);
		for (unsigned int k = 0; k < PORTS; k++) {
			struct port *p = &r.leaves[i]->ports[k];

			for (unsigned int d = 0; d < DROP_COUNT; d++)
				o.drops[d] += p->drops[d];
			o.pfc += p->pfc_tx[3];
			o.marked += p->queues[0].ecn_marked;
			ring_digest(&r, p, sinks[i][k], &o.digest);
		}
		for (unsigned int k = 0; k < PORTS; k++) {
			assert_int_equal(wire_count(r.in[i][k]), 0);
			wire_destroy(r.in[i][k]);
			wire_destroy(sinks[i][k]);
		}
		node_destroy(r.leaves[i]);
		tables_destroy(r.tables[i]);
	}
	assert_int_equal(r.pool->count, packet_pool_size(r.pool));
	packet_pool_destroy(r.pool);
	return o;
}

static void
test_same_result(void **state)
{
	const struct outcome first = ring_run(1, DELAY, 0), other = ring_run(2, DELAY, 0);
	const ps_t windows[] = {DELAY, DELAY / 2, DELAY / 7, 99991};

	(void)state;
	// There was something to get wrong.
	assert_true(first.drops[DROP_TTL_EXPIRED] > 0 && first.drops[DROP_EGRESS_POOL] > 0);
	assert_true(first.pfc > 0 && first.marked > 0);
	assert_int_not_equal(first.digest, other.digest);
	for (unsigned int i = 0; i < 4; i++)
		for (uint64_t visit_seed = 0; visit_seed < 5; visit_seed++) {
			const struct outcome o = ring_run(1, windows[i], visit_seed);

			assert_int_equal(o.digest, first.digest);
			if (i > 0)
				assert_true(o.windows > first.windows);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_window),
		cmocka_unit_test(test_switches_come_before_nics),
		cmocka_unit_test(test_skips_empty_windows),
		cmocka_unit_test(test_earliest_node),
		cmocka_unit_test(test_never_crosses_4_us),
		cmocka_unit_test(test_until),
		cmocka_unit_test(test_same_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
