// SPDX-License-Identifier: BSD-3-Clause
// Virtual time over several ranks, each with some of the nodes: the nodes meet the same packets at
// the same instants as in one process, with threads inside the ranks and without.
#include "dataplane/drive/cut.h"

#include "dataplane/drive/parallel.h"
#include "mesh.h"
#include "tests/unit/socket_ranks.h"

#include <errno.h>

static struct mesh one, part;

static uint32_t
owner(uint32_t node, uint32_t ranks)
{
	return (node < SWITCHES ? node : (node - SWITCHES) % SWITCHES) * ranks / SWITCHES;
}

// Leaves a rank its own nodes, and cuts the wires to and from others.
static struct cut *
take_part(struct mesh *m, struct ranks *r)
{
	struct cut *c;
	uint32_t count = 0;

	for (uint32_t i = 0; i < NODES; i++)
		if (owner(i, r->count) == r->index)
			m->nodes[count++] = &m->relays[i].node;
	assert_int_equal(virtual_init(&m->v, m->nodes, count, DELAY), 0);
	assert_int_equal(cut_create(&c, r, NODES, m->wire_count, m->pool), 0);
	for (uint32_t i = 0; i < SWITCHES; i++)
		for (uint32_t w = 0; w < m->wire_count; w++) {
			uint32_t from = owner(m->from[w], r->count), to = owner(m->to[w], r->count);

			if (m->from[w] != i || from == to)
				continue;
			m->wires[w]->cut = from == r->index || to == r->index;
			if (from == r->index)
				assert_int_equal(
					cut_add_out(c, i, &(struct cut_wire){m->wires[w], w, to}),
					0);
			if (to == r->index)
				cut_add_in(c, w, m->wires[w]);
		}
	m->v.cut = c;
	return c;
}

struct seen {
	uint64_t met, digest;
};

// Rank 0 has what it wants of all; the others send it theirs.
static void
compare(struct ranks *r, const struct mesh *got, const struct mesh *want)
{
	for (uint32_t i = 0; i < NODES; i++) {
		const struct relay *relay = &got->relays[i];
		uint32_t rank = owner(i, r->count);
		struct seen seen = {relay->met, relay->digest};
		struct ranks_bytes in = {0};

		if (rank != 0 && rank == r->index)
			assert_int_equal(r->ops->send(r, 0, &seen, sizeof(seen)), 0);
		if (r->index != 0)
			continue;
		if (rank != 0) {
			assert_int_equal(r->ops->receive(r, rank, &in), 0);
			assert_int_equal(in.count, sizeof(seen));
			memcpy(&seen, in.data, sizeof(seen));
			free(in.data);
		}
		assert_int_equal(seen.met, want->relays[i].met);
		assert_int_equal(seen.digest, want->relays[i].digest);
	}
	assert_int_equal(got->v.windows, want->v.windows);
	assert_int_equal(got->v.now, want->v.now);
	assert_int_equal(got->v.next, want->v.next);
}

static int
run_part(struct ranks *r, void *context)
{
	uint32_t threads = *(const uint32_t *)context;
	struct parallel *p;
	struct cut *c;

	open_mesh(&part);
	c = take_part(&part, r);
	if (threads == 0) {
		virtual_run(&part.v, 30 * PS_PER_US);
		virtual_run(&part.v, PS_PER_S);
	} else {
		assert_int_equal(parallel_create(&p, &part.v, threads, NULL, part.pool), 0);
		parallel_run(p, 30 * PS_PER_US);
		parallel_run(p, PS_PER_S);
		parallel_destroy(p);
	}
	assert_int_equal(part.v.error, 0);
	compare(r, &part, &one);
	cut_destroy(c);
	close_mesh(&part); // where every packet has come back
	return 0;
}

static void
test_same_result(void **state)
{
	const uint32_t counts[] = {1, 2, 3, 6, 8};

	(void)state;
	open_mesh(&one);
	virtual_run(&one.v, 30 * PS_PER_US);
	virtual_run(&one.v, PS_PER_S);
	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		for (uint32_t threads = 0; threads <= 3; threads++)
			assert_int_equal(socket_ranks_run(counts[i], run_part, &threads), 0);
	close_mesh(&one);
}

// ---- what makes no sense ------------------------------------------------------------------------

struct message {
	ps_t next;
	uint32_t number, count;
	ps_t arrival;
	struct packet_meta meta;
	uint8_t data[64];
};

// A rank whose peer sends what the test says.
static const struct message *sent;
static size_t sent_bytes;

static int
say(struct ranks *r, const struct ranks_bytes *out, struct ranks_bytes *in)
{
	(void)r;
	(void)out;
	assert_int_equal(ranks_bytes_reserve(&in[1], sent_bytes + 1), 0);
	memcpy(in[1].data, sent, sent_bytes);
	in[1].count = sent_bytes;
	return 0;
}

static void
test_refuses(void **state)
{
	static const struct ranks_ops ops = {.exchange = say};
	struct ranks ranks = {.ops = &ops, .count = 2};
	struct message right = {.next = 7, .number = 1, .count = 1, .arrival = 9}, wrong;
	const size_t all = sizeof(right);
	struct packet_pool *pool;
	struct wire *w;
	struct cut *c;
	ps_t next = PS_NEVER;

	(void)state;
	right.meta.data_len = sizeof(right.data);
	right.data[5] = 42;
	assert_int_equal(packet_pool_create(&pool, 128), 0);
	assert_int_equal(wire_create(&w, 1, false, 0), 0);
	assert_int_equal(cut_create(&c, &ranks, 1, 2, pool), 0);
	cut_add_in(c, 1, w);
	sent = &right;
	sent_bytes = all;
	assert_int_equal(cut_exchange(c, &next, pool), 0);
	assert_int_equal(next, 7);
	assert_int_equal(wire_next(w), 9);
	packet_free(pool, w->slots[w->head & w->mask].packet);
	assert_int_equal(packet_data(wire_take(w))[5], 42);
	for (sent_bytes = 0; sent_bytes < all; sent_bytes++)
		if (sent_bytes != sizeof(ps_t)) // the head alone is fine
			assert_int_equal(cut_exchange(c, &next, pool), -EPROTO);
	sent = &wrong;
	sent_bytes = all;
	for (unsigned int i = 0; i < 5; i++) {
		wrong = right;
		wrong.number = i == 0 ? 0 : i == 1 ? 2 : 1; // no wire that ends here
		wrong.count += i == 2;
		wrong.meta.data_len += i == 3 ? 8 : 0;
		wrong.meta.data_off = i == 4 ? 65 : 0;
		assert_int_equal(cut_exchange(c, &next, pool), -EPROTO);
	}
	while (wire_count(w) != 0)
		packet_free(pool, wire_take(w));
	wire_destroy(w);
	cut_destroy(c);
	packet_pool_destroy(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_result),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
