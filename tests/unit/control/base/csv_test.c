// SPDX-License-Identifier: BSD-3-Clause
#include "control/base/csv.h"
#include "control/base/gzip.h"
#include "control/base/memory.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

// What fill() writes. For free().
static char *
written(void (*fill)(struct csv *c))
{
	char *text;
	size_t size;
	FILE *to = memory_stream_open(&text, &size);
	struct csv *c = csv_create(to);

	fill(c);
	csv_destroy(c);
	fclose(to);
	return text;
}

static void
fill_kinds(struct csv *c)
{
	csv_text(c, "a");
	csv_text(c, NULL);
	csv_text(c, "");
	csv_empty(c);
	csv_number(c, 0);
	csv_number(c, -15);
	csv_number(c, INT64_MIN);
	csv_number(c, INT64_MAX);
	csv_real(c, 0.25);
	csv_real(c, 1e300);
	csv_end_row(c);
	csv_end_row(c);
}

static void
test_fields(void **state)
{
	char *text = written(fill_kinds);

	(void)state;
	assert_string_equal(text,
			    "a,,,,0,-15,-9223372036854775808,9223372036854775807,0.25,1e+300\n\n");
	free(text);
}

static void
fill_strange(struct csv *c)
{
	csv_text(c, "a,b");
	csv_text(c, "say \"x\"");
	csv_text(c, "two\nlines\r");
	csv_text(c, " \xe4\xb8\xad\t'");
	csv_end_row(c);
}

static void
test_texts_are_quoted_where_they_need_it(void **state)
{
	char *text = written(fill_strange);

	(void)state;
	assert_string_equal(text, "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\r\", \xe4\xb8\xad\t'\n");
	free(text);
}

enum { LONG = 300000, ROWS = 20000 };

static void
fill_much(struct csv *c)
{
	char *text = memory_array(LONG + 1, 1, "text");

	memset(text, '"', LONG);
	for (int i = 0; i < ROWS; i++) {
		csv_number(c, i);
		csv_text(c, "name of something");
		csv_end_row(c);
	}
	csv_text(c, text);
	csv_text(c, text + LONG - 70000);
	csv_end_row(c);
	free(text);
}

// Neither the end of a block nor a text of any length changes what is written.
static void
test_more_than_a_block(void **state)
{
	char *text = written(fill_much), *at = text, expected[64];

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		size_t length =
			(size_t)snprintf(expected, sizeof(expected), "%d,name of something\n", i);

		assert_memory_equal(at, expected, length);
		at += length;
	}
	assert_int_equal(strspn(at, "\""), 2 * LONG + 2);
	assert_string_equal(at + 2 * LONG + 2 + 1 + 2 * 70000 + 2, "\n");
	free(text);
}

static void
test_a_compressed_table(void **state)
{
	char path[] = "/tmp/roost-csv-XXXXXX", text[64] = "";
	int fd = mkstemp(path);
	FILE *to = gzip_open(path);
	struct csv *c = csv_create(to);
	gzFile file;

	(void)state;
	fill_much(c);
	csv_destroy(c);
	assert_int_equal(fclose(to), 0);
	file = gzopen(path, "r");
	assert_non_null(gzgets(file, text, sizeof(text)));
	assert_string_equal(text, "0,name of something\n");
	for (int i = 1; i < ROWS; i++)
		assert_non_null(gzgets(file, text, sizeof(text)));
	assert_int_equal(gzdirect(file), 0);
	gzclose(file);
	close(fd);
	unlink(path);
}

static void
test_failures_are_told(void **state)
{
	FILE *to;
	struct csv *c;

	(void)state;
	assert_null(gzip_open("/nowhere/a.csv.gz"));
	assert_int_equal(errno, ENOENT);
	to = gzip_open("/dev/full");
	c = csv_create(to);
	for (int i = 0; i < 200000; i++)
		csv_number(c, i * 7919);
	csv_destroy(c);
	errno = 0;
	assert_int_not_equal(fclose(to), 0);
	assert_int_equal(errno, ENOSPC);
	csv_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_texts_are_quoted_where_they_need_it),
		cmocka_unit_test(test_more_than_a_block),
		cmocka_unit_test(test_a_compressed_table),
		cmocka_unit_test(test_failures_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
