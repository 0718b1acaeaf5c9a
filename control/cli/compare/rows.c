// SPDX-License-Identifier: BSD-3-Clause
// Rows come out of the very document that `roost sim --json` prints, so that the two agree.
#include "compare.h"

#include <stdlib.h>
#include <string.h>

const struct compare_metric compare_metrics[COMPARE_ROWS] = {
	[COMPARE_STEP] = {"step_ps", "step time", COMPARE_PS, false},
	[COMPARE_BUSBW] = {"busbw_gbps", "bus bandwidth", COMPARE_GBPS, true},
	[COMPARE_FCT_P50] = {"fct_p50_ps", "FCT p50", COMPARE_PS, false},
	[COMPARE_FCT_P99] = {"fct_p99_ps", "FCT p99", COMPARE_PS, false},
	[COMPARE_SLOWDOWN_P99] = {"slowdown_p99", "slowdown p99", COMPARE_RATIO, false},
	[COMPARE_GOODPUT] = {"goodput_gbps", "goodput", COMPARE_GBPS, true},
	[COMPARE_COMPLETED] = {"completed", "flows complete", COMPARE_NUMBER, true},
	[COMPARE_DROPS] = {"drops", "drops", COMPARE_NUMBER, false},
	[COMPARE_DROPS_LOSSLESS] = {"drops_lossless", "drops, lossless", COMPARE_NUMBER, false},
	[COMPARE_PFC] = {"pfc_tx", "PFC sent", COMPARE_NUMBER, false},
	[COMPARE_PAUSED] = {"paused_ps", "paused, all ports", COMPARE_PS, false},
	[COMPARE_ECN] = {"ecn_marked", "ECN marks", COMPARE_NUMBER, false},
	[COMPARE_RETRANSMITTED] = {"retransmitted", "sent again", COMPARE_NUMBER, false},
	[COMPARE_OUT_OF_ORDER] = {"out_of_order", "out of order", COMPARE_NUMBER, false},
	[COMPARE_IMBALANCE] = {"uplink_imbalance", "uplink imbalance", COMPARE_RATIO, false},
};

const char *
compare_state_name(enum compare_state state)
{
	static const char *const names[] = {[COMPARE_DRAINED] = "drained",
					    [COMPARE_TIME] = "until its time",
					    [COMPARE_STALLED] = "stalled",
					    [COMPARE_FAILED] = "failed"};

	return names[state];
}

static void
set(struct compare_run *run, enum compare_row row, double value)
{
	run->known[row] = true;
	run->values[row] = value;
}

static int
compare_times(const void *a, const void *b)
{
	const json_int_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
read_flows(struct compare_run *run, const json_t *flows)
{
	size_t count = json_array_size(flows), done = 0;
	json_int_t *times = calloc(count + 1, sizeof(*times));

	for (size_t i = 0; times != NULL && i < count; i++) {
		const json_t *fct = json_object_get(json_array_get(flows, i), "fct_ps");

		if (json_is_integer(fct))
			times[done++] = json_integer_value(fct);
	}
	if (done != 0) {
		qsort(times, done, sizeof(*times), compare_times);
		set(run, COMPARE_FCT_P50, (double)times[(50 * done + 99) / 100 - 1]);
		set(run, COMPARE_FCT_P99, (double)times[(99 * done + 99) / 100 - 1]);
	}
	free(times);
}

static bool
is_step(const json_t *collective)
{
	return strcmp(json_string_value(json_object_get(collective, "kind")), "step") == 0;
}

// The mean of steps, or where there are none of collectives. Bus bandwidth is that of all
// collectives over the time of all, so that a long one counts for more than a short one.
static void
read_collectives(struct compare_run *run, const json_t *collectives)
{
	double steps = 0, others = 0, bus = 0;
	unsigned int step_count = 0, other_count = 0;

	for (size_t i = 0; i < json_array_size(collectives); i++) {
		const json_t *c = json_array_get(collectives, i);
		const json_t *time = json_object_get(c, "step_ps");

		if (!json_is_integer(time))
			continue;
		if (is_step(c)) {
			steps += (double)json_integer_value(time);
			step_count++;
			continue;
		}
		others += (double)json_integer_value(time);
		bus += json_number_value(json_object_get(c, "busbw_gbps")) *
		       (double)json_integer_value(time);
		other_count++;
	}
	if (step_count + other_count != 0)
		set(run, COMPARE_STEP, step_count != 0 ? steps / step_count : others / other_count);
	if (others > 0)
		set(run, COMPARE_BUSBW, bus / others);
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
compare_read(struct compare_run *run, const json_t *document)
{
	static const enum compare_row of_summary[] = {
		COMPARE_COMPLETED, COMPARE_DROPS,         COMPARE_DROPS_LOSSLESS, COMPARE_PFC,
		COMPARE_ECN,       COMPARE_RETRANSMITTED, COMPARE_OUT_OF_ORDER,   COMPARE_IMBALANCE,
	};
	const json_t *summary = json_object_get(document, "summary");
	double slowdown = json_number_value(json_object_get(summary, "slowdown_p99"));

	for (size_t i = 0; i < sizeof(of_summary) / sizeof(*of_summary); i++)
		set(run, of_summary[i],
		    json_number_value(
			    json_object_get(summary, compare_metrics[of_summary[i]].key)));
	if (run->values[COMPARE_COMPLETED] > 0)
		set(run, COMPARE_GOODPUT,
		    json_number_value(json_object_get(summary, "goodput_gbps")));
	if (slowdown > 0) // 0: no flow that has completed has an ideal time
		set(run, COMPARE_SLOWDOWN_P99, slowdown);
	read_flows(run, json_object_get(document, "flows"));
	read_collectives(run, json_object_get(document, "collectives"));
	set(run, COMPARE_PAUSED, 1000 * paused_ns(json_object_get(document, "nodes")));
}

bool
compare_counts(const struct compare_run *run, enum compare_row row)
{
	return run->known[row] && (run->state == COMPARE_DRAINED || run->state == COMPARE_TIME);
}

int
compare_best(const struct compare_run *runs, unsigned int count, enum compare_row row)
{
	unsigned int counted = 0;
	bool differ = false;
	int best = -1;

	for (unsigned int i = 0; i < count; i++) {
		double value = runs[i].values[row];

		if (!compare_counts(&runs[i], row))
			continue;
		if (counted++ != 0 && value != runs[best].values[row])
			differ = true;
		if (best < 0 || (compare_metrics[row].more ? value > runs[best].values[row]
							   : value < runs[best].values[row]))
			best = (int)i;
	}
	return differ ? best : -1;
}

bool
compare_is_best(const struct compare_run *runs, unsigned int i, enum compare_row row, int best)
{
	return best >= 0 && compare_counts(&runs[i], row) &&
	       runs[i].values[row] == runs[best].values[row];
}

unsigned int
compare_others(const struct compare_run *runs, unsigned int count, enum compare_row row, int best,
	       int *nearest, int *farthest)
{
	unsigned int others = 0;

	*nearest = *farthest = -1;
	for (unsigned int i = 0; i < count; i++) {
		bool more = compare_metrics[row].more;
		double value = runs[i].values[row];

		if (!compare_counts(&runs[i], row) || compare_is_best(runs, i, row, best))
			continue;
		others++;
		if (*nearest < 0 || (more ? value > runs[*nearest].values[row]
					  : value < runs[*nearest].values[row]))
			*nearest = (int)i;
		if (*farthest < 0 || (more ? value < runs[*farthest].values[row]
					   : value > runs[*farthest].values[row]))
			*farthest = (int)i;
	}
	return others;
}

double
compare_gain(enum compare_row row, double best, double other)
{
	if (other == 0)
		return -1;
	return 100 * (compare_metrics[row].more ? best - other : other - best) / other;
}

void
compare_put_gain(FILE *to, double gain)
{
	if (gain < 0.05)
		fputs("less than 0.1 %", to);
	else
		fprintf(to, gain < 9.95 ? "%.1f %%" : "%.0f %%", gain);
}

unsigned int
compare_put_best(const struct compare_run *runs, unsigned int count, enum compare_row row, int best,
		 FILE *to)
{
	unsigned int equal = 0, left;

	for (unsigned int i = 0; i < count; i++)
		equal += compare_is_best(runs, i, row, best);
	left = equal;
	for (unsigned int i = 0; i < count; i++) {
		if (!compare_is_best(runs, i, row, best))
			continue;
		left--;
		fprintf(to, "%s%s", runs[i].name, left > 1 ? ", " : left == 1 ? " and " : "");
	}
	return equal;
}
