// SPDX-License-Identifier: BSD-3-Clause
// Lines over time. A few stand for themselves; of many, where most of them lie at each instant says
// more than as many colours.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_MAX 1000 // of a line's points
#define SPREADS_MAX 1000 // instants of a spread

static double
last_time(const struct plot_panel *panels, unsigned int count)
{
	double last = 0;

	for (unsigned int p = 0; p < count; p++)
		for (size_t i = 0; i < panels[p].lines->count; i++) {
			const struct plot_line *line = &panels[p].lines->lines[i];

			if (line->count != 0 && line->points[line->count - 1].x > last)
				last = line->points[line->count - 1].x;
		}
	return last;
}

// Of each bucket of points the least and the most, in their order: no peak is lost.
static void
put_points(FILE *script, const struct plot_line *line, double ns)
{
	size_t step = (line->count + BUCKETS_MAX - 1) / BUCKETS_MAX;

	for (size_t i = 0; i < line->count; i += step) {
		size_t end = i + step < line->count ? i + step : line->count;
		size_t least = i, most = i;

		for (size_t k = i; k < end; k++) {
			least = line->points[k].y < line->points[least].y ? k : least;
			most = line->points[k].y > line->points[most].y ? k : most;
		}
		for (size_t k = i; k < end; k++)
			if (k == least || k == most)
				fprintf(script, "%.9g %.9g\n", line->points[k].x / ns,
					line->points[k].y);
	}
}

static void
put_lines(FILE *script, const struct plot_panel *panel, unsigned int number, double ns)
{
	const struct plot_lines *l = panel->lines;

	for (size_t i = 0; i < l->count; i++) {
		fprintf(script, "$p%u_%zu << E\n", number, i);
		put_points(script, &l->lines[i], ns);
		fputs("E\n", script);
	}
	fputs("plot ", script);
	for (size_t i = 0; i < l->count; i++) {
		fprintf(script, "%s$p%u_%zu using 1:2 with lines ", i == 0 ? "" : ", \\\n     ",
			number, i);
		plot_put_style(script, (unsigned int)i);
		fputs(" title ", script);
		plot_put_text(script, l->lines[i].name);
	}
	fputc('\n', script);
}

static int
compare_values(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

// The values of the lines that have this instant; at: where each line is. *most becomes the largest
// if that is more. Returns how many there are.
static size_t
values_at(const struct plot_lines *l, double time, size_t *at, double *values, double *most)
{
	size_t count = 0;

	for (size_t k = 0; k < l->count; k++) {
		const struct plot_line *line = &l->lines[k];

		while (at[k] < line->count && line->points[at[k]].x < time)
			at[k]++;
		if (at[k] >= line->count || line->points[at[k]].x != time)
			continue;
		values[count] = line->points[at[k]].y;
		*most = values[count] > *most ? values[count] : *most;
		count++;
	}
	return count;
}

// The spread of all lines at some of the first one's instants, and the most there was since the one
// before: few that stand out are in no band, and no peak is lost.
static int
put_spread(FILE *script, const struct plot_panel *panel, unsigned int number, double ns)
{
	const struct plot_lines *l = panel->lines;
	double *values = calloc(l->count, sizeof(*values)), most = 0;
	size_t *at = calloc(l->count, sizeof(*at));
	size_t instants = l->lines[0].count, step = instants / SPREADS_MAX + 1;

	if (values == NULL || at == NULL) {
		free(values);
		free(at);
		return -ENOMEM;
	}
	fprintf(script, "$p%u << E\n", number);
	for (size_t i = 0; i < instants; i++) {
		double time = l->lines[0].points[i].x;
		size_t count = values_at(l, time, at, values, &most);

		if (count == 0 || ((i + 1) % step != 0 && i + 1 != instants))
			continue;
		qsort(values, count, sizeof(*values), compare_values);
		fprintf(script, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", time / ns,
			values[count / 20], values[count / 4], values[count / 2],
			values[count - 1 - count / 4], values[count - 1 - count / 20], most);
		most = 0;
	}
	fprintf(script,
		"E\nplot $p%u using 1:2:6 with filledcurves fc rgb '#cfe3f1' title '9 of 10 of the "
		"%zu', \\\n"
		"     $p%u using 1:3:5 with filledcurves fc rgb '#7fb8da' title 'the middle half', "
		"\\\n     $p%u using 1:4 with lines lc rgb '#004a75' lw 1.8 title 'median', \\\n"
		"     $p%u using 1:7 with lines lc rgb '#d55e00' lw 1.2 title 'the most'\n",
		number, l->count, number, number, number);
	free(values);
	free(at);
	return 0;
}

static int
put_panel(FILE *script, const struct plot_panel *panel, unsigned int number, double ns)
{
	fputs("set ylabel ", script);
	plot_put_text(script, panel->label);
	if (panel->limit > 0)
		fprintf(script, "\nset yrange [0:%.9g]\n", panel->limit);
	else
		fputs("\nset yrange [0:*]\n", script);
	if (panel->lines->count > PLOT_CURVES_MAX)
		return put_spread(script, panel, number, ns);
	put_lines(script, panel, number, ns);
	return 0;
}

// Characters beside the plots, the same for all of them.
static unsigned int
legend_width(const struct plot_panel *panels, unsigned int count)
{
	size_t width = strlen("9 of 10 of the 10000");

	for (unsigned int p = 0; p < count; p++) {
		const struct plot_lines *l = panels[p].lines;

		for (size_t i = 0; l->count <= PLOT_CURVES_MAX && i < l->count; i++)
			width = strlen(l->lines[i].name) > width ? strlen(l->lines[i].name) : width;
	}
	return 8 + (unsigned int)(width < 60 ? width : 60);
}

int
plot_lines_over_time(struct plot_chart *chart, const struct plot_panel *panels, unsigned int count)
{
	double last = last_time(panels, count), ns;
	const char *unit = plot_time_unit(last, &ns);
	FILE *script = plot_begin(chart, 960, 140 + 300 * count);
	int rc = 0;

	if (script == NULL)
		return -ENOMEM;
	fprintf(script, "set xrange [0:%.9g]\n", last > 0 ? last / ns : 1);
	fprintf(script, "set lmargin 11\nset rmargin %u\n", legend_width(panels, count));
	if (count > 1) {
		fprintf(script, "set multiplot layout %u,1 title ", count);
		plot_put_text(script, chart->title);
		fputs(" font 'sans-serif,15'\n", script);
	} else {
		fputs("set title ", script);
		plot_put_text(script, chart->title);
		fputc('\n', script);
	}
	for (unsigned int i = 0; rc == 0 && i < count; i++) {
		if (i + 1 == count)
			fprintf(script, "set xlabel 'time / %s'\n", unit);
		rc = put_panel(script, &panels[i], i, ns);
	}
	if (count > 1)
		fputs("unset multiplot\n", script);
	return plot_end(chart, script) != 0 ? -ENOMEM : rc;
}
