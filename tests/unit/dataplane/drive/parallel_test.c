// SPDX-License-Identifier: BSD-3-Clause
// Virtual time on several threads, on nodes that pass packets around: whatever the number of
// threads and wherever nodes are placed, it is what virtual_run() makes of them.
#include "dataplane/drive/parallel.h"

#include "mesh.h"

#include <errno.h>

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
