// SPDX-License-Identifier: BSD-3-Clause
// Rules of --map: which are taken, which prefix wins, and what is left alone.
#include "control/io/capture/rewrite.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t port_mac[6] = {2, 0, 0, 0, 0, 1};

static void
add(struct rewrite *w, const char *text)
{
	struct diag diag = {0};

	if (rewrite_add(w, text, &diag) != 0)
		fail_msg("%s", diag_first_error(&diag));
}

static void
test_rules_that_are_refused(void **state)
{
	static const struct {
		const char *rule, *message;
	} cases[] = {
		{"10.0.0.0/8",
		 "--map 10.0.0.0/8: want FROM=TO, such as 203.0.113.0/24=10.0.1.0/24, "
		 "MAC=MAC, or mac=port"},
		{"=10.0.0.0/8", "--map =10.0.0.0/8: want FROM=TO, such as "
				"203.0.113.0/24=10.0.1.0/24, MAC=MAC, or mac=port"},
		{"10.0.0.0/8=10.0.0.0/9", "--map 10.0.0.0/8=10.0.0.0/9: want two prefixes of one "
					  "kind and one length"},
		{"10.0.0.0/24=fd00::/24",
		 "--map 10.0.0.0/24=fd00::/24: want two prefixes of one kind and one length"},
		{"10.0.0.1/8=11.0.0.0/8", "--map 10.0.0.1/8=11.0.0.0/8: 10.0.0.1/8 has bits set "
					  "past its length; did you mean \"10.0.0.0/8\"?"},
		{"10.0.0.1=mac", "--map 10.0.0.1=mac: \"mac\" is not an IPv4 or IPv6 address"},
		{"02:00:00:00:00:09=10.0.0.1", "--map 02:00:00:00:00:09=10.0.0.1: \"10.0.0.1\" is "
					       "not a MAC address such as 02:00:00:00:00:01"},
		{"192.0.2.0/24=10.9.9.0/24",
		 "--map 192.0.2.0/24=10.9.9.0/24: 192.0.2.0/24 is given twice"},
		{"02:00:00:00:00:07=02:00:00:00:00:08",
		 "--map 02:00:00:00:00:07=02:00:00:00:00:08: the MAC address is given twice"},
	};
	struct rewrite w = {0};

	(void)state;
	assert_false(rewrite_any(&w));
	add(&w, "192.0.2.0/24=10.0.1.0/24");
	add(&w, "02:00:00:00:00:07=02:00:00:00:00:01");
	assert_true(rewrite_any(&w));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct diag diag = {0};

		assert_int_equal(rewrite_add(&w, cases[i].rule, &diag), -EINVAL);
		assert_string_equal(diag_first_error(&diag), cases[i].message);
		diag_free(&diag);
	}
	rewrite_clear(&w);
	assert_false(rewrite_any(&w));
}

// The longest prefix wins in whichever order rules come, each address is mapped once, and host bits
// stay: 203.0.113.77 is in both.
static void
test_the_longest_prefix_wins(void **state)
{
	static const uint8_t expected[8] = {10, 1, 2, 128 + 13, 203, 1, 113, 9};
	uint8_t frame[60] = {[12] = 8,  [14] = 0x45, [17] = 40, [26] = 203, [27] = 0, [28] = 113,
			     [29] = 77, [30] = 203,  [31] = 0,  [32] = 113, [33] = 9};

	(void)state;
	for (int order = 0; order < 2; order++) {
		struct rewrite w = {0};
		uint8_t copy[60];

		memcpy(copy, frame, sizeof(copy));
		add(&w, order ? "203.0.0.0/16=203.1.0.0/16" : "203.0.113.64/26=10.1.2.128/26");
		add(&w, order ? "203.0.113.64/26=10.1.2.128/26" : "203.0.0.0/16=203.1.0.0/16");
		rewrite_frame(&w, port_mac, copy, sizeof(copy));
		assert_memory_equal(copy + 26, expected, sizeof(expected));
		rewrite_clear(&w);
	}
}

static void
test_macs(void **state)
{
	static const uint8_t moved[12] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 8};
	uint8_t frame[14] = {2, 9, 9, 9, 9, 9, 2, 0, 0, 0, 0, 7, 0x88, 0xb5};
	uint8_t all[14] = {255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 9, 0x88, 0xb5}, kept[14];
	struct rewrite w = {0};

	(void)state;
	memcpy(kept, all, sizeof(kept));
	add(&w, "02:00:00:00:00:07=02:00:00:00:00:08");
	add(&w, "mac=port");
	rewrite_frame(&w, port_mac, frame, sizeof(frame));
	assert_memory_equal(frame, moved, sizeof(moved));
	rewrite_frame(&w, port_mac, all, sizeof(all)); // a broadcast stays one
	assert_memory_equal(all, kept, sizeof(kept));
	rewrite_clear(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_that_are_refused),
		cmocka_unit_test(test_the_longest_prefix_wins),
		cmocka_unit_test(test_macs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
