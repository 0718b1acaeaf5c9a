// SPDX-License-Identifier: BSD-3-Clause
// A run calls is_due() at every multiple of TIME_WINDOW_MAX, which only reads the clock. The line
// is written at most twice a second, and rarely enough to take no more than a fiftieth of the run.
#include "progress.h"

#include "control/fabric/result.h"
#include "dataplane/roce/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_AFTER_S 1.0
#define PROGRESS_EVERY_S 0.5
#define PROGRESS_COST 50.0
#define PROGRESS_LINES_EVERY_S 30.0 // those of their own

double
progress_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double
share_of_bytes(const struct experiment *e)
{
	const struct workload *w = e->workload;
	struct report_pairs pairs = {0};
	uint64_t done = 0;
	double all;

	if (w->flow_count == 0 && w->collective_count == 0)
		return 0;
	if (w->collective_count != 0)
		fabric_flows_pairs(e->flows, &pairs);
	all = pairs.bytes;
	for (uint32_t i = 0; i < w->flow_count; i++) {
		struct flow_pair pair;
		uint64_t bytes;

		if (fabric_flows_pair(e->flows, i, 0, &pair) != 0)
			continue;
		all += (double)w->flows[i].bytes * w->flows[i].repeat;
		for (uint32_t k = 0; fabric_flows_pair(e->flows, i, k, &pair) == 0; k++)
			if (pair.nic != NULL &&
			    nic_flow_acknowledged(pair.nic, pair.qpn, &bytes) == 0)
				done += bytes;
	}
	ranks_reduce(e->fabric->ranks, RANKS_SUM, &done, 1);
	return all > 0 ? ((double)done + pairs.arrived_bytes) / all : 0;
}

double
progress_share(const struct experiment *e, ps_t now)
{
	ps_t end = e->run->until != PS_NEVER    ? e->run->until
		   : e->run->streams_until != 0 ? e->run->streams_until
						: PS_NEVER;
	double share;

	if (end != PS_NEVER && (e->run->until != PS_NEVER ||
				(e->workload->flow_count == 0 && e->workload->program_count == 0)))
		share = (double)now / (double)end;
	else
		share = share_of_bytes(e);
	return share < 1 ? share : 1;
}

const char *
progress_left(double seconds, char text[static PROGRESS_LEFT_MAX])
{
	if (seconds < 99.5)
		snprintf(text, PROGRESS_LEFT_MAX, "%.0f s", seconds);
	else if (seconds < 99.5 * 60)
		snprintf(text, PROGRESS_LEFT_MAX, "%.0f min", seconds / 60);
	else
		snprintf(text, PROGRESS_LEFT_MAX, "%.1f h", seconds / 3600);
	return text;
}

static uint64_t
count_hops(const struct experiment *e)
{
	struct report_totals totals;

	report_totals_compute(e->fabric->names, e->topology->node_count, &totals);
	ranks_reduce(e->fabric->ranks, RANKS_SUM, &totals.packet_hops, 1);
	return totals.packet_hops;
}

const char *
progress_line(const struct progress *p, const struct progress_point *now, double share,
	      char text[static PROGRESS_LINE_MAX])
{
	double span = now->wall_s - p->last.wall_s;
	char left[PROGRESS_LEFT_MAX];
	int length = snprintf(text, PROGRESS_LINE_MAX,
			      "%.1f us simulated, %.1f us/s, %.2f M packet-hops/s",
			      (double)now->at / (double)PS_PER_US,
			      (double)(now->at - p->last.at) / (double)PS_PER_US / span,
			      (double)(now->hops - p->last.hops) / span / 1e6);

	if (share > 0)
		snprintf(text + length, PROGRESS_LINE_MAX - (size_t)length,
			 ", %.0f %%, about %s left", 100 * share,
			 progress_left((now->wall_s - p->begun_s) * (1 - share) / share, left));
	return text;
}

static void
print_line(struct progress *p, const char *text)
{
	const char *title = p->title != NULL ? p->title : "", *colon = p->title != NULL ? ": " : "";

	if (p->lines)
		fprintf(stderr, "roost: %s%s%s\n", title, colon, text);
	else
		fprintf(stderr, "\r%s%s%s\033[K", title, colon, text);
	p->shown = !p->lines;
}

static bool
is_due(void *context)
{
	const struct progress *p = context;

	return ranks_first(p->experiment->fabric->ranks) && progress_clock() >= p->due_s;
}

static void
show(void *context, ps_t now)
{
	struct progress *p = context;
	struct progress_point here = {.wall_s = progress_clock(), .at = now};
	char text[PROGRESS_LINE_MAX];
	double cost, every = p->lines ? PROGRESS_LINES_EVERY_S : PROGRESS_EVERY_S;

	here.hops = count_hops(p->experiment);
	progress_line(p, &here, progress_share(p->experiment, now), text);
	if (ranks_first(p->experiment->fabric->ranks))
		print_line(p, text);
	p->last = here;
	cost = PROGRESS_COST * (progress_clock() - here.wall_s);
	p->due_s = here.wall_s + (cost > every ? cost : every);
}

void
progress_begin(struct progress *p, const struct experiment *e, const char *title)
{
	double now = progress_clock();

	*p = (struct progress){
		.experiment = e, .title = title, .begun_s = now, .last = {.wall_s = now}};
	p->lines = !isatty(STDERR_FILENO);
	p->due_s = now + (p->lines ? PROGRESS_LINES_EVERY_S : PROGRESS_AFTER_S);
	if (p->lines && !ranks_many(e->fabric->ranks))
		return;
	e->run->progress_due = is_due;
	e->run->progress = show;
	e->run->progress_context = p;
}

void
progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
