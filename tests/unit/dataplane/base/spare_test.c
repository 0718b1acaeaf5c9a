// SPDX-License-Identifier: BSD-3-Clause
// A worker that adopts tables finds all the memory it needs, whatever changes from one set of
// tables to the next, and nothing is kept that neither needs.
#include "tests/unit/dataplane/harness.h"

#include "dataplane/base/random.h"
#include "dataplane/base/spare.h"
#include "dataplane/node/adopt.h"

#include <stdlib.h>
#include <string.h>

#define PORTS 5
#define ROUNDS 400

static uint32_t
draw(struct random *r, uint32_t below)
{
	return random_below(r, below);
}

// Tables that differ from others in everything that takes memory.
static struct tables *
draw_tables(struct random *r)
{
	struct tables *t = harness_tables(PORTS);
	const uint32_t count = draw(r, 4);

	t->tenant_count = (uint16_t)draw(r, 6);
	t->tenants = calloc(t->tenant_count + 1u, sizeof(*t->tenants));
	harness_profile(t)->fair = draw(r, 2) ? (uint8_t)draw(r, 256) : 0;
	t->flowlets = draw(r, 2);
	t->utilisation = draw(r, 2);
	t->notices.on = draw(r, 2);
	t->histograms = calloc(count + 1u, sizeof(*t->histograms));
	t->histogram_count = (uint16_t)count;
	for (uint32_t i = 0; i < count; i++)
		t->histograms[i] = (struct histogram_profile){.kind = HISTOGRAM_QUEUE,
							      .bins = 4,
							      .width = 100,
							      .sample = PS_PER_US,
							      .port = (uint16_t)i};
	return t;
}

static uint32_t
length_of(struct spares *s)
{
	return (s->left != NULL) + (s->taken != NULL);
}

static void
test_all_is_there(void **state)
{
	struct random r = random_stream(1, 1);
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		for (unsigned int k = draw(&r, 20); k > 0; k--)
			harness_put(
				&h, 0,
				harness_frame(&h, &(struct frame){.to = draw(&r, PORTS),
								  .second = (uint8_t)draw(&r, 3)}),
				h.now + 1);
		harness_adopt(&h, draw_tables(&r));
		harness_run(&h, h.now + PS_PER_US);
		assert_int_equal(h.node->spares.missed, 0);
		assert_int_equal(length_of(&h.node->spares), 0);
		for (unsigned int port = 0; port < PORTS; port++)
			harness_drain(&h, port);
	}
	harness_close(&h);
}

// Tables that replace others before the node has seen those.
static void
test_tables_passed_over(void **state)
{
	struct random r = random_stream(1, 2);
	struct tables *old;
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		old = h.tables;
		for (unsigned int k = 0; k < 3; k++) {
			struct tables *t = draw_tables(&r);

			node_set_tables(h.node, t);
			if (h.tables != old)
				tables_destroy(h.tables);
			h.tables = t;
		}
		harness_run(&h, h.now + PS_PER_US);
		tables_destroy(old);
		assert_int_equal(length_of(&h.node->spares), 0);
	}
	harness_close(&h);
}

static void
test_blocks(void **state)
{
	struct harness h;
	uint8_t *one, *two;

	(void)state;
	harness_open(&h, harness_tables(PORTS));
	spare_leave(&h.node->spares, 1);
	spare_leave(&h.node->spares, 1000);
	spare_begin(&h.node->spares);
	one = spare_take(&h.node->spares, 900);
	two = spare_take(&h.node->spares, 64);
	assert_int_equal((uintptr_t)one % 64, 0);
	for (unsigned int i = 0; i < 900; i++)
		assert_int_equal(one[i], 0);
	memset(one, 1, 900);
	memset(two, 1, 64);
	assert_int_equal(h.node->spares.missed, 0);
	spare_return(&h.node->spares, one);
	spare_return(&h.node->spares, NULL);
	spare_free_returned(&h.node->spares);
	spare_free(two);
	assert_non_null(one = spare_take(&h.node->spares, 1));
	assert_int_equal(h.node->spares.missed, 1);
	spare_return(&h.node->spares, one);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_there),
		cmocka_unit_test(test_tables_passed_over),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
