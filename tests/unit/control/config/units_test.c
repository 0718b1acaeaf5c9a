// SPDX-License-Identifier: BSD-3-Clause
// What is printed can be read again, and stands for the same.
#include "expect.h"

#include "control/config/scalar.h"

static void
values_are_written_as_files_have_them(void **state)
{
	char out[CONFIG_TEXT];

	(void)state;
	assert_string_equal(config_rate_text(0, out), "0K");
	assert_string_equal(config_rate_text(10000000, out), "10M");
	assert_string_equal(config_rate_text(8000000000000, out), "8T");
	assert_string_equal(config_rate_text(5500000000, out), "5500M");
	assert_string_equal(config_rate_text(25000000001, out), "25000000.001K");
	assert_string_equal(config_duration_text(0, out), "0ps");
	assert_string_equal(config_duration_text(1500000, out), "1500ns");
	assert_string_equal(config_duration_text(60000000000000, out), "60s");
	assert_string_equal(config_bytes_text(0, out), "0B");
	assert_string_equal(config_bytes_text(1024, out), "1024B");
	assert_string_equal(config_bytes_text(150000, out), "150KB");
	assert_string_equal(config_bytes_text(UINT64_C(1) << 40, out), "1024GiB");
	assert_string_equal(config_bytes_text(16 << 20, out), "16MiB");
	assert_string_equal(config_bytes_text(UINT64_C(16384) * 1000000, out), "16384MB");
	assert_string_equal(config_percent_text(1000000, out), "100%");
	assert_string_equal(config_percent_text(125000, out), "12.5%");
	assert_string_equal(config_percent_text(1, out), "0.0001%");
	assert_string_equal(config_percent_text(10010, out), "1.001%");
}

static void
what_is_printed_reads_back(void **state)
{
	char out[CONFIG_TEXT], why[SCALAR_WHY];
	uint64_t back, value = 1;

	(void)state;
	for (unsigned i = 0; i < 30; i++, value = value * 3 + (i % 3 == 0) * 1000) {
		assert_int_equal(scalar_duration(config_duration_text(value, out), &back, why), 0);
		assert_int_equal(back, value);
		assert_int_equal(scalar_bytes(config_bytes_text(value, out), &back, why), 0);
		assert_int_equal(back, value);
		assert_int_equal(scalar_rate(config_rate_text(value, out), &back, why), 0);
		assert_int_equal(back, value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_written_as_files_have_them),
		cmocka_unit_test(what_is_printed_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
