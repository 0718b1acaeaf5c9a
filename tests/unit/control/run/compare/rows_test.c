// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static json_t *
document_of(const char *flows, const char *collectives)
{
	char text[2048];
	json_t *out;

	snprintf(text, sizeof(text),
		 "{\"flows\": %s, \"collectives\": %s, \"nodes\": {\"leaf1\": {\"ports\": "
		 "{\"swp1\": "
		 "{\"pfc_rx_pause_ns\": [0,0,0,5,0,0,0,2], \"pause_rx_ns\": 3}}}, \"h1\": "
		 "{\"ports\": "
		 "{\"eth1\": {\"pfc_rx_pause_ns\": [0,0,0,10,0,0,0,0], \"pause_rx_ns\": 0}}}}, "
		 "\"summary\": {\"completed\": 2, \"drops\": 3, \"drops_lossless\": 1, \"pfc_tx\": "
		 "4, "
		 "\"ecn_marked\": 5, \"retransmitted\": 6, \"out_of_order\": 7, "
		 "\"uplink_imbalance\": 0.25, \"goodput_gbps\": 93.5, \"slowdown_p99\": 1.5}}",
		 flows, collectives);
	out = json_loads(text, 0, NULL);
	assert_non_null(out);
	return out;
}

static double
value(const struct comparison *c, enum compare_figure figure)
{
	return compare_median(&c->rows[figure].cells[0]);
}

static void
test_rows_of_a_document(void **state)
{
	json_t *document = document_of("[{\"fct_ps\": 400}, {\"fct_ps\": 200}, {\"fct_ps\": null}]",
				       "[{\"name\": \"r\", \"kind\": \"all-reduce\", \"step_ps\": "
				       "10, \"busbw_gbps\": 40.0},"
				       " {\"name\": \"r\", \"kind\": \"all-reduce\", \"step_ps\": "
				       "30, \"busbw_gbps\": 20.0},"
				       " {\"name\": \"r\", \"kind\": \"all-reduce\", \"step_ps\": "
				       "null, \"busbw_gbps\": 0.0}]");
	struct comparison c = {.seeds = 1, .count = 1};

	(void)state;
	compare_add_rows(&c);
	compare_read(&c, 0, document);
	for (unsigned int i = 0; i < COMPARE_WHOLE_RUN; i++)
		assert_int_equal(c.rows[i].cells[0].count, 1);
	assert_true(value(&c, COMPARE_STEP) == 20);
	assert_true(value(&c, COMPARE_BUSBW) == 25); // (40 x 10 + 20 x 30) / 40
	assert_true(value(&c, COMPARE_FCT_P50) == 200);
	assert_true(value(&c, COMPARE_FCT_P99) == 400);
	assert_true(value(&c, COMPARE_SLOWDOWN_P99) == 1.5);
	assert_true(value(&c, COMPARE_GOODPUT) == 93.5);
	assert_true(value(&c, COMPARE_DROPS) == 3);
	assert_true(value(&c, COMPARE_DROPS_LOSSLESS) == 1);
	assert_true(value(&c, COMPARE_PFC) == 4);
	assert_true(value(&c, COMPARE_PAUSED) == 20000); // 5 + 2 + 3 + 10 ns
	assert_true(value(&c, COMPARE_ECN) == 5);
	assert_true(value(&c, COMPARE_RETRANSMITTED) == 6);
	assert_true(value(&c, COMPARE_OUT_OF_ORDER) == 7);
	assert_true(value(&c, COMPARE_IMBALANCE) == 0.25);
	compare_free_rows(&c);
	json_decref(document);
}

static void
test_what_is_no_figure_leaves_its_cell_empty(void **state)
{
	json_t *document = document_of("[]", "[]"), *summary = json_object_get(document, "summary");
	struct comparison c = {.seeds = 1, .count = 1, .runs = {{.file = "a", .name = "a"}}};
	FILE *nowhere = fopen("/dev/null", "w");

	(void)state;
	json_object_set_new(summary, "drops", json_real(1e308));
	json_object_set_new(summary, "pfc_tx", json_real(0x1p63));
	json_object_set_new(summary, "ecn_marked", json_integer(-1));
	json_object_set_new(summary, "retransmitted", json_real(0x1p62));
	compare_add_rows(&c);
	compare_read(&c, 0, document);
	assert_int_equal(c.rows[COMPARE_DROPS].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_PFC].cells[0].count, 0);
	assert_int_equal(c.rows[COMPARE_ECN].cells[0].count, 0);
	assert_true(value(&c, COMPARE_RETRANSMITTED) == 0x1p62);
	compare_finish(&c);
	assert_int_equal(compare_print_json(&c, nowhere), 0);
	fclose(nowhere);
	compare_free_rows(&c);
	json_decref(document);
}

// Where there are steps, their time is the step time; bus bandwidth is that of their collectives.
static void
test_steps_go_before_collectives(void **state)
{
	json_t *document = document_of(
		"[]",
		"[{\"name\": \"s\", \"kind\": \"step\", \"step_ps\": 100, \"busbw_gbps\": 0.0},"
		" {\"name\": \"r\", \"kind\": \"all-gather\", \"step_ps\": 30, \"busbw_gbps\": "
		"20.0}]");
	struct comparison c = {.seeds = 1, .count = 1};

	(void)state;
	compare_add_rows(&c);
	compare_read(&c, 0, document);
	assert_true(value(&c, COMPARE_STEP) == 100);
	assert_true(value(&c, COMPARE_BUSBW) == 20);
	assert_int_equal(c.rows[COMPARE_FCT_P50].cells[0].count, 0);
	compare_free_rows(&c);
	json_decref(document);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_a_document),
		cmocka_unit_test(test_what_is_no_figure_leaves_its_cell_empty),
		cmocka_unit_test(test_steps_go_before_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
