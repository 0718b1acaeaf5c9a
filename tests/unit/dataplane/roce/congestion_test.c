// SPDX-License-Identifier: BSD-3-Clause
// What the algorithms share: pacing that is exact on average, rates and byte times, powers.
#include "dataplane/roce/congestion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define START (5 * PS_PER_US)
#define PACKETS 10000
#define PACKET_BYTES 1064

// Packets that start as soon as they may, at 30 Gb/s: 266 2/3 ps a byte, so that every packet ends
// within a picosecond. The last may start when all before have had their time, to the picosecond.
static void
test_ten_thousand_packets_take_what_their_bytes_take(void **state)
{
	struct congestion c = {.byte_time = time_byte_time(30000000000)};
	uint64_t exact = c.byte_time * PACKET_BYTES;
	ps_t now = START;

	(void)state;
	for (unsigned int i = 1; i <= PACKETS; i++) {
		congestion_pace(&c, PACKET_BYTES, now);
		assert_int_equal(c.next_at, START + (exact * i >> BYTE_TIME_FRACTION_BITS));
		now = c.next_at;
	}
	// 1064 B x 8 b / 30 Gb/s x 10,000 is 2837.33 us; 2^-20 ps a byte is not seen in it.
	assert_in_range(now - START, 2837333333 - 12, 2837333333 + 12);
}

// 10 Gb/s, 1000 B: 800 ns a packet. The second waits 300 ns for the transmitter, the third is
// punctual again; the fourth comes 800 ns late, which is a new beginning.
static void
test_a_short_wait_is_made_good_and_a_long_one_is_not(void **state)
{
	struct congestion c = {.byte_time = time_byte_time(10000000000)};

	(void)state;
	congestion_pace(&c, 1000, START);
	assert_int_equal(c.next_at, START + 800000);
	congestion_pace(&c, 1000, START + 1100000);
	assert_int_equal(c.next_at, START + 1600000);
	congestion_pace(&c, 1000, START + 1600000);
	assert_int_equal(c.next_at, START + 2400000);
	congestion_pace(&c, 1000, START + 2400000 + 799999);
	assert_int_equal(c.next_at, START + 3200000);
	congestion_pace(&c, 1000, START + 3200000 + 800000);
	assert_int_equal(c.next_at, START + 4800000);
}

static void
test_what_is_not_paced_waits_for_nothing(void **state)
{
	struct congestion c = {.byte_time = 0};

	(void)state;
	congestion_pace(&c, 1000, START);
	assert_int_equal(c.next_at, 0);
}

// 400 ns of a gap are left at 10 Gb/s: 200 at 20, 100 at 40 (the line, where it is not paced), 1600
// at 2.5; a packet that is due already does not move.
static void
test_a_new_rate_holds_for_what_is_left_of_a_gap(void **state)
{
	static const struct {
		uint64_t rate;
		ps_t left;
	} cases[] = {{20000000000, 200000}, {0, 100000}, {2500000000, 1600000}};
	const uint64_t line = time_byte_time(40000000000);

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		struct congestion c = {.byte_time = time_byte_time(10000000000)};
		uint64_t byte_time = cases[i].rate == 0 ? 0 : time_byte_time(cases[i].rate);

		congestion_pace(&c, 1000, START);
		congestion_set_byte_time(&c, byte_time, line, START + 400000);
		assert_int_equal(c.next_at, START + 400000 + cases[i].left);
		assert_int_equal(c.byte_time, byte_time);
		congestion_set_byte_time(&c, 12345, line, START + 5000000);
		assert_int_equal(c.next_at, START + 400000 + cases[i].left);
	}
}

static void
test_rates_and_byte_times_are_each_others_inverse(void **state)
{
	static const uint64_t rates[] = {10000000,     100000000,    10000000000,
					 25000000000,  40000000000,  100000000000,
					 400000000000, 800000000000, 3000000007};

	(void)state;
	for (unsigned int i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t byte_time = time_byte_time(rates[i]);

		assert_int_equal(congestion_byte_time_of((double)rates[i]), byte_time);
		assert_int_equal(congestion_byte_time_of(congestion_rate_of(byte_time)), byte_time);
	}
	assert_true(congestion_rate_of(time_byte_time(400000000000)) == 400e9);
}

static void
test_powers(void **state)
{
	(void)state;
	assert_true(congestion_power(0.5, 0) == 1);
	assert_true(congestion_power(0.5, 1) == 0.5);
	assert_true(congestion_power(0.5, 13) == 1.0 / 8192);
	assert_true(congestion_power(3, 5) == 243);
	assert_true(congestion_power(255.0 / 256, UINT64_MAX) == 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ten_thousand_packets_take_what_their_bytes_take),
		cmocka_unit_test(test_a_short_wait_is_made_good_and_a_long_one_is_not),
		cmocka_unit_test(test_a_new_rate_holds_for_what_is_left_of_a_gap),
		cmocka_unit_test(test_what_is_not_paced_waits_for_nothing),
		cmocka_unit_test(test_rates_and_byte_times_are_each_others_inverse),
		cmocka_unit_test(test_powers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
