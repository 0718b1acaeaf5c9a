// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/blank.h"

#include "control/base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
assert_blanked(struct blank *blank, const char *text, const char *expected)
{
	char *out;
	size_t length;
	FILE *to = memory_stream_open(&out, &length);

	blank_write(blank, text, strlen(text), to);
	fclose(to);
	assert_string_equal(out, expected);
	free(out);
}

static void
addresses_become_names(void **state)
{
	static const struct {
		const char *text, *blanked;
	} cases[] = {
		{"", ""},
		{"10.0.1.3", "<ip4-1>"},
		{"h1 10.0.1.3/24 and 10.0.2.3.", "h1 <ip4-1>/24 and <ip4-2>."},
		{"10.0.1.3:4791 > 10.0.1.1:4791 roce", "<ip4-1>:4791 > <ip4-2>:4791 roce"},
		{"\"10.0.1.3\", 'x=10.0.1.3'", "\"<ip4-1>\", 'x=<ip4-1>'"},
		{"one\\n10.0.1.3\\tb", "one\\n<ip4-1>\\tb"},
		{"2001:db8::1 2001:DB8:0::1", "<ip6-1> <ip6-1>"}, // one address
		{"2001:db8::/32, 2001:db8::", "<ip6-1>/32, <ip6-1>"},
		{"at 2001:db8::5: unreachable", "at <ip6-1>: unreachable"},
		{"[fe80::1%eth0]:80", "[<ip6-1>%eth0]:80"},
		{"::ffff:10.0.1.3", "<ip6-1>"},
		{"02:01:00:00:00:03 02:01:00:00:00:0a", "<mac-1> <mac-2>"},
		{"neighbour 02:01:00:00:00:03.", "neighbour <mac-1>."},
		{"...10.0.1.3...", "...<ip4-1>..."},
		// They name nobody.
		{"0.0.0.0/0 127.0.0.1 255.255.255.255 :: ::1",
		 "0.0.0.0/0 127.0.0.1 255.255.255.255 :: ::1"},
		{"01:80:c2:00:00:01 ff:ff:ff:ff:ff:ff", "01:80:c2:00:00:01 ff:ff:ff:ff:ff:ff"},
		// They are none.
		{"18:14:23 leaf1.swp3.3 22.11.0 1.2.3.4.5",
		 "18:14:23 leaf1.swp3.3 22.11.0 1.2.3.4.5"},
		{"10.0.1.300 10.0.1.3rc a10.0.1.3", "10.0.1.300 10.0.1.3rc a10.0.1.3"},
		{"face: feed. 1:2:3 dead:beef", "face: feed. 1:2:3 dead:beef"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct blank *blank = blank_create();

		assert_blanked(blank, cases[i].text, cases[i].blanked);
		blank_destroy(blank);
	}
}

static void
an_address_keeps_its_name_from_text_to_text(void **state)
{
	struct blank *blank = blank_create();

	(void)state;
	assert_blanked(blank, "10.0.1.3 10.0.1.4 02:00:00:00:00:01", "<ip4-1> <ip4-2> <mac-1>");
	assert_blanked(blank, "10.0.1.4 10.0.1.5 10.0.1.3", "<ip4-2> <ip4-3> <ip4-1>");
	blank_destroy(blank);
	blank_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_become_names),
		cmocka_unit_test(an_address_keeps_its_name_from_text_to_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
