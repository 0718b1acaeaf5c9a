// SPDX-License-Identifier: BSD-3-Clause
#include "control/cli/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct compare_run
run_of(const char *name, double step, double goodput, double drops)
{
	struct compare_run run = {.file = name, .name = name, .load = {.flows = 2}};

	run.known[COMPARE_STEP] = run.known[COMPARE_GOODPUT] = true;
	run.known[COMPARE_COMPLETED] = run.known[COMPARE_DROPS_LOSSLESS] = true;
	run.values[COMPARE_STEP] = step;
	run.values[COMPARE_GOODPUT] = goodput;
	run.values[COMPARE_COMPLETED] = 2;
	run.values[COMPARE_DROPS_LOSSLESS] = drops;
	return run;
}

static char *
printed(const struct compare_run *runs, unsigned int count,
	int (*print)(const struct compare_run *, unsigned int, FILE *))
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_int_equal(print(runs, count, to), 0);
	fclose(to);
	return text;
}

static void
test_side_by_side(void **state)
{
	const struct compare_run runs[3] = {run_of("ecmp", 2e9, 60, 0), run_of("spray", 1e9, 90, 0),
					    run_of("other", 1e9, 45, 4)};
	char *text = printed(runs, 3, compare_print);

	(void)state;
	assert_string_equal(
		text,
		"                      ecmp        spray      other\n"
		"run                drained      drained    drained\n"
		"step time             2 ms       * 1 ms     * 1 ms  spray and other "
		"better than ecmp by 50 %\n"
		"goodput          60.0 Gb/s  * 90.0 Gb/s  45.0 Gb/s  spray better than "
		"ecmp by 50 %, than other by 100 %\n"
		"flows complete           2            2          2\n"
		"drops, lossless        * 0          * 0          4  ecmp and spray better "
		"than other by 100 %\n"
		"\n"
		"spray and other have the shortest step time: 1 ms against 2 ms of ecmp (50 % "
		"less). spray has the highest goodput: 90.0 Gb/s against 60.0 "
		"Gb/s of ecmp (50 % more) and 45.0 Gb/s of other (100 % more). other lost "
		"4 lossless packets.\n");
	free(text);
}

static void
test_of_many_the_ends(void **state)
{
	const struct compare_run runs[5] = {run_of("a", 4e9, 60, 0), run_of("b", 1e9, 90, 7),
					    run_of("c", 2e9, 45, 7), run_of("d", 5e9, 0, 7),
					    run_of("e", 1001e6, 45, 0)};
	char *text = printed(runs, 5, compare_print);

	(void)state;
	assert_non_null(strstr(text, "  b better by 0.1 % (e) to 80 % (d)\n"));
	// Nothing is a percentage of no goodput.
	assert_non_null(strstr(text, "  b better than a by 50 %, than c by 100 %, than d, than e "
				     "by 100 %\n"));
	assert_non_null(strstr(text, "  a and e better by 100 %\n"));
	assert_non_null(strstr(text, "b has the shortest step time: 1 ms against 1 ms of e (0.1 % "
				     "less) to 5 ms of d (80 % less)."));
	free(text);
}

static void
test_runs_that_did_not_end(void **state)
{
	struct compare_run runs[4] = {run_of("a", 1e9, 60, 0), run_of("b", 5e8, 90, 0),
				      run_of("c", 2e9, 50, 0), run_of("d", 2e9, 50, 0)};
	char *text;

	(void)state;
	runs[1].state = COMPARE_STALLED;
	runs[2].state = COMPARE_FAILED;
	strcpy(runs[2].why, "no memory");
	runs[3].values[COMPARE_COMPLETED] = 1;
	text = compare_verdict(runs, 4);
	assert_string_equal(
		text, "a has the shortest step time: 1 ms against 2 ms of d (50 % less). a has "
		      "the highest goodput: 60.0 Gb/s against 50.0 Gb/s of d (20 % more). b "
		      "stalled: its packets are held for ever. c failed: no memory. Of d only 1 "
		      "of 2 flows are complete.");
	free(text);
	text = compare_verdict(runs, 1);
	assert_string_equal(text, "There is nothing to conclude: fewer than two runs completed a "
				  "flow.");
	free(text);
}

static void
test_as_json(void **state)
{
	struct compare_run runs[2] = {run_of("a", 2e9, 60.5, 0), run_of("b", 1e9, 60.5, 0)};
	char *text;
	json_t *document, *out;

	(void)state;
	runs[1].state = COMPARE_TIME;
	text = printed(runs, 2, compare_print_json);
	document = json_loads(text, 0, NULL);
	assert_non_null(document);
	out = json_object_get(document, "best");
	assert_string_equal(json_string_value(json_object_get(out, "step_ps")), "b");
	assert_true(json_is_null(json_object_get(out, "goodput_gbps")));
	out = json_array_get(json_object_get(document, "runs"), 1);
	out = json_object_get(out, "values");
	assert_int_equal(json_integer_value(json_object_get(out, "step_ps")), 1000000000);
	assert_true(json_real_value(json_object_get(out, "goodput_gbps")) == 60.5);
	assert_true(json_is_null(json_object_get(out, "fct_p50_ps")));
	json_decref(document);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_of_many_the_ends),
		cmocka_unit_test(test_runs_that_did_not_end),
		cmocka_unit_test(test_as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
