// SPDX-License-Identifier: BSD-3-Clause
#include "control/plot/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINES 41
#define INSTANTS 2500

// Line i is i all the time, but for one instant of line 0.
static void
fill(struct plot_lines *l, int peak_at)
{
	char name[16];

	for (int i = 0; i < LINES; i++) {
		struct plot_line *line;

		snprintf(name, sizeof(name), "line%d", i);
		line = plot_lines_get(l, name);
		assert_non_null(line);
		for (int t = 0; t < INSTANTS; t++)
			assert_int_equal(plot_line_add(line, t, i == 0 && t == peak_at ? 999 : i),
					 0);
	}
}

// Of many lines there is a spread, of which the most misses no peak, whichever instants are drawn.
static void
test_the_spread_of_many(void **state)
{
	(void)state;
	for (int peak_at = INSTANTS - 10; peak_at < INSTANTS; peak_at++) {
		struct plot_lines l = {.count = 0};
		const struct plot_panel panel = {.label = "depth", .lines = &l};
		struct plot_chart chart = {.title = "t"};
		unsigned int rows = 0, peaks = 0;
		double v[7];

		fill(&l, peak_at);
		assert_int_equal(plot_lines_over_time(&chart, &panel, 1), 0);
		for (const char *at = strstr(chart.script, "$p0 << E\n");
		     at != NULL && (at = strchr(at, '\n')) != NULL &&
		     sscanf(at, "%lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4],
			    &v[5], &v[6]) == 7;
		     at++, rows++) {
			if (v[6] == 999)
				peaks++;
			else
				assert_true(v[6] == LINES - 1);
			// At an instant without the peak, or with it.
			assert_true(v[1] == 2 || v[1] == 3);
			assert_true(v[3] == 20 || v[3] == 21);
			assert_true(v[5] == 38 || v[5] == 39);
		}
		assert_in_range(rows, 500, 1000);
		assert_int_equal(peaks, 1);
		free(chart.script);
		plot_lines_free(&l);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_spread_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
