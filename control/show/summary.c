// SPDX-License-Identifier: BSD-3-Clause
#include "summary.h"

#include "summary_internal.h"
#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <stdlib.h>
#include <string.h>

#define COLLECTIVES_SHOWN 40u

static const struct text_column item_columns[] = {
	{"workload", TEXT_LEFT}, {"flows", TEXT_RIGHT},    {"complete", TEXT_RIGHT},
	{"bytes", TEXT_RIGHT},   {"FCT mean", TEXT_RIGHT}, {"p50", TEXT_RIGHT},
	{"p99", TEXT_RIGHT},     {"max", TEXT_RIGHT},      {"slowdown mean", TEXT_RIGHT},
	{"p50", TEXT_RIGHT},     {"p99", TEXT_RIGHT},
};

static const struct text_column collective_columns[] = {
	{"collective", TEXT_LEFT},  {"kind", TEXT_LEFT},   {"ranks", TEXT_RIGHT},
	{"per rank", TEXT_RIGHT},   {"times", TEXT_RIGHT}, {"time mean", TEXT_RIGHT},
	{"min", TEXT_RIGHT},        {"max", TEXT_RIGHT},   {"algbw Gb/s", TEXT_RIGHT},
	{"busbw Gb/s", TEXT_RIGHT},
};

static void
duration_cell(struct text_table *t, uint32_t known, ps_t at)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", known != 0 ? text_duration(text, at) : "-");
}

static void
real_cell(struct text_table *t, bool known, int digits, double value)
{
	if (known)
		text_table_cell(t, "%.*f", digits, value);
	else
		text_table_cell(t, "-");
}

static void
add_item(struct text_table *t, const char *name, const struct flow_statistics *statistics)
{
	const struct flow_statistics s = *statistics;
	char bytes[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", name);
	text_table_cell(t, "%u", s.flows);
	text_table_cell(t, "%u", s.completed);
	text_table_cell(t, "%s", text_bytes(bytes, s.bytes));
	duration_cell(t, s.completed, s.fct_mean);
	duration_cell(t, s.completed, s.fct_p50);
	duration_cell(t, s.completed, s.fct_p99);
	duration_cell(t, s.completed, s.fct_max);
	real_cell(t, s.with_ideal != 0, 3, s.slowdown_mean);
	real_cell(t, s.with_ideal != 0, 3, s.slowdown_p50);
	real_cell(t, s.with_ideal != 0, 3, s.slowdown_p99);
}

static void
print_items(const struct report_result *r, FILE *to)
{
	struct text_table *t =
		text_table_create(item_columns, sizeof(item_columns) / sizeof(*item_columns));
	struct flow_statistics all;
	uint32_t count;
	struct flow_group *items =
		flow_groups_compute(r->flows, r->flow_count, FLOWS_BY_ITEM, &count);

	for (uint32_t i = 0; i < count; i++)
		add_item(t, items[i].name, &items[i].statistics);
	if (count > 1) {
		flow_statistics_compute(r->flows, r->flow_count, &all);
		add_item(t, "all", &all);
	}
	if (count != 0)
		text_table_print(t, "", to);
	text_table_destroy(t);
	free(items);
}

// How often it was done, of how many times it was begun.
static void
times_cell(struct text_table *t, const struct collective_statistics *s)
{
	if (s->completed == s->executions)
		text_table_cell(t, "%u", s->completed);
	else
		text_table_cell(t, "%u of %u", s->completed, s->executions);
}

static void
add_collective(struct text_table *t, const struct collective_statistics *s)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", s->name);
	text_table_cell(t, "%s", report_kind_name(s->kind));
	text_table_cell(t, "%u", s->ranks);
	text_table_cell(t, "%s", text_bytes(text, s->bytes));
	times_cell(t, s);
	duration_cell(t, s->completed, s->mean);
	duration_cell(t, s->completed, s->min);
	duration_cell(t, s->completed, s->max);
	real_cell(t, s->completed != 0, 1, s->algbw_gbps);
	real_cell(t, s->completed != 0 && s->kind != REPORT_STEP && s->kind != REPORT_COMPUTE, 1,
		  s->busbw_gbps);
}

static int
compare_totals(const void *left, const void *right)
{
	const struct collective_statistics *const *a = left, *const *b = right;
	double x = (double)(*a)->mean * (*a)->completed, y = (double)(*b)->mean * (*b)->completed;

	if (x != y)
		return x > y ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

// Of many collectives, as a trace may have, only those are shown that took most time in all.
// Returns the last of them, or NULL: all are shown.
static const struct collective_statistics *
find_last_shown(const struct collective_statistics *all, uint32_t count)
{
	const struct collective_statistics **sorted, *last;

	if (count <= COLLECTIVES_SHOWN)
		return NULL;
	sorted = memory_array(count, sizeof(*sorted), "collectives");
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &all[i];
	qsort(sorted, count, sizeof(*sorted), compare_totals);
	last = sorted[COLLECTIVES_SHOWN - 1];
	free(sorted);
	return last;
}

static void
print_collectives(const struct report_result *r, FILE *to)
{
	const struct collective_statistics *last;
	struct collective_statistics *all;
	struct text_table *t;
	uint32_t groups;

	if (r->collective_count == 0)
		return;
	all = collective_statistics_compute(r->collectives, r->collective_count, &groups);
	t = text_table_create(collective_columns,
			      sizeof(collective_columns) / sizeof(*collective_columns));
	last = find_last_shown(all, groups);
	for (uint32_t i = 0; i < groups; i++) {
		const struct collective_statistics *one = &all[i];

		if (last == NULL || compare_totals(&one, &last) <= 0)
			add_collective(t, one);
	}
	fputc('\n', to);
	text_table_print(t, "", to);
	text_table_destroy(t);
	free(all);
	if (last != NULL)
		fprintf(to, "the %u that took most time; %u more in result.json\n",
			COLLECTIVES_SHOWN, groups - COLLECTIVES_SHOWN);
	if (r->pairs.pairs != 0)
		fprintf(to, "pairs   %ju generated; %ju of %ju messages arrived (%.1f %%)\n",
			(uintmax_t)r->pairs.pairs, (uintmax_t)r->pairs.arrived,
			(uintmax_t)r->pairs.messages,
			100 * (double)r->pairs.arrived / (double)r->pairs.messages);
}

static void
print_hints(const struct report_result *r, FILE *to)
{
	json_t *hints = report_hints(r), *hint;
	size_t i;

	json_array_foreach(hints, i, hint)
		fprintf(to, "%slook at: %s\n", i == 0 ? "\n" : "", json_string_value(hint));
	json_decref(hints);
}

static void
print_run(const struct report_result *r, const struct report_totals *totals, const char *digest,
	  FILE *to)
{
	char text[TEXT_VALUE_MAX];

	fputc('\n', to);
	if (r->interrupted)
		fprintf(to, "interrupted at %s: the run is incomplete\n",
			text_duration(text, r->now));
	if (r->out_of_memory)
		fprintf(to, "out of memory at %s: the run is incomplete\n",
			text_duration(text, r->now));
	fprintf(to, "%s of fabric time", text_duration(text, r->last_event));
	fprintf(to, " in %s", text_duration(text, (uint64_t)(r->wall_s * (double)PS_PER_S)));
	if (r->wall_s > 0)
		fprintf(to, ", %.1f million packet-hops/s",
			(double)totals->packet_hops / r->wall_s / 1e6);
	if (r->ranks > 1)
		fprintf(to, ", %u ranks", r->ranks);
	if (r->threads > 1)
		fprintf(to, ", %u threads%s", r->threads, r->ranks > 1 ? " each" : "");
	if (r->memory_bytes != 0)
		fprintf(to, ", %s of memory", text_bytes(text, r->memory_bytes));
	fputc('\n', to);
	if (digest != NULL)
		fprintf(to, "digest %s\n", digest);
}

void
summary_print(const struct report_result *r, const char *digest, FILE *to)
{
	const struct report_totals *totals = &r->figures.totals;

	print_items(r, to);
	print_collectives(r, to);
	summary_print_steps(r, to);
	summary_print_events(r, totals, to);
	summary_print_links(r, to);
	summary_print_pools(r, to);
	print_hints(r, to);
	print_run(r, totals, digest, to);
}
