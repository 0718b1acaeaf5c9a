// SPDX-License-Identifier: BSD-3-Clause
// Figures are those of the result that `roost sim` writes, so that the two agree.
#include "compare.h"

#include "control/base/memory.h"
#include "control/base/text_table.h"

#include <stdlib.h>
#include <string.h>

#define COLLECTIVE_ROWS_MAX 40 // of more collectives, as a trace may have, only steps have rows

// clang-format off
const struct compare_metric compare_metrics[COMPARE_FIGURES] = {
	//                          key                 name                unit           more   exact  quiet
	[COMPARE_STEP]            = {"step_ps",         "step time",        COMPARE_PS,     false, false, false},
	[COMPARE_EXPOSED]         = {"exposed_ps",      "communication exposed", COMPARE_PS, false, false, false},
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
put_flows_of_group(const struct reader *r, const char *kind, const struct flow_group *g)
{
	const struct flow_statistics *s = &g->statistics;

	put_group(r, kind, g->name, COMPARE_GROUP_COMPLETED, s->completed);
	if (s->completed == 0)
		return;
	if (s->flows == 1) {
		put_group(r, kind, g->name, COMPARE_GROUP_FCT, (double)s->fct_max);
		return;
	}
	put_group(r, kind, g->name, COMPARE_GROUP_FCT_P50, (double)s->fct_p50);
	put_group(r, kind, g->name, COMPARE_GROUP_FCT_P99, (double)s->fct_p99);
}

// Rows of items or tenants, unless there is only one, which is the same as the run.
static void
read_groups_of_flows(const struct reader *r, const char *kind, enum flow_grouping by,
		     const struct report_result *result)
{
	uint32_t count;
	struct flow_group *groups =
		flow_groups_compute(result->flows, result->flow_count, by, &count);

	for (uint32_t i = 0; count > 1 && i < count; i++)
		put_flows_of_group(r, kind, &groups[i]);
	free(groups);
}

// Executions of one collective.
struct group {
	const struct report_collective *first;
	const char *name;
	uint64_t bytes;
	unsigned int count; // that are complete
	double total, bus;  // sums of times, and of bandwidth times time
	bool step;
};

struct groups {
	struct group *items;
	unsigned int count;
};

static int
compare_names(const struct report_collective *a, const struct report_collective *b)
{
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return strcmp(report_label(a), report_label(b));
}

static int
compare_collectives(const void *left, const void *right)
{
	const struct report_collective *const *a = left, *const *b = right;
	int difference = compare_names(*a, *b);

	return difference != 0 ? difference : *a < *b ? -1 : *a > *b;
}

static int
compare_firsts(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return a->first < b->first ? -1 : a->first > b->first;
}

static void
add_execution(struct group *g, const struct report_collective *c)
{
	double algorithm, bus;

	g->step = c->kind == REPORT_STEP;
	if (c->step == PS_NEVER)
		return;
	report_collective_bandwidth(c, &algorithm, &bus);
	g->count++;
	g->total += (double)c->step;
	g->bus += bus * (double)c->step;
}

// Groups in the order in which they first appear. Computing takes as long in every fabric.
static void
collect_collectives(struct groups *groups, const struct report_result *result)
{
	const struct report_collective **sorted =
		memory_array(result->collective_count, sizeof(*sorted), "collectives");
	uint32_t count = 0;

	for (uint32_t i = 0; i < result->collective_count; i++)
		if (result->collectives[i].kind != REPORT_COMPUTE)
			sorted[count++] = &result->collectives[i];
	qsort(sorted, count, sizeof(*sorted), compare_collectives);
	for (uint32_t i = 0; i < count; i++) {
		const struct report_collective *c = sorted[i];

		if (i == 0 || compare_names(sorted[i - 1], c) != 0) {
			groups->items = memory_grow(groups->items, groups->count,
						    sizeof(*groups->items),
						    "groups of collectives");
			groups->items[groups->count++] = (struct group){
				.first = c, .name = report_label(c), .bytes = c->bytes};
		}
		add_execution(&groups->items[groups->count - 1], c);
	}
	if (groups->count != 0)
		qsort(groups->items, groups->count, sizeof(*groups->items), compare_firsts);
	free(sorted);
}

// Collectives of one name in one step differ in size.
static char *
collective_name(const struct groups *groups, const struct group *g)
{
	char bytes[TEXT_VALUE_MAX];

	for (unsigned int i = 0; i < groups->count; i++)
		if (&groups->items[i] != g && strcmp(groups->items[i].name, g->name) == 0)
			return memory_format("%s of %s", g->name, text_bytes(bytes, g->bytes));
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

static double
mean_exposed(const struct report_steps *steps)
{
	double sum = 0;

	for (uint32_t i = 0; i < steps->count; i++)
		sum += (double)steps->items[i].exposed;
	return sum / steps->count;
}

// The mean of steps, or where there are none of collectives. Bus bandwidth is that of all
// collectives over the time of all, so that a long one counts for more than a short one.
static void
read_collectives(const struct reader *r, const struct report_result *result)
{
	double steps = 0, others = 0, bus = 0;
	unsigned int step_count = 0, other_count = 0;
	struct groups groups = {0};

	collect_collectives(&groups, result);
	for (unsigned int i = 0; i < groups.count; i++) {
		const struct group *g = &groups.items[i];

		*(g->step ? &steps : &others) += g->total;
		*(g->step ? &step_count : &other_count) += g->count;
		bus += g->bus;
	}
	if (step_count + other_count != 0)
		put(r, COMPARE_STEP, step_count != 0 ? steps / step_count : others / other_count);
	if (result->steps.count != 0)
		put(r, COMPARE_EXPOSED, mean_exposed(&result->steps));
	if (others > 0)
		put(r, COMPARE_BUSBW, bus / others);
	for (unsigned int i = 0; groups.count > 1 && i < groups.count; i++)
		if (groups.count <= COLLECTIVE_ROWS_MAX || groups.items[i].step)
			put_collective(r, &groups, &groups.items[i]);
	free(groups.items);
}

// How long ports were held by pauses they received, over all ports and priorities, in ps of whole
// ns as counters have them.
static ps_t
paused(const struct report_result *result)
{
	ps_t sum = 0;

	for (uint32_t i = 0; i < result->node_count; i++) {
		const struct node *n = result->nodes[i].node;

		for (unsigned int k = 0; k < n->port_count; k++)
			for (unsigned int one = 0; one < PAUSES; one++)
				sum += counters_rx_pause(&n->ports[k], one, result->now).total /
				       PS_PER_NS * PS_PER_NS;
	}
	return sum;
}

void
compare_read(struct comparison *c, unsigned int run, const struct report_result *result)
{
	const struct reader r = {c, run};
	struct report_summary s;

	report_summary_compute(result, &s);
	put(&r, COMPARE_COMPLETED, s.flows.completed);
	put(&r, COMPARE_DROPS, (double)s.totals.drops);
	put(&r, COMPARE_DROPS_LOSSLESS, (double)s.totals.drops_lossless);
	put(&r, COMPARE_PFC, (double)s.totals.pfc_tx);
	put(&r, COMPARE_PAUSED, (double)paused(result));
	put(&r, COMPARE_ECN, (double)s.totals.ecn_marked);
	put(&r, COMPARE_RETRANSMITTED, (double)s.retransmitted);
	put(&r, COMPARE_OUT_OF_ORDER, (double)result->out_of_order);
	put(&r, COMPARE_IMBALANCE, s.uplink_imbalance);
	if (s.flows.with_ideal != 0)
		put(&r, COMPARE_SLOWDOWN_P99, s.flows.slowdown_p99);
	if (s.flows.completed != 0) {
		put(&r, COMPARE_GOODPUT, s.goodput_gbps);
		put(&r, COMPARE_FCT_P50, (double)s.flows.fct_p50);
		put(&r, COMPARE_FCT_P99, (double)s.flows.fct_p99);
	}
	read_groups_of_flows(&r, "item", FLOWS_BY_ITEM, result);
	read_groups_of_flows(&r, "tenant", FLOWS_BY_TENANT, result);
	read_collectives(&r, result);
}
