// SPDX-License-Identifier: BSD-3-Clause
#include "compare.h"

#include "control/base/text_table.h"

#include <stdlib.h>
#include <string.h>

static void
put_value(FILE *to, const struct compare_run *run, enum compare_row row)
{
	char text[TEXT_VALUE_MAX];

	if (compare_metrics[row].unit == COMPARE_PS)
		fputs(text_duration(text, (uint64_t)run->values[row]), to);
	else
		fprintf(to, "%.1f Gb/s", run->values[row]);
}

static void
put_other(const struct compare_run *runs, enum compare_row row, int best, int other, FILE *to)
{
	double gain = compare_gain(row, runs[best].values[row], runs[other].values[row]);

	put_value(to, &runs[other], row);
	fprintf(to, " of %s", runs[other].name);
	if (gain > 0) {
		fputs(" (", to);
		compare_put_gain(to, gain);
		fputs(compare_metrics[row].more ? " more)" : " less)", to);
	}
}

// ": 1.2 ms against 1.5 ms of B (20 % less) and 3 ms of C (60 % less)."; of many others the ends.
static void
put_others(const struct compare_run *runs, unsigned int count, enum compare_row row, int best,
	   FILE *to)
{
	const char *words = " against ";
	int nearest, farthest;

	fputs(": ", to);
	put_value(to, &runs[best], row);
	if (compare_others(runs, count, row, best, &nearest, &farthest) > COMPARE_OTHERS_MAX) {
		fputs(" against ", to);
		put_other(runs, row, best, nearest, to);
		fputs(" to ", to);
		put_other(runs, row, best, farthest, to);
		fputs(".", to);
		return;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (!compare_counts(&runs[i], row) || compare_is_best(runs, i, row, best))
			continue;
		fputs(words, to);
		put_other(runs, row, best, (int)i, to);
		words = " and ";
	}
	fputs(".", to);
}

// True when something was said.
static bool
conclude(const struct compare_run *runs, unsigned int count, enum compare_row row,
	 const char *superlative, const char *thing, bool more, FILE *to)
{
	int best = compare_best(runs, count, row);
	unsigned int known = 0, equal;

	for (unsigned int i = 0; i < count; i++)
		known += compare_counts(&runs[i], row);
	if (known < 2)
		return false;
	if (more)
		fputc(' ', to);
	if (best < 0) {
		fprintf(to, "All have the same %s.", thing);
		return true;
	}
	equal = compare_put_best(runs, count, row, best, to);
	fprintf(to, " %s the %s %s", equal > 1 ? "have" : "has", superlative, thing);
	put_others(runs, count, row, best, to);
	return true;
}

static void
put_faults(const struct compare_run *runs, unsigned int count, bool more, FILE *to)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct compare_run *run = &runs[i];
		const char *blank = more ? " " : "";

		if (run->state == COMPARE_FAILED)
			fprintf(to, "%s%s failed: %s.", blank, run->name, run->why);
		else if (run->state == COMPARE_STALLED)
			fprintf(to, "%s%s stalled: its packets are held for ever.", blank,
				run->name);
		else if (run->values[COMPARE_COMPLETED] < run->load.flows)
			fprintf(to, "%sOf %s only %.0f of %u flows are complete.", blank, run->name,
				run->values[COMPARE_COMPLETED], run->load.flows);
		else if (run->values[COMPARE_DROPS_LOSSLESS] > 0)
			fprintf(to, "%s%s lost %.0f lossless packets.", blank, run->name,
				run->values[COMPARE_DROPS_LOSSLESS]);
		else
			continue;
		more = true;
	}
}

char *
compare_verdict(const struct compare_run *runs, unsigned int count)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	bool more;

	if (to == NULL)
		return NULL;
	more = conclude(runs, count, COMPARE_STEP, "shortest", "step time", false, to);
	more |= conclude(runs, count, COMPARE_GOODPUT, "highest", "goodput", more, to);
	put_faults(runs, count, more, to);
	if (ftell(to) == 0)
		fputs("There is nothing to conclude: fewer than two runs completed a flow.", to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}
