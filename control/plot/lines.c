// SPDX-License-Identifier: BSD-3-Clause
#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plot_line *
plot_lines_get(struct plot_lines *l, const char *name)
{
	// Rows of a file go round the lines in the order in which they came first.
	for (size_t i = 0; i < l->count; i++) {
		size_t at = (l->last + i) % l->count;

		if (strcmp(l->lines[at].name, name) == 0) {
			l->last = at + 1;
			return &l->lines[at];
		}
	}
	if (l->count == l->capacity) {
		size_t capacity = l->capacity == 0 ? 16 : 2 * l->capacity;
		struct plot_line *lines = reallocarray(l->lines, capacity, sizeof(*lines));

		if (lines == NULL)
			return NULL;
		l->lines = lines;
		l->capacity = capacity;
	}
	l->lines[l->count] = (struct plot_line){.name = strdup(name)};
	if (l->lines[l->count].name == NULL)
		return NULL;
	l->last = l->count + 1;
	return &l->lines[l->count++];
}

int
plot_line_add(struct plot_line *line, double x, double y)
{
	if (line->count == line->capacity) {
		size_t capacity = line->capacity == 0 ? 64 : 2 * line->capacity;
		struct plot_point *points = reallocarray(line->points, capacity, sizeof(*points));

		if (points == NULL)
			return -ENOMEM;
		line->points = points;
		line->capacity = capacity;
	}
	line->points[line->count++] = (struct plot_point){x, y};
	return 0;
}

static void
free_line(struct plot_line *line)
{
	free(line->points);
	free(line->name);
}

void
plot_lines_free(struct plot_lines *l)
{
	for (size_t i = 0; i < l->count; i++)
		free_line(&l->lines[i]);
	free(l->lines);
	*l = (struct plot_lines){0};
}

double
plot_line_max(const struct plot_line *line)
{
	double max = 0;

	for (size_t i = 0; i < line->count; i++)
		if (line->points[i].y > max)
			max = line->points[i].y;
	return max;
}

void
plot_lines_drop_zero(struct plot_lines *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (plot_line_max(&l->lines[i]) > 0)
			l->lines[kept++] = l->lines[i];
		else
			free_line(&l->lines[i]);
	}
	l->count = kept;
	l->last = 0;
}

static double
sum_of(const struct plot_line *line)
{
	double sum = 0;

	for (size_t i = 0; i < line->count; i++)
		sum += line->points[i].y;
	return sum;
}

static int
compare_sums(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

int
plot_lines_keep(struct plot_lines *l, size_t most)
{
	double *sums;
	size_t kept = 0;

	if (l->count <= most)
		return 0;
	sums = calloc(l->count, sizeof(*sums));
	if (sums == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < l->count; i++)
		sums[i] = sum_of(&l->lines[i]);
	qsort(sums, l->count, sizeof(*sums), compare_sums);
	for (size_t i = 0; i < l->count; i++) {
		if (kept < most && sum_of(&l->lines[i]) >= sums[most - 1])
			l->lines[kept++] = l->lines[i];
		else
			free_line(&l->lines[i]);
	}
	l->count = kept;
	l->last = 0;
	free(sums);
	return 0;
}
