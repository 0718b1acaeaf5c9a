// SPDX-License-Identifier: BSD-3-Clause
// Boundaries of histograms, in whole cells, and whose they are.
#include "built.h"

#define DUT(cell)                                            \
	"switch:\n  name: dut\n  buffer: {cell: " cell "}\n" \
	"  ports: {swp1: {rate: 100G}, swp4: {rate: 100G}}\n"

static struct config_histogram
depths(unsigned port, uint64_t min, uint64_t size, uint32_t bins)
{
	return (struct config_histogram){
		.kind = CONFIG_HISTOGRAM_QUEUE,
		.where = {.text = (char *)"swp4.3"},
		.port_number = port,
		.index = 3,
		.min = min,
		.size = size,
		.bins = bins,
		.sample_ps = 1024000,
	};
}

// The example of Cumulus Linux's ASIC monitoring: 960 and 12288 in 10 bins are ranges of 1536.
static void
test_boundaries(void **state)
{
	struct config_histogram h[3] = {depths(4, 960, 12288, 10), depths(4, 1000, 12288, 10),
					depths(1, 0, 5000, 7)};
	struct built b;

	(void)state;
	h[1].kind = CONFIG_HISTOGRAM_GROUP;
	built_load(&b, DUT("1"), "dut");
	b.settings.histograms = h;
	b.settings.histogram_count = 3;
	built_good(&b);
	assert_int_equal(b.t->histogram_count, 3);
	assert_int_equal(b.t->histograms[0].kind, HISTOGRAM_QUEUE);
	assert_int_equal(b.t->histograms[0].port, 1); // the second
	assert_int_equal(b.t->histograms[0].index, 3);
	assert_int_equal(b.t->histograms[0].bins, 10);
	assert_int_equal(b.t->histograms[0].min, 960);
	assert_int_equal(b.t->histograms[0].width, 1536);
	assert_int_equal(b.t->histograms[0].sample, 1024000);
	assert_int_equal(b.t->histograms[1].min, 1000);
	assert_int_equal(b.t->histograms[1].kind, HISTOGRAM_GROUP);
	assert_int_equal(b.t->histograms[2].port, 0);
	assert_int_equal(b.t->histograms[2].width, 1000);
	assert_false(b.t->latency_wanted);
	built_drop(&b);
	// Cells of 192: 960 and 1536 are 5 and 8 of them, 1000 and 5000 / 5 lie 5.2 in.
	built_load(&b, DUT("192"), "dut");
	b.settings.histograms = h;
	b.settings.histogram_count = 3;
	built_good(&b);
	assert_int_equal(b.t->histograms[0].min, 960);
	assert_int_equal(b.t->histograms[0].width, 1536);
	assert_int_equal(b.t->histograms[1].min, 960);
	assert_int_equal(b.t->histograms[2].min, 0);
	assert_int_equal(b.t->histograms[2].width, 960);
	built_drop(&b);
}

static void
test_latency(void **state)
{
	struct config_histogram h = {.kind = CONFIG_HISTOGRAM_LATENCY,
				     .where = {.text = (char *)"swp1.0"},
				     .port_number = 1,
				     .min = 1000000,
				     .size = 64000000,
				     .bins = 34};
	struct built b;

	(void)state;
	built_load(&b, DUT("192"), "dut");
	b.settings.histograms = &h;
	b.settings.histogram_count = 1;
	built_good(&b);
	assert_true(b.t->latency_wanted);
	assert_int_equal(b.t->histograms[0].kind, HISTOGRAM_LATENCY);
	assert_int_equal(b.t->histograms[0].min, 1000000); // no cells: 1 us
	assert_int_equal(b.t->histograms[0].width, 2000000);
	built_drop(&b);
}

// A section may serve switches of many shapes.
static void
test_another_switch(void **state)
{
	struct config_histogram h[2] = {depths(2, 960, 12288, 10), depths(4, 960, 12288, 10)};
	struct built b;

	(void)state;
	built_load(&b, DUT("192"), "dut");
	b.settings.histograms = h;
	b.settings.histogram_count = 2;
	built_good(&b);
	assert_int_equal(b.t->histogram_count, 1);
	assert_int_equal(b.t->histograms[0].port, 1);
	built_drop(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_another_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
