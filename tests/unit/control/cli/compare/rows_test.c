// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

static void
test_rows_of_a_document(void **state)
{
	json_t *document =
		document_of("[{\"fct_ps\": 400}, {\"fct_ps\": 200}, {\"fct_ps\": null}]",
			    "[{\"kind\": \"all-reduce\", \"step_ps\": 10, \"busbw_gbps\": 40.0},"
			    " {\"kind\": \"all-reduce\", \"step_ps\": 30, \"busbw_gbps\": 20.0},"
			    " {\"kind\": \"all-reduce\", \"step_ps\": null, \"busbw_gbps\": 0.0}]");
	struct compare_run run = {.state = COMPARE_DRAINED};

	(void)state;
	compare_read(&run, document);
	for (unsigned int i = 0; i < COMPARE_ROWS; i++)
		assert_true(run.known[i]);
	assert_true(run.values[COMPARE_STEP] == 20);
	assert_true(run.values[COMPARE_BUSBW] == 25); // (40 x 10 + 20 x 30) / 40
	assert_true(run.values[COMPARE_FCT_P50] == 200);
	assert_true(run.values[COMPARE_FCT_P99] == 400);
	assert_true(run.values[COMPARE_SLOWDOWN_P99] == 1.5);
	assert_true(run.values[COMPARE_GOODPUT] == 93.5);
	assert_true(run.values[COMPARE_DROPS] == 3);
	assert_true(run.values[COMPARE_DROPS_LOSSLESS] == 1);
	assert_true(run.values[COMPARE_PFC] == 4);
	assert_true(run.values[COMPARE_PAUSED] == 20000); // 5 + 2 + 3 + 10 ns
	assert_true(run.values[COMPARE_ECN] == 5);
	assert_true(run.values[COMPARE_RETRANSMITTED] == 6);
	assert_true(run.values[COMPARE_OUT_OF_ORDER] == 7);
	assert_true(run.values[COMPARE_IMBALANCE] == 0.25);
	json_decref(document);
}

// Where there are steps, their time is the step time; bus bandwidth is that of their collectives.
static void
test_steps_go_before_collectives(void **state)
{
	json_t *document = document_of(
		"[]", "[{\"kind\": \"step\", \"step_ps\": 100, \"busbw_gbps\": 0.0},"
		      " {\"kind\": \"all-gather\", \"step_ps\": 30, \"busbw_gbps\": 20.0}]");
	struct compare_run run = {.state = COMPARE_DRAINED};

	(void)state;
	compare_read(&run, document);
	assert_true(run.values[COMPARE_STEP] == 100);
	assert_true(run.values[COMPARE_BUSBW] == 20);
	assert_false(run.known[COMPARE_FCT_P50]);
	json_decref(document);
}

static struct compare_run
with(enum compare_row row, double value)
{
	struct compare_run run = {.state = COMPARE_DRAINED};

	run.known[row] = true;
	run.values[row] = value;
	return run;
}

static void
test_the_best_of_a_row(void **state)
{
	struct compare_run steps[3] = {with(COMPARE_STEP, 30), with(COMPARE_STEP, 20),
				       with(COMPARE_STEP, 40)};
	struct compare_run goodputs[2] = {with(COMPARE_GOODPUT, 90), with(COMPARE_GOODPUT, 60)};

	(void)state;
	assert_int_equal(compare_best(steps, 3, COMPARE_STEP), 1);
	assert_int_equal(compare_best(goodputs, 2, COMPARE_GOODPUT), 0);
	assert_true(compare_gain(COMPARE_STEP, 20, 40) == 50);
	assert_true(compare_gain(COMPARE_GOODPUT, 90, 60) == 50);
	assert_true(compare_gain(COMPARE_GOODPUT, 90, 0) < 0);
	assert_true(compare_gain(COMPARE_DROPS, 0, 7) == 100);
	steps[1].state = COMPARE_STALLED; // whatever it had done until then
	assert_int_equal(compare_best(steps, 3, COMPARE_STEP), 0);
	steps[0].known[COMPARE_STEP] = false;
	assert_int_equal(compare_best(steps, 3, COMPARE_STEP), -1); // one alone is no best
	steps[0] = steps[2];
	assert_int_equal(compare_best(steps, 3, COMPARE_STEP), -1); // all are equal
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_a_document),
		cmocka_unit_test(test_steps_go_before_collectives),
		cmocka_unit_test(test_the_best_of_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
