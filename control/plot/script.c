// SPDX-License-Identifier: BSD-3-Clause
// Colours are those of Okabe and Ito, which people who see few colours can tell apart, each also
// dashed; of heat maps those of viridis, which grow brighter evenly and print well without colour.
// All text is written in single quotes, in which gnuplot expands nothing; a quote within becomes an
// apostrophe, since how doubled ones are read depends on where they stand.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
				      "#cc79a7", "#e69f00", "#56b4e9"};

#define COLOURS (sizeof(colours) / sizeof(*colours))

FILE *
plot_begin(struct plot_chart *chart, unsigned int width, unsigned int height)
{
	FILE *script = open_memstream(&chart->script, &chart->script_bytes);

	chart->width = width;
	chart->height = height;
	if (script == NULL)
		return NULL;
	fprintf(script,
		"set terminal svg size %u,%u fixed font 'sans-serif,13' rounded noenhanced\n"
		"set encoding utf8\n"
		"set border 3 lc rgb '#555555'\n"
		"set tics nomirror textcolor rgb '#222222'\n"
		"set grid back lc rgb '#dddddd' lt 1 lw 0.7\n"
		"set key outside right top vertical Left reverse samplen 2.2 noenhanced\n"
		"set title font 'sans-serif,15' noenhanced\n",
		width, height);
	return script;
}

int
plot_end(struct plot_chart *chart, FILE *script)
{
	if (fclose(script) == 0)
		return 0;
	free(chart->script);
	chart->script = NULL;
	return -ENOMEM;
}

void
plot_put_text(FILE *script, const char *text)
{
	fputc('\'', script);
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '`')
			fputs("\u2019", script);
		else
			fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, script);
	}
	fputc('\'', script);
}

void
plot_put_style(FILE *script, unsigned int i)
{
	fprintf(script, "lc rgb '%s' lw 1.8 dt %s", colours[i % COLOURS],
		i < COLOURS ? "solid" : "(12,5)");
}

// A mark at `at` with six digits at most.
static void
put_mark(FILE *script, double at, bool *first)
{
	fprintf(script, "%s'%.6g' %.9g", *first ? "" : ", ", at, at);
	*first = false;
}

// Within one power of ten: even steps, a handful of them.
static void
put_even_marks(FILE *script, double min, double max, bool *first)
{
	double step = 1e-12;
	static const double factors[] = {2, 2.5, 2}; // 1, 2, 5, 10

	for (unsigned int i = 0; (max - min) / step > 7; i++)
		step *= factors[i % 3];
	for (double k = (double)(long long)(min / step); k * step <= max * (1 + 1e-9); k++)
		if (k * step >= min * (1 - 1e-9))
			put_mark(script, k * step, first);
}

void
plot_put_log_axis(FILE *script, char axis, double min, double max)
{
	static const double inner[] = {1, 2, 5};
	bool first = true;

	if (min <= 0)
		min = 1e-6;
	if (max < min * 1.02) { // a single value: some room on both sides
		max = max * 1.1;
		min = min / 1.1;
	}
	fprintf(script, "set logscale %c\nset %crange [%.9g:%.9g]\nset %ctics (", axis, axis, min,
		max, axis);
	if (max / min < 8) {
		put_even_marks(script, min, max, &first);
	} else {
		unsigned int marks = max / min < 1000 ? 3 : 1;

		for (double decade = 1e-6; decade <= max; decade *= 10)
			for (unsigned int i = 0; i < marks; i++)
				if (decade * inner[i] >= min * (1 - 1e-9) &&
				    decade * inner[i] <= max * (1 + 1e-9))
					put_mark(script, decade * inner[i], &first);
	}
	fputs(")\n", script);
}

const char *
plot_time_unit(double max_ns, double *ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	unsigned int unit = 0;

	*ns = 1;
	while (unit < 3 && max_ns / *ns > 2000) {
		*ns *= 1000;
		unit++;
	}
	return units[unit];
}

const char *
plot_bytes_unit(double max_bytes, double *bytes)
{
	static const char *const units[] = {"B", "KB", "MB", "GB"};
	unsigned int unit = 0;

	*bytes = 1;
	while (unit < 3 && max_bytes / *bytes > 2000) {
		*bytes *= 1000;
		unit++;
	}
	return units[unit];
}

void
plot_put_palette(FILE *script, const char *label, double min, double max)
{
	fputs("set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', "
	      "4 '#26828e', 5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n",
	      script);
	fprintf(script, "set cbrange [%.9g:%.9g]\nset cblabel ", min, max);
	plot_put_text(script, label);
	fputs("\nunset grid\nunset key\nset border 0\nset tics scale 0.3\n", script);
}
