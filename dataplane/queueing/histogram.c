// SPDX-License-Identifier: BSD-3-Clause
// A sample is taken at every multiple of its histogram's interval, on the state that the events
// before that instant have left. The bounds of bins arrive here as whole cells
// (control/model/tables). A depth is whole cells too, so it falls into the bin that a switch
// counting in cells would use.
#include "histogram.h"

#include <stdlib.h>
#include <string.h>

static unsigned int
bin_of(const struct histogram_profile *h, uint64_t value)
{
	unsigned int bin = 0;

	// Steps rather than a division: bins are few, and most values lie low.
	for (uint64_t edge = h->min; value >= edge && bin < h->bins - 1u; edge += h->width)
		bin++;
	return bin;
}

static uint64_t
level(struct node *n, const struct histogram_profile *h)
{
	const struct port *p = &n->ports[h->port];
	const struct priority_group *g = &p->groups[h->index];
	uint32_t cells = h->kind == HISTOGRAM_QUEUE
				 ? *node_depth(n, p, h->index)
				 : g->usage.own + g->usage.guaranteed + g->headroom;

	return (uint64_t)cells * n->current->cell;
}

ps_t
histogram_sample(struct node *n, ps_t now)
{
	const struct tables *t = n->current;
	ps_t next = PS_NEVER;

	for (unsigned int i = 0; i < t->histogram_count; i++) {
		const struct histogram_profile *h = &t->histograms[i];

		if (n->histogram_due[i] <= now) {
			n->histograms[i][bin_of(h, level(n, h))]++;
			n->histogram_due[i] += h->sample;
		}
		next = time_min(next, n->histogram_due[i]);
	}
	return next;
}

static bool
is_latency_of(const struct histogram_profile *h, const struct port *p, unsigned int tc)
{
	return h->kind == HISTOGRAM_LATENCY && h->port == p->index && h->index == tc;
}

void
histogram_note_latency(struct node *n, const struct port *p, unsigned int tc, ps_t arrived,
		       ps_t now)
{
	const struct tables *t = n->current;

	for (unsigned int i = p->queue_cold[tc].latency - 1u; i < t->histogram_count; i++)
		if (is_latency_of(&t->histograms[i], p, tc))
			n->histograms[i][bin_of(&t->histograms[i], now - arrived)]++;
}

// Where the search for a queue's histograms of latency begins, so that those without pay one test.
static void
find_latencies(struct node *n, const struct tables *t)
{
	for (unsigned int i = 0; i < PRIORITIES * n->port_count; i++)
		n->queue_cold[i].latency = 0;
	for (unsigned int i = t->histogram_count; i != 0; i--) {
		const struct histogram_profile *h = &t->histograms[i - 1];

		if (h->kind == HISTOGRAM_LATENCY)
			n->ports[h->port].queue_cold[h->index].latency = (uint16_t)i;
	}
}

// The histogram among those of `before` that is the same as h, or -1.
static int
find_same(const struct tables *before, const struct histogram_profile *h)
{
	for (unsigned int i = 0; before != NULL && i < before->histogram_count; i++) {
		const struct histogram_profile *b = &before->histograms[i];

		if (b->kind == h->kind && b->port == h->port && b->index == h->index &&
		    b->bins == h->bins && b->min == h->min && b->width == h->width &&
		    b->sample == h->sample)
			return (int)i;
	}
	return -1;
}

static ps_t
first_due(const struct histogram_profile *h, ps_t now)
{
	return h->kind == HISTOGRAM_LATENCY ? PS_NEVER
					    : (now + h->sample - 1) / h->sample * h->sample;
}

void
histogram_adopt(struct node *n, const struct tables *before, const struct tables *t)
{
	uint64_t(*bins)[HISTOGRAM_BINS_MAX];
	ps_t *due;

	if (t->histogram_count == 0 && n->histograms == NULL)
		return;
	bins = spare_take(&n->spares, (t->histogram_count + 1u) * sizeof(*bins));
	due = spare_take(&n->spares, (t->histogram_count + 1u) * sizeof(*due));
	for (unsigned int i = 0; i < t->histogram_count; i++) {
		const struct histogram_profile *h = &t->histograms[i];
		int same = find_same(before, h);

		due[i] = same >= 0 ? n->histogram_due[same] : first_due(h, n->start);
		if (same >= 0)
			memcpy(bins[i], n->histograms[same], sizeof(bins[i]));
		node_arm_timer(n, due[i]);
	}
	find_latencies(n, t);
	spare_return(&n->spares, n->histograms);
	spare_return(&n->spares, n->histogram_due);
	n->histograms = bins;
	n->histogram_due = due;
}
