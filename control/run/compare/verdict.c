// SPDX-License-Identifier: BSD-3-Clause
#include "compare.h"

#include "control/base/memory.h"

#include <stdlib.h>

static void
put_value(FILE *to, const struct compare_row *row, int run)
{
	char *text = compare_cell_text(row, (unsigned int)run);

	fputs(text, to);
	free(text);
}

static void
put_other(const struct comparison *c, const struct compare_row *row, int best, int other, FILE *to)
{
	double gain = compare_gain(row, best, other);

	put_value(to, row, other);
	fprintf(to, " of %s", c->runs[other].name);
	if (gain > 0) {
		fputs(" (", to);
		compare_put_gain(to, gain);
		fputs(row->metric->more ? " more)" : " less)", to);
	}
}

// ": 1.2 ms against 1.5 ms of B (20 % less) and 3 ms of C (60 % less)."; of many others the ends.
static void
put_others(const struct comparison *c, const struct compare_row *row, int best, FILE *to)
{
	const char *words = " against ";
	int ends[2];

	fputs(": ", to);
	put_value(to, row, best);
	if (compare_others(c, row, best, ends) > COMPARE_OTHERS_MAX) {
		fputs(" against ", to);
		put_other(c, row, best, ends[0], to);
		fputs(" to ", to);
		put_other(c, row, best, ends[1], to);
		fputs(".", to);
		return;
	}
	for (unsigned int i = 0; i < c->count; i++) {
		if (!compare_counts(c, row, i) || compare_is_best(c, row, best, i))
			continue;
		fputs(words, to);
		put_other(c, row, best, (int)i, to);
		words = " and ";
	}
	fputs(".", to);
}

// True when something was printed.
static bool
conclude(const struct comparison *c, const struct compare_row *row, const char *superlative,
	 bool more, FILE *to)
{
	int best = compare_best(c, row);
	unsigned int ranked = 0, equal;

	for (unsigned int i = 0; i < c->count; i++)
		ranked += compare_counts(c, row, i);
	if (ranked < 2)
		return false;
	if (more)
		fputc(' ', to);
	if (best < 0) {
		fprintf(to, "No difference in %s.", row->metric->name);
		return true;
	}
	equal = compare_put_best(c, row, best, to);
	fprintf(to, " %s the %s %s", equal > 1 ? "have" : "has", superlative, row->metric->name);
	put_others(c, row, best, to);
	return true;
}

// The completion time of an item or tenant that differs most: one flow that suffers hardly shows
// in figures of the whole run.
static bool
conclude_groups(const struct comparison *c, bool more, FILE *to)
{
	const struct compare_row *most = NULL;
	double most_gain = 0;

	for (unsigned int r = COMPARE_WHOLE_RUN; r < c->row_count; r++) {
		const struct compare_row *row = &c->rows[r];
		int best = compare_best(c, row), ends[2];
		double gain;

		if (best < 0 || row->metric->unit != COMPARE_PS)
			continue;
		compare_others(c, row, best, ends);
		gain = compare_gain(row, best, ends[1]);
		if (gain > most_gain) {
			most = row;
			most_gain = gain;
		}
	}
	if (most == NULL)
		return false;
	fprintf(to, "%sThe largest difference is in %s, best with ", more ? " " : "", most->name);
	compare_put_best(c, most, compare_best(c, most), to);
	put_others(c, most, compare_best(c, most), to);
	return true;
}

// The fewest flows that any seed completed.
static double
completed(const struct comparison *c, unsigned int run)
{
	const struct compare_cell *cell = &c->rows[COMPARE_COMPLETED].cells[run];

	return cell->count != 0 ? cell->samples[0] : 0;
}

// The most lossless packets that any seed lost.
static double
lost(const struct comparison *c, unsigned int run)
{
	const struct compare_cell *cell = &c->rows[COMPARE_DROPS_LOSSLESS].cells[run];

	return cell->count != 0 ? cell->samples[cell->count - 1] : 0;
}

static void
put_faults(const struct comparison *c, bool more, FILE *to)
{
	for (unsigned int i = 0; i < c->count; i++) {
		const struct compare_run *run = &c->runs[i];
		const char *blank = more ? " " : "";

		if (run->state == COMPARE_FAILED)
			fprintf(to, "%s%s failed: %s.", blank, run->name, run->why);
		else if (run->state == COMPARE_STALLED)
			fprintf(to, "%s%s stalled: its packets are held forever.", blank,
				run->name);
		else if (completed(c, i) < run->load.flows)
			fprintf(to, "%sOnly %.0f of the %u flows of %s are complete.", blank,
				completed(c, i), run->load.flows, run->name);
		else if (lost(c, i) > 0)
			fprintf(to, "%s%s lost %.0f lossless packets.", blank, run->name,
				lost(c, i));
		else
			continue;
		more = true;
	}
}

char *
compare_verdict(const struct comparison *c)
{
	char *text = NULL;
	size_t length;
	FILE *to = memory_stream_open(&text, &length);
	bool more;

	more = conclude(c, &c->rows[COMPARE_STEP], "shortest", false, to);
	more |= conclude(c, &c->rows[COMPARE_GOODPUT], "highest", more, to);
	more |= conclude_groups(c, more, to);
	put_faults(c, more, to);
	if (ftell(to) == 0)
		fputs("There is nothing to conclude: fewer than two runs completed a flow.", to);
	fclose(to);
	return text;
}
