// SPDX-License-Identifier: BSD-3-Clause
// Distributions of sizes: what is read, what is drawn, and how often.
#include "control/model/workload/sizes.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SHARE(percent) ((uint64_t)((percent)*10000000 + .5) << SIZES_FRACTION_BITS)

static struct sizes
parse(const char *text)
{
	struct diag diag = {0};
	struct sizes sizes;

	assert_int_equal(sizes_parse(&sizes, text, strlen(text), "x.cdf", &diag), 0);
	return sizes;
}

static struct sizes
built_in(const char *name)
{
	const struct config_name word = {.text = (char *)name};
	struct diag diag = {0};
	struct sizes sizes;

	assert_int_equal(sizes_load(&sizes, "nowhere/t.yaml", "nowhere/t.yaml", &word, &diag), 0);
	return sizes;
}

// Up to and including the size of a point are exactly as many as it says: just below its share its
// own size comes, at its share the next byte.
static void
test_points(void **state)
{
	static const char *const names[] = {"web-search", "storage", "hadoop", "rpc"};

	(void)state;
	for (unsigned n = 0; n < 4; n++) {
		struct sizes s = built_in(names[n]);

		assert_int_equal(sizes_at(&s, 0), s.points[0].bytes + 1);
		for (uint32_t i = 1; i < s.count; i++) {
			uint64_t share = s.points[i].share << SIZES_FRACTION_BITS;

			assert_int_equal(sizes_at(&s, share - 1), s.points[i].bytes);
			if (i + 1 < s.count)
				assert_int_equal(sizes_at(&s, share), s.points[i].bytes + 1);
		}
		sizes_free(&s);
	}
}

static void
test_between_points(void **state)
{
	struct sizes s = parse("# bytes percent\n0 0\n100 50 # half\n\n1100\t100");

	(void)state;
	assert_int_equal(s.count, 3);
	assert_int_equal(sizes_at(&s, SHARE(25)), 51);
	assert_int_equal(sizes_at(&s, SHARE(25) - 1), 50);
	assert_int_equal(sizes_at(&s, SHARE(75)), 601);
	assert_int_equal(sizes_at(&s, SHARE(99.95) - 1), 1099);
	sizes_free(&s);
	// A step, and a first point above nothing: sizes of weight.
	s = parse("64 10\n64 30\n4095 30\n4096 90\n9000 90.5\n9000 100\n");
	assert_int_equal(sizes_at(&s, 0), 64);
	assert_int_equal(sizes_at(&s, SHARE(30) - 1), 64);
	assert_int_equal(sizes_at(&s, SHARE(30)), 4096);
	assert_int_equal(sizes_at(&s, SHARE(90) - 1), 4096);
	assert_int_equal(sizes_at(&s, SHARE(95)), 9000);
	sizes_free(&s);
	s = parse("777 100");
	assert_int_equal(sizes_at(&s, SHARE(100) - 1), 777);
	assert_int_equal(sizes_at(&s, 0), 777);
	sizes_free(&s);
}

// Means by hand: of the bytes a + 1 to b, each equally likely, (a + b + 1) / 2.
static void
test_mean(void **state)
{
	static const struct {
		const char *name;
		double mean;
	} means[] = {
		// sum of share * (a + b) / 2, and half a byte
		{"web-search", .15 * 5000 + .05 * 15000 + .1 * 25000 + .1 * 40000 + .13 * 65000 +
				       .07 * 140000 + .1 * 600000 + .1 * 1500000 + .1 * 3500000 +
				       .07 * 7500000 + .03 * 20000000 + .5},
		{"storage", .2293 * 2000 + .4628 * 6000 + .1140 * 12000 + .0986 * 24000 +
				    .0306 * 48000 + .0324 * 96000 + .0076 * 192000 +
				    .0247 * 1128000 + .5},
	};
	struct sizes s = parse("0 0\n1 100");

	(void)state;
	assert_true(sizes_mean(&s) == (sizes_sum)2 * SIZES_ONE);
	sizes_free(&s);
	s = parse("10 25\n20 100"); // a quarter 10, else 11 .. 20: 2.5 + .75 * 15.5
	assert_true(sizes_mean(&s) == (sizes_sum)28250 * SIZES_ONE / 1000);
	sizes_free(&s);
	for (unsigned i = 0; i < 2; i++) {
		double mean;

		s = built_in(means[i].name);
		mean = (double)sizes_mean(&s) / 2 / SIZES_ONE;
		assert_true(mean > means[i].mean * (1 - 1e-12) &&
			    mean < means[i].mean * (1 + 1e-12));
		sizes_free(&s);
	}
}

// A million draws: as many up to each point as it says, and their mean that of the distribution,
// within 4 standard deviations (of one draw 191,796 B).
static void
test_draws(void **state)
{
	struct random random = random_stream(7, 7);
	struct sizes s = built_in("storage");
	unsigned up_to[16] = {0};
	uint64_t sum = 0;
	double mean;

	(void)state;
	for (unsigned n = 0; n < 1000000; n++) {
		uint64_t bytes = sizes_draw(&s, &random);

		assert_in_range(bytes, 1, 2000000);
		sum += bytes;
		for (uint32_t i = 0; i < s.count; i++)
			up_to[i] += bytes <= s.points[i].bytes;
	}
	for (uint32_t i = 0; i < s.count; i++) {
		double p = (double)s.points[i].share / SIZES_ONE, off = up_to[i] - p * 1e6;

		assert_true(off * off <= 16 * 1e6 * p * (1 - p));
	}
	mean = (double)sizes_mean(&s) / 2 / SIZES_ONE;
	assert_true(fabs((double)sum / 1e6 - mean) < 4 * 191796 / 1e3);
	sizes_free(&s);
}

static void
assert_bad(const char *text, size_t length, const char *message)
{
	struct diag diag = {0};
	struct sizes sizes;

	assert_int_equal(sizes_parse(&sizes, text, length, "x.cdf", &diag), -EINVAL);
	assert_int_equal(diag.errors, 1);
	assert_string_equal(diag.messages[0].text, message);
	diag_free(&diag);
}

#define BAD(text, message) assert_bad(text, sizeof(text) - 1, message)

static void
test_bad(void **state)
{
	(void)state;
	BAD("", "x.cdf:1:1: percent: the last point must be at 100");
	BAD("0 0\n5 99.9999999\n", "x.cdf:2:1: percent: the last point must be at 100");
	BAD("0 0\n5\n6 100\n", "x.cdf:2:1: 1 word; a line is `bytes cumulative_percent`");
	BAD("0 0\n 5 50 1\n6 100\n", "x.cdf:2:2: 3 words; a line is `bytes cumulative_percent`");
	BAD("0 0\n5B 50\n6 100\n", "x.cdf:2:1: bytes: \"5B\" is not a whole number");
	BAD("0 0\n1000000000000001 100\n2 100\n",
	    "x.cdf:2:1: bytes: 1000000000000001 is out of range: 0 to 1000000000000000");
	BAD("0 0\n5 -1\n6 100\n", "x.cdf:2:3: percent: \"-1\" is not a number such as 2.000001");
	BAD("0 0\n5 5e1\n6 100\n", "x.cdf:2:3: percent: \"5e1\" is not a number such as 2.000001");
	BAD("0 0\n5 .\n6 100\n", "x.cdf:2:3: percent: \".\" is not a number such as 2.000001");
	BAD("0 0\n6 100.01\n", "x.cdf:2:3: percent: 100.01 is out of range: 0 to 100 %");
	BAD("0 0\n5 1.00000001\n6 100\n",
	    "x.cdf:2:3: percent: 1.00000001 has more than 7 digits after the point");
	BAD("0 0\n5 50\n4 100\n5 100\n", "x.cdf:3:1: bytes fall: sort the points by size");
	BAD("0 0\n5 50\n6 49\n7 100\n", "x.cdf:3:1: percent falls: it is cumulative");
	BAD("0 5\n6 100\n", "x.cdf:1:1: a flow has at least one byte");
	BAD("0 0\n6 \0 100\n", "x.cdf:2:1: a NUL byte: this is not a text file");
}

static void
test_load(void **state)
{
	char folder[] = "/tmp/roost-sizes-XXXXXX", path[64], config[64];
	struct config_name name = {.text = (char *)"storage", .pos = {.line = 3, .column = 9}};
	struct diag diag = {0};
	struct sizes sizes;
	FILE *to;

	(void)state;
	// A file of that name goes before what is built in, and stands beside the configuration.
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/storage", folder);
	snprintf(config, sizeof(config), "%s/t.yaml", folder);
	to = fopen(path, "w");
	fprintf(to, "5 100\n");
	fclose(to);
	assert_int_equal(sizes_load(&sizes, config, config, &name, &diag), 0);
	assert_int_equal(sizes.count, 1);
	sizes_free(&sizes);
	unlink(path);
	assert_int_equal(sizes_load(&sizes, config, config, &name, &diag), 0);
	assert_int_equal(sizes.count, 9);
	sizes_free(&sizes);
	rmdir(folder);
	name.text = (char *)"storag";
	assert_int_equal(sizes_load(&sizes, "t.yaml", "t.yaml", &name, &diag), -EINVAL);
	assert_string_equal(diag.messages[0].text,
			    "t.yaml:3:9: workload.sizes: storag cannot be read: No such file or "
			    "directory; built in are hadoop, rpc, storage, web-search");
	diag_free(&diag);
	name.text = (char *)"/";
	assert_int_equal(sizes_load(&sizes, "t.yaml", "t.yaml", &name, &diag), -EINVAL);
	diag_free(&diag);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points), cmocka_unit_test(test_between_points),
		cmocka_unit_test(test_mean),   cmocka_unit_test(test_draws),
		cmocka_unit_test(test_bad),    cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
