// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/base/memory.h"
#include "control/fabric/result.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static struct report_flow flows[2] = {
	{.id = 0,
	 .item = "incast",
	 .src = "h2",
	 .dst = "h1",
	 .tenant = "red",
	 .bytes = 1000000,
	 .start = 1000,
	 .fct = 90634880,
	 .ideal = 90634880,
	 .retransmitted = 3,
	 .reorder_max = 4},
	{.id = 1,
	 .item = "incast",
	 .src = "h3",
	 .dst = "h1",
	 .bytes = 1000000,
	 .start = 0,
	 .fct = PS_NEVER,
	 .ideal = 90634880,
	 .retransmitted = 1},
};

// 8 ranks of 64 MB in 10 ms: 51.2 Gb/s, of which 7/8 crosses each rank's link.
static struct report_collective collectives[1] = {
	{.name = "a2a",
	 .id = "a2a",
	 .kind = REPORT_ALL_TO_ALL,
	 .ranks = 8,
	 .bytes = 64000000,
	 .start = 0,
	 .step = 10 * PS_PER_MS},
};

// Equal but for rounding.
static bool
nearly(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static struct report_result
result_of(struct fixture *f)
{
	return (struct report_result){
		.flows = flows,
		.flow_count = 2,
		.collectives = collectives,
		.collective_count = 1,
		.nodes = f->nodes,
		.node_count = 2,
		.now = 200 * PS_PER_US,
		.last_event = 199 * PS_PER_US,
		.cnps = 5,
		.out_of_order = 6,
		.setup_s = 0.25,
		.wall_s = 0.5,
		.ranks = 1,
	};
}

// result.json as a reader sees it.
static json_t *
document_of(const struct report_result *r, const char *digest)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);
	struct report_result copy = *r;
	json_t *out;

	assert_int_equal(result_collect(&copy, &(struct result_wanted){.histograms = true}), 0);
	result_write(&copy, digest, to);
	result_free(&copy);
	fclose(to);
	out = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(out);
	free(text);
	return out;
}

static void
test_document_has_the_keys_of_its_format(void **state)
{
	static const char *const summary_keys[] = {"sim_ps",
						   "last_event_ps",
						   "packets",
						   "packet_hops",
						   "drops",
						   "drops_lossless",
						   "pfc_tx",
						   "ecn_marked",
						   "cnps",
						   "out_of_order",
						   "retransmitted",
						   "slowdown_mean",
						   "slowdown_p50",
						   "slowdown_p99",
						   "goodput_gbps",
						   "uplink_imbalance",
						   "setup_s",
						   "wall_s",
						   "packet_hops_per_s",
						   "ranks",
						   "digest"};
	struct fixture *f = *state;
	struct report_result r = result_of(f);
	json_t *out;

	f->leaf->ports[0].tx_packets = 1000;
	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 3;
	out = document_of(&r, "0123");
	for (size_t i = 0; i < sizeof(summary_keys) / sizeof(*summary_keys); i++)
		assert_non_null(json_object_get(json_object_get(out, "summary"), summary_keys[i]));
	assert_null(json_object_get(out, "flows")); // it has a file of its own
	assert_integer_at(out, "summary/flows", 2);
	assert_text_at(out, "items/[0]/name", "incast");
	assert_integer_at(out, "items/[0]/flows", 2);
	assert_integer_at(out, "items/[0]/completed", 1);
	assert_integer_at(out, "items/[0]/fct_max_ps", 90634880);
	assert_true(json_real_value(fixture_at(out, "items/[0]/slowdown_max")) == 1.0);
	assert_int_equal(json_array_size(fixture_at(out, "items")), 1);
	assert_text_at(out, "tenants/[0]/name", "red");
	assert_integer_at(out, "tenants/[0]/flows", 1);
	assert_text_at(out, "collectives/[0]/kind", "all-to-all");
	assert_integer_at(out, "collectives/[0]/iteration", 0);
	assert_integer_at(out, "collectives/[0]/step_ps", 10 * PS_PER_MS);
	assert_true(json_real_value(fixture_at(out, "collectives/[0]/algbw_gbps")) == 51.2);
	assert_true(nearly(json_real_value(fixture_at(out, "collectives/[0]/busbw_gbps")), 44.8));
	assert_int_equal(json_object_size(fixture_at(out, "settings")), 0);
	assert_int_equal(json_array_size(fixture_at(out, "hints")), 1);
	assert_text_at(out, "hints/[0]",
		       "1 of 2 flows are not complete: completion times, slowdowns and goodput "
		       "leave them out");
	assert_int_equal(json_array_size(fixture_at(out, "drops")), 1);
	assert_text_at(out, "drops/[0]/reason", "no-route");
	assert_integer_at(out, "drops/[0]/packets", 3);
	assert_text_at(out, "drops/[0]/advice", drop_advice(DROP_NO_ROUTE));
	assert_int_equal(json_array_size(fixture_at(out, "histograms")), 0);
	assert_int_equal(json_array_size(fixture_at(out, "log")), 0);
	assert_integer_at(out, "log_lost", 0);
	assert_int_equal(json_array_size(fixture_at(out, "snapshots")), 0);
	assert_integer_at(out, "summary/sim_ps", 200 * PS_PER_US);
	assert_integer_at(out, "summary/last_event_ps", 199 * PS_PER_US);
	assert_integer_at(out, "summary/retransmitted", 4);
	assert_integer_at(out, "summary/completed", 1);
	assert_integer_at(out, "summary/cnps", 5);
	assert_true(json_real_value(fixture_at(out, "summary/slowdown_p99")) == 1.0);
	assert_true(json_real_value(fixture_at(out, "summary/packet_hops_per_s")) == 2000.0);
	assert_text_at(out, "summary/digest", "0123");
	json_decref(out);
}

// Whatever a file is called and says, the document can be read.
static void
test_texts_of_users(void **state)
{
	static struct report_flow open = {.item = "a \"b\"\n", .fct = PS_NEVER};
	struct yaml_node number = {.kind = YAML_SCALAR, .text = (char *)(uintptr_t) "-12"};
	struct yaml_node word = {.kind = YAML_SCALAR, .text = (char *)(uintptr_t) "0x\\1\xff"};
	struct yaml_node nothing = {.kind = YAML_SCALAR, .null = true};
	struct yaml_node *items[] = {&number, &word, &nothing};
	struct yaml_node list = {.kind = YAML_LIST, .items = items, .count = 3};
	struct yaml_pair pairs[] = {{.key = (char *)(uintptr_t) "a.b", .value = &list},
				    {.key = (char *)(uintptr_t) "c", .value = &number}};
	struct yaml_node root = {.kind = YAML_MAP, .pairs = pairs, .count = 2};
	struct report_result r = result_of(*state);
	json_t *out;

	r.file = "\xff\"";
	r.settings = &root;
	r.flows = &open;
	r.flow_count = 1;
	r.interrupted = true;
	out = document_of(&r, NULL);
	assert_text_at(out, "file", "?\"");
	assert_text_at(out, "items/[0]/name", "a \"b\"\n");
	assert_true(json_is_null(fixture_at(out, "items/[0]/fct_p50_ps")));
	assert_true(json_is_null(fixture_at(out, "items/[0]/slowdown_p50")));
	assert_int_equal(json_integer_value(fixture_at(out, "settings/a.b/[0]")), -12);
	assert_text_at(out, "settings/a.b/[1]", "0x\\1?");
	assert_true(json_is_null(fixture_at(out, "settings/a.b/[2]")));
	assert_true(json_is_true(fixture_at(out, "summary/interrupted")));
	assert_null(json_object_get(fixture_at(out, "summary"), "digest"));
	json_decref(out);
}

static void
test_write_failures_are_returned(void **state)
{
	json_t *document = json_object();

	(void)state;
	assert_int_equal(report_write(document, "/nowhere/result.json"), -ENOENT);
	assert_int_equal(report_write(document, "/dev/full"), -ENOSPC);
	json_decref(document);
}

static void
test_bus_bandwidth(void **state)
{
	struct report_collective c = collectives[0];
	double algorithm, bus;

	(void)state;
	c.kind = REPORT_ALL_REDUCE;
	report_collective_bandwidth(&c, &algorithm, &bus);
	assert_true(algorithm == 51.2 && nearly(bus, 89.6));
	c.kind = REPORT_STEP;
	report_collective_bandwidth(&c, &algorithm, &bus);
	assert_true(algorithm == 51.2 && bus == 0);
	c.step = PS_NEVER;
	report_collective_bandwidth(&c, &algorithm, &bus);
	assert_true(algorithm == 0 && bus == 0);
}

// Executions of one collective, one of which has not begun, and a step.
static void
test_executions_and_steps(void **state)
{
	static const struct report_collective several[] = {
		{.name = "ar",
		 .id = "ar",
		 .kind = REPORT_ALL_REDUCE,
		 .ranks = 8,
		 .bytes = 1,
		 .step = 5},
		{.name = "ar",
		 .id = "ar",
		 .kind = REPORT_ALL_REDUCE,
		 .iteration = 1,
		 .ranks = 8,
		 .bytes = 1,
		 .start = PS_NEVER,
		 .step = PS_NEVER},
		{.name = "s", .id = "s", .kind = REPORT_STEP, .ranks = 8, .bytes = 1, .step = 9},
	};
	struct fixture *f = *state;
	struct report_result r = result_of(f);
	json_t *out;

	r.collectives = several;
	r.collective_count = 3;
	out = document_of(&r, NULL);
	assert_integer_at(out, "collectives/[1]/iteration", 1);
	assert_true(json_is_null(fixture_at(out, "collectives/[1]/start_ps")));
	assert_true(json_is_null(fixture_at(out, "collectives/[1]/step_ps")));
	assert_text_at(out, "collectives/[0]/kind", "all-reduce");
	assert_text_at(out, "collectives/[2]/kind", "step");
	assert_integer_at(out, "collectives/[2]/step_ps", 9);
	json_decref(out);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(test_document_has_the_keys_of_its_format),
		T(test_texts_of_users),
		cmocka_unit_test(test_write_failures_are_returned),
		cmocka_unit_test(test_bus_bandwidth),
		T(test_executions_and_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
