// SPDX-License-Identifier: BSD-3-Clause
// Distributions of completion times and slowdowns, a curve for each workload item, or for each of
// several runs. A curve is at (x, y) when y percent of its completed flows took no longer than x.
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CURVE_POINTS_MAX 1000
#define OTHERS "all others"

static int
compare_x(const void *a, const void *b)
{
	const struct plot_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static int
refuse(struct plot_input *in, size_t index, const char *what)
{
	snprintf(in->err, PLOT_ERR_BYTES, "%.400s/result.json: flows[%zu]: %s", in->dir, index,
		 what);
	return -EINVAL;
}

// Adds a flow to its curve: of times, and of slowdowns where an ideal time is known.
static int
add_flow(struct plot_input *in, const char *curve, struct plot_completion *c, size_t index)
{
	const json_t *flow = json_array_get(json_object_get(in->result, "flows"), index);
	const json_t *fct = json_object_get(flow, "fct_ps");
	const json_t *ideal = json_object_get(flow, "ideal_ps");
	const char *item = json_string_value(json_object_get(flow, "item"));
	struct plot_line *line;
	int rc;

	if (item == NULL)
		return refuse(in, index, "item is no text");
	if (json_is_null(fct))
		return 0;
	if (!json_is_integer(fct) || json_integer_value(fct) <= 0)
		return refuse(in, index, "fct_ps is no time");
	if (!json_is_integer(ideal) || json_integer_value(ideal) < 0)
		return refuse(in, index, "ideal_ps is no time");
	line = plot_lines_get(&c->times, curve != NULL ? curve : item);
	rc = line == NULL ? -ENOMEM : plot_line_add(line, (double)json_integer_value(fct) / 1e6, 1);
	if (rc != 0 || json_integer_value(ideal) == 0)
		return rc;
	line = plot_lines_get(&c->slowdowns, curve != NULL ? curve : item);
	if (line == NULL)
		return -ENOMEM;
	return plot_line_add(line, json_number_value(fct) / json_number_value(ideal), 1);
}

// Of too many items the largest stay, and the others become one.
static int
merge_small(struct plot_lines *l)
{
	struct plot_line others = {.name = strdup(OTHERS)};
	int rc = others.name == NULL ? -ENOMEM : 0;

	while (rc == 0 && l->count > PLOT_CURVES_MAX - 1) {
		size_t least = 0;

		for (size_t i = 1; i < l->count; i++)
			if (l->lines[i].count <= l->lines[least].count)
				least = i;
		for (size_t k = 0; rc == 0 && k < l->lines[least].count; k++)
			rc = plot_line_add(&others, l->lines[least].points[k].x, 1);
		free(l->lines[least].points);
		free(l->lines[least].name);
		memmove(&l->lines[least], &l->lines[least + 1],
			(--l->count - least) * sizeof(*l->lines));
	}
	if (rc == 0 && l->count < l->capacity) {
		l->lines[l->count++] = others;
		return 0;
	}
	free(others.points);
	free(others.name);
	return rc;
}

static void
put_curve(FILE *script, struct plot_line *line, size_t number, double range[2])
{
	size_t step = line->count / CURVE_POINTS_MAX + 1;

	qsort(line->points, line->count, sizeof(*line->points), compare_x);
	if (line->points[0].x < range[0])
		range[0] = line->points[0].x;
	if (line->points[line->count - 1].x > range[1])
		range[1] = line->points[line->count - 1].x;
	fprintf(script, "$d%zu << E\n%.9g 0\n", number, line->points[0].x);
	for (size_t i = 0; i < line->count; i++)
		if (i % step == 0 || i + 1 == line->count || i < 10 || i + 10 >= line->count)
			fprintf(script, "%.9g %.6g\n", line->points[i].x,
				100.0 * (double)(i + 1) / (double)line->count);
	fputs("E\n", script);
}

static void
put_plot(FILE *script, const struct plot_lines *l)
{
	fputs("plot ", script);
	for (size_t i = 0; i < l->count; i++) {
		char title[160];

		snprintf(title, sizeof(title), "%.100s (%zu)", l->lines[i].name, l->lines[i].count);
		fprintf(script, "%s$d%zu using 1:2 with steps ", i == 0 ? "" : ", \\\n     ", i);
		plot_put_style(script, (unsigned int)i);
		fputs(" title ", script);
		plot_put_text(script, title);
	}
	fputc('\n', script);
}

static int
draw(struct plot_chart *chart, struct plot_lines *l, const char *label)
{
	double range[2] = {1e300, 0};
	FILE *script;

	if (l->count > PLOT_CURVES_MAX && merge_small(l) != 0)
		return -ENOMEM;
	script = plot_begin(chart, 900, 460);
	if (script == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->count; i++)
		put_curve(script, &l->lines[i], i, range);
	fputs("set title ", script);
	plot_put_text(script, chart->title);
	fputs("\nset xlabel ", script);
	plot_put_text(script, label);
	fputs("\nset ylabel 'flows that took no longer / %'\nset yrange [0:102]\n"
	      "set ytics 0,10,100\n",
	      script);
	plot_put_log_axis(script, 'x', range[0] / 1.02, range[1] * 1.02);
	put_plot(script, l);
	return plot_end(chart, script);
}

int
plot_completion_add(struct plot_completion *c, struct plot_input *in, const char *curve)
{
	size_t count = json_array_size(json_object_get(in->result, "flows"));
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_flow(in, curve, c, i);
	return rc;
}

int
plot_completion_make(struct plot_completion *c, struct plot_chart *charts)
{
	int rc = 0, made = 0;

	if (c->times.count != 0) {
		charts[made].file = "fct.svg";
		charts[made].title = "Completion times of flows";
		rc = draw(&charts[made++], &c->times, "completion time / us");
	}
	if (rc == 0 && c->slowdowns.count != 0) {
		charts[made].file = "slowdown.svg";
		charts[made].title =
			"Slowdown of flows: completion time over that of the flow alone";
		rc = draw(&charts[made++], &c->slowdowns, "slowdown");
	}
	return rc != 0 ? rc : made;
}

void
plot_completion_free(struct plot_completion *c)
{
	plot_lines_free(&c->times);
	plot_lines_free(&c->slowdowns);
}

int
plot_make_completion(struct plot_input *in, struct plot_chart *charts, const char **why)
{
	struct plot_completion c = {.times = {.count = 0}};
	int rc = plot_completion_add(&c, in, NULL);

	if (rc == 0)
		rc = plot_completion_make(&c, charts);
	*why = PLOT_NO_COMPLETION;
	plot_completion_free(&c);
	return rc;
}
