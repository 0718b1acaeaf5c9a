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
put_others(const struct comparison *c, const struct compare_row *row,
	   const struct compare_ranking *r, FILE *to)
{
	bool ends = r->worse > COMPARE_OTHERS_MAX;
	const char *words = " against ";

	fputs(": ", to);
	put_value(to, row, r->best);
	if (ends) {
		fputs(words, to);
		put_other(c, row, r->best, r->nearest, to);
		fputs(" to ", to);
		put_other(c, row, r->best, r->farthest, to);
	}
	for (unsigned int i = 0; !ends && i < c->count; i++) {
		if (r->places[i] != COMPARE_WORSE)
			continue;
		fputs(words, to);
		put_other(c, row, r->best, (int)i, to);
		words = " and ";
	}
	fputs(".", to);
}

// A blank between sentences.
static void
begin_sentence(FILE *to)
{
	if (ftell(to) != 0)
		fputc(' ', to);
}

static void
conclude(const struct comparison *c, const struct compare_row *row, const char *superlative,
	 FILE *to)
{
	const struct compare_ranking r = compare_rank(c, row);

	if (r.ranked < 2)
		return;
	begin_sentence(to);
	if (r.best < 0) {
		fprintf(to, "No difference in %s.", row->metric->name);
		return;
	}
	compare_put_best(c, &r, to);
	fprintf(to, " %s the %s %s", r.equal > 1 ? "have" : "has", superlative, row->metric->name);
	put_others(c, row, &r, to);
}

// The completion time of an item or tenant that differs most: one flow that suffers hardly shows
// in figures of the whole run.
static void
conclude_groups(const struct comparison *c, FILE *to)
{
	const struct compare_row *most = NULL;
	struct compare_ranking of_most;
	double most_gain = 0;

	for (unsigned int i = COMPARE_WHOLE_RUN; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		const struct compare_ranking r = compare_rank(c, row);
		double gain;

		if (r.best < 0 || row->metric->unit != COMPARE_PS)
			continue;
		gain = compare_gain(row, r.best, r.farthest);
		if (gain <= most_gain)
			continue;
		most = row;
		most_gain = gain;
		of_most = r;
	}
	if (most == NULL)
		return;
	begin_sentence(to);
	fprintf(to, "The largest difference is in %s, best with ", most->name);
	compare_put_best(c, &of_most, to);
	put_others(c, most, &of_most, to);
}

static void
put_faults(const struct comparison *c, FILE *to)
{
	for (unsigned int i = 0; i < c->count; i++) {
		const struct compare_run *run = &c->runs[i];
		const struct compare_cell *completed = &c->rows[COMPARE_COMPLETED].cells[i];
		const struct compare_cell *lost = &c->rows[COMPARE_DROPS_LOSSLESS].cells[i];
		// The worst of the seeds.
		double least = completed->count != 0 ? completed->samples[0] : 0;
		double most = lost->count != 0 ? lost->samples[lost->count - 1] : 0;

		if (run->state <= COMPARE_TIME && least >= run->load.flows && most == 0)
			continue;
		begin_sentence(to);
		if (run->state == COMPARE_FAILED)
			fprintf(to, "%s failed: %s.", run->name, run->why);
		else if (run->state == COMPARE_STALLED)
			fprintf(to, "%s stalled: its packets are held forever.", run->name);
		else if (least < run->load.flows)
			fprintf(to, "Only %.0f of the %u flows of %s are complete.", least,
				run->load.flows, run->name);
		else
			fprintf(to, "%s lost %.0f lossless packets.", run->name, most);
	}
}

char *
compare_verdict(const struct comparison *c)
{
	char *text = NULL;
	size_t length;
	FILE *to = memory_stream_open(&text, &length);

	conclude(c, &c->rows[COMPARE_STEP], "shortest", to);
	conclude(c, &c->rows[COMPARE_GOODPUT], "highest", to);
	conclude_groups(c, to);
	put_faults(c, to);
	if (ftell(to) == 0)
		fputs("There is nothing to conclude: fewer than two runs completed a flow.", to);
	fclose(to);
	return text;
}
