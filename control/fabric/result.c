// SPDX-License-Identifier: BSD-3-Clause
// Reals are computed from integers by + - * / alone and written with 15 significant digits, so that
// the file is the same on every machine.
#include "result.h"

#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/base/text.h"
#include "control/config/yaml_emit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL_FLAGS JSON_REAL_PRECISION(15)

static const char *const kind_names[] = {
	[REPORT_ALL_TO_ALL] = "all-to-all", [REPORT_ALL_REDUCE] = "all-reduce",
	[REPORT_ALL_GATHER] = "all-gather", [REPORT_REDUCE_SCATTER] = "reduce-scatter",
	[REPORT_BROADCAST] = "broadcast",   [REPORT_SEND] = "send",
	[REPORT_COMPUTE] = "compute",       [REPORT_STEP] = "step",
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

void
report_collective_bandwidth(const struct report_collective *c, double *algorithm, double *bus)
{
	double part = (double)(c->ranks - 1) / c->ranks; // that goes to others, or comes from them
	double times = c->kind == REPORT_ALL_REDUCE                            ? 2 * part
		       : c->kind == REPORT_STEP || c->kind == REPORT_COMPUTE   ? 0
		       : c->kind == REPORT_BROADCAST || c->kind == REPORT_SEND ? 1
									       : part;

	*algorithm = *bus = 0;
	if (c->step == PS_NEVER || c->step == 0 || c->ranks == 0)
		return;
	*algorithm = (double)c->bytes * 8000 / (double)c->step;
	*bus = *algorithm * times;
}

static json_t *
collective_json(const struct report_collective *c)
{
	double algorithm, bus;

	report_collective_bandwidth(c, &algorithm, &bus);
	return json_pack("{s:s,s:s*,s:s,s:s*,s:s*,s:s,s:I,s:I,s:I,s:o,s:o,s:f,s:f}", "name",
			 c->name, "label", c->label, "id", c->id, "step", c->step_id, "group",
			 c->group, "kind", kind_names[c->kind], "iteration",
			 (json_int_t)c->iteration, "ranks", (json_int_t)c->ranks, "bytes",
			 (json_int_t)c->bytes, "start_ps", time_or_null(c->start), "step_ps",
			 time_or_null(c->step), "algbw_gbps", algorithm, "busbw_gbps", bus);
}

// Of data, the bandwidth that each rank's link had to carry of it.
double
report_path_bandwidth(const struct report_path *p)
{
	struct report_collective c = {
		.kind = p->kind, .ranks = p->ranks, .bytes = p->bytes, .step = p->time};
	double algorithm, bus;

	report_collective_bandwidth(&c, &algorithm, &bus);
	return bus;
}

static json_t *
path_json(const struct report_path *p)
{
	return json_pack("{s:s,s:s,s:I,s:I,s:I,s:s,s:f}", "name", p->name, "kind",
			 kind_names[p->kind], "times", (json_int_t)p->times, "time_ps",
			 (json_int_t)p->time, "longest_ps", (json_int_t)p->longest, "host", p->host,
			 "busbw_gbps", report_path_bandwidth(p));
}

static json_t *
step_json(const struct report_step *s)
{
	json_t *path = json_array();

	for (uint32_t i = 0; i < s->path_count; i++)
		json_array_append_new(path, path_json(&s->path[i]));
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:o}", "id", s->id, "iteration",
			 (json_int_t)s->iteration, "start_ps", (json_int_t)s->start, "step_ps",
			 (json_int_t)s->step, "computing_ps", (json_int_t)s->computing,
			 "exposed_ps", (json_int_t)s->exposed, "slowest", s->slowest, "path", path);
}

uint64_t
report_retransmitted(const struct report_result *r)
{
	uint64_t sum = r->pairs.retransmitted;

	for (uint32_t i = 0; i < r->flow_count; i++)
		sum += r->flows[i].retransmitted;
	return sum;
}

void
report_summary_compute(const struct report_result *r, struct report_summary *out)
{
	*out = (struct report_summary){.retransmitted = report_retransmitted(r)};
	out->totals = r->figures.totals;
	flow_statistics_compute(r->flows, r->flow_count, &out->flows);
	out->goodput_gbps = flow_goodput_gbps(r->flows, r->flow_count);
	out->uplink_imbalance = r->figures.uplink_imbalance;
}

static json_t *
summary_json(const struct report_result *r, const char *digest)
{
	struct report_summary s;
	json_t *out;

	report_summary_compute(r, &s);
	out = json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,"
			"s:f,s:f,s:f,s:f,s:I,s:I,s:I,s:s*}",
			"seed", (json_int_t)r->seed, "sim_ps", (json_int_t)r->now, "last_event_ps",
			(json_int_t)r->last_event, "flows", (json_int_t)s.flows.flows, "completed",
			(json_int_t)s.flows.completed, "packets", (json_int_t)s.totals.packets,
			"packet_hops", (json_int_t)s.totals.packet_hops, "drops",
			(json_int_t)s.totals.drops, "drops_lossless",
			(json_int_t)s.totals.drops_lossless, "pfc_tx", (json_int_t)s.totals.pfc_tx,
			"ecn_marked", (json_int_t)s.totals.ecn_marked, "cnps", (json_int_t)r->cnps,
			"out_of_order", (json_int_t)r->out_of_order, "retransmitted",
			(json_int_t)s.retransmitted, "slowdown_mean", s.flows.slowdown_mean,
			"slowdown_p50", s.flows.slowdown_p50, "slowdown_p99", s.flows.slowdown_p99,
			"goodput_gbps", s.goodput_gbps, "uplink_imbalance", s.uplink_imbalance,
			"setup_s", r->setup_s, "wall_s", r->wall_s, "packet_hops_per_s",
			r->wall_s > 0 ? (double)s.totals.packet_hops / r->wall_s : 0.0, "ranks",
			(json_int_t)r->ranks, "threads", (json_int_t)r->threads, "memory_bytes",
			(json_int_t)r->memory_bytes, "digest", digest);
	if (s.totals.llr_ports != 0)
		json_object_set_new(out, "llr",
				    json_pack("{s:I,s:I,s:I}", "replays",
					      (json_int_t)s.totals.llr_replays, "frames_again",
					      (json_int_t)s.totals.llr_again, "flushes",
					      (json_int_t)s.totals.llr_flushes));
	if (r->pairs.pairs != 0)
		json_object_set_new(out, "pairs",
				    json_pack("{s:I,s:I,s:I,s:f}", "generated",
					      (json_int_t)r->pairs.pairs, "messages",
					      (json_int_t)r->pairs.messages, "arrived",
					      (json_int_t)r->pairs.arrived, "arrived_bytes",
					      r->pairs.arrived_bytes));
	if (r->assumed_bad != 0)
		json_object_set_new(out, "paths",
				    json_pack("{s:I,s:I}", "assumed_bad",
					      (json_int_t)r->assumed_bad, "probes",
					      (json_int_t)r->probes));
	if (r->interrupted)
		json_object_set_new(out, "interrupted", json_true());
	if (r->stalled)
		json_object_set_new(out, "stalled", json_true());
	if (r->out_of_memory)
		json_object_set_new(out, "out_of_memory", json_true());
	return out;
}

static json_t *
time_of_any(uint32_t count, ps_t at)
{
	return time_or_null(count != 0 ? at : PS_NEVER);
}

static json_t *
slowdown_of_any(uint32_t count, double slowdown)
{
	return count != 0 ? json_real(slowdown) : json_null();
}

static json_t *
group_json(const struct flow_group *g)
{
	const struct flow_statistics *s = &g->statistics;

	return json_pack("{s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", g->name,
			 "flows", (json_int_t)s->flows, "completed", (json_int_t)s->completed,
			 "bytes", (json_int_t)s->bytes, "fct_mean_ps",
			 time_of_any(s->completed, s->fct_mean), "fct_p50_ps",
			 time_of_any(s->completed, s->fct_p50), "fct_p99_ps",
			 time_of_any(s->completed, s->fct_p99), "fct_max_ps",
			 time_of_any(s->completed, s->fct_max), "slowdown_mean",
			 slowdown_of_any(s->with_ideal, s->slowdown_mean), "slowdown_p50",
			 slowdown_of_any(s->with_ideal, s->slowdown_p50), "slowdown_p99",
			 slowdown_of_any(s->with_ideal, s->slowdown_p99), "slowdown_max",
			 slowdown_of_any(s->with_ideal, s->slowdown_max));
}

// Each reason for which a packet was dropped.
static json_t *
drops_json(const struct report_totals *totals)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < DROP_COUNT; i++)
		if (totals->by_reason[i] != 0)
			json_array_append_new(out,
					      json_pack("{s:s,s:I,s:s}", "reason", drop_name(i),
							"packets", (json_int_t)totals->by_reason[i],
							"advice", drop_advice(i)));
	return out;
}

// ---- the document, a line for each member of its lists and objects ------------------------------

// One that is being written.
struct document {
	FILE *to;
	const char *before; // the next member
};

static void
put_value(const json_t *value, FILE *to)
{
	json_dumpf(value, to, JSON_ENCODE_ANY | REAL_FLAGS);
}

static void
begin_list(struct document *d, const char *key)
{
	fprintf(d->to, ",\n\"%s\": [", key);
	d->before = "\n ";
}

// Takes the reference of `one`.
static void
put_member(struct document *d, json_t *one)
{
	fputs(d->before, d->to);
	put_value(one, d->to);
	json_decref(one);
	d->before = ",\n ";
}

static void
end_list(struct document *d)
{
	fputs(d->before[0] == ',' ? "\n]" : "]", d->to);
}

static void
put_list(struct document *d, const char *key, const json_t *list)
{
	begin_list(d, key);
	for (size_t i = 0; i < json_array_size(list); i++)
		put_member(d, json_incref(json_array_get(list, i)));
	end_list(d);
}

// Takes the reference of the list.
static void
put_taken(struct document *d, const char *key, json_t *list)
{
	put_list(d, key, list);
	json_decref(list);
}

static void
put_summary(struct document *d, const struct report_result *r, const char *digest)
{
	json_t *summary = summary_json(r, digest), *value;
	const char *key, *before = "";

	fputs(",\n\"summary\": {", d->to);
	json_object_foreach(summary, key, value)
	{
		fprintf(d->to, "%s\n \"%s\": ", before, key);
		put_value(value, d->to);
		before = ",";
	}
	fputs("\n}", d->to);
	json_decref(summary);
}

static void
put_settings(struct document *d, const struct yaml_node *settings)
{
	fputs(",\n\"settings\": {", d->to);
	for (unsigned i = 0; settings != NULL && i < settings->count; i++) {
		fputs(i == 0 ? "\n " : ",\n ", d->to);
		yaml_write_json_text(settings->pairs[i].key, d->to);
		fputs(": ", d->to);
		yaml_write_json(settings->pairs[i].value, d->to);
	}
	fputs("\n}", d->to);
}

static void
put_groups(struct document *d, const char *key, const struct report_result *r,
	   enum flow_grouping by)
{
	uint32_t count;
	struct flow_group *groups = flow_groups_compute(r->flows, r->flow_count, by, &count);

	begin_list(d, key);
	for (uint32_t i = 0; i < count; i++)
		put_member(d, group_json(&groups[i]));
	end_list(d);
	free(groups);
}

void
result_write(const struct report_result *r, const char *digest, FILE *to)
{
	struct document d = {.to = to};

	fputs("{\n\"version\": ", to);
	yaml_write_json_text(roost_version, to);
	if (r->file != NULL) {
		fputs(",\n\"file\": ", to);
		yaml_write_json_text(r->file, to);
	}
	put_summary(&d, r, digest);
	put_settings(&d, r->settings);
	put_taken(&d, "hints", report_hints(r));
	put_taken(&d, "drops", drops_json(&r->figures.totals));
	put_groups(&d, "items", r, FLOWS_BY_ITEM);
	put_groups(&d, "tenants", r, FLOWS_BY_TENANT);
	begin_list(&d, "collectives");
	for (uint32_t i = 0; i < r->collective_count; i++)
		put_member(&d, collective_json(&r->collectives[i]));
	end_list(&d);
	begin_list(&d, "steps");
	for (uint32_t i = 0; i < r->steps.count; i++)
		put_member(&d, step_json(&r->steps.items[i]));
	end_list(&d);
	put_list(&d, "histograms", r->figures.histograms);
	put_list(&d, "snapshots", r->snapshots);
	put_list(&d, "log", r->log);
	fprintf(to, ",\n\"log_lost\": %llu\n}\n", (unsigned long long)r->log_lost);
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
