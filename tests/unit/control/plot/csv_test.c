// SPDX-License-Identifier: BSD-3-Clause
// Series' files as they should be, and as hostile hands may leave them.
#include "control/plot/plot.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
	char dir[32];
	struct plot_input in;
};

static int
setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/roost-csv-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->in.dir = p->dir;
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct place *p = *state;
	char path[64];

	snprintf(path, sizeof(path), "%s/a.csv", p->dir);
	remove(path);
	rmdir(p->dir);
	free(p);
	return 0;
}

static void
write_file(const struct place *p, const char *text, size_t length)
{
	char path[64];
	FILE *to;

	snprintf(path, sizeof(path), "%s/a.csv", p->dir);
	to = fopen(path, "w");
	assert_non_null(to);
	fwrite(text, 1, length, to);
	fclose(to);
}

static void
test_rows(void **state)
{
	static const char text[] = "time_ns,a,b\n0.000,1,x\n1000.500,2.5,\n";
	struct place *p = *state;
	struct csv *c;
	double value;

	write_file(p, text, strlen(text));
	assert_int_equal(csv_open(&c, &p->in, "a.csv", "time_ns,a,b", false), 0);
	assert_int_equal(csv_columns(c), 3);
	assert_string_equal(csv_heading(c, 2), "b");
	assert_int_equal(csv_next(c), 1);
	assert_int_equal(csv_number(c, 1, &value), 0);
	assert_true(value == 1);
	assert_string_equal(csv_text(c, 2), "x");
	assert_int_equal(csv_next(c), 1);
	assert_int_equal(csv_number(c, 0, &value), 0);
	assert_true(value == 1000.5);
	assert_string_equal(csv_text(c, 2), "");
	assert_int_equal(csv_next(c), 0);
	csv_close(c);
	assert_int_equal(csv_open(&c, &p->in, "a.csv", "time_ns", true), 0);
	csv_close(c);
}

static void
refused(struct place *p, const char *text, size_t length, const char *message)
{
	char expected[256];
	struct csv *c = NULL;
	double value;
	int rc;

	write_file(p, text, length);
	rc = csv_open(&c, &p->in, "a.csv", "time_ns,a", false);
	while (rc == 0 && (rc = csv_next(c)) == 1)
		rc = csv_number(c, 1, &value);
	csv_close(c);
	assert_int_equal(rc, -EINVAL);
	snprintf(expected, sizeof(expected), "%s/a.csv%s", p->dir, message);
	assert_string_equal(p->in.err, expected);
}

#define REFUSED(text, message) refused(*state, text, sizeof(text) - 1, message)

static void
test_what_is_wrong_has_its_line(void **state)
{
	REFUSED("", ":1: the file is empty");
	REFUSED("time,a\n", ":1: the heading is not time_ns,a");
	REFUSED("time_ns,a,b\n", ":1: the heading is not time_ns,a");
	REFUSED("time_ns,a\n0\n", ":2: 1 fields, where the heading has 2");
	REFUSED("time_ns,a\n0,1\n0,1,2\n", ":3: 3 fields, where the heading has 2");
	REFUSED("time_ns,a\n0,1", ":2: the file ends within a line");
	REFUSED("time_ns,a\n0,\0001\n", ":2: a character that no result has (0x00)");
	REFUSED("time_ns,a\n0,\x1b[2J\n", ":2: a character that no result has (0x1b)");
	REFUSED("time_ns,a\n0,nan\n", ":2: a: \"nan\" is no number");
	REFUSED("time_ns,a\n0,-1\n", ":2: a: \"-1\" is no number");
	REFUSED("time_ns,a\n0,0x10\n", ":2: a: \"0x10\" is no number");
	REFUSED("time_ns,a\n0,1e300\n", ":2: a: \"1e300\" is no number");
	REFUSED("time_ns,a\n0,1'; system 'x\n", ":2: a: \"1'; system 'x\" is no number");
}

static void
test_what_is_no_file(void **state)
{
	struct place *p = *state;
	char path[64], expected[128];
	struct csv *c;

	assert_int_equal(csv_open(&c, &p->in, "a.csv", "time_ns", true), -ENOENT);
	snprintf(path, sizeof(path), "%s/a.csv", p->dir);
	assert_int_equal(mkfifo(path, 0600), 0); // which nobody writes to
	assert_int_equal(csv_open(&c, &p->in, "a.csv", "time_ns", true), -EINVAL);
	snprintf(expected, sizeof(expected), "%s: is no regular file", path);
	assert_string_equal(p->in.err, expected);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {T(test_rows), T(test_what_is_wrong_has_its_line),
					   T(test_what_is_no_file)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
