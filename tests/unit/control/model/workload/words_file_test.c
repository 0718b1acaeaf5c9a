// SPDX-License-Identifier: BSD-3-Clause
// Lines of words and the numbers among them.
#include "control/model/workload/words_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
test_lines(void **state)
{
	char text[] = "\n# none\n  a b#c\nx\ty\r\n\n1 2 3 4 end";
	struct words_reader r = {.at = text, .end = text + strlen(text)};
	struct config_name words[3];

	(void)state;
	assert_int_equal(words_next(&r, words, 3), 2);
	assert_string_equal(words[0].text, "a");
	assert_string_equal(words[1].text, "b");
	assert_int_equal(words[1].pos.line, 3);
	assert_int_equal(words[1].pos.column, 5);
	assert_int_equal(words_next(&r, words, 3), 2);
	assert_string_equal(words[1].text, "y");
	assert_int_equal(words_next(&r, words, 3), 5); // three of them kept
	assert_string_equal(words[2].text, "3");
	assert_int_equal(words[2].pos.line, 6);
	assert_int_equal(words_next(&r, words, 3), 0);
	assert_int_equal(words_next(&r, words, 3), 0);
}

// The value of a decimal of three digits after the point, at most 5000; UINT64_MAX if refused.
static uint64_t
decimal(const char *text)
{
	struct diag diag = {0};
	const struct words_reader r = {.name = "f", .diag = &diag};
	const struct config_name word = {.text = (char *)text, .pos = {.line = 1, .column = 2}};
	const struct words_range range = {"field", .max = 5000, .digits = 3, .unit = " s"};
	uint64_t out;
	int error = words_number(&r, &word, &range, &out);

	assert_int_equal(diag.errors, error != 0);
	diag_free(&diag);
	return error == 0 ? out : UINT64_MAX;
}

static void
test_decimals(void **state)
{
	static const char *const bad[] = {".",      "-1",  "+1",    "1e3",    "1.2.3",
					  "1,5",    "x",   "5.001", "5000.1", "0.0001",
					  "1.0005", "nan", "0x1"};

	(void)state;
	assert_int_equal(decimal("0"), 0);
	assert_int_equal(decimal("2"), 2000);
	assert_int_equal(decimal("2."), 2000);
	assert_int_equal(decimal("2.5"), 2500);
	assert_int_equal(decimal(".125"), 125);
	assert_int_equal(decimal("0002.1250000000000000000000000000"), 2125);
	assert_int_equal(decimal("5"), 5000);
	assert_int_equal(decimal("4.999"), 4999);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(decimal(bad[i]), UINT64_MAX);
	assert_int_equal(decimal("184467440737095516150"), UINT64_MAX);
	assert_int_equal(decimal("18446744073709551.617"), UINT64_MAX);
}

static void
test_load(void **state)
{
	char path[] = "/tmp/roost-words-XXXXXX", *text = NULL;
	int fd = mkstemp(path);
	FILE *to = fdopen(fd, "w");
	size_t length;

	(void)state;
	// Longer than one read.
	for (unsigned i = 0; i < 100000; i++)
		fprintf(to, "%06u\n", i);
	fclose(to);
	assert_int_equal(words_load(path, &text, &length), 0);
	assert_int_equal(length, 700000);
	assert_memory_equal(text, "000000\n000001\n", 14);
	assert_memory_equal(&text[699993], "099999\n", 7);
	free(text);
	unlink(path);
	assert_int_equal(words_load(path, &text, &length), -ENOENT);
	assert_int_equal(words_load("/", &text, &length), -EISDIR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
