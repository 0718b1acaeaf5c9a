// SPDX-License-Identifier: BSD-3-Clause
#include "control/io/capture/filter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static int
drop_errors(void **state)
{
	(void)state;
	diag_free(&diag);
	diag = (struct diag){0};
	return 0;
}

// UDP to a port, in IPv4 in Ethernet.
static void
make_packet(uint8_t packet[static 60], uint16_t port)
{
	memset(packet, 0, 60);
	packet[12] = 0x08;
	packet[14] = 0x45;
	packet[23] = 17;
	packet[36] = (uint8_t)(port >> 8);
	packet[37] = (uint8_t)port;
}

static void
test_expression(void **state)
{
	struct filter *f;
	uint8_t packet[60];
	char *program;

	(void)state;
	assert_int_equal(filter_compile("udp dst port 4791", &program, &diag), 0);
	assert_int_equal(filter_read(&f, program, &diag), 0);
	make_packet(packet, 4791);
	assert_true(filter_passes(f, packet, 60, 1000));
	assert_false(filter_passes(f, packet, 30, 1000)); // the port is cut off
	make_packet(packet, 4790);
	assert_false(filter_passes(f, packet, 60, 1000));
	assert_true(filter_passes(NULL, packet, 60, 60));
	assert_int_equal(filter_steps(f), strtoul(program, NULL, 10));
	assert_in_range(filter_steps(f), 5, 30);
	assert_int_equal(filter_steps(NULL), 0);
	filter_destroy(f);
	free(program);
	assert_int_equal(filter_compile("greater 500", &program, &diag), 0);
	assert_int_equal(filter_read(&f, program, &diag), 0);
	assert_true(filter_passes(f, packet, 60, 1000));
	assert_false(filter_passes(f, packet, 60, 499));
	filter_destroy(f);
	free(program);
}

static void
test_expression_refused(void **state)
{
	char *program, text[FILTER_TEXT_MAX + 2];

	(void)state;
	assert_int_equal(filter_compile("udp prt 4791", &program, &diag), -EINVAL);
	assert_non_null(strstr(diag_first_error(&diag), "the filter \"udp prt 4791\": "));
	assert_null(program);
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(filter_compile(text, &program, &diag), -EINVAL);
}

// What is no program, or would not end, or would leave its memory.
static void
test_program_refused(void **state)
{
	static const char *const programs[] = {
		"",
		"0",
		"x",
		"1",
		"4097 6 0 0 1",
		"2 6 0 0 1",                    // a step is missing
		"1 6 0 0 1 7",                  // something follows
		"1 0 0 0 1",                    // does not return
		"1 6 0 0 4294967296",           // too large
		"1 6 256 0 1",                  // too large
		"1 6 0 -1 1",                   // no number
		"2 21 5 0 1\n6 0 0 1",          // jumps behind the end
		"2 5 0 0 4294967294\n6 0 0 1",  // jumps backwards
		"2 2 0 0 16\n6 0 0 1",          // memory that there is not
		"2 52 0 0 0\n6 0 0 1",          // divides by 0
		"18446744073709551617 6 0 0 1", // overflows
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct filter *f;

		assert_int_equal(filter_read(&f, programs[i], &diag), -EINVAL);
		assert_null(f);
	}
	filter_destroy(NULL);
}

// libpcap takes codes whose parts it knows and then ends the process at them: what is let in runs.
static void
test_every_code(void **state)
{
	uint8_t packet[60];
	unsigned int accepted = 0;

	(void)state;
	make_packet(packet, 4791);
	for (unsigned int code = 0; code <= UINT16_MAX; code++) {
		char program[64];
		struct filter *f;

		snprintf(program, sizeof(program), "2 %u 0 0 0\n6 0 0 1", code);
		if (filter_read(&f, program, &diag) == 0) {
			(void)filter_passes(f, packet, sizeof(packet), sizeof(packet));
			accepted++;
		}
		filter_destroy(f);
	}
	assert_int_equal(accepted, 47); // of 49: none divides by 0
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_expression, drop_errors),
		cmocka_unit_test_teardown(test_expression_refused, drop_errors),
		cmocka_unit_test_teardown(test_program_refused, drop_errors),
		cmocka_unit_test_teardown(test_every_code, drop_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
