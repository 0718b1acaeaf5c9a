// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs of operations: what is kept, whose rank does what, and circles.

#include "control/model/workload/graph_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint32_t
add(struct graph *g, enum config_work_kind kind)
{
	return graph_add(g, &(struct graph_operation){.name = "x", .kind = kind, .priority = -1});
}

static void
test_copies(void **state)
{
	struct graph *g = graph_create(2);
	uint64_t bytes[4] = {0, 5, 7, 0};
	char name[] = "first";

	(void)state;
	assert_int_equal(
		graph_add(g, &(struct graph_operation){.name = name, .label = name, .group = name}),
		0);
	graph_add_member(g, 0, NULL, 0);
	graph_add_member(g, 1, (const uint32_t[]){3, 4}, 2);
	graph_add_parts(g, bytes);
	memset(name, 'x', sizeof(name) - 1);
	memset(bytes, 0, sizeof(bytes));
	assert_string_equal(g->nodes[0].operation.name, "first");
	assert_string_equal(g->nodes[0].operation.label, "first");
	assert_string_equal(g->nodes[0].operation.group, "first");
	assert_int_equal(g->nodes[0].pair_bytes[1], 5);
	assert_int_equal(g->nodes[0].pair_bytes[2], 7);
	assert_int_equal(g->members[1].after_count, 2);
	assert_int_equal(g->afters[g->members[1].first_after + 1], 4);
	graph_destroy(g);
	graph_destroy(NULL);
}

static void
test_ranks(void **state)
{
	struct graph *g = graph_create(3);
	struct graph_order *o;

	(void)state;
	for (uint32_t n = 0; n < 4; n++) {
		add(g, CONFIG_WORK_ALL_REDUCE);
		graph_add_member(g, n % 3, NULL, 0);
		if (n == 1)
			graph_add_member(g, 0, NULL, 0);
	}
	o = graph_order_create(g);
	assert_int_equal(o->first[0], 0);
	assert_int_equal(o->first[1], 3);
	assert_int_equal(o->first[2], 4);
	assert_int_equal(o->first[3], 5);
	assert_int_equal(graph_order_find(o, 0, 0), 0);
	assert_int_equal(graph_order_find(o, 0, 1), 1);
	assert_int_equal(graph_order_find(o, 0, 3), 2);
	assert_int_equal(graph_order_find(o, 0, 2), GRAPH_NONE);
	assert_int_equal(graph_order_find(o, 2, 2), 4);
	assert_int_equal(graph_order_find(o, 2, 3), GRAPH_NONE);
	assert_int_equal(o->entries[1].member, 2);
	graph_order_destroy(o);
	graph_order_destroy(NULL);
	graph_destroy(g);
}

// Two ranks, two operations of both in opposite orders.
static uint32_t
find_opposite(enum config_work_kind kind)
{
	struct graph *g = graph_create(2);
	uint32_t first = 0, second = 1, found;

	add(g, kind);
	graph_add_member(g, 0, NULL, 0);
	graph_add_member(g, 1, &second, 1);
	add(g, kind);
	graph_add_member(g, 1, NULL, 0);
	graph_add_member(g, 0, &first, 1);
	found = graph_find_circle(g);
	graph_destroy(g);
	return found;
}

static void
test_circles(void **state)
{
	struct graph *g = graph_create(1);
	uint32_t after;

	(void)state;
	assert_int_equal(find_opposite(CONFIG_WORK_ALL_REDUCE), 0);
	// Each rank sends first and receives then: both messages go.
	assert_int_equal(find_opposite(CONFIG_WORK_SEND), GRAPH_NONE);
	assert_int_equal(find_opposite(CONFIG_WORK_COMPUTE), GRAPH_NONE);
	assert_int_equal(graph_find_circle(g), GRAPH_NONE);
	add(g, CONFIG_WORK_COMPUTE);
	graph_add_member(g, 0, NULL, 0);
	after = 2;
	add(g, CONFIG_WORK_COMPUTE);
	graph_add_member(g, 0, &after, 1);
	after = 0;
	add(g, CONFIG_WORK_COMPUTE);
	graph_add_member(g, 0, &after, 1); // a later one may come first
	assert_int_equal(graph_find_circle(g), GRAPH_NONE);
	after = 3;
	add(g, CONFIG_WORK_COMPUTE);
	graph_add_member(g, 0, &after, 1); // itself
	assert_int_equal(graph_find_circle(g), 3);
	graph_destroy(g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_circles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
