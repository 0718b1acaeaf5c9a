// SPDX-License-Identifier: BSD-3-Clause
// The histograms of a node's queues, groups and latencies. Boundaries of depths are rounded down to
// whole cells. An entry whose port this node does not have is meant for another node: sections
// serve many switches (tables_check_ports() reports ports that no switch has). The configuration's
// checks have made sure that a bin is at least a cell.
#include "build_internal.h"

#include "control/base/memory.h"

static void
set_histogram(const struct tables_draft *draft, struct histogram_profile *p,
	      const struct config_histogram *h, uint16_t port)
{
	_Static_assert((int)CONFIG_HISTOGRAM_GROUP == (int)HISTOGRAM_GROUP &&
			       (int)CONFIG_HISTOGRAM_LATENCY == (int)HISTOGRAM_LATENCY,
		       "kinds are numbered alike");
	uint64_t unit = h->kind == CONFIG_HISTOGRAM_LATENCY ? 1 : draft->t->cell;

	*p = (struct histogram_profile){
		.kind = (uint8_t)h->kind,
		.port = (uint8_t)port,
		.index = (uint8_t)h->index,
		.bins = (uint8_t)h->bins,
		.min = h->min / unit * unit,
		.width = h->size / (h->bins - 2) / unit * unit,
		.sample = h->sample_ps,
	};
}

void
tables_add_histograms(struct tables_draft *draft)
{
	const struct switch_config *settings = draft->settings;
	struct tables *t = draft->t;

	if (settings->histogram_count == 0)
		return;
	t->histograms =
		memory_array(settings->histogram_count, sizeof(*t->histograms), "histograms");
	for (unsigned i = 0; i < settings->histogram_count; i++) {
		const struct config_histogram *h = &settings->histograms[i];

		int port = topology_port_index(draft->node, h->port_number);

		if (port < 0)
			continue;
		set_histogram(draft, &t->histograms[t->histogram_count++], h, (uint16_t)port);
		t->latency_wanted |= h->kind == CONFIG_HISTOGRAM_LATENCY;
	}
}
