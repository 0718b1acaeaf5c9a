// SPDX-License-Identifier: BSD-3-Clause
// The flows of META.
#include "film.h"

static json_t *
time_json(ps_t at)
{
	return at != PS_NEVER ? json_integer((json_int_t)(at / PS_PER_NS)) : json_null();
}

static json_t *
flow_json(const struct film_options *o, uint32_t id, const struct report_flow *report)
{
	const struct flow_spec *flow = &o->workload->flows[id];
	const json_int_t first = o->fabric->topology->first_host;
	ps_t start = report != NULL ? report->start : PS_NEVER, end = PS_NEVER;

	if (start != PS_NEVER && report->fct != PS_NEVER)
		end = report->end != 0 ? report->end : start + report->fct;
	return json_pack("{s:I,s:s,s:I,s:I,s:o,s:I,s:o,s:o}", "id", (json_int_t)id, "item",
			 fabric_flows_item(o->flows, id), "src", first + flow->src, "dst",
			 first + flow->dst, "tenant",
			 flow->tenant != TENANT_NONE ? json_integer(flow->tenant) : json_null(),
			 "bytes", (json_int_t)flow->bytes, "start_ns", time_json(start), "end_ns",
			 time_json(end));
}

json_t *
film_list_flows(const struct film_options *options, const struct report_flow *reports,
		uint32_t most)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < options->workload->flow_count && json_array_size(out) < most;
	     i++) {
		struct flow_pair first;

		// A flow inside a host, or left to an attached host, has none, and no report.
		if (fabric_flows_pair(options->flows, i, 0, &first) != 0)
			continue;
		json_array_append_new(out, flow_json(options, i, reports));
		reports = reports != NULL ? reports + 1 : NULL;
	}
	return out;
}
