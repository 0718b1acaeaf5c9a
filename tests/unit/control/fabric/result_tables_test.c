// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/control/show/report_fixture.h"

#include "control/base/memory.h"
#include "control/fabric/result.h"

static struct report_flow flows[2] = {
	{.id = 3,
	 .item = "in, cast",
	 .src = "h2",
	 .dst = "h1",
	 .tenant = "red",
	 .bytes = 1000000,
	 .start = 1000,
	 .fct = 90634880,
	 .ideal = 80634880,
	 .retransmitted = 3,
	 .reorder_max = 4},
	{.id = 4,
	 .item = "b",
	 .src = "h3",
	 .dst = "h1",
	 .bytes = 5,
	 .start = PS_NEVER,
	 .fct = PS_NEVER},
};

// A table as text, for free().
static char *
written(enum result_table table, const struct report_result *r)
{
	char *text;
	size_t size;
	char *other;
	size_t other_size;
	FILE *to = memory_stream_open(&text, &size),
	     *rest = memory_stream_open(&other, &other_size);
	const struct result_wanted wanted = {
		.tables = true,
		.links = table == RESULT_LINKS ? to : rest,
		.counters = table == RESULT_COUNTERS ? to : rest,
	};
	struct report_result copy = *r;

	if (table == RESULT_FLOWS)
		result_flows_write(r, to);
	else
		assert_int_equal(result_collect(&copy, &wanted), 0);
	result_free(&copy);
	fclose(to);
	fclose(rest);
	free(other);
	return text;
}

static void
test_flows(void **state)
{
	struct report_result r = {.flows = flows, .flow_count = 2};
	char *text = written(RESULT_FLOWS, &r);

	(void)state;
	assert_string_equal(result_table_name(RESULT_FLOWS), "flows.csv");
	assert_string_equal(text, "id,item,src,dst,tenant,bytes,start_ps,fct_ps,ideal_ps,"
				  "retransmitted,reorder_max\n"
				  "3,\"in, cast\",h2,h1,red,1000000,1000,90634880,80634880,3,4\n"
				  "4,b,h3,h1,,5,,,0,0,0\n");
	free(text);
}

static void
test_links(void **state)
{
	static const struct report_port alone[1] = {{.name = "eth1"}};
	struct fixture *f = *state;
	struct report_result r = {
		.nodes = f->nodes, .node_count = 2, .now = PS_PER_MS, .last_event = PS_PER_US};
	char *text;

	f->profile.byte_time = time_byte_time(UINT64_C(100000000000));
	f->leaf->ports[2].tx_bytes = 3125;
	f->nodes[1].ports = alone; // nothing known behind it: no link
	text = written(RESULT_LINKS, &r);
	assert_string_equal(text, "src,dst,tier,rate_bps,wire_bytes,load,credit_wait_ns\n"
				  "leaf1.swp1,h1.eth1,leaf-host,100000000000,0,0,0\n"
				  "leaf1.swp2,h2.eth1,leaf-host,100000000000,0,0,0\n"
				  "leaf1.swp3,spine1.swp1,leaf-spine,400000000000,3125,0.25,0\n"
				  "leaf1.swp4,spine2.swp1,leaf-spine,400000000000,0,0,0\n");
	free(text);
}

// A row is one value that is not what it was at first.
static void
test_counters(void **state)
{
	struct fixture *f = *state;
	struct report_result r = {.nodes = f->nodes, .node_count = 1, .now = PS_PER_MS};
	char *text;

	f->leaf->ports[0].rx_packets = 7;
	f->leaf->ports[0].pfc_tx[3] = 2;
	f->leaf->ports[0].drops[DROP_NO_ROUTE] = 1;
	f->leaf->ports[1].queues[5].packets = 9;
	f->leaf->ports[1].groups[2].used_max = 2;
	text = written(RESULT_COUNTERS, &r);
	assert_non_null(strstr(text, "node,port,scope,object,index,counter,value\n"
				     "leaf1,swp1,port,,,rx_packets,7\n"
				     "leaf1,swp1,priority,,3,pfc_tx,2\n"
				     "leaf1,swp1,drops,,,no-route,1\n"
				     "leaf1,swp2,pg,,2,used_max,384\n"
				     "leaf1,swp2,pg,,2,used_max_persistent,384\n"
				     "leaf1,swp2,queue,,5,packets,9\n"
				     "leaf1,,pool,ingress-lossless,,size,192000\n"));
	assert_non_null(strstr(text, "\nleaf1,,tenant,red,,guaranteed,38400\n"));
	free(text);
}

// doc/results.md has them.
static void
test_columns_as_markdown(void **state)
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);

	(void)state;
	result_tables_print_markdown(to);
	fclose(to);
	assert_non_null(strstr(text, "### flows.csv\n\n| Column | Unit | Meaning |\n"));
	assert_non_null(strstr(text, "\n| `wire_bytes` | bytes | carried, with"));
	assert_non_null(strstr(text, "\n| `value` |  | its value, in the unit of the field |\n"));
	free(text);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flows),
		T(test_links),
		T(test_counters),
		cmocka_unit_test(test_columns_as_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
