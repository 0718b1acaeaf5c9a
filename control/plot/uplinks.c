// SPDX-License-Identifier: BSD-3-Clause
// How switches loaded their links towards the next tier over the run, and these the ones back: a
// row a switch, a column an uplink in the order of its ports, which is that of the switches behind
// them. What hashing does to a fabric is seen at a glance: uneven rows.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 1024
#define COLUMNS_MAX 256

// The loads of one direction of a tier.
struct matrix {
	struct plot_lines rows; // by switch of the lower tier; x: uplink from 1, y: percent
	size_t columns;
};

static int
refuse(struct plot_input *in, size_t index, const char *what)
{
	snprintf(in->err, PLOT_ERR_BYTES, "%.400s/result.json: links[%zu]: %s", in->dir, index,
		 what);
	return -EINVAL;
}

// The node of "leaf1.swp5".
static int
node_of(const char *port, char node[static 64])
{
	const char *dot = strchr(port, '.');

	if (dot == NULL || dot - port >= 64 || dot == port)
		return -EINVAL;
	memcpy(node, port, (size_t)(dot - port));
	node[dot - port] = '\0';
	return 0;
}

static int
add_link(struct plot_input *in, struct matrix *m, const json_t *link, size_t index, bool up)
{
	const char *lower = json_string_value(json_object_get(link, up ? "from" : "to"));
	const json_t *load = json_object_get(link, "load");
	struct plot_line *row;
	char node[64];

	if (lower == NULL || node_of(lower, node) != 0)
		return refuse(in, index, up ? "from is no port" : "to is no port");
	if (!json_is_number(load) || !(json_number_value(load) >= 0))
		return refuse(in, index, "load is no share");
	row = plot_lines_get(&m->rows, node);
	if (row == NULL)
		return -ENOMEM;
	if (row->count == COLUMNS_MAX || m->rows.count > ROWS_MAX)
		return refuse(in, index, "more links than a switch or a fabric has");
	m->columns = row->count + 1 > m->columns ? row->count + 1 : m->columns;
	return plot_line_add(row, (double)row->count + 1, 100 * json_number_value(load));
}

static int
fill(struct plot_input *in, struct matrix *m, const char *tier, bool up)
{
	const json_t *links = json_object_get(in->result, "links");
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < json_array_size(links); i++) {
		const json_t *link = json_array_get(links, i);
		const char *name = json_string_value(json_object_get(link, "tier"));

		if (name == NULL)
			return refuse(in, i, "tier is no text");
		if (strcmp(name, tier) == 0)
			rc = add_link(in, m, link, i, up);
	}
	return rc;
}

// Rows come in the order in which their links are listed, and those back are listed by the upper
// switches: a row must be the same switch in both panels.
static int
name_alike(struct matrix *down, const struct matrix *up)
{
	for (size_t i = 0; i < up->rows.count; i++)
		if (plot_lines_get(&down->rows, up->rows.lines[i].name) == NULL)
			return -ENOMEM;
	return 0;
}

static void
put_matrix(FILE *script, const struct matrix *m, unsigned int number)
{
	fprintf(script, "$m%u << E\n", number);
	for (size_t i = 0; i < m->rows.count; i++)
		for (size_t k = 0; k < m->columns; k++) {
			const struct plot_line *row = &m->rows.lines[i];

			if (k < row->count)
				fprintf(script, "%zu %zu %.5g\n", k + 1, i, row->points[k].y);
			else
				fprintf(script, "%zu %zu NaN\n", k + 1, i);
		}
	fputs("E\n", script);
}

// Every row is named while there is room.
static void
put_names(FILE *script, const struct plot_lines *rows)
{
	size_t step = rows->count / 48 + 1;

	fputs("set ytics (", script);
	for (size_t i = 0; i < rows->count; i += step) {
		fputs(i == 0 ? "" : ", ", script);
		plot_put_text(script, rows->lines[i].name);
		fprintf(script, " %zu", i);
	}
	fprintf(script, ") font 'sans-serif,11'\nset yrange [%zu.5:-0.5]\n", rows->count - 1);
}

static void
put_panel(FILE *script, const struct matrix *m, unsigned int number, const char *title,
	  const char *xlabel)
{
	size_t step = m->columns / 16 + 1;

	put_matrix(script, m, number);
	fputs("set title ", script);
	plot_put_text(script, title);
	fputs(" font 'sans-serif,13'\nset xlabel ", script);
	plot_put_text(script, xlabel);
	fprintf(script, "\nset xrange [0.5:%zu.5]\nset xtics 1,%zu\n", m->columns, step);
	put_names(script, &m->rows);
	fprintf(script, "plot $m%u using 1:2:3 with image pixels title 'loads'\n", number);
}

static int
draw(struct plot_chart *chart, const struct matrix *up, const struct matrix *down,
     const char *lower, const char *upper)
{
	unsigned int rows = (unsigned int)up->rows.count;
	unsigned int height = 170 + (rows < 5 ? 5 : rows) * (rows > 48 ? 8 : rows > 16 ? 14 : 24);
	FILE *script = plot_begin(chart, 960, height);
	char title[128], xlabel[64];

	if (script == NULL)
		return -ENOMEM;
	plot_put_palette(script, "load over the run / %", 0, 100);
	fputs("set multiplot layout 1,2 title ", script);
	plot_put_text(script, chart->title);
	fprintf(script,
		" font 'sans-serif,15'\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		1 - 80.0 / height, 62.0 / height);
	snprintf(title, sizeof(title), "up: %s to %s", lower, upper);
	snprintf(xlabel, sizeof(xlabel), "uplink, by %s", upper);
	fputs("set lmargin at screen 0.11\nset rmargin at screen 0.47\nunset colorbox\n", script);
	put_panel(script, up, 0, title, xlabel);
	snprintf(title, sizeof(title), "down: %s to %s", upper, lower);
	fputs("set lmargin at screen 0.54\nset rmargin at screen 0.88\nset colorbox\n", script);
	put_panel(script, down, 1, title, xlabel);
	fputs("unset multiplot\n", script);
	return plot_end(chart, script);
}

static int
make(struct plot_input *in, struct plot_chart *chart, const char *lower, const char *upper)
{
	struct matrix up = {.columns = 0}, down = {.columns = 0};
	char tier[64];
	int rc;

	snprintf(tier, sizeof(tier), "%s-%s", lower, upper);
	rc = fill(in, &up, tier, true);
	snprintf(tier, sizeof(tier), "%s-%s", upper, lower);
	if (rc == 0)
		rc = name_alike(&down, &up);
	if (rc == 0)
		rc = fill(in, &down, tier, false);
	if (rc == 0 && up.rows.count != 0 && down.rows.count != 0) {
		rc = draw(chart, &up, &down, lower, upper);
		rc = rc == 0 ? 1 : rc;
	}
	plot_lines_free(&up.rows);
	plot_lines_free(&down.rows);
	return rc;
}

int
plot_make_uplinks(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	int made, more;

	charts[0].file = "uplinks.svg";
	charts[0].title = "Loads of uplinks and of the links back";
	made = make(in, &charts[0], "leaf", "spine");
	if (made < 0)
		return made;
	charts[made].file = "spine-uplinks.svg";
	charts[made].title = "Loads of spines' uplinks and of the links back";
	more = make(in, &charts[made], "spine", "super");
	*why = "uplinks: no link joins two tiers of switches";
	return more < 0 ? more : made + more;
}
