// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/run/compare/compare.h"

#include <string.h>

static struct report_flow flows[] = {
	{.item = "a", .tenant = "red", .fct = 400, .ideal = 200, .bytes = 10, .retransmitted = 5},
	{.item = "a", .fct = 200, .ideal = 200, .bytes = 10, .retransmitted = 1},
	{.item = "b", .tenant = "blue", .fct = PS_NEVER, .bytes = 10},
	{.item = "c", .fct = 300, .bytes = 10},
};

static struct report_collective
collective(const char *name, enum report_kind kind, ps_t step)
{
	return (struct report_collective){
		.name = name, .id = name, .kind = kind, .ranks = 2, .bytes = 1000, .step = step};
}

static double
value(const struct comparison *c, enum compare_figure figure)
{
	return compare_median(&c->rows[figure].cells[0]);
}

static const struct compare_row *
find(const struct comparison *c, const char *key)
{
	for (unsigned int i = 0; i < c->row_count; i++)
		if (strcmp(c->rows[i].key, key) == 0)
			return &c->rows[i];
	fail_msg("there is no row %s", key);
	return NULL;
}

static bool
nearly(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void
test_rows_of_a_result(void **state)
{
	struct fixture *f = *state;
	struct report_collective collectives[] = {
		collective("r", REPORT_ALL_REDUCE, 100000),
		collective("r", REPORT_ALL_REDUCE, 300000),
		collective("r", REPORT_ALL_REDUCE, PS_NEVER),
	};
	struct report_result r = {.flows = flows,
				  .flow_count = 4,
				  .collectives = collectives,
				  .collective_count = 3,
				  .nodes = f->nodes,
				  .node_count = 2,
				  .out_of_order = 7,
				  .now = PS_PER_MS};
	struct comparison c = {.seeds = 1, .count = 1};
	struct report_step steps[] = {{.step = 900, .exposed = 500}, {.step = 800, .exposed = 300}};

	r.steps = (struct report_steps){.items = steps, .count = 2};
	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 3;
	f->leaf->ports[0].pfc_tx[3] = 4;
	f->leaf->ports[0].queues[3].ecn_marked = 5;
	f->leaf->ports[0].rx_pause[3].total = 5 * PS_PER_NS + 999;
	f->leaf->ports[1].rx_pause[PAUSE_LINK].total = 3 * PS_PER_NS;
	f->nic->ports[0].rx_pause[7].total = 12 * PS_PER_NS;
	assert_int_equal(result_collect(&r, &(struct result_wanted){0}), 0);
	compare_add_rows(&c);
	compare_read(&c, 0, &r);
	for (unsigned int i = 0; i < COMPARE_WHOLE_RUN; i++)
		assert_int_equal(c.rows[i].cells[0].count, 1);
	assert_true(value(&c, COMPARE_COMPLETED) == 3);
	assert_true(value(&c, COMPARE_STEP) == 200000);
	assert_true(value(&c, COMPARE_EXPOSED) == 400);
	// 1000 bytes: 80 Gb/s in 100 ns and 26.7 in 300, for two ranks the same on the wire.
	assert_true(nearly(value(&c, COMPARE_BUSBW), 40));
	assert_true(value(&c, COMPARE_FCT_P50) == 300);
	assert_true(value(&c, COMPARE_FCT_P99) == 400);
	assert_true(value(&c, COMPARE_SLOWDOWN_P99) == 2);
	assert_true(nearly(value(&c, COMPARE_GOODPUT), 600)); // 240 bits in 400 ps
	assert_true(value(&c, COMPARE_DROPS) == 3);
	assert_true(value(&c, COMPARE_DROPS_LOSSLESS) == 0);
	assert_true(value(&c, COMPARE_PFC) == 4);
	assert_true(value(&c, COMPARE_PAUSED) == 20000); // 5 + 3 + 12 ns
	assert_true(value(&c, COMPARE_ECN) == 5);
	assert_true(value(&c, COMPARE_RETRANSMITTED) == 6);
	assert_true(value(&c, COMPARE_OUT_OF_ORDER) == 7);
	compare_free_rows(&c);
}

static void
test_rows_of_items_and_tenants(void **state)
{
	struct report_result r = {.flows = flows, .flow_count = 4};
	struct comparison c = {.seeds = 1, .count = 1};

	(void)state;
	compare_add_rows(&c);
	compare_read(&c, 0, &r);
	assert_true(compare_median(&find(&c, "items.a.fct_p50_ps")->cells[0]) == 200);
	assert_true(compare_median(&find(&c, "items.a.fct_p99_ps")->cells[0]) == 400);
	assert_true(compare_median(&find(&c, "items.c.fct_ps")->cells[0]) == 300);
	assert_true(compare_median(&find(&c, "items.b.completed")->cells[0]) == 0);
	assert_true(compare_median(&find(&c, "tenants.red.fct_ps")->cells[0]) == 400);
	assert_string_equal(find(&c, "tenants.red.fct_ps")->name, "tenant red, FCT");
	compare_free_rows(&c);
}

// A run without flows, collectives or ports still has its counts.
static void
test_what_there_is_none_of_leaves_its_cell_empty(void **state)
{
	struct report_result r = {.out_of_order = UINT64_MAX};
	struct comparison c = {.seeds = 1, .count = 1, .runs = {{.file = "a", .name = "a"}}};
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	compare_add_rows(&c);
	compare_read(&c, 0, &r);
	assert_int_equal(c.row_count, COMPARE_WHOLE_RUN);
	assert_int_equal(c.rows[COMPARE_FCT_P50].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_SLOWDOWN_P99].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_GOODPUT].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_STEP].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_OUT_OF_ORDER].cells[0].count, 0); // over 63 bits
	assert_int_equal(c.rows[COMPARE_DROPS].cells[0].count, 1);
	compare_finish(&c);
	assert_int_equal(compare_print_json(&c, nowhere), 0);
	fclose(nowhere);
	compare_free_rows(&c);
}

// Where there are steps, their time is the step time; bus bandwidth is that of their collectives.
static void
test_steps_go_before_collectives(void **state)
{
	struct report_collective collectives[] = {
		collective("s", REPORT_STEP, 100),
		collective("r", REPORT_ALL_GATHER, 400000),
	};
	struct report_result r = {.collectives = collectives, .collective_count = 2};
	struct comparison c = {.seeds = 1, .count = 1};

	(void)state;
	compare_add_rows(&c);
	compare_read(&c, 0, &r);
	assert_true(value(&c, COMPARE_STEP) == 100);
	assert_true(nearly(value(&c, COMPARE_BUSBW), 10)); // 20 Gb/s by half
	assert_true(compare_median(&find(&c, "collectives.r.step_ps")->cells[0]) == 400000);
	compare_free_rows(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows_of_a_result, fixture_setup,
						fixture_teardown),
		cmocka_unit_test(test_rows_of_items_and_tenants),
		cmocka_unit_test(test_what_there_is_none_of_leaves_its_cell_empty),
		cmocka_unit_test(test_steps_go_before_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
