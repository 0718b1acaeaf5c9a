// SPDX-License-Identifier: BSD-3-Clause
#include "control/web/listen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
addresses_are_numbers_with_a_port(void **state)
{
	static const struct {
		const char *text, *read;
		bool loopback, any;
	} cases[] = {
		{"127.0.0.1:8080", "127.0.0.1:8080", true, false},
		{"127.3.2.1:0", "127.3.2.1:0", true, false},
		{"localhost:80", "127.0.0.1:80", true, false},
		{"0.0.0.0:65535", "0.0.0.0:65535", false, true},
		{"192.0.2.7:8080", "192.0.2.7:8080", false, false},
		{"[::1]:8080", "[::1]:8080", true, false},
		{"[::]:8080", "[::]:8080", false, true},
		{"[2001:db8::1]:1", "[2001:db8::1]:1", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct listen_address a;
		struct diag diag = {0};
		char text[LISTEN_TEXT_MAX];

		assert_int_equal(listen_parse(cases[i].text, &a, &diag), 0);
		assert_string_equal(listen_text(&a, text), cases[i].read);
		assert_int_equal(a.loopback, cases[i].loopback);
		assert_int_equal(a.any, cases[i].any);
		diag_free(&diag);
	}
}

static void
other_texts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		":",
		":80",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:65536",
		"127.0.0.1:080x",
		"127.0.0.1:-1",
		"127.0.0.1: 80",
		"::1:80",
		"[::1]",
		"[::1]80",
		"[::1:80",
		"[127.0.0.1]:80",
		"example.org:80",
		"127.0.0.1:8080:1",
		"300.0.0.1:80",
		"[::1%lo]:80",
		"127.0.0.1:000080",
		"11111111111111111111111111111111111111111111111111111111111111111111111111111:80",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct listen_address a;
		struct diag diag = {0};

		if (listen_parse(texts[i], &a, &diag) == 0)
			fail_msg("%s", texts[i]);
		assert_int_equal(diag.errors, 1);
		diag_free(&diag);
	}
}

static void
port_0_is_any_that_is_free(void **state)
{
	struct listen_address a, same;
	struct diag diag = {0};
	char text[LISTEN_TEXT_MAX];
	int fd, second;

	(void)state;
	assert_int_equal(listen_parse("127.0.0.1:0", &a, &diag), 0);
	fd = listen_open(&a, &diag);
	assert_true(fd >= 0);
	assert_int_not_equal(a.port, 0);
	assert_int_equal(listen_parse(listen_text(&a, text), &same, &diag), 0);
	second = listen_open(&same, &diag);
	assert_true(second < 0);
	assert_non_null(strstr(diag_first_error(&diag), "--listen"));
	diag_free(&diag);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_numbers_with_a_port),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(port_0_is_any_that_is_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
