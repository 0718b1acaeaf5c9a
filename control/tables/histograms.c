// SPDX-License-Identifier: BSD-3-Clause
// The histograms of a node's queues, groups and latencies. Boundaries of depths are rounded down to
// whole cells, as are all figures that are asked "how many cells?". An entry whose port this node
// does not have is another's: sections serve many switches (tables_check_ports() sees to those that
// nobody has).
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int __attribute__((format(printf, 3, 4)))
refuse(const struct tables_draft *draft, const struct config_histogram *h, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	config_error(draft->diag, draft->topology->config->file, h->pos, "qos.histograms",
		     "%s on %s %s", h->where.text, draft->node->name, text);
	return -EINVAL;
}

static int
set_histogram(const struct tables_draft *draft, struct histogram_profile *p,
	      const struct config_histogram *h, uint16_t port)
{
	static const enum histogram_kind kinds[] = {
		[CONFIG_HISTOGRAM_QUEUE] = HISTOGRAM_QUEUE,
		[CONFIG_HISTOGRAM_GROUP] = HISTOGRAM_GROUP,
		[CONFIG_HISTOGRAM_LATENCY] = HISTOGRAM_LATENCY,
	};
	uint64_t unit = h->kind == CONFIG_HISTOGRAM_LATENCY ? 1 : draft->t->cell;

	*p = (struct histogram_profile){
		.kind = (uint8_t)kinds[h->kind],
		.port = (uint8_t)port,
		.index = (uint8_t)h->index,
		.bins = (uint8_t)h->bins,
		.min = h->min / unit * unit,
		.width = h->size / (h->bins - 2) / unit * unit,
		.sample = h->sample_ps,
	};
	if (p->width == 0 && h->kind == CONFIG_HISTOGRAM_LATENCY)
		return refuse(draft, h, "cannot part %" PRIu64 " ps into %" PRIu32 " bins", h->size,
			      h->bins - 2);
	if (p->width == 0)
		return refuse(draft, h,
			      "has bins of %" PRIu64 " B, less than a cell of %" PRIu64 " B",
			      h->size / (h->bins - 2), unit);
	return 0;
}

int
tables_add_histograms(struct tables_draft *draft)
{
	const struct switch_config *settings = draft->settings;
	struct tables *t = draft->t;
	int error = 0;

	if (settings->histogram_count == 0)
		return 0;
	t->histograms = calloc(settings->histogram_count, sizeof(*t->histograms));
	if (t->histograms == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < settings->histogram_count; i++) {
		const struct config_histogram *h = &settings->histograms[i];

		for (uint16_t p = 0; p < draft->node->port_count; p++) {
			if (draft->node->ports[p].number != h->port_number)
				continue;
			if (set_histogram(draft, &t->histograms[t->histogram_count++], h, p) != 0)
				error = -EINVAL;
			t->latency_wanted |= h->kind == CONFIG_HISTOGRAM_LATENCY;
		}
	}
	return error;
}
