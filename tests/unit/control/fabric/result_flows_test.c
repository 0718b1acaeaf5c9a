// SPDX-License-Identifier: BSD-3-Clause
#include "control/fabric/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// By nearest rank: of 1..100 the median is 50 and the 99th percentile 99, whatever their order.
static void
test_percentiles_are_by_nearest_rank(void **state)
{
	struct report_flow flows[100] = {{0}};
	struct flow_statistics s;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		flows[i] = (struct report_flow){
			.item = "a", .fct = 1 + (i * 37) % 100, .ideal = 1, .bytes = 10};
	flow_statistics_compute(flows, 100, &s);
	assert_int_equal(s.flows, 100);
	assert_int_equal(s.completed, 100);
	assert_int_equal(s.bytes, 1000);
	assert_int_equal(s.fct_p50, 50);
	assert_int_equal(s.fct_p99, 99);
	assert_int_equal(s.fct_max, 100);
	assert_int_equal(s.fct_mean, 50); // 50.5, rounded down
	assert_true(s.slowdown_mean == 50.5);
	assert_true(s.slowdown_p50 == 50 && s.slowdown_p99 == 99 && s.slowdown_max == 100);
}

// Slowdowns that differ by one part in 10^14 are told apart: doubles of the ratios might not be.
static void
test_slowdowns_are_ordered_exactly(void **state)
{
	const uint64_t big = UINT64_C(100000000000000);
	struct report_flow flows[3] = {
		{.item = "a", .fct = 3 * big + 3, .ideal = big + 1}, // 3
		{.item = "a", .fct = 3 * big + 2, .ideal = big + 1}, // below 3
		{.item = "a", .fct = 3 * big + 4, .ideal = big + 1}, // above 3
	};
	struct flow_statistics s;

	(void)state;
	flow_statistics_compute(flows, 3, &s);
	assert_true(s.slowdown_p50 == 3.0);
}

static void
test_open_flows_are_counted_but_not_measured(void **state)
{
	struct report_flow flows[3] = {
		{.item = "a", .fct = 10, .ideal = 5, .bytes = 1},
		{.item = "a", .fct = PS_NEVER, .ideal = 5, .bytes = 1},
		{.item = "b", .fct = 30, .ideal = 0, .bytes = 1},
	};
	struct flow_statistics s;

	(void)state;
	flow_statistics_compute(flows, 3, &s);
	assert_int_equal(s.flows, 3);
	assert_int_equal(s.completed, 2);
	assert_int_equal(s.with_ideal, 1);
	assert_int_equal(s.fct_mean, 20);
	assert_true(s.slowdown_mean == 2.0);
	flow_statistics_compute(NULL, 0, &s);
	assert_int_equal(s.flows, 0);
	assert_int_equal(s.fct_max, 0);
}

static void
test_groups_in_the_order_of_their_first_flows(void **state)
{
	struct report_flow flows[5] = {
		{.item = "b", .tenant = "red", .fct = 10, .ideal = 5, .bytes = 1},
		{.item = "a", .fct = 40, .bytes = 2},
		{.item = "b", .tenant = "blue", .fct = PS_NEVER, .ideal = 5, .bytes = 4},
		{.item = "a", .tenant = "red", .fct = 20, .bytes = 8},
		{.item = "c", .fct = PS_NEVER, .bytes = 16},
	};
	struct flow_group *groups;
	uint32_t count;

	(void)state;
	groups = flow_groups_compute(flows, 5, FLOWS_BY_ITEM, &count);
	assert_int_equal(count, 3);
	assert_string_equal(groups[0].name, "b");
	assert_int_equal(groups[0].statistics.flows, 2);
	assert_int_equal(groups[0].statistics.completed, 1);
	assert_int_equal(groups[0].statistics.bytes, 5);
	assert_true(groups[0].statistics.slowdown_mean == 2.0);
	assert_string_equal(groups[1].name, "a");
	assert_int_equal(groups[1].statistics.fct_mean, 30);
	assert_int_equal(groups[1].statistics.with_ideal, 0);
	assert_string_equal(groups[2].name, "c");
	assert_int_equal(groups[2].statistics.completed, 0);
	free(groups);
	groups = flow_groups_compute(flows, 5, FLOWS_BY_TENANT, &count);
	assert_int_equal(count, 2); // flows without a tenant are in none
	assert_string_equal(groups[0].name, "red");
	assert_int_equal(groups[0].statistics.bytes, 9);
	assert_string_equal(groups[1].name, "blue");
	free(groups);
	groups = flow_groups_compute(NULL, 0, FLOWS_BY_ITEM, &count);
	assert_int_equal(count, 0);
	free(groups);
}

// More than any first size of a table: each flow is in the group of its name.
static void
test_many_groups(void **state)
{
	enum { NAMES = 1000 };
	static char names[NAMES][8];
	static struct report_flow flows[3 * NAMES];
	struct flow_group *groups;
	uint32_t count;

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++)
		snprintf(names[i], sizeof(names[i]), "n%u", i);
	for (uint32_t i = 0; i < 3 * NAMES; i++)
		flows[i] = (struct report_flow){
			.item = names[i % NAMES], .fct = PS_NEVER, .bytes = i % NAMES};
	groups = flow_groups_compute(flows, 3 * NAMES, FLOWS_BY_ITEM, &count);
	assert_int_equal(count, NAMES);
	for (uint32_t i = 0; i < NAMES; i++) {
		assert_ptr_equal(groups[i].name, names[i]);
		assert_int_equal(groups[i].statistics.flows, 3);
		assert_int_equal(groups[i].statistics.bytes, 3 * i);
	}
	free(groups);
}

// Two flows of 1 MB, one from 0 to 60 us and one from 20 to 100 us: 16 Mb in 100 us.
static void
test_goodput_is_over_the_whole_span(void **state)
{
	struct report_flow flows[3] = {
		{.item = "a", .start = 0, .fct = 60 * PS_PER_US, .bytes = 1000000},
		{.item = "a", .start = 20 * PS_PER_US, .fct = 80 * PS_PER_US, .bytes = 1000000},
		{.item = "a", .start = 0, .fct = PS_NEVER, .bytes = 1000000},
	};

	(void)state;
	assert_true(flow_goodput_gbps(flows, 3) == 160.0);
	assert_true(flow_goodput_gbps(flows + 2, 1) == 0);
}

// Every time counts, until the last has ended.
static void
test_goodput_of_what_is_repeated(void **state)
{
	struct report_flow flow = {.item = "a",
				   .fct = 60 * PS_PER_US,
				   .bytes = 1000000,
				   .repeat = 3,
				   .end = 240 * PS_PER_US};

	(void)state;
	assert_true(flow_goodput_gbps(&flow, 1) == 100.0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles_are_by_nearest_rank),
		cmocka_unit_test(test_slowdowns_are_ordered_exactly),
		cmocka_unit_test(test_open_flows_are_counted_but_not_measured),
		cmocka_unit_test(test_groups_in_the_order_of_their_first_flows),
		cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_goodput_is_over_the_whole_span),
		cmocka_unit_test(test_goodput_of_what_is_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
