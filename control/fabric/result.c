// SPDX-License-Identifier: BSD-3-Clause
// Reals are computed from integers by + - * / alone and written with 15 significant digits, so that
// the file is the same on every machine.
#include "result.h"

#include "control/base/memory.h"
#include "control/base/text.h"
#include "control/base/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REAL_FLAGS JSON_REAL_PRECISION(15)

static const char *const kind_names[] = {
	[REPORT_ALL_TO_ALL] = "all-to-all",
	[REPORT_ALL_REDUCE] = "all-reduce",
	[REPORT_ALL_GATHER] = "all-gather",
	[REPORT_REDUCE_SCATTER] = "reduce-scatter",
	[REPORT_STEP] = "step",
};

const char *
report_kind_name(enum report_kind kind)
{
	return kind_names[kind];
}

static json_t *
time_or_null(ps_t at)
{
	return at == PS_NEVER ? json_null() : json_integer((json_int_t)at);
}

static json_t *
flow_json(const struct report_flow *f)
{
	return json_pack("{s:I,s:s,s:s,s:s?,s:s,s:I,s:I,s:o,s:I,s:I,s:I}", "id", (json_int_t)f->id,
			 "src", f->src, "dst", f->dst, "tenant", f->tenant, "item", f->item,
			 "bytes", (json_int_t)f->bytes, "start_ps", (json_int_t)f->start, "fct_ps",
			 time_or_null(f->fct), "ideal_ps", (json_int_t)f->ideal, "retransmitted",
			 (json_int_t)f->retransmitted, "reorder_max", (json_int_t)f->reorder_max);
}

void
report_collective_bandwidth(const struct report_collective *c, double *algorithm, double *bus)
{
	double times = c->kind == REPORT_ALL_REDUCE ? 2 : c->kind == REPORT_STEP ? 0 : 1;

	*algorithm = *bus = 0;
	if (c->step == PS_NEVER || c->step == 0 || c->ranks == 0)
		return;
	*algorithm = (double)c->bytes * 8000 / (double)c->step;
	*bus = *algorithm * times * (c->ranks - 1) / c->ranks;
}

static json_t *
collective_json(const struct report_collective *c)
{
	double algorithm, bus;

	report_collective_bandwidth(c, &algorithm, &bus);
	return json_pack("{s:s,s:s,s:s*,s:s,s:I,s:I,s:I,s:o,s:o,s:f,s:f}", "name", c->name, "id",
			 c->id, "step", c->step_id, "kind", kind_names[c->kind], "iteration",
			 (json_int_t)c->iteration, "ranks", (json_int_t)c->ranks, "bytes",
			 (json_int_t)c->bytes, "start_ps", time_or_null(c->start), "step_ps",
			 time_or_null(c->step), "algbw_gbps", algorithm, "busbw_gbps", bus);
}

static json_t *
flows_json(const struct report_result *r)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < r->flow_count; i++)
		json_array_append_new(out, flow_json(&r->flows[i]));
	return out;
}

static json_t *
collectives_json(const struct report_result *r)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < r->collective_count; i++)
		json_array_append_new(out, collective_json(&r->collectives[i]));
	return out;
}

static json_t *
summary_json(const struct report_result *r)
{
	struct report_totals totals;
	struct flow_statistics s;
	uint64_t retransmitted = 0;
	json_t *out;

	report_totals_compute(r->nodes, r->node_count, &totals);
	flow_statistics_compute(r->flows, r->flow_count, NULL, &s);
	for (uint32_t i = 0; i < r->flow_count; i++)
		retransmitted += r->flows[i].retransmitted;
	out = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,"
			"s:f,s:f,s:f,s:I}",
			"sim_ps", (json_int_t)r->now, "last_event_ps", (json_int_t)r->last_event,
			"flows", (json_int_t)s.flows, "completed", (json_int_t)s.completed,
			"packets", (json_int_t)totals.packets, "packet_hops",
			(json_int_t)totals.packet_hops, "drops", (json_int_t)totals.drops,
			"drops_lossless", (json_int_t)totals.drops_lossless, "pfc_tx",
			(json_int_t)totals.pfc_tx, "ecn_marked", (json_int_t)totals.ecn_marked,
			"cnps", (json_int_t)r->cnps, "out_of_order", (json_int_t)r->out_of_order,
			"retransmitted", (json_int_t)retransmitted, "slowdown_mean",
			s.slowdown_mean, "slowdown_p50", s.slowdown_p50, "slowdown_p99",
			s.slowdown_p99, "goodput_gbps", flow_goodput_gbps(r->flows, r->flow_count),
			"uplink_imbalance", report_uplink_imbalance(r->nodes, r->node_count),
			"setup_s", r->setup_s, "wall_s", r->wall_s, "packet_hops_per_s",
			r->wall_s > 0 ? (double)totals.packet_hops / r->wall_s : 0.0, "ranks",
			(json_int_t)r->ranks);
	if (r->interrupted)
		json_object_set_new(out, "interrupted", json_true());
	return out;
}

json_t *
result_document(const struct report_result *r, const char *digest)
{
	char *file = memory_text(r->file);
	json_t *out, *summary = summary_json(r);

	if (file != NULL)
		utf8_repair(file);
	if (digest != NULL)
		json_object_set_new(summary, "digest", json_string(digest));
	out = json_pack("{s:s,s:s*,s:o,s:o,s:o,s:o,s:o,s:o}", "version", roost_version, "file",
			file, "flows", flows_json(r), "collectives", collectives_json(r), "links",
			report_links(r->nodes, r->node_count, r->last_event), "nodes",
			counters_nodes(r->nodes, r->node_count, r->now), "snapshots",
			r->snapshots != NULL ? json_incref(r->snapshots) : json_array(), "summary",
			summary);
	free(file);
	counters_add_log(out, r->log, r->log_lost);
	return out;
}

int
report_write(const json_t *document, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdout : fopen(path, "w");
	int status = 0;

	if (file == NULL)
		return -errno;
	errno = 0;
	if (json_dumpf(document, file, JSON_INDENT(1) | REAL_FLAGS) != 0 ||
	    fputc('\n', file) == EOF || fflush(file) != 0)
		status = errno != 0 ? -errno : -EIO;
	if (!standard && fclose(file) != 0 && status == 0)
		status = -errno;
	return status;
}
