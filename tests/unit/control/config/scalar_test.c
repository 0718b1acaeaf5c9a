// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/scalar.h"

#include "expect.h"

typedef int parse_unsigned(const char *text, uint64_t *out, char *why);

static void
want_value(parse_unsigned *parse, const char *text, uint64_t wanted)
{
	char why[SCALAR_WHY] = "";
	uint64_t value = 0;

	assert_int_equal(parse(text, &value, why), 0);
	assert_int_equal(value, wanted);
}

static void
want_refused(parse_unsigned *parse, const char *text, const char *wanted)
{
	char why[SCALAR_WHY] = "";
	uint64_t value = 0;

	assert_true(parse(text, &value, why) < 0);
	assert_string_equal(why, wanted);
}

static void
sizes(void **state)
{
	(void)state;
	want_value(scalar_bytes, "0B", 0);
	want_value(scalar_bytes, "9216B", 9216);
	want_value(scalar_bytes, "150KB", 150000);
	want_value(scalar_bytes, "1.5KB", 1500);
	want_value(scalar_bytes, "16MiB", 16777216);
	want_value(scalar_bytes, "1KiB", 1024);
	want_value(scalar_bytes, "64MB", 64000000);
	want_value(scalar_bytes, "2GiB", 2147483648);
	want_value(scalar_bytes, "3GB", 3000000000);
	want_refused(scalar_bytes, "10",
		     "10 has no unit: write it with B, KB, MB, GB, KiB, MiB or GiB");
	want_refused(scalar_bytes, "10kb", "\"10kb\" is not a size; did you mean \"10KB\"?");
	want_refused(scalar_bytes, "5 kb", "\"5 kb\" is not a size; did you mean \"5KB\"?");
	want_refused(scalar_bytes, "0.5B", "0.5B is not a whole number of bytes");
	want_refused(scalar_bytes, "10us",
		     "\"10us\" is not a size: its unit is one of B, KB, MB, GB, KiB, MiB or GiB");
	want_refused(scalar_bytes, "-1B",
		     "\"-1B\" is not a size: write a number and B, KB, MB, GB, KiB, MiB or GiB");
	want_refused(scalar_bytes, "9223372036854775808B", "9223372036854775808B is too large");
	want_refused(scalar_bytes, "18446744073709551615GB", "18446744073709551615GB is too large");
	want_refused(
		scalar_bytes, "99999999999999999999B",
		"\"99999999999999999999B\" is not a size: write a number and B, KB, MB, GB, KiB, "
		"MiB or GiB");
	want_refused(scalar_bytes, "1.B",
		     "\"1.B\" is not a size: write a number and B, KB, MB, GB, KiB, MiB or GiB");
}

static void
rates(void **state)
{
	(void)state;
	want_value(scalar_rate, "100G", 100000000000);
	want_value(scalar_rate, "25G", 25000000000);
	want_value(scalar_rate, "2.5G", 2500000000);
	want_value(scalar_rate, "1.6T", 1600000000000);
	want_value(scalar_rate, "40M", 40000000);
	want_refused(scalar_rate, "100",
		     "100 has no unit: write it with K, M, G or T (bits per second)");
	want_refused(scalar_rate, "100g", "\"100g\" is not a rate; did you mean \"100G\"?");
	want_refused(scalar_rate, "100Gbps", "\"100Gbps\" is not a rate; did you mean \"100G\"?");
	want_refused(scalar_rate, "2.5 Gb/s", "\"2.5 Gb/s\" is not a rate; did you mean \"2.5G\"?");
	want_refused(scalar_rate, "10gbit/s", "\"10gbit/s\" is not a rate; did you mean \"10G\"?");
	want_refused(
		scalar_rate, "100GBps",
		"\"100GBps\" is not a rate: its unit is one of K, M, G or T (bits per second)");
}

static void
durations(void **state)
{
	(void)state;
	want_value(scalar_duration, "1ps", 1);
	want_value(scalar_duration, "500ns", 500000);
	want_value(scalar_duration, "5us", 5000000);
	want_value(scalar_duration, "1.342ms", 1342000000);
	want_value(scalar_duration, "2s", 2000000000000);
	want_value(scalar_duration, "0.5ns", 500);
	want_refused(scalar_duration, "0", "0 has no unit: write it with ps, ns, us, ms or s");
	want_refused(scalar_duration, "0.5ps", "0.5ps is not a whole number of picoseconds");
	want_refused(scalar_duration, "1 us", "\"1 us\" is not a duration; did you mean \"1us\"?");
	want_refused(scalar_duration, "1usb",
		     "\"1usb\" is not a duration: its unit is one of ps, ns, us, ms or s");
}

// 198,000,000 m/s: 99 m are 500 ns, 5 m are 25252.525 ps.
static void
cables_and_delays_follow_from_each_other(void **state)
{
	(void)state;
	want_value(scalar_cable, "100m", 100000);
	want_value(scalar_cable, "0.5m", 500);
	want_value(scalar_cable, "40km", 40000000);
	want_refused(scalar_cable, "5", "5 has no unit: write it with m or km");
	assert_int_equal(scalar_cable_delay_ps(99000), 500000);
	assert_int_equal(scalar_cable_delay_ps(5000), 25253);
	assert_int_equal(scalar_delay_cable_mm(500000), 99000);
	for (uint64_t mm = 0; mm < 200000; mm += 37)
		assert_int_equal(scalar_delay_cable_mm(scalar_cable_delay_ps(mm)), mm);
}

static void
percentages(void **state)
{
	char why[SCALAR_WHY];
	uint32_t ppm;

	(void)state;
	assert_int_equal(scalar_percent("0.1%", &ppm, why), 0);
	assert_int_equal(ppm, 1000);
	assert_int_equal(scalar_percent("100%", &ppm, why), 0);
	assert_int_equal(ppm, CONFIG_PPM);
	assert_true(scalar_percent("101%", &ppm, why) < 0);
	assert_string_equal(why, "101% is out of range: 0% to 100%");
	assert_true(scalar_percent("50", &ppm, why) < 0);
	assert_string_equal(why, "50 has no unit: write it with %");
}

static void
integers(void **state)
{
	char why[SCALAR_WHY];
	int64_t value;

	(void)state;
	assert_int_equal(scalar_integer("65535", 0, 65535, &value, why), 0);
	assert_int_equal(value, 65535);
	assert_int_equal(scalar_integer("0xff", 0, 255, &value, why), 0);
	assert_int_equal(value, 255);
	assert_int_equal(scalar_integer("-5", -8, 8, &value, why), 0);
	assert_int_equal(value, -5);
	assert_true(scalar_integer("99999", 0, 65535, &value, why) < 0);
	assert_string_equal(why, "99999 is out of range: 0 to 65535");
	assert_true(scalar_integer("99999999999999999999", 0, INT64_MAX, &value, why) < 0);
	assert_true(scalar_integer("9999-quanta", 0, 65535, &value, why) < 0);
	assert_string_equal(why, "\"9999-quanta\" is not a whole number (0 to 65535)");
	assert_true(scalar_integer("", 0, 7, &value, why) < 0);
	assert_true(scalar_integer("-", 0, 7, &value, why) < 0);
	assert_true(scalar_integer("0x", 0, 7, &value, why) < 0);
	assert_true(scalar_integer("1.0", 0, 7, &value, why) < 0);
}

// One number, one text.
static void
indices(void **state)
{
	static const char *const wrong[] = {"03", "0x3", "-0", "00", "+3",
					    " 3", "3 ",  "8",  "-1", ""};
	char why[SCALAR_WHY];
	unsigned value;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const char text[] = {'0' + (char)i, '\0'};

		assert_int_equal(scalar_index(text, 8, &value, why), 0);
		assert_int_equal(value, i);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_true(scalar_index(wrong[i], 8, &value, why) < 0);
	assert_true(scalar_index("003", 8, &value, why) < 0);
	assert_string_equal(why, "write \"003\" as 3");
}

static void
alphas(void **state)
{
	struct config_limit limit;
	char why[SCALAR_WHY], text[16];

	(void)state;
	for (int shift = -7; shift <= 6; shift++) {
		snprintf(text, sizeof(text), shift < 0 ? "1/%d" : "%d", 1 << abs(shift));
		assert_int_equal(scalar_alpha(text, &limit, why), 0);
		assert_int_equal(limit.kind, CONFIG_LIMIT_ALPHA);
		assert_int_equal(limit.shift, shift);
	}
	assert_int_equal(scalar_alpha("0", &limit, why), 0);
	assert_int_equal(limit.kind, CONFIG_LIMIT_ZERO);
	assert_int_equal(scalar_alpha("unlimited", &limit, why), 0);
	assert_int_equal(limit.kind, CONFIG_LIMIT_UNLIMITED);
	for (const char *const *bad = (const char *const[]){"3", "128", "1/256", "1/3", "0.5", "",
							    "1/", "1/0", "64B", "-1", NULL};
	     *bad != NULL; bad++)
		assert_true(scalar_alpha(*bad, &limit, why) < 0);
	scalar_alpha("3", &limit, why);
	assert_string_equal(
		why, "\"3\" is not an alpha: 0, a power of two from 1/128 to 64, or unlimited");
}

static void
amounts(void **state)
{
	unsigned pool = 1u << CONFIG_AMOUNT_BYTES | 1u << CONFIG_AMOUNT_PERCENT |
			1u << CONFIG_AMOUNT_UNLIMITED;
	unsigned share = 1u << CONFIG_AMOUNT_PERCENT | 1u << CONFIG_AMOUNT_ALPHA;
	struct config_amount amount;
	char why[SCALAR_WHY];

	(void)state;
	assert_int_equal(scalar_amount("50%", pool, &amount, why), 0);
	assert_int_equal(amount.kind, CONFIG_AMOUNT_PERCENT);
	assert_int_equal(amount.value, 500000);
	assert_int_equal(scalar_amount("1MB", pool, &amount, why), 0);
	assert_int_equal(amount.kind, CONFIG_AMOUNT_BYTES);
	assert_int_equal(amount.value, 1000000);
	assert_int_equal(scalar_amount("unlimited", pool, &amount, why), 0);
	assert_int_equal(amount.kind, CONFIG_AMOUNT_UNLIMITED);
	assert_int_equal(scalar_amount("1/128", share, &amount, why), 0);
	assert_int_equal(amount.kind, CONFIG_AMOUNT_ALPHA);
	assert_int_equal(amount.value, 0);
	assert_true(scalar_amount("50", pool, &amount, why) < 0);
	assert_string_equal(why, "50 has no unit: write a size (B, KB, MB, GB, KiB, MiB, GiB), a "
				 "percentage (%) or unlimited");
	assert_true(scalar_amount("auto", pool, &amount, why) < 0);
	assert_string_equal(why,
			    "\"auto\" is not a size (B, KB, MB, GB, KiB, MiB, GiB), a percentage "
			    "(%) or unlimited");
	assert_true(scalar_amount("", pool, &amount, why) < 0);
	// What is not among the kinds is none of them.
	assert_true(scalar_amount("100KB", share, &amount, why) < 0);
	assert_string_equal(why, "\"100KB\" is not a percentage (%) or an alpha (1/128 to 64)");
	assert_true(scalar_amount("0", share, &amount, why) < 0);
	assert_true(scalar_amount("50%", 1u << CONFIG_AMOUNT_BYTES, &amount, why) < 0);
	assert_true(scalar_amount("1", pool, &amount, why) < 0);
}

static void
booleans(void **state)
{
	char why[SCALAR_WHY];
	bool value;

	(void)state;
	assert_int_equal(scalar_bool("on", &value, why), 0);
	assert_true(value);
	assert_int_equal(scalar_bool("False", &value, why), 0);
	assert_false(value);
	assert_true(scalar_bool("1", &value, why) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(rates),
		cmocka_unit_test(durations),
		cmocka_unit_test(cables_and_delays_follow_from_each_other),
		cmocka_unit_test(percentages),
		cmocka_unit_test(integers),
		cmocka_unit_test(indices),
		cmocka_unit_test(alphas),
		cmocka_unit_test(amounts),
		cmocka_unit_test(booleans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
