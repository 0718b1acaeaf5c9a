// SPDX-License-Identifier: BSD-3-Clause
// What the time of steps went to, the bandwidth of their groups, and the critical path of the
// slowest execution of each.
#include "summary_internal.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 10 // of a critical path

static const struct text_column step_columns[] = {
	{"step", TEXT_LEFT},  {"times", TEXT_RIGHT},     {"time mean", TEXT_RIGHT},
	{"max", TEXT_RIGHT},  {"computing", TEXT_RIGHT}, {"exposed communication", TEXT_RIGHT},
	{"idle", TEXT_RIGHT}, {"last host", TEXT_LEFT},
};

static const struct text_column path_columns[] = {
	{"operation", TEXT_LEFT}, {"kind", TEXT_LEFT},   {"times", TEXT_RIGHT},
	{"time", TEXT_RIGHT},     {"share", TEXT_RIGHT}, {"busbw Gb/s", TEXT_RIGHT},
	{"longest", TEXT_RIGHT},  {"at", TEXT_LEFT},
};

static const struct text_column group_columns[] = {
	{"group", TEXT_LEFT},      {"operations", TEXT_RIGHT}, {"per rank", TEXT_RIGHT},
	{"time mean", TEXT_RIGHT}, {"busbw Gb/s", TEXT_RIGHT},
};

// The executions of one step, which follow each other.
struct executions {
	const struct report_step *slowest;
	uint32_t count;
	ps_t time, computing, exposed; // sums
};

static struct executions
take_executions(const struct report_steps *steps, uint32_t *next)
{
	const char *id = steps->items[*next].id;
	struct executions e = {.slowest = &steps->items[*next]};

	for (; *next < steps->count && strcmp(steps->items[*next].id, id) == 0; (*next)++) {
		const struct report_step *s = &steps->items[*next];

		e.count++;
		e.time += s->step;
		e.computing += s->computing;
		e.exposed += s->exposed;
		if (s->step > e.slowest->step)
			e.slowest = s;
	}
	return e;
}

static void
share_cell(struct text_table *t, ps_t part, ps_t all)
{
	text_table_cell(t, "%.1f %%", all != 0 ? 100 * (double)part / (double)all : 0.0);
}

static void
add_step(struct text_table *t, const struct executions *e)
{
	ps_t busy = e->computing + e->exposed;
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", e->slowest->id);
	text_table_cell(t, "%u", e->count);
	text_table_cell(t, "%s", text_duration(text, e->time / e->count));
	text_table_cell(t, "%s", text_duration(text, e->slowest->step));
	share_cell(t, e->computing, e->time);
	share_cell(t, e->exposed, e->time);
	share_cell(t, busy < e->time ? e->time - busy : 0, e->time);
	text_table_cell(t, "%s", e->slowest->slowest);
}

static int
compare_times(const void *left, const void *right)
{
	const struct report_path *a = left, *b = right;

	return a->time != b->time ? (a->time < b->time ? 1 : -1) : strcmp(a->name, b->name);
}

static void
add_path(struct text_table *t, const struct report_path *p, ps_t step)
{
	char text[TEXT_VALUE_MAX];

	text_table_cell(t, "%s", p->name);
	text_table_cell(t, "%s", report_kind_name(p->kind));
	text_table_cell(t, "%u", p->times);
	text_table_cell(t, "%s", text_duration(text, p->time));
	share_cell(t, p->time, step);
	if (p->kind == REPORT_COMPUTE)
		text_table_cell(t, "-");
	else
		text_table_cell(t, "%.1f", report_path_bandwidth(p));
	text_table_cell(t, "%s", text_duration(text, p->longest));
	text_table_cell(t, "%s", p->host);
}

static void
print_path(const struct executions *e, FILE *to)
{
	const struct report_step *s = e->slowest;
	struct report_path *sorted = memory_array(s->path_count, sizeof(*sorted), "a path");
	struct text_table *t =
		text_table_create(path_columns, sizeof(path_columns) / sizeof(*path_columns));
	char text[TEXT_VALUE_MAX];

	memcpy(sorted, s->path, s->path_count * sizeof(*sorted));
	qsort(sorted, s->path_count, sizeof(*sorted), compare_times);
	for (uint32_t i = 0; i < s->path_count && i < ROWS; i++)
		add_path(t, &sorted[i], s->step);
	fprintf(to, "\ncritical path of %s", s->id);
	if (e->count > 1)
		fprintf(to, ", execution %u, the longest", s->iteration + 1);
	fprintf(to, " (%s)\n", text_duration(text, s->step));
	text_table_print(t, "", to);
	if (s->path_count > ROWS)
		fprintf(to, "%u more in result.json\n", s->path_count - ROWS);
	text_table_destroy(t);
	free(sorted);
}

// What the groups of one name did.
struct group {
	const char *name;
	uint32_t count;
	uint64_t bytes; // per rank, the sum
	ps_t time;      // the same
	double bus;     // bandwidth times time
};

static struct group *
find_group(struct group **groups, uint32_t *count, const char *name)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp((*groups)[i].name, name) == 0)
			return &(*groups)[i];
	*groups = memory_grow(*groups, *count, sizeof(**groups), "groups of a step");
	(*groups)[*count] = (struct group){.name = name};
	return &(*groups)[(*count)++];
}

static void
print_groups(const struct report_result *r, FILE *to)
{
	struct text_table *t =
		text_table_create(group_columns, sizeof(group_columns) / sizeof(*group_columns));
	struct group *groups = NULL;
	char text[TEXT_VALUE_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->collective_count; i++) {
		const struct report_collective *c = &r->collectives[i];
		double algorithm, bus;
		struct group *g;

		if (c->group == NULL || c->step == PS_NEVER)
			continue;
		report_collective_bandwidth(c, &algorithm, &bus);
		g = find_group(&groups, &count, c->group);
		g->count++;
		g->bytes += c->bytes;
		g->time += c->step;
		g->bus += bus * (double)c->step;
	}
	for (uint32_t i = 0; i < count; i++) {
		text_table_cell(t, "%s", groups[i].name);
		text_table_cell(t, "%u", groups[i].count);
		text_table_cell(t, "%s", text_bytes(text, groups[i].bytes / groups[i].count));
		text_table_cell(t, "%s", text_duration(text, groups[i].time / groups[i].count));
		text_table_cell(t, "%.1f",
				groups[i].time != 0 ? groups[i].bus / (double)groups[i].time : 0.0);
	}
	if (count != 0) {
		fputc('\n', to);
		text_table_print(t, "", to);
	}
	text_table_destroy(t);
	free(groups);
}

void
summary_print_steps(const struct report_result *r, FILE *to)
{
	struct text_table *t;

	if (r->steps.count == 0)
		return;
	t = text_table_create(step_columns, sizeof(step_columns) / sizeof(*step_columns));
	for (uint32_t next = 0; next < r->steps.count;) {
		struct executions e = take_executions(&r->steps, &next);

		add_step(t, &e);
	}
	fputc('\n', to);
	text_table_print(t, "", to);
	text_table_destroy(t);
	print_groups(r, to);
	for (uint32_t next = 0; next < r->steps.count;) {
		struct executions e = take_executions(&r->steps, &next);

		if (e.slowest->path_count != 0) // else it took no time
			print_path(&e, to);
	}
}
