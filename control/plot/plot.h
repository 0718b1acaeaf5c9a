// SPDX-License-Identifier: BSD-3-Clause
// `roost plot`: drawings of a result's directory; private to control/plot/.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PLOT_ERR_BYTES 512
#define PLOT_CHARTS_MAX 16
#define PLOT_CURVES_MAX 12 // that a reader can tell apart; more are drawn as a spread
#define PLOT_ROWS_MAX 64   // of a heat map over time
#define PLOT_COLUMNS_MAX 400

// ---- what is drawn ------------------------------------------------------------------------------

struct plot_point {
	double x, y;
};

// A curve, or a row of a heat map over time.
struct plot_line {
	char *name;
	struct plot_point *points;
	size_t count, capacity;
};

struct plot_lines {
	struct plot_line *lines;
	size_t count, capacity;
	size_t last; // that a value was added to: most follow one another
};

// The line of that name, made at the end when it is not there. NULL without memory.
struct plot_line *plot_lines_get(struct plot_lines *l, const char *name);
// Returns 0 or -ENOMEM.
int plot_line_add(struct plot_line *line, double x, double y);
void plot_lines_free(struct plot_lines *l);
// The largest y, at least 0.
double plot_line_max(const struct plot_line *line);
// Takes lines away that are 0 all the time.
void plot_lines_drop_zero(struct plot_lines *l);
// Keeps the `most` lines with the largest sums, in their order.
int plot_lines_keep(struct plot_lines *l, size_t most);

// ---- what is read -------------------------------------------------------------------------------

struct plot_input {
	const char *dir;
	json_t *result;
	char err[PLOT_ERR_BYTES]; // one line that begins with the file's path
};

// Reads DIR/result.json. Returns 0, or -EINVAL or -errno with err set.
int plot_read_result(struct plot_input *in);

// A series file, row by row: header as the names of all columns; wide: more columns may follow.
struct csv;
// Returns 0; -ENOENT when there is no such file (err is not set); -EINVAL, -errno with err set.
int csv_open(struct csv **out, struct plot_input *in, const char *file, const char *header,
	     bool wide);
void csv_close(struct csv *c);
unsigned int csv_columns(const struct csv *c);
const char *csv_heading(const struct csv *c, unsigned int column);
// The next row: 1, 0 at the end, or -EINVAL, -ENOMEM with err set.
int csv_next(struct csv *c);
const char *csv_text(const struct csv *c, unsigned int column);
// A number that is not negative. Returns 0, or -EINVAL with err set.
int csv_number(struct csv *c, unsigned int column, double *out);
// Says what is wrong with the present row. Returns -EINVAL.
int csv_refuse(struct csv *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// ---- gnuplot's scripts --------------------------------------------------------------------------

struct plot_chart {
	const char *file;  // "fct.svg"
	const char *title; // of the drawing
	unsigned int width, height;
	char *script; // owned
	size_t script_bytes;
};

// Begins a script: terminal, fonts, grid.
FILE *plot_begin(struct plot_chart *chart, unsigned int width, unsigned int height);
// Ends it. Returns 0 or -ENOMEM.
int plot_end(struct plot_chart *chart, FILE *script);
// A text in gnuplot's quotes.
void plot_put_text(FILE *script, const char *text);
// Colour and dash of the i-th curve, as gnuplot words.
void plot_put_style(FILE *script, unsigned int i);
// A logarithmic axis ("x") from min to max with readable marks.
void plot_put_log_axis(FILE *script, char axis, double min, double max);
// The unit for times up to max_ns, and how many ns it has.
const char *plot_time_unit(double max_ns, double *ns);
// The unit for bytes likewise.
const char *plot_bytes_unit(double max_bytes, double *bytes);
// Colours of a heat map, from min to max.
void plot_put_palette(FILE *script, const char *label, double min, double max);

// Runs gnuplot. Returns 0 with the SVG in *svg for free(), or -errno with err set; -ENOENT: it is
// not installed.
int plot_render(const struct plot_chart *chart, char **svg, size_t *bytes,
		char err[static PLOT_ERR_BYTES]);

// ---- charts -------------------------------------------------------------------------------------

// A group of lines over time under each other, with an axis of its own.
struct plot_panel {
	const char *label; // of its axis, with the unit
	struct plot_lines *lines;
	double limit; // the axis ends there; 0: where the values do
};

// Completion times and slowdowns of flows, by curve.
struct plot_completion {
	struct plot_lines times, slowdowns;
};

#define PLOT_NO_COMPLETION "completion times: no flow completed"

// Adds the flows of a result to `curve`, or with NULL to that of their workload item. Returns 0;
// -EINVAL with in->err set; or -ENOMEM.
int plot_completion_add(struct plot_completion *c, struct plot_input *in, const char *curve);
// Makes the charts that there is something for, two at most. Returns how many, or -ENOMEM.
int plot_completion_make(struct plot_completion *c, struct plot_chart *charts);
void plot_completion_free(struct plot_completion *c);

// Draws lines over time in ns; of more than PLOT_CURVES_MAX their spread. Returns 0 or -ENOMEM.
int plot_lines_over_time(struct plot_chart *chart, const struct plot_panel *panels,
			 unsigned int count);

// Draws a heat map over time for each panel, whose values are percent. Returns 0 or -ENOMEM.
int plot_heat_over_time(struct plot_chart *chart, const struct plot_panel *panels,
			unsigned int count);

// Each makes the charts that there is something for, two at most. Returns how many; 0: `why` tells
// what is missing; -EINVAL with in->err set; or -ENOMEM.
int plot_make_completion(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_uplinks(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_queues(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_rates(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_links(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_pauses(struct plot_input *in, struct plot_chart *charts, const char **why);
int plot_make_pools(struct plot_input *in, struct plot_chart *charts, const char **why);
