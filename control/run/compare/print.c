// SPDX-License-Identifier: BSD-3-Clause
// First what differs between the files, then the figures. The best values of a row have a `*`, and
// the row ends with what they are better than, and by how much of the other's value.
#include "compare.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_VALUE_MAX 40 // of a key's value, in characters

static const char *
value_text(char text[static TEXT_VALUE_MAX], enum compare_unit unit, double value)
{
	switch (unit) {
	case COMPARE_PS:
		text_duration(text, (uint64_t)value);
		if (value == 0)
			snprintf(text, TEXT_VALUE_MAX, "0");
		break;
	case COMPARE_GBPS:
		snprintf(text, TEXT_VALUE_MAX, "%.1f Gb/s", value);
		break;
	case COMPARE_NUMBER:
		snprintf(text, TEXT_VALUE_MAX, "%.0f", value);
		break;
	case COMPARE_RATIO:
		snprintf(text, TEXT_VALUE_MAX, "%.3f", value);
		break;
	}
	return text;
}

char *
compare_cell_text(const struct compare_row *row, unsigned int run)
{
	const struct compare_cell *cell = &row->cells[run];
	enum compare_unit unit = row->metric->unit;
	char median[TEXT_VALUE_MAX], low[TEXT_VALUE_MAX], high[TEXT_VALUE_MAX];
	double first, last;

	if (cell->count == 0)
		return memory_text("-");
	first = cell->samples[0];
	last = cell->samples[cell->count - 1];
	value_text(median, unit, compare_median(cell));
	if (strcmp(value_text(low, unit, first), value_text(high, unit, last)) == 0)
		return memory_text(low);
	return memory_format("%s [%s to %s]", median, low, high);
}

// "A better than B by 12 %, than C by 30 %"; of equally good ones "A and D better ..."; of many
// others only the two ends, "A better by 12 % (B) to 30 % (C)".
static void
put_better(const struct comparison *c, const struct compare_row *row,
	   const struct compare_ranking *r, FILE *to)
{
	double least = compare_gain(row, r->best, r->nearest);
	double most = compare_gain(row, r->best, r->farthest);
	const char *words = " better than ";

	compare_put_best(c, r, to);
	if (r->worse > COMPARE_OTHERS_MAX && least >= 0 && most >= 0) {
		fputs(" better by ", to);
		compare_put_gain(to, least);
		if (least == most) // than nothing at all, mostly
			return;
		fprintf(to, " (%s) to ", c->runs[r->nearest].name);
		compare_put_gain(to, most);
		fprintf(to, " (%s)", c->runs[r->farthest].name);
		return;
	}
	for (unsigned int i = 0; i < c->count; i++) {
		double gain;

		if (r->places[i] != COMPARE_WORSE)
			continue;
		fprintf(to, "%s%s", words, c->runs[i].name);
		gain = compare_gain(row, r->best, (int)i);
		if (gain >= 0) {
			fputs(" by ", to);
			compare_put_gain(to, gain);
		}
		words = ", than ";
	}
}

static bool
is_shown(const struct comparison *c, const struct compare_row *row, const struct compare_ranking *r)
{
	bool any = false;

	for (unsigned int i = 0; i < c->count; i++)
		any |= row->cells[i].count != 0;
	return row->metric->quiet ? r->best >= 0 : any;
}

static void
add_row(struct text_table *t, const struct comparison *c, const struct compare_row *row)
{
	const struct compare_ranking r = compare_rank(c, row);
	char *text;
	size_t length;
	FILE *to;

	if (!is_shown(c, row, &r))
		return;
	text_table_cell(t, "%s", row->name);
	for (unsigned int i = 0; i < c->count; i++) {
		text = compare_cell_text(row, i);
		text_table_cell(t, "%s%s", r.best >= 0 && r.places[i] == COMPARE_BEST ? "* " : "",
				text);
		free(text);
	}
	to = memory_stream_open(&text, &length);
	if (r.best >= 0)
		put_better(c, row, &r, to);
	else if (r.ranked > 1)
		fputs("no difference", to);
	fclose(to);
	text_table_cell(t, "%s", text);
	free(text);
}

// A table with a column for each file between a first and, if `verdicts`, a last one.
static struct text_table *
create_table(const struct comparison *c, struct text_column columns[static COMPARE_FILES_MAX + 2],
	     const char *first, bool verdicts)
{
	columns[0] = (struct text_column){first, TEXT_LEFT};
	for (unsigned int i = 0; i < c->count; i++)
		columns[i + 1] = (struct text_column){c->runs[i].name, TEXT_RIGHT};
	columns[c->count + 1] = (struct text_column){"", TEXT_LEFT};
	return text_table_create(columns, c->count + 1 + verdicts);
}

static void
print_differences(const struct comparison *c, FILE *to)
{
	struct text_column columns[COMPARE_FILES_MAX + 2];
	struct text_table *t;

	if (c->difference_count == 0) {
		fputs("the files differ in nothing but their workloads and names\n\n", to);
		return;
	}
	t = create_table(c, columns, "what differs", false);
	for (unsigned int d = 0; d < c->difference_count; d++) {
		const struct compare_difference *one = &c->differences[d];

		text_table_cell(t, "%s", one->key);
		for (unsigned int i = 0; i < c->count; i++) {
			const char *value = one->values[i] != NULL ? one->values[i] : "-";
			bool cut = strlen(value) > COMPARE_VALUE_MAX;

			text_table_cell(t, "%.*s%s",
					cut ? COMPARE_VALUE_MAX - 3 : COMPARE_VALUE_MAX, value,
					cut ? "..." : "");
		}
	}
	text_table_print(t, "", to);
	text_table_destroy(t);
	fputc('\n', to);
}

void
compare_print(const struct comparison *c, FILE *to)
{
	struct text_column columns[COMPARE_FILES_MAX + 2];
	struct text_table *t = create_table(c, columns, "", true);
	char *verdict = compare_verdict(c);

	print_differences(c, to);
	if (c->seeds > 1)
		fprintf(to, "medians of %u seeds [least to most]\n", c->seeds);
	text_table_cell(t, "run");
	for (unsigned int i = 0; i < c->count; i++)
		text_table_cell(t, "%s", compare_state_name(c->runs[i].state));
	text_table_cell(t, "%s", "");
	for (unsigned int r = 0; r < c->row_count; r++)
		add_row(t, c, &c->rows[r]);
	text_table_print(t, "", to);
	text_table_destroy(t);
	fprintf(to, "\n%s\n", verdict);
	free(verdict);
}

// ---- JSON ---------------------------------------------------------------------------------------

static json_t *
number_json(const struct compare_row *row, double value)
{
	bool integer = row->metric->unit == COMPARE_PS || row->metric->unit == COMPARE_NUMBER;

	return integer ? json_integer((json_int_t)value) : json_real(value);
}

static json_t *
run_json(const struct comparison *c, unsigned int i)
{
	const struct compare_run *run = &c->runs[i];
	json_t *values = json_object(), *samples = json_object(), *out;
	char *file = memory_text(run->file);

	for (unsigned int r = 0; r < c->row_count; r++) {
		const struct compare_row *row = &c->rows[r];
		const struct compare_cell *cell = &row->cells[i];
		json_t *list = json_array();

		json_object_set_new(values, row->key,
				    cell->count == 0 ? json_null()
						     : number_json(row, compare_median(cell)));
		for (unsigned int k = 0; k < cell->count; k++)
			json_array_append_new(list, number_json(row, cell->samples[k]));
		json_object_set_new(samples, row->key, list);
	}
	utf8_repair(file);
	out = json_pack("{s:s,s:s,s:s,s:s?,s:I,s:I,s:o,s:o}", "file", file, "name", run->name,
			"state", compare_state_name(run->state), "why",
			run->why[0] != '\0' ? run->why : NULL, "flows", (json_int_t)run->load.flows,
			"bytes", (json_int_t)run->load.bytes, "values", values, "samples", samples);
	free(file);
	return out;
}

static json_t *
best_json(const struct comparison *c)
{
	json_t *out = json_object();

	for (unsigned int r = 0; r < c->row_count; r++) {
		int best = compare_rank(c, &c->rows[r]).best;

		json_object_set_new(out, c->rows[r].key,
				    best >= 0 ? json_string(c->runs[best].name) : json_null());
	}
	return out;
}

static json_t *
differences_json(const struct comparison *c)
{
	json_t *out = json_object();

	for (unsigned int d = 0; d < c->difference_count; d++) {
		json_t *values = json_array();

		for (unsigned int i = 0; i < c->count; i++) {
			const char *value = c->differences[d].values[i];

			json_array_append_new(values,
					      value != NULL ? json_string(value) : json_null());
		}
		json_object_set_new(out, c->differences[d].key, values);
	}
	return out;
}

int
compare_print_json(const struct comparison *c, FILE *to)
{
	char *verdict = compare_verdict(c);
	json_t *list = json_array(), *document;
	int status = 0;

	for (unsigned int i = 0; i < c->count; i++)
		json_array_append_new(list, run_json(c, i));
	document = json_pack("{s:I,s:o,s:o,s:o,s:s}", "seeds", (json_int_t)c->seeds, "differences",
			     differences_json(c), "runs", list, "best", best_json(c), "verdict",
			     verdict);
	if (json_dumpf(document, to, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) != 0 ||
	    fputc('\n', to) == EOF)
		status = -EIO;
	json_decref(document);
	free(verdict);
	return status;
}
