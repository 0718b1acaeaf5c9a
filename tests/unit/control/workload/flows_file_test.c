// SPDX-License-Identifier: BSD-3-Clause
// Flow files: what is read of good lines and said of bad ones.
#include "control/workload/flows_file.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void
test_good(void **state)
{
	static const char text[] = "# flows\n"
				   "h1 h2 red 3 1000 0\n"
				   "\n"
				   "\t h3\th1  -  - 1 18446744 # one byte\r\n"
				   "h2 h1 blue 0 1000000000000000 9223372036854775#last\n"
				   "h4 h5 - 7 5 6"; // no newline
	struct config_diag diag = {0};
	struct flows_file file;

	(void)state;
	assert_int_equal(flows_file_parse(&file, text, strlen(text), "x.flow", &diag), 0);
	assert_int_equal(file.count, 4);
	assert_string_equal(file.lines[0].src.text, "h1");
	assert_string_equal(file.lines[0].dst.text, "h2");
	assert_string_equal(file.lines[0].tenant.text, "red");
	assert_int_equal(file.lines[0].priority, 3);
	assert_int_equal(file.lines[0].bytes, 1000);
	assert_int_equal(file.lines[0].start_ps, 0);
	assert_int_equal(file.lines[0].src.pos.line, 2);
	assert_string_equal(file.lines[1].src.text, "h3");
	assert_int_equal(file.lines[1].src.pos.line, 4);
	assert_int_equal(file.lines[1].src.pos.column, 3);
	assert_null(file.lines[1].tenant.text);
	assert_int_equal(file.lines[1].priority, -1);
	assert_int_equal(file.lines[1].start_ps, UINT64_C(18446744000));
	assert_int_equal(file.lines[2].bytes, FLOWS_FILE_SIZE_MAX);
	assert_int_equal(file.lines[2].start_ps, UINT64_C(9223372036854775000));
	assert_int_equal(file.lines[3].priority, 7);
	assert_int_equal(file.lines[3].start_ps, 6000);
	flows_file_free(&file);
	assert_int_equal(flows_file_parse(&file, "", 0, "x.flow", &diag), 0);
	assert_int_equal(file.count, 0);
	flows_file_free(&file);
}

static void
assert_bad(const char *text, size_t length, const char *message)
{
	struct config_diag diag = {0};
	struct flows_file file;

	assert_int_equal(flows_file_parse(&file, text, length, "x.flow", &diag), -EINVAL);
	assert_int_equal(diag.errors, 1);
	assert_string_equal(diag.messages[0].text, message);
	config_diag_free(&diag);
}

#define BAD(text, message) assert_bad(text, sizeof(text) - 1, message)

static void
test_bad(void **state)
{
	(void)state;
	BAD("h1 h2 - 3 1000\n",
	    "x.flow:1:1: 5 words; a line is `src dst tenant priority bytes start_ns`");
	BAD("#\n h1 h2 - 3 1000 0 0\n",
	    "x.flow:2:2: 7 words; a line is `src dst tenant priority bytes start_ns`");
	BAD("h1 h2 - 8 1000 0\n", "x.flow:1:9: priority: 8 is out of range: 0 to 7");
	BAD("h1 h2 - -1 1000 0\n", "x.flow:1:9: priority: \"-1\" is not a whole number");
	BAD("h1 h2 - 3 0 0\n", "x.flow:1:11: bytes: 0 is out of range: 1 to 1000000000000000");
	BAD("h1 h2 - 3 1KB 0\n", "x.flow:1:11: bytes: \"1KB\" is not a whole number");
	BAD("h1 h2 - 3 99999999999999999999 0\n",
	    "x.flow:1:11: bytes: 99999999999999999999 is out of range: 1 to 1000000000000000");
	BAD("h1 h2 - 3 1 1.5\n", "x.flow:1:13: start_ns: \"1.5\" is not a whole number");
	BAD("h1 h2 - 3 1 9223372036854776\n",
	    "x.flow:1:13: start_ns: 9223372036854776 is out of range: 0 to 9223372036854775");
	BAD("h1 h2 \0 3 1 1\n", "x.flow:1:1: a NUL byte: this is no text file");
	BAD("h1 hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh - 3 1 1\n",
	    "x.flow:1:4: dst: \"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh...\" is longer than a name may "
	    "be (32)");
}

static void
test_load(void **state)
{
	char path[] = "/tmp/roost-flows-XXXXXX", *message;
	struct config_diag diag = {0};
	struct flows_file file;
	int fd = mkstemp(path);
	FILE *to = fdopen(fd, "w");

	(void)state;
	// Longer than one read.
	for (unsigned i = 0; i < 20000; i++)
		fprintf(to, "h1 h2 - - %u 5\n", i + 1);
	fclose(to);
	assert_int_equal(flows_file_load(&file, path, &diag), 0);
	assert_int_equal(file.count, 20000);
	assert_int_equal(file.lines[19999].bytes, 20000);
	flows_file_free(&file);
	unlink(path);
	assert_int_equal(flows_file_load(&file, path, &diag), -EINVAL);
	message = diag.messages[0].text;
	assert_true(strncmp(message, path, strlen(path)) == 0 && strstr(message, "No such file"));
	config_diag_free(&diag);
	assert_int_equal(flows_file_load(&file, "/", &diag), -EINVAL);
	assert_string_equal(diag.messages[0].text, "/: cannot read: Is a directory");
	config_diag_free(&diag);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
