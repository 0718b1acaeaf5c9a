// SPDX-License-Identifier: BSD-3-Clause
// gnuplot as it is, as it fails, and where it is not.
#include "control/plot/plot.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct plot_chart
chart_of(const char *commands)
{
	struct plot_chart chart = {.file = "a.svg", .title = "One & two < three"};
	FILE *script = plot_begin(&chart, 300, 200);

	assert_non_null(script);
	fputs(commands, script);
	assert_int_equal(plot_end(&chart, script), 0);
	return chart;
}

static void
test_a_drawing(void **state)
{
	struct plot_chart chart = chart_of("plot 1 with lines title 'a < b & c'\n");
	char err[PLOT_ERR_BYTES] = "", *svg = NULL;
	size_t bytes;

	(void)state;
	if (plot_render(&chart, &svg, &bytes, err) == -ENOENT) {
		free(chart.script);
		print_message("%s\n", err);
		skip();
	}
	assert_string_equal(err, "");
	assert_int_equal(bytes, strlen(svg));
	assert_non_null(strstr(svg, "<title>One &amp; two &lt; three</title>\n<rect width=\"300\" "
				    "height=\"200\" fill=\"#ffffff\"/>"));
	assert_non_null(strstr(svg, "a &lt; b &amp; c"));
	assert_null(strstr(svg, "a < b"));
	assert_non_null(strstr(svg, "</svg>"));
	free(svg);
	free(chart.script);
}

static void
test_a_script_that_fails(void **state)
{
	struct plot_chart chart = chart_of("plot 1 with nonsense\n");
	char err[PLOT_ERR_BYTES] = "", *svg = NULL;
	size_t bytes;
	int rc = plot_render(&chart, &svg, &bytes, err);

	(void)state;
	free(chart.script);
	if (rc == -ENOENT) {
		print_message("%s\n", err);
		skip();
	}
	assert_int_equal(rc, -EIO);
	assert_null(svg);
	assert_memory_equal(err, "a.svg: gnuplot failed: ", 23);
}

static void
test_without_gnuplot(void **state)
{
	struct plot_chart chart = chart_of("plot 1\n");
	char *path = strdup(getenv("PATH")), err[PLOT_ERR_BYTES], *svg = NULL;
	size_t bytes;
	int rc;

	(void)state;
	setenv("PATH", "/nowhere", 1);
	rc = plot_render(&chart, &svg, &bytes, err);
	setenv("PATH", path, 1);
	assert_int_equal(rc, -ENOENT);
	assert_string_equal(err,
			    "gnuplot draws, and is not installed: apt-get install gnuplot-nox");
	free(path);
	free(chart.script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_drawing),
		cmocka_unit_test(test_a_script_that_fails),
		cmocka_unit_test(test_without_gnuplot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
