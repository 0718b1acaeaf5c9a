// SPDX-License-Identifier: BSD-3-Clause
// Which file is better. A difference has to be larger than the noise: with one seed larger than the
// threshold, with several the ranges of the samples must not overlap either.
#include "compare.h"

static double
lowest(const struct compare_cell *cell)
{
	return cell->samples[0];
}

static double
highest(const struct compare_cell *cell)
{
	return cell->samples[cell->count - 1];
}

double
compare_median(const struct compare_cell *cell)
{
	unsigned int middle = cell->count / 2;

	if (cell->count % 2 != 0)
		return cell->samples[middle];
	return (cell->samples[middle - 1] + cell->samples[middle]) / 2;
}

bool
compare_counts(const struct comparison *c, const struct compare_row *row, unsigned int run)
{
	return row->cells[run].count == c->seeds && c->runs[run].state <= COMPARE_TIME;
}

// Values are never negative.
static bool
differ(const struct compare_row *row, unsigned int a, unsigned int b)
{
	const struct compare_cell *x = &row->cells[a], *y = &row->cells[b];
	double p = compare_median(x), q = compare_median(y);
	double larger = p > q ? p : q, smaller = p > q ? q : p;

	if (lowest(x) <= highest(y) && lowest(y) <= highest(x))
		return false;
	return row->metric->exact || larger - smaller > COMPARE_THRESHOLD * larger;
}

static bool
better(const struct compare_row *row, int a, int than)
{
	double x, y;

	if (than < 0)
		return true;
	x = compare_median(&row->cells[a]);
	y = compare_median(&row->cells[than]);
	return row->metric->more ? x > y : x < y;
}

struct compare_ranking
compare_rank(const struct comparison *c, const struct compare_row *row)
{
	struct compare_ranking r = {.best = -1, .nearest = -1, .farthest = -1};

	for (unsigned int i = 0; i < c->count; i++) {
		if (!compare_counts(c, row, i))
			continue;
		r.ranked++;
		if (better(row, (int)i, r.best))
			r.best = (int)i;
	}
	for (unsigned int i = 0; i < c->count; i++) {
		if (!compare_counts(c, row, i))
			continue;
		if (!differ(row, (unsigned int)r.best, i)) {
			r.places[i] = COMPARE_BEST;
			r.equal++;
			continue;
		}
		r.places[i] = COMPARE_WORSE;
		r.worse++;
		if (better(row, (int)i, r.nearest))
			r.nearest = (int)i;
		if (r.farthest < 0 || better(row, r.farthest, (int)i))
			r.farthest = (int)i;
	}
	if (r.worse == 0)
		r.best = -1;
	return r;
}

double
compare_gain(const struct compare_row *row, int best, int other)
{
	double x = compare_median(&row->cells[best]), y = compare_median(&row->cells[other]);

	if (y == 0)
		return -1;
	return 100 * (row->metric->more ? x - y : y - x) / y;
}

void
compare_put_gain(FILE *to, double gain)
{
	fprintf(to, gain < 9.95 ? "%.1f %%" : "%.0f %%", gain);
}

void
compare_put_best(const struct comparison *c, const struct compare_ranking *r, FILE *to)
{
	unsigned int left = r->equal;

	for (unsigned int i = 0; i < c->count; i++) {
		if (r->places[i] != COMPARE_BEST)
			continue;
		left--;
		fprintf(to, "%s%s", c->runs[i].name, left > 1 ? ", " : left == 1 ? " and " : "");
	}
}
