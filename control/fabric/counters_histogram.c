// SPDX-License-Identifier: BSD-3-Clause
// Histograms (dataplane/queueing/histogram.h): what was looked at, the lower edge of each bin and
// how often a value fell into it. Depths are bytes, latencies ns; bin 0 begins at 0, and the last
// has no upper edge.
#include "counters_internal.h"

static const char *const kinds[] = {
	[HISTOGRAM_QUEUE] = "queue",
	[HISTOGRAM_GROUP] = "group",
	[HISTOGRAM_LATENCY] = "latency",
};

// A bound in the unit that is reported.
static json_t *
bound(const struct histogram_profile *h, uint64_t value)
{
	return json_integer((json_int_t)(h->kind == HISTOGRAM_LATENCY ? value / PS_PER_NS : value));
}

static json_t *
edges(const struct histogram_profile *h)
{
	json_t *out = json_array();

	json_array_append_new(out, json_integer(0));
	for (unsigned int i = 1; i < h->bins; i++)
		json_array_append_new(out, bound(h, h->min + (i - 1) * h->width));
	return out;
}

static json_t *
counts(const struct histogram_profile *h, const uint64_t bins[HISTOGRAM_BINS_MAX])
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < h->bins; i++)
		json_array_append_new(out, json_integer((json_int_t)bins[i]));
	return out;
}

json_t *
counters_histograms(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	json_t *out = json_array();

	// Counts begin when the worker has taken the tables over.
	for (unsigned int i = 0; t != NULL && n->node->histograms != NULL && i < t->histogram_count;
	     i++) {
		const struct histogram_profile *h = &t->histograms[i];

		json_array_append_new(
			out,
			json_pack("{s:s,s:o,s:o,s:o,s:o,s:o}", "kind", kinds[h->kind], "where",
				  json_sprintf("%s.%u", n->ports[h->port].name, h->index), "min",
				  bound(h, h->min), "size", bound(h, h->width * (h->bins - 2u)),
				  "edges", edges(h), "bins", counts(h, n->node->histograms[i])));
	}
	return out;
}
