// SPDX-License-Identifier: BSD-3-Clause
// Percent over time, a row a line: brightness shows what no bundle of curves would. Of more samples
// than columns a cell is their mean.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>

struct grid {
	double last;  // ns
	double width; // of a column, ns
	unsigned int columns;
};

static struct grid
grid_of(const struct plot_panel *panels, unsigned int count)
{
	struct grid g = {.columns = 1};
	size_t most = 1;

	for (unsigned int p = 0; p < count; p++)
		for (size_t i = 0; i < panels[p].lines->count; i++) {
			const struct plot_line *line = &panels[p].lines->lines[i];

			most = line->count > most ? line->count : most;
			if (line->count != 0 && line->points[line->count - 1].x > g.last)
				g.last = line->points[line->count - 1].x;
		}
	g.columns = most < PLOT_COLUMNS_MAX ? (unsigned int)most : PLOT_COLUMNS_MAX;
	g.width = g.last > 0 ? g.last / g.columns : 1;
	return g;
}

// A sample is of the interval that ends with it.
static unsigned int
column_of(const struct grid *g, double time)
{
	double column = time / g->width - 0.5;

	return column <= 0                  ? 0
	       : column >= g->columns - 1.0 ? g->columns - 1
					    : (unsigned int)(column + 0.5 - 1e-9);
}

static int
put_rows(FILE *script, const struct plot_lines *l, const struct grid *g, unsigned int number,
	 double ns)
{
	double *sums = calloc(g->columns, sizeof(*sums));
	unsigned int *counts = calloc(g->columns, sizeof(*counts));

	fprintf(script, "$h%u << E\n", number);
	for (size_t i = 0; sums != NULL && counts != NULL && i < l->count; i++) {
		for (unsigned int c = 0; c < g->columns; c++)
			sums[c] = counts[c] = 0;
		for (size_t k = 0; k < l->lines[i].count; k++) {
			unsigned int c = column_of(g, l->lines[i].points[k].x);

			sums[c] += l->lines[i].points[k].y;
			counts[c]++;
		}
		for (unsigned int c = 0; c < g->columns; c++)
			fprintf(script, "%.9g %zu %.5g\n", (c + 0.5) * g->width / ns, i,
				counts[c] != 0 ? sums[c] / counts[c] : 0.0);
	}
	fputs("E\n", script);
	free(counts);
	free(sums);
	return sums == NULL || counts == NULL ? -ENOMEM : 0;
}

// Names of rows; of many every other, or fewer.
static void
put_names(FILE *script, const struct plot_lines *l)
{
	fputs("set ytics (", script);
	for (size_t i = 0; i < l->count; i++) {
		fputs(i == 0 ? "" : ", ", script);
		plot_put_text(script, l->lines[i].name);
		fprintf(script, " %zu", i);
	}
	fprintf(script, ") font 'sans-serif,%u'\nset yrange [%zu.5:-0.5]\n",
		l->count > 24 ? 9u : 11u, l->count - 1);
}

static unsigned int
row_height(const struct plot_panel *panels, unsigned int count)
{
	size_t most = 1;

	for (unsigned int i = 0; i < count; i++)
		most = panels[i].lines->count > most ? panels[i].lines->count : most;
	return most > 24 ? 13 : 20;
}

static unsigned int
panel_height(const struct plot_panel *panel, unsigned int row)
{
	unsigned int rows = (unsigned int)panel->lines->count;

	return (rows < 3 ? 3 : rows) * row + 100;
}

static int
put_panel(FILE *script, const struct plot_panel *panel, const struct grid *g, unsigned int number,
	  double ns, const char *unit)
{
	int rc = put_rows(script, panel->lines, g, number, ns);

	plot_put_palette(script, "%", 0, 100);
	fputs("set title ", script);
	plot_put_text(script, panel->label);
	fputs(" font 'sans-serif,13' offset 0,-0.4\n", script);
	put_names(script, panel->lines);
	fprintf(script, "set xrange [0:%.9g]\nset xlabel 'time / %s'\n",
		g->last > 0 ? g->last / ns : 1, unit);
	fprintf(script, "plot $h%u using 1:2:3 with image pixels title 'loads'\n", number);
	return rc;
}

int
plot_heat_over_time(struct plot_chart *chart, const struct plot_panel *panels, unsigned int count)
{
	struct grid g = grid_of(panels, count);
	unsigned int row = row_height(panels, count), height = 40, top;
	const char *unit;
	double ns;
	FILE *script;
	int rc = 0;

	for (unsigned int i = 0; i < count; i++)
		height += panel_height(&panels[i], row);
	unit = plot_time_unit(g.last, &ns);
	script = plot_begin(chart, 960, height);
	if (script == NULL)
		return -ENOMEM;
	fputs("set multiplot title ", script);
	plot_put_text(script, chart->title);
	fputs(" font 'sans-serif,15'\nset lmargin at screen 0.17\nset rmargin at screen 0.87\n",
	      script);
	top = height - 40;
	for (unsigned int i = 0; rc == 0 && i < count; i++) {
		unsigned int own = panel_height(&panels[i], row);

		fprintf(script, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
			(double)(top - 28) / height, (double)(top - own + 66) / height);
		rc = put_panel(script, &panels[i], &g, i, ns, unit);
		top -= own;
	}
	fputs("unset multiplot\n", script);
	return plot_end(chart, script) != 0 ? -ENOMEM : rc;
}
