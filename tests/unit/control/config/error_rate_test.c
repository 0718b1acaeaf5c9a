// SPDX-License-Identifier: BSD-3-Clause
#include "control/config/error_rate.h"

#include "control/config/scalar.h"
#include "expect.h"

static void
rates_and_their_texts(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
		const char *shortest; // NULL: the text
	} rates[] = {
		{"0", 0, NULL},
		{"0.00", 0, "0"},
		{"0e-9", 0, "0"},
		{"1e-15", 1000, NULL},
		{"1e-3", UINT64_C(1000000000000000), NULL},
		{"1e-9", UINT64_C(1000000000), NULL},
		{"2.5e-12", 2500000, NULL},
		{"1.234e-15", 1234, NULL},
		{"25E-13", 2500000, "2.5e-12"},
		{"0.001", UINT64_C(1000000000000000), "1e-3"},
		{"0.00000012", UINT64_C(120000000000), "1.2e-7"},
	};
	char why[SCALAR_WHY], text[CONFIG_TEXT];
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		assert_int_equal(error_rate_read(rates[i].text, &value, why), 0);
		assert_int_equal(value, rates[i].value);
		assert_string_equal(error_rate_text(value, text),
				    rates[i].shortest != NULL ? rates[i].shortest : rates[i].text);
	}
}

static void
what_is_refused(void **state)
{
	static const struct {
		const char *text, *why;
	} rates[] = {
		{"1e-16", "1e-16 is out of range: 0, or 1e-15 to 1e-3"},
		{"1.1e-3", "1.1e-3 is out of range: 0, or 1e-15 to 1e-3"},
		{"1", "1 is out of range: 0, or 1e-15 to 1e-3"},
		{"1e-99", "1e-99 is out of range: 0, or 1e-15 to 1e-3"},
		{"1.2345e-15", "1.2345e-15 has too many digits: whole multiples of 1e-18"},
		{"", "\"\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"1e-", "\"1e-\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"1e9", "\"1e9\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"-1e-9", "\"-1e-9\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"1.e-9", "\"1.e-9\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"0.1%", "\"0.1%\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
		{"1e-9x", "\"1e-9x\": write a bit error rate from 1e-15 to 1e-3, such as 1e-9"},
	};
	char why[SCALAR_WHY];
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		assert_true(error_rate_read(rates[i].text, &value, why) < 0);
		assert_string_equal(why, rates[i].why);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_and_their_texts),
		cmocka_unit_test(what_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
