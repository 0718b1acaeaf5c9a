// SPDX-License-Identifier: BSD-3-Clause
// Virtual time on several threads, on nodes that pass packets around: whatever the number of
// threads and wherever nodes are placed, it is what virtual_run() makes of them.
#include "dataplane/drive/parallel.h"

#include "dataplane/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Switches that are all joined to one another, and NICs with one switch each. A packet goes where
// the hash of what it has met says, until its hops are used up. Now and then one sets off a burst,
// which makes wires grow.
#define SWITCHES 6
#define NICS 14
#define NODES (SWITCHES + NICS)
#define PORTS (SWITCHES + 1 + NICS / SWITCHES)
#define WIRES (2 * (SWITCHES * SWITCHES + NICS))
#define DELAY PS_PER_US
#define HOST_DELAY (20 * PS_PER_NS)
#define PACKETS 20 // of each NIC
#define HOPS 60
#define BURST 50
#define CALLS_MAX 4096

struct content {
	uint64_t id;
	uint32_t hops;
};

struct relay {
	struct node node;
	struct port ports[PORTS];
	uint64_t digest;
	uint64_t met;
	struct {
		ps_t start, until;
	} calls[CALLS_MAX];
	uint32_t call_count;
};

struct mesh {
	struct packet_pool *pool;
	struct relay relays[NODES];
	struct node *nodes[NODES];
	struct wire *wires[WIRES];
	uint32_t wire_count;
	struct virtual_drive v;
};

static struct content *
content_of(struct rte_mbuf *m)
{
	return (struct content *)packet_data(m);
}

static struct rte_mbuf *
make_packet(struct node *n, uint64_t id, uint32_t hops)
{
	struct rte_mbuf *m = packet_alloc(n->packets);

	assert_non_null(m);
	packet_meta(m)->data_off = 0;
	*content_of(m) = (struct content){id, hops};
	return m;
}

static ps_t
send(struct relay *r, struct rte_mbuf *m, ps_t now, uint64_t hash)
{
	struct wire *w = r->ports[hash % r->node.port_count].out;
	ps_t arrival = now + w->delay + hash % 1000;

	if (wire_put(w, m, arrival) != 0)
		abort(); // in a thread that cmocka does not know
	return w->last;
}

// Takes a packet and returns when the next thing happens where it sends something.
static ps_t
meet(struct relay *r, uint32_t port, ps_t now)
{
	struct rte_mbuf *m = wire_take(r->ports[port].in);
	struct content c = *content_of(m);
	ps_t next = PS_NEVER;

	r->met++;
	r->digest = random_mix(r->digest ^ c.id ^ now << 8 ^ port);
	packet_free(r->node.packets, m);
	if (c.hops == 0)
		return PS_NEVER;
	c.id = random_mix(c.id + now);
	next = send(r, make_packet(&r->node, c.id, c.hops - 1), now, c.id >> 8);
	for (unsigned int i = 0; c.id % 97 == 0 && i < BURST; i++)
		next = time_min(next, send(r, make_packet(&r->node, c.id + i, 0), now, c.id >> 16));
	return next;
}

static ps_t
relay_advance(struct node *n, ps_t start, ps_t until)
{
	struct relay *r = (struct relay *)n;
	ps_t next = PS_NEVER;

	r->calls[r->call_count % CALLS_MAX].start = start;
	r->calls[r->call_count++ % CALLS_MAX].until = until;
	for (;;) {
		ps_t first = PS_NEVER;
		uint32_t port = 0;

		for (uint32_t k = 0; k < n->port_count; k++)
			if (wire_next(r->ports[k].in) < first)
				first = wire_next(r->ports[port = k].in);
		if (first >= until)
			return time_min(next, first);
		if (first < start)
			abort();
		next = time_min(next, meet(r, port, first));
	}
}

static const struct node_ops relay_ops = {.advance = relay_advance};

static void
join(struct mesh *m, uint32_t a, uint32_t b, ps_t delay)
{
	struct node *from = &m->relays[a].node, *to = &m->relays[b].node;
	struct wire *w;

	assert_int_equal(wire_create(&w, delay, false, 0), 0);
	m->wires[m->wire_count++] = w;
	// Both ends of a link are joined in the same order, so ports of one number are one link's.
	for (uint32_t k = 0; k < PORTS; k++)
		if (m->relays[a].ports[k].out == NULL) {
			m->relays[a].ports[k].out = w;
			from->port_count =
				(uint16_t)(k + 1 > from->port_count ? k + 1 : from->port_count);
			break;
		}
	for (uint32_t k = 0; k < PORTS; k++)
		if (m->relays[b].ports[k].in == NULL) {
			m->relays[b].ports[k].in = w;
			to->port_count =
				(uint16_t)(k + 1 > to->port_count ? k + 1 : to->port_count);
			break;
		}
}

static void
open_mesh(struct mesh *m)
{
	memset(m, 0, sizeof(*m));
	assert_int_equal(packet_pool_create(&m->pool, 128), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		m->relays[i].node = (struct node){
			.ops = &relay_ops,
			.ports = m->relays[i].ports,
			.packets = m->pool,
			.role = i < SWITCHES ? NODE_LEAF : NODE_NIC,
		};
		m->nodes[i] = &m->relays[i].node;
	}
	for (uint32_t i = 0; i < SWITCHES; i++)
		for (uint32_t k = 0; k < i; k++) {
			join(m, i, k, DELAY);
			join(m, k, i, DELAY);
		}
	for (uint32_t i = 0; i < NICS; i++) {
		join(m, SWITCHES + i, i % SWITCHES, DELAY);
		join(m, i % SWITCHES, SWITCHES + i, HOST_DELAY);
	}
	for (uint32_t i = SWITCHES; i < NODES; i++)
		for (uint32_t k = 0; k < PACKETS; k++)
			assert_int_equal(
				wire_put(m->relays[i].ports[0].out,
					 make_packet(m->nodes[i], random_mix(i * 1000 + k), HOPS),
					 k * 10000),
				0);
	assert_int_equal(virtual_init(&m->v, m->nodes, NODES, DELAY), 0);
}

static void
close_mesh(struct mesh *m)
{
	for (uint32_t i = 0; i < m->wire_count; i++) {
		while (wire_count(m->wires[i]) != 0)
			packet_free(m->pool, wire_take(m->wires[i]));
		assert_false(m->wires[i]->grown);
		assert_ptr_equal(m->wires[i]->visible, &m->wires[i]->tail);
		wire_destroy(m->wires[i]);
	}
	for (uint32_t i = 0; i < NODES; i++)
		assert_ptr_equal(m->relays[i].node.packets, m->pool);
	assert_int_equal(m->pool->count, packet_pool_size(m->pool)); // none has gone astray
	packet_pool_destroy(m->pool);
}

static void
expect_same(const struct mesh *got, const struct mesh *want)
{
	assert_int_equal(got->v.windows, want->v.windows);
	assert_int_equal(got->v.now, want->v.now);
	assert_int_equal(got->v.next, want->v.next);
	for (uint32_t i = 0; i < NODES; i++) {
		const struct relay *a = &got->relays[i], *b = &want->relays[i];

		assert_int_equal(a->met, b->met);
		assert_int_equal(a->digest, b->digest);
		assert_int_equal(a->call_count, b->call_count);
		assert_memory_equal(a->calls, b->calls, sizeof(a->calls));
	}
}

static struct mesh one, many;

static void
test_refuses(void **state)
{
	uint16_t places[NODES] = {[3] = 2};
	struct parallel *p = NULL;

	(void)state;
	open_mesh(&one);
	assert_int_equal(parallel_create(&p, &one.v, 0, NULL, one.pool), -EINVAL);
	assert_int_equal(parallel_create(&p, &one.v, PARALLEL_THREADS_MAX + 1, NULL, one.pool),
			 -EINVAL);
	assert_int_equal(parallel_create(&p, &one.v, 2, places, one.pool), -EINVAL);
	assert_null(p);
	parallel_destroy(NULL);
	close_mesh(&one);
	assert_in_range(parallel_cores(), 1, 100000);
}

// The same windows, the same packets at the same instants, for any number of threads.
static void
test_same_result(void **state)
{
	const uint32_t counts[] = {1, 2, 3, 4, 8, 40};
	uint32_t grown = 0;

	(void)state;
	open_mesh(&one);
	virtual_run(&one.v, PS_PER_S);
	assert_int_equal(one.v.next, PS_NEVER);
	for (uint32_t i = 0; i < SWITCHES * (SWITCHES - 1); i++)
		grown += one.wires[i]->mask > 63;
	assert_true(grown > SWITCHES && one.v.windows > 50);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (uint64_t visit_seed = 0; visit_seed < 3; visit_seed++) {
			struct parallel *p;

			open_mesh(&many);
			many.v.visit_seed = visit_seed;
			assert_int_equal(parallel_create(&p, &many.v, counts[i], NULL, many.pool),
					 0);
			parallel_run(p, PS_PER_S);
			parallel_destroy(p);
			expect_same(&many, &one);
			close_mesh(&many);
		}
	close_mesh(&one);
}

// Threads may have no nodes of their own, or nearly all. Every unit is run once.
static void
test_places(void **state)
{
	(void)state;
	open_mesh(&one);
	virtual_run(&one.v, PS_PER_S);
	for (unsigned int seed = 0; seed < 8; seed++) {
		struct random random = random_stream(seed, 0);
		struct parallel_work work;
		uint16_t places[NODES];
		uint64_t units = 0;
		struct parallel *p;

		for (unsigned int i = 0; i < NODES; i++)
			places[i] = (uint16_t)(seed < 3 ? seed : random_below(&random, 3));
		open_mesh(&many);
		assert_int_equal(parallel_create(&p, &many.v, 3, places, many.pool), 0);
		parallel_measure(p);
		parallel_run(p, PS_PER_S);
		for (unsigned int i = 0; i < 3; i++) {
			parallel_read_work(p, i, &work);
			assert_true(work.helped <= work.units && work.busy_s <= work.cpu_s);
			units += work.units;
		}
		assert_in_range(units, many.v.windows * (SWITCHES + 1), many.v.windows * NODES);
		parallel_destroy(p);
		expect_same(&many, &one);
		close_mesh(&many);
	}
	close_mesh(&one);
}

// A run in many stretches, between which the caller puts packets on wires.
static void
run_stretches(struct mesh *m, struct parallel *p)
{
	for (ps_t until = 0; until < 150 * PS_PER_US; until += 700 * PS_PER_NS) {
		struct node *n = &m->relays[SWITCHES + until / 1000 % NICS].node;

		assert_int_equal(wire_put(n->ports[0].out, make_packet(n, until, 5), until + DELAY),
				 0);
		virtual_wake(&m->v);
		if (p != NULL)
			parallel_run(p, until + 700 * PS_PER_NS);
		else
			virtual_run(&m->v, until + 700 * PS_PER_NS);
	}
}

static void
test_stretches(void **state)
{
	(void)state;
	open_mesh(&one);
	run_stretches(&one, NULL);
	for (uint32_t threads = 1; threads <= 8; threads *= 2) {
		struct parallel *p;

		open_mesh(&many);
		assert_int_equal(parallel_create(&p, &many.v, threads, NULL, many.pool), 0);
		run_stretches(&many, p);
		parallel_destroy(p);
		expect_same(&many, &one);
		// As if there had never been threads.
		virtual_run(&many.v, PS_PER_S);
		close_mesh(&many);
	}
	close_mesh(&one);
}

// Nothing happens, or there is nothing that could.
static void
test_nothing_to_do(void **state)
{
	struct virtual_drive empty;
	struct parallel *p;

	(void)state;
	assert_int_equal(virtual_init(&empty, NULL, 0, DELAY), 0);
	open_mesh(&one);
	assert_int_equal(parallel_create(&p, &empty, 3, NULL, one.pool), 0);
	parallel_run(p, PS_PER_S);
	assert_int_equal(empty.next, PS_NEVER);
	assert_int_equal(empty.windows, 1);
	parallel_run(p, 2 * PS_PER_S);
	assert_int_equal(empty.windows, 1);
	parallel_destroy(p);
	close_mesh(&one);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses),       cmocka_unit_test(test_same_result),
		cmocka_unit_test(test_places),        cmocka_unit_test(test_stretches),
		cmocka_unit_test(test_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
