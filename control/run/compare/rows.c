// SPDX-License-Identifier: BSD-3-Clause
// Rows come from the document that `roost sim --json` prints, so that the two agree.
#include "compare.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <stdlib.h>
#include <string.h>

// clang-format off
const struct compare_metric compare_metrics[COMPARE_FIGURES] = {
	//                          key                 name                unit           more   exact  quiet
	[COMPARE_STEP]            = {"step_ps",         "step time",        COMPARE_PS,     false, false, false},
	[COMPARE_BUSBW]           = {"busbw_gbps",      "bus bandwidth",    COMPARE_GBPS,   true,  false, false},
	[COMPARE_FCT_P50]         = {"fct_p50_ps",      "FCT p50",          COMPARE_PS,     false, false, false},
	[COMPARE_FCT_P99]         = {"fct_p99_ps",      "FCT p99",          COMPARE_PS,     false, false, false},
	[COMPARE_SLOWDOWN_P99]    = {"slowdown_p99",    "slowdown p99",     COMPARE_RATIO,  false, false, false},
	[COMPARE_GOODPUT]         = {"goodput_gbps",    "goodput",          COMPARE_GBPS,   true,  false, false},
	[COMPARE_COMPLETED]       = {"completed",       "flows complete",   COMPARE_NUMBER, true,  true,  false},
	[COMPARE_DROPS]           = {"drops",           "drops",            COMPARE_NUMBER, false, false, false},
	[COMPARE_DROPS_LOSSLESS]  = {"drops_lossless",  "drops, lossless",  COMPARE_NUMBER, false, true,  false},
	[COMPARE_PFC]             = {"pfc_tx",          "PFC sent",         COMPARE_NUMBER, false, false, false},
	[COMPARE_PAUSED]          = {"paused_ps",       "paused, all ports", COMPARE_PS,    false, false, false},
	[COMPARE_ECN]             = {"ecn_marked",      "ECN marks",        COMPARE_NUMBER, false, false, false},
	[COMPARE_RETRANSMITTED]   = {"retransmitted",   "sent again",       COMPARE_NUMBER, false, false, false},
	[COMPARE_OUT_OF_ORDER]    = {"out_of_order",    "out of order",     COMPARE_NUMBER, false, false, false},
	[COMPARE_IMBALANCE]       = {"uplink_imbalance", "uplink imbalance", COMPARE_RATIO, false, false, false},
	[COMPARE_GROUP_FCT]       = {"fct_ps",          "FCT",              COMPARE_PS,     false, false, false},
	[COMPARE_GROUP_FCT_P50]   = {"fct_p50_ps",      "FCT p50",          COMPARE_PS,     false, false, false},
	[COMPARE_GROUP_FCT_P99]   = {"fct_p99_ps",      "FCT p99",          COMPARE_PS,     false, false, false},
	[COMPARE_GROUP_COMPLETED] = {"completed",       "complete",         COMPARE_NUMBER, true,  true,  true},
	[COMPARE_GROUP_TIME]      = {"step_ps",         "time",             COMPARE_PS,     false, false, false},
	[COMPARE_GROUP_BUSBW]     = {"busbw_gbps",      "bus bandwidth",    COMPARE_GBPS,   true,  false, false},
};
// clang-format on

const char *
compare_state_name(enum compare_state state)
{
	static const char *const names[] = {[COMPARE_DRAINED] = "drained",
					    [COMPARE_TIME] = "until its time",
					    [COMPARE_STALLED] = "stalled",
					    [COMPARE_FAILED] = "failed"};

	return names[state];
}

// ---- the table ----------------------------------------------------------------------------------

static struct compare_row *
add_row(struct comparison *c, enum compare_figure figure, char *key, char *name)
{
	struct compare_row *row;

	c->rows = memory_grow(c->rows, c->row_count, sizeof(*c->rows), "rows of a comparison");
	row = &c->rows[c->row_count++];
	*row = (struct compare_row){.metric = &compare_metrics[figure], .key = key, .name = name};
	return row;
}

void
compare_add_rows(struct comparison *c)
{
	for (enum compare_figure i = 0; i < COMPARE_WHOLE_RUN; i++)
		add_row(c, i, memory_text(compare_metrics[i].key),
			memory_text(compare_metrics[i].name));
}

// What is no figure of a result (negative, over 63 bits, no number) leaves its cell empty.
static void
add_sample(struct compare_cell *cell, double value)
{
	if (!(value >= 0 && value < 0x1p63))
		return;
	cell->samples = memory_grow(cell->samples, cell->count, sizeof(*cell->samples), "samples");
	cell->samples[cell->count++] = value;
}

static int
compare_samples(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
compare_finish(struct comparison *c)
{
	for (unsigned int r = 0; r < c->row_count; r++)
		for (unsigned int i = 0; i < c->count; i++)
			if (c->rows[r].cells[i].count > 1)
				qsort(c->rows[r].cells[i].samples, c->rows[r].cells[i].count,
				      sizeof(double), compare_samples);
}

void
compare_free_rows(struct comparison *c)
{
	for (unsigned int r = 0; r < c->row_count; r++) {
		for (unsigned int i = 0; i < c->count; i++)
			free(c->rows[r].cells[i].samples);
		free(c->rows[r].key);
		free(c->rows[r].name);
	}
	free(c->rows);
}

// ---- reading a result ---------------------------------------------------------------------------

// Where the samples of one run go, and of which run.
struct reader {
	struct comparison *c;
	unsigned int run;
};

static void
put(const struct reader *r, enum compare_figure figure, double value)
{
	add_sample(&r->c->rows[figure].cells[r->run], value);
}

// Flows of one item or tenant, or executions of one collective.
struct group {
	const char *name;
	double *times; // of those that are complete
	unsigned int count;
	unsigned int members;
	double total, bus; // collectives: sums of times, and of bandwidth times time
	json_int_t bytes;
	bool step;
};

struct groups {
	struct group *items;
	unsigned int count;
};

static struct group *
find_group(struct groups *groups, const char *name, json_int_t bytes)
{
	struct group *g;

	for (unsigned int i = 0; i < groups->count; i++)
		if (strcmp(groups->items[i].name, name) == 0 && groups->items[i].bytes == bytes)
			return &groups->items[i];
	groups->items = memory_grow(groups->items, groups->count, sizeof(*g), "groups of flows");
	g = &groups->items[groups->count++];
	*g = (struct group){.name = name, .bytes = bytes};
	return g;
}

static void
add_time(struct group *g, const json_t *time)
{
	g->members++;
	if (!json_is_integer(time))
		return;
	g->times = memory_grow(g->times, g->count, sizeof(*g->times), "completion times");
	g->times[g->count++] = (double)json_integer_value(time);
}

static void
free_groups(struct groups *groups)
{
	for (unsigned int i = 0; i < groups->count; i++)
		free(groups->items[i].times);
	free(groups->items);
}

// By nearest rank, as in the summary.
static double
percentile(struct group *g, unsigned int percent)
{
	qsort(g->times, g->count, sizeof(*g->times), compare_samples);
	return g->times[(percent * g->count + 99) / 100 - 1];
}

// kind: "item", whose key is "items".
static void
put_group(const struct reader *r, const char *kind, const char *name, enum compare_figure figure,
	  double value)
{
	const struct compare_metric *metric = &compare_metrics[figure];
	char *key = memory_format("%ss.%s.%s", kind, name, metric->key);
	struct compare_row *row = NULL;

	for (unsigned int i = COMPARE_WHOLE_RUN; row == NULL && i < r->c->row_count; i++)
		if (strcmp(r->c->rows[i].key, key) == 0)
			row = &r->c->rows[i];
	if (row == NULL)
		row = add_row(r->c, figure, key,
			      memory_format("%s %s, %s", kind, name, metric->name));
	else
		free(key);
	add_sample(&row->cells[r->run], value);
}

static void
put_flows_of_group(const struct reader *r, const char *kind, struct group *g)
{
	put_group(r, kind, g->name, COMPARE_GROUP_COMPLETED, g->count);
	if (g->count == 0)
		return;
	if (g->members == 1) {
		put_group(r, kind, g->name, COMPARE_GROUP_FCT, g->times[0]);
		return;
	}
	put_group(r, kind, g->name, COMPARE_GROUP_FCT_P50, percentile(g, 50));
	put_group(r, kind, g->name, COMPARE_GROUP_FCT_P99, percentile(g, 99));
}

// Rows of items or tenants, unless there is only one, which is the same as the run.
static void
read_groups_of_flows(const struct reader *r, const char *kind, const json_t *flows)
{
	struct groups groups = {0};

	for (size_t i = 0; i < json_array_size(flows); i++) {
		const json_t *flow = json_array_get(flows, i);
		const char *name = json_string_value(json_object_get(flow, kind));

		if (name != NULL)
			add_time(find_group(&groups, name, 0), json_object_get(flow, "fct_ps"));
	}
	for (unsigned int i = 0; groups.count > 1 && i < groups.count; i++)
		put_flows_of_group(r, kind, &groups.items[i]);
	free_groups(&groups);
}

static void
read_flows(const struct reader *r, const json_t *flows)
{
	struct group all = {0};

	for (size_t i = 0; i < json_array_size(flows); i++)
		add_time(&all, json_object_get(json_array_get(flows, i), "fct_ps"));
	if (all.count != 0) {
		put(r, COMPARE_FCT_P50, percentile(&all, 50));
		put(r, COMPARE_FCT_P99, percentile(&all, 99));
	}
	free(all.times);
	read_groups_of_flows(r, "item", flows);
	read_groups_of_flows(r, "tenant", flows);
}

static void
collect_collectives(struct groups *groups, const json_t *collectives)
{
	for (size_t i = 0; i < json_array_size(collectives); i++) {
		const json_t *c = json_array_get(collectives, i);
		const json_t *time = json_object_get(c, "step_ps");
		const char *name = json_string_value(json_object_get(c, "name"));
		const char *kind = json_string_value(json_object_get(c, "kind"));
		struct group *g;

		if (name == NULL || kind == NULL)
			continue;
		g = find_group(groups, name, json_integer_value(json_object_get(c, "bytes")));
		g->step = strcmp(kind, "step") == 0;
		add_time(g, time);
		g->total += json_number_value(time);
		g->bus += json_number_value(json_object_get(c, "busbw_gbps")) *
			  json_number_value(time);
	}
}

// Collectives of one name in one step differ in size.
static char *
collective_name(const struct groups *groups, const struct group *g)
{
	char bytes[TEXT_VALUE_MAX];

	for (unsigned int i = 0; i < groups->count; i++)
		if (&groups->items[i] != g && strcmp(groups->items[i].name, g->name) == 0)
			return memory_format("%s of %s", g->name,
					     text_bytes(bytes, (uint64_t)g->bytes));
	return memory_text(g->name);
}

static void
put_collective(const struct reader *r, const struct groups *groups, const struct group *g)
{
	char *name;

	if (g->count == 0)
		return;
	name = collective_name(groups, g);
	put_group(r, "collective", name, COMPARE_GROUP_TIME, g->total / g->count);
	if (!g->step)
		put_group(r, "collective", name, COMPARE_GROUP_BUSBW, g->bus / g->total);
	free(name);
}

// The mean of steps, or where there are none of collectives. Bus bandwidth is that of all
// collectives over the time of all, so that a long one counts for more than a short one.
static void
read_collectives(const struct reader *r, const json_t *collectives)
{
	double steps = 0, others = 0, bus = 0;
	unsigned int step_count = 0, other_count = 0;
	struct groups groups = {0};

	collect_collectives(&groups, collectives);
	for (unsigned int i = 0; i < groups.count; i++) {
		const struct group *g = &groups.items[i];

		*(g->step ? &steps : &others) += g->total;
		*(g->step ? &step_count : &other_count) += g->count;
		bus += g->bus;
	}
	if (step_count + other_count != 0)
		put(r, COMPARE_STEP, step_count != 0 ? steps / step_count : others / other_count);
	if (others > 0)
		put(r, COMPARE_BUSBW, bus / others);
	for (unsigned int i = 0; groups.count > 1 && i < groups.count; i++)
		put_collective(r, &groups, &groups.items[i]);
	free_groups(&groups);
}

// How long ports were held by pauses they received, over all ports and priorities.
static double
paused_ns(const json_t *nodes)
{
	const char *name, *port_name;
	json_t *node, *port;
	double sum = 0;

	json_object_foreach((json_t *)(uintptr_t)nodes, name, node)
	{
		json_object_foreach(json_object_get(node, "ports"), port_name, port)
		{
			const json_t *times = json_object_get(port, "pfc_rx_pause_ns");

			for (size_t i = 0; i < json_array_size(times); i++)
				sum += json_number_value(json_array_get(times, i));
			sum += json_number_value(json_object_get(port, "pause_rx_ns"));
		}
	}
	return sum;
}

void
compare_read(struct comparison *c, unsigned int run, const json_t *document)
{
	static const enum compare_figure of_summary[] = {
		COMPARE_COMPLETED, COMPARE_DROPS,         COMPARE_DROPS_LOSSLESS, COMPARE_PFC,
		COMPARE_ECN,       COMPARE_RETRANSMITTED, COMPARE_OUT_OF_ORDER,   COMPARE_IMBALANCE,
	};
	const struct reader r = {c, run};
	const json_t *summary = json_object_get(document, "summary");
	double slowdown = json_number_value(json_object_get(summary, "slowdown_p99"));

	for (size_t i = 0; i < sizeof(of_summary) / sizeof(*of_summary); i++)
		put(&r, of_summary[i],
		    json_number_value(
			    json_object_get(summary, compare_metrics[of_summary[i]].key)));
	if (json_integer_value(json_object_get(summary, "completed")) > 0)
		put(&r, COMPARE_GOODPUT,
		    json_number_value(json_object_get(summary, "goodput_gbps")));
	if (slowdown > 0) // 0: no flow that has completed has an ideal time
		put(&r, COMPARE_SLOWDOWN_P99, slowdown);
	put(&r, COMPARE_PAUSED, 1000 * paused_ns(json_object_get(document, "nodes")));
	read_flows(&r, json_object_get(document, "flows"));
	read_collectives(&r, json_object_get(document, "collectives"));
}
