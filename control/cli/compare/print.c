// SPDX-License-Identifier: BSD-3-Clause
// The best value of a row has a `*` before it, and the row ends with what it is better than, and by
// how much of the other's value.
#include "compare.h"

#include "control/base/text_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *
value_text(char text[static TEXT_VALUE_MAX], const struct compare_run *run, enum compare_row row)
{
	double value = run->values[row];

	if (!run->known[row])
		return "-";
	switch (compare_metrics[row].unit) {
	case COMPARE_PS:
		return value == 0 ? "0" : text_duration(text, (uint64_t)value);
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

// "A better by 12 % (B) to 30 % (C)": of many only the two ends. False: the ends are not known.
static bool
put_range(const struct compare_run *runs, unsigned int count, enum compare_row row, int best,
	  FILE *to)
{
	int ends[2];
	double gains[2];

	if (compare_others(runs, count, row, best, &ends[0], &ends[1]) <= COMPARE_OTHERS_MAX)
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		gains[i] = compare_gain(row, runs[best].values[row], runs[ends[i]].values[row]);
		if (gains[i] < 0)
			return false;
	}
	fputs(" better by ", to);
	compare_put_gain(to, gains[0]);
	if (gains[0] == gains[1]) // than nothing at all, mostly
		return true;
	fprintf(to, " (%s) to ", runs[ends[0]].name);
	compare_put_gain(to, gains[1]);
	fprintf(to, " (%s)", runs[ends[1]].name);
	return true;
}

// "A better than B by 12 %, than C by 30 %"; of equally good ones "A and D better ...".
static void
put_better(const struct compare_run *runs, unsigned int count, enum compare_row row, FILE *to)
{
	int best = compare_best(runs, count, row);
	const char *words = " better than ";

	if (best < 0)
		return;
	compare_put_best(runs, count, row, best, to);
	if (put_range(runs, count, row, best, to))
		return;
	for (unsigned int i = 0; i < count; i++) {
		double gain;

		if (!compare_counts(&runs[i], row) || compare_is_best(runs, i, row, best))
			continue;
		fprintf(to, "%s%s", words, runs[i].name);
		gain = compare_gain(row, runs[best].values[row], runs[i].values[row]);
		if (gain >= 0) {
			fputs(" by ", to);
			compare_put_gain(to, gain);
		}
		words = ", than ";
	}
}

static int
better_cell(struct text_table *t, const struct compare_run *runs, unsigned int count,
	    enum compare_row row)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (to == NULL)
		return -ENOMEM;
	put_better(runs, count, row, to);
	if (fclose(to) == 0)
		text_table_cell(t, "%s", text);
	free(text);
	return 0;
}

static int
add_row(struct text_table *t, const struct compare_run *runs, unsigned int count,
	enum compare_row row)
{
	int best = compare_best(runs, count, row);

	text_table_cell(t, "%s", compare_metrics[row].name);
	for (unsigned int i = 0; i < count; i++) {
		char text[TEXT_VALUE_MAX];

		text_table_cell(t, "%s%s", compare_is_best(runs, i, row, best) ? "* " : "",
				value_text(text, &runs[i], row));
	}
	return better_cell(t, runs, count, row);
}

static bool
row_known(const struct compare_run *runs, unsigned int count, enum compare_row row)
{
	for (unsigned int i = 0; i < count; i++)
		if (runs[i].known[row])
			return true;
	return false;
}

int
compare_print(const struct compare_run *runs, unsigned int count, FILE *to)
{
	struct text_column columns[COMPARE_FILES_MAX + 2] = {{"", TEXT_LEFT}};
	struct text_table *t;
	char *verdict;
	int status;

	for (unsigned int i = 0; i < count; i++)
		columns[i + 1] = (struct text_column){runs[i].name, TEXT_RIGHT};
	columns[count + 1] = (struct text_column){"", TEXT_LEFT};
	status = text_table_create(&t, columns, count + 2);
	if (status != 0)
		return status;
	text_table_cell(t, "run");
	for (unsigned int i = 0; i < count; i++)
		text_table_cell(t, "%s", compare_state_name(runs[i].state));
	text_table_cell(t, "%s", "");
	for (unsigned int row = 0; status == 0 && row < COMPARE_ROWS; row++)
		if (row_known(runs, count, row))
			status = add_row(t, runs, count, row);
	if (status == 0)
		status = text_table_print(t, "", to);
	text_table_destroy(t);
	verdict = compare_verdict(runs, count);
	if (status == 0 && verdict != NULL)
		fprintf(to, "\n%s\n", verdict);
	free(verdict);
	return status != 0 ? status : verdict == NULL ? -ENOMEM : 0;
}

static json_t *
run_json(const struct compare_run *run)
{
	json_t *values = json_object();

	for (unsigned int row = 0; row < COMPARE_ROWS; row++) {
		bool integer = compare_metrics[row].unit == COMPARE_PS ||
			       compare_metrics[row].unit == COMPARE_NUMBER;
		double value = run->values[row];

		json_object_set_new(values, compare_metrics[row].key,
				    !run->known[row] ? json_null()
				    : integer        ? json_integer((json_int_t)value)
						     : json_real(value));
	}
	return json_pack("{s:s,s:s,s:s,s:s?,s:I,s:I,s:o}", "file", run->file, "name", run->name,
			 "state", compare_state_name(run->state), "why",
			 run->why[0] != '\0' ? run->why : NULL, "flows",
			 (json_int_t)run->load.flows, "bytes", (json_int_t)run->load.bytes,
			 "values", values);
}

static json_t *
best_json(const struct compare_run *runs, unsigned int count)
{
	json_t *out = json_object();

	for (unsigned int row = 0; row < COMPARE_ROWS; row++) {
		int best = compare_best(runs, count, row);

		json_object_set_new(out, compare_metrics[row].key,
				    best >= 0 ? json_string(runs[best].name) : json_null());
	}
	return out;
}

int
compare_print_json(const struct compare_run *runs, unsigned int count, FILE *to)
{
	char *verdict = compare_verdict(runs, count);
	json_t *list = json_array(), *document;
	int status = -ENOMEM;

	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(list, run_json(&runs[i]));
	document = json_pack("{s:o,s:o,s:s?}", "runs", list, "best", best_json(runs, count),
			     "verdict", verdict);
	if (document != NULL && verdict != NULL &&
	    json_array_size(json_object_get(document, "runs")) == count &&
	    json_dumpf(document, to, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0 &&
	    fputc('\n', to) != EOF)
		status = 0;
	json_decref(document);
	free(verdict);
	return status;
}
