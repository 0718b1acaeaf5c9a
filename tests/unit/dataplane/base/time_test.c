// SPDX-License-Identifier: BSD-3-Clause
// How long bytes take.
#include "dataplane/base/time.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define GIGA UINT64_C(1000000000)
#define SLOWEST UINT64_C(10000000) // the rates that a file may give
#define FASTEST (8000 * GIGA)

// 8000 / rate in Gb/s picoseconds a byte, whole for all of these: no fraction, for any number of
// bytes.
static void
test_exact_rates(void **state)
{
	static const struct {
		uint64_t gbps, byte_ps;
	} rates[] = {{10, 800}, {25, 320}, {40, 200}, {50, 160},
		     {100, 80}, {200, 40}, {400, 20}, {800, 10}};

	(void)state;
	for (unsigned int i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t byte_time = time_byte_time(rates[i].gbps * GIGA);

		assert_int_equal(byte_time, rates[i].byte_ps << BYTE_TIME_FRACTION_BITS);
		for (uint64_t bytes = 0; bytes <= 16384; bytes++)
			assert_int_equal(time_of_bytes(byte_time, bytes), rates[i].byte_ps * bytes);
		assert_int_equal(time_of_bytes(byte_time, GIGA), rates[i].byte_ps * GIGA);
	}
}

// Every other rate to within half of 2^-20 ps a byte; a length of time is rounded down.
static void
test_other_rates(void **state)
{
	__extension__ typedef unsigned __int128 wide;

	(void)state;
	for (uint64_t rate = SLOWEST; rate <= FASTEST; rate += rate / 7 + 1) {
		wide exact = (wide)(8 * PS_PER_S) << BYTE_TIME_FRACTION_BITS;
		wide scaled = (wide)time_byte_time(rate) * rate;

		assert_true((scaled > exact ? scaled - exact : exact - scaled) <= rate / 2);
	}
	// 30 Gb/s: 266 2/3 ps a byte.
	assert_int_equal(time_of_bytes(time_byte_time(30 * GIGA), 1), 266);
	assert_int_equal(time_of_bytes(time_byte_time(30 * GIGA), 2), 533);
	assert_int_equal(time_of_bytes(time_byte_time(30 * GIGA), 1000), 266666);
}

// At the slowest rate a pause of 65535 quanta of 64 bytes (800 ns each) still fits; at the fastest
// a byte takes 1 ps.
static void
test_extreme_rates(void **state)
{
	uint64_t slowest = time_byte_time(SLOWEST);

	(void)state;
	assert_int_equal(time_of_bytes(slowest * 64, 65535),
			 UINT64_C(65535) * 64 * 800 * PS_PER_NS);
	assert_int_equal(time_of_bytes(time_byte_time(FASTEST), 12345), 12345);
}

static void
test_min(void **state)
{
	(void)state;
	assert_int_equal(time_min(1, 2), 1);
	assert_int_equal(time_min(2, 1), 1);
	assert_int_equal(time_min(PS_NEVER, 0), 0);
	assert_int_equal(time_min(PS_NEVER, PS_NEVER), PS_NEVER);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_rates),
		cmocka_unit_test(test_other_rates),
		cmocka_unit_test(test_extreme_rates),
		cmocka_unit_test(test_min),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
