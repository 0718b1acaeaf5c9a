// SPDX-License-Identifier: BSD-3-Clause
// Histograms of a node: queue depths and the use of priority groups, sampled at regular intervals,
// and the latency of every packet. The first bin holds values below `min`, the last those at or
// above min + size, and the bins between have one width (as those of Spectrum switches). See
// histogram.c.
#pragma once

#include "dataplane/base/node.h"

// Takes the samples that are due at `now`; returns when the next is. A node's timer: before
// arrivals and departures of the instant.
ps_t histogram_sample(struct node *n, ps_t now);

// Counts a packet that begins to leave by a queue and came in at `arrived`. Only where
// cold->latency is set.
void histogram_note_latency(struct node *n, const struct port *p, unsigned int tc, ps_t arrived,
			    ps_t now);

// New tables are in force from n->start on: histograms that were there already count on, others
// begin empty.
void histogram_adopt(struct node *n, const struct tables *before, const struct tables *t);
