// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct activity_times at_once = {.after_ms = 1, .every_ms = 1};

struct said {
	int ends[2];
	FILE *to;
	char text[4096];
	size_t length;
};

static void
said_open(struct said *s)
{
	*s = (struct said){0};
	assert_int_equal(pipe(s->ends), 0);
	s->to = fdopen(s->ends[1], "w");
	assert_non_null(s->to);
}

// Reads until `text` has been said; what is said without end is thrown away.
static void
said_wait(struct said *s, const char *text)
{
	while (strstr(s->text, text) == NULL) {
		ssize_t got;

		if (s->length > sizeof(s->text) / 2)
			s->length = 0;
		got = read(s->ends[0], s->text + s->length, sizeof(s->text) - s->length - 1);
		assert_true(got > 0);
		s->length += (size_t)got;
		s->text[s->length] = '\0';
	}
}

// The rest, to the end.
static void
said_close(struct said *s)
{
	ssize_t got;

	fclose(s->to);
	do {
		if (s->length > sizeof(s->text) / 2) {
			memmove(s->text, s->text + s->length - 64, 64);
			s->length = 64;
		}
		got = read(s->ends[0], s->text + s->length, sizeof(s->text) - s->length - 1);
		assert_true(got >= 0);
		s->length += (size_t)got;
		s->text[s->length] = '\0';
	} while (got > 0);
	close(s->ends[0]);
}

static void
test_a_terminal_has_one_line_that_goes_away(void **state)
{
	struct said s;

	(void)state;
	said_open(&s);
	activity_begin(s.to, true, &at_once);
	activity("computing routes");
	said_wait(&s, "\rroost: computing routes, 0 s\033[K");
	activity("making nodes");
	said_wait(&s, "\rroost: making nodes, 0 s\033[K");
	activity_end();
	said_close(&s);
	assert_null(strchr(s.text, '\n'));
	assert_string_equal(s.text + s.length - 4, "\r\033[K");
}

static void
test_elsewhere_each_step_is_a_line(void **state)
{
	struct said s;

	(void)state;
	said_open(&s);
	activity_begin(s.to, false, &at_once);
	activity("computing routes");
	said_wait(&s, "computing routes");
	activity("making nodes");
	said_wait(&s, "making nodes");
	activity_end();
	said_close(&s);
	assert_string_equal(s.text, "roost: computing routes (after 0 s)\n"
				    "roost: making nodes (after 0 s)\n");
}

// Also without a step, twice, and without a beginning.
static void
test_what_is_quick_says_nothing(void **state)
{
	struct said s;

	(void)state;
	said_open(&s);
	activity_begin(s.to, false, NULL);
	activity("computing routes");
	activity_end();
	activity_begin(s.to, true, NULL);
	activity_end();
	activity_end();
	activity("computing routes");
	said_close(&s);
	assert_string_equal(s.text, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_terminal_has_one_line_that_goes_away),
		cmocka_unit_test(test_elsewhere_each_step_is_a_line),
		cmocka_unit_test(test_what_is_quick_says_nothing),
	};

	alarm(60); // a line that never comes
	return cmocka_run_group_tests(tests, NULL, NULL);
}
