// SPDX-License-Identifier: BSD-3-Clause
#include "../harness.h"

#include "dataplane/queueing/histogram.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/ports.h"

#include <stdlib.h>

#define SAMPLE (1024 * PS_PER_NS)

static struct tables *
tables_with(struct histogram_profile h)
{
	struct tables *t = harness_tables(2);

	t->histograms = calloc(1, sizeof(*t->histograms));
	assert_non_null(t->histograms);
	t->histograms[0] = h;
	t->histogram_count = 1;
	t->latency_wanted = h.kind == HISTOGRAM_LATENCY;
	return t;
}

static void
hold(struct harness *h, uint32_t bytes)
{
	harness_put(h, 1, harness_frame(h, &(struct frame){.to = 0, .bytes = bytes, .dscp = 24}),
		    h->now);
}

// min 960 and size 12288 in 10 bins: 0:959, 960:2495, ..., 11712:13247, 13248:*.
static void
test_bins_of_depths(void **state)
{
	static const struct {
		uint32_t depth, bin;
	} known[] = {{0, 0},     {959, 0},   {960, 1},   {2495, 1},  {2496, 2},
		     {11711, 7}, {11712, 8}, {13247, 8}, {13248, 9}, {20000, 9}};
	const struct histogram_profile of_queue = {.kind = HISTOGRAM_QUEUE,
						   .port = 0,
						   .index = 3,
						   .bins = 10,
						   .min = 960,
						   .width = 1536,
						   .sample = SAMPLE};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (unsigned int kind = HISTOGRAM_QUEUE; kind <= HISTOGRAM_GROUP; kind++) {
			struct histogram_profile profile = of_queue;
			struct harness h;
			uint32_t left = known[i].depth;

			profile.kind = (uint8_t)kind;
			// The group is where packets come in.
			profile.port = kind == HISTOGRAM_GROUP;
			harness_open(&h, tables_with(profile));
			node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
			harness_run(&h, 1); // the sample of instant 0
			assert_int_equal(h.node->histograms[0][0], 1);
			while (left != 0) {
				uint32_t bytes = left <= 9000       ? left
						 : left - 9000 < 60 ? left - 60
								    : 9000;

				hold(&h, bytes);
				left -= bytes;
			}
			harness_run(&h, SAMPLE);
			assert_int_equal(h.node->histograms[0][0], 1); // not before its time
			harness_run(&h, SAMPLE + 1);
			for (unsigned int bin = 0; bin < 10; bin++)
				assert_int_equal(h.node->histograms[0][bin],
						 (bin == 0) + (bin == known[i].bin));
			harness_close(&h);
		}
	}
}

// A sample comes before the arrivals and departures of its instant.
static void
test_order(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, tables_with((struct histogram_profile){.kind = HISTOGRAM_QUEUE,
								.index = 3,
								.bins = 3,
								.min = 1,
								.width = 1000,
								.sample = SAMPLE}));
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	harness_put(&h, 1, harness_frame(&h, &(struct frame){.to = 0, .bytes = 300, .dscp = 24}),
		    SAMPLE);
	harness_run(&h, SAMPLE + 1);
	assert_int_equal(h.node->histograms[0][0], 2);
	harness_run(&h, 2 * SAMPLE + 1);
	assert_int_equal(h.node->histograms[0][0], 2);
	assert_int_equal(h.node->histograms[0][1], 1);
	harness_close(&h);
}

// Three packets of 300 B at one instant leave 0, 1 and 2 slots of 25920 ps later.
static void
test_latency(void **state)
{
	struct harness h;

	(void)state;
	harness_open(&h, tables_with((struct histogram_profile){.kind = HISTOGRAM_LATENCY,
								.index = 3,
								.bins = 4,
								.min = 1,
								.width = 25920}));
	for (unsigned int i = 0; i < 3; i++)
		hold(&h, 300);
	harness_run(&h, PS_PER_US);
	assert_int_equal(h.node->histograms[0][0], 1); // at once: 0 ps
	assert_int_equal(h.node->histograms[0][1], 1); // 25920
	assert_int_equal(h.node->histograms[0][2], 1); // 51840
	assert_int_equal(harness_drain(&h, 0), 3);
	harness_close(&h);
}

// One that is set while packets wait counts of them, too, how long they have been there: 2 us, and
// a slot more each.
static void
test_latency_of_what_waits(void **state)
{
	const struct histogram_profile p = {.kind = HISTOGRAM_LATENCY,
					    .index = 3,
					    .bins = 5,
					    .min = 2 * PS_PER_US,
					    .width = harness_slot(300)};
	struct harness h;

	(void)state;
	harness_open(&h, harness_tables(2));
	node_set_tx_off(h.node, &h.node->ports[0], 0xff, 0);
	harness_run(&h, 5 * PS_PER_US);
	for (unsigned int i = 0; i < 3; i++)
		hold(&h, 300);
	harness_run(&h, 6 * PS_PER_US);
	assert_false(h.node->variant & NODE_FULL);
	harness_adopt(&h, tables_with(p));
	assert_true(h.node->variant & NODE_FULL);
	harness_run(&h, 7 * PS_PER_US);
	node_set_tx_off(h.node, &h.node->ports[0], 0, h.now);
	harness_run(&h, 8 * PS_PER_US);
	for (unsigned int bin = 0; bin < 5; bin++)
		assert_int_equal(h.node->histograms[0][bin], bin >= 1 && bin <= 3);
	assert_int_equal(harness_drain(&h, 0), 3);
	harness_close(&h);
}

// New tables: a histogram that was there counts on, one that differs begins empty.
static void
test_tables_change(void **state)
{
	struct histogram_profile p = {.kind = HISTOGRAM_QUEUE,
				      .index = 3,
				      .bins = 3,
				      .min = 1,
				      .width = 1000,
				      .sample = SAMPLE};
	struct tables *before = tables_with(p), *after;
	struct harness h;

	(void)state;
	harness_open(&h, before);
	harness_run(&h, 3 * SAMPLE + 1);
	assert_int_equal(h.node->histograms[0][0], 4);
	for (unsigned int i = 0; i < 3; i++) {
		p.min += i == 1; // the second change is a real one
		after = i == 2 ? harness_tables(2) : tables_with(p);
		node_set_tables(h.node, after);
		h.tables = after;
		harness_run(&h, h.now + 1);
		tables_destroy(before);
		before = after;
		if (i < 2)
			assert_int_equal(h.node->histograms[0][0], i == 0 ? 4 : 0);
	}
	harness_run(&h, 5 * SAMPLE);
	harness_close(&h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins_of_depths), cmocka_unit_test(test_order),
		cmocka_unit_test(test_latency),        cmocka_unit_test(test_latency_of_what_waits),
		cmocka_unit_test(test_tables_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
