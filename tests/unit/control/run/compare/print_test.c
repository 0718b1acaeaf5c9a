// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A comparison of `count` files a, b, ... with the rows of whole runs, without samples.
static struct comparison
comparison_of(unsigned int count)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct comparison c = {.seeds = 1, .count = count};

	compare_add_rows(&c);
	for (unsigned int i = 0; i < count; i++)
		c.runs[i] = (struct compare_run){.file = names[i], .name = names[i]};
	return c;
}

static void
put(struct comparison *c, unsigned int run, enum compare_figure figure, double value)
{
	struct compare_cell *cell = &c->rows[figure].cells[run];

	cell->samples = realloc(cell->samples, (cell->count + 1) * sizeof(*cell->samples));
	assert_non_null(cell->samples);
	cell->samples[cell->count++] = value;
}

// What the tests of the text need of a run.
static void
set_run(struct comparison *c, unsigned int run, double step, double goodput, double drops)
{
	c->runs[run].load.flows = 2;
	put(c, run, COMPARE_STEP, step);
	put(c, run, COMPARE_GOODPUT, goodput);
	put(c, run, COMPARE_COMPLETED, 2);
	put(c, run, COMPARE_DROPS_LOSSLESS, drops);
}

static char *
printed(const struct comparison *c, bool json)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (json)
		assert_int_equal(compare_print_json(c, to), 0);
	else
		compare_print(c, to);
	fclose(to);
	return text;
}

static void
test_side_by_side(void **state)
{
	struct compare_difference mode = {.key = (char[]){"switch.routing.mode"},
					  .values = {(char[]){"ecmp"}, (char[]){"adaptive"}}};
	struct comparison c = comparison_of(3);
	char *text;

	(void)state;
	c.runs[0].name = "ecmp";
	c.runs[1].name = "spray";
	c.runs[2].name = "other";
	c.differences = &mode;
	c.difference_count = 1;
	set_run(&c, 0, 2e9, 60, 0);
	set_run(&c, 1, 1e9, 90, 0);
	set_run(&c, 2, 1e9, 45, 4);
	text = printed(&c, false);
	assert_string_equal(
		text,
		"what differs         ecmp     spray  other\n"
		"switch.routing.mode  ecmp  adaptive      -\n"
		"\n"
		"                      ecmp        spray      other\n"
		"run                drained      drained    drained\n"
		"step time             2 ms       * 1 ms     * 1 ms  spray and other "
		"better than ecmp by 50 %\n"
		"goodput          60.0 Gb/s  * 90.0 Gb/s  45.0 Gb/s  spray better than "
		"ecmp by 50 %, than other by 100 %\n"
		"flows complete           2            2          2  no difference\n"
		"drops, lossless        * 0          * 0          4  ecmp and spray better "
		"than other by 100 %\n"
		"\n"
		"spray and other have the shortest step time: 1 ms against 2 ms of ecmp (50 % "
		"less). spray has the highest goodput: 90.0 Gb/s against 60.0 "
		"Gb/s of ecmp (50 % more) and 45.0 Gb/s of other (100 % more). other lost "
		"4 lossless packets.\n");
	free(text);
	compare_free_rows(&c);
}

static void
test_of_many_the_ends(void **state)
{
	static const double steps[] = {4e9, 1e9, 2e9, 5e9, 1020e6},
			    goodputs[] = {60, 90, 45, 0, 45}, drops[] = {0, 7, 7, 7, 0};
	struct comparison c = comparison_of(5);
	char *text;

	(void)state;
	for (unsigned int i = 0; i < 5; i++)
		set_run(&c, i, steps[i], goodputs[i], drops[i]);
	text = printed(&c, false);
	assert_non_null(strstr(text, "  b better by 2.0 % (e) to 80 % (d)\n"));
	// Nothing is a percentage of no goodput.
	assert_non_null(strstr(text, "  b better than a by 50 %, than c by 100 %, than d, than e "
				     "by 100 %\n"));
	assert_non_null(strstr(text, "  a and e better by 100 %\n"));
	assert_non_null(strstr(text, "b has the shortest step time: 1 ms against 1.02 ms of e "
				     "(2.0 % less) to 5 ms of d (80 % less)."));
	free(text);
	compare_free_rows(&c);
}

static void
test_runs_that_did_not_end(void **state)
{
	static const double steps[] = {1e9, 5e8, 2e9, 2e9}, goodputs[] = {60, 90, 50, 50};
	struct comparison c = comparison_of(4);
	char *text;

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		set_run(&c, i, steps[i], goodputs[i], 0);
	c.runs[1].state = COMPARE_STALLED;
	c.runs[2].state = COMPARE_FAILED;
	strcpy(c.runs[2].why, "no memory");
	c.rows[COMPARE_COMPLETED].cells[3].samples[0] = 1;
	text = compare_verdict(&c);
	assert_string_equal(
		text, "a has the shortest step time: 1 ms against 2 ms of d (50 % less). a has "
		      "the highest goodput: 60.0 Gb/s against 50.0 Gb/s of d (20 % more). b "
		      "stalled: its packets are held forever. c failed: no memory. Only 1 of the "
		      "2 flows of d are complete.");
	free(text);
	c.count = 1;
	text = compare_verdict(&c);
	assert_string_equal(text, "There is nothing to conclude: fewer than two runs completed a "
				  "flow.");
	free(text);
	c.count = 4;
	compare_free_rows(&c);
}

static void
test_as_json(void **state)
{
	struct comparison c = comparison_of(2);
	char *text;
	json_t *document, *out;

	(void)state;
	set_run(&c, 0, 2e9, 60.5, 0);
	set_run(&c, 1, 1e9, 60.5, 0);
	c.runs[1].state = COMPARE_TIME;
	text = printed(&c, true);
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
	compare_free_rows(&c);
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
