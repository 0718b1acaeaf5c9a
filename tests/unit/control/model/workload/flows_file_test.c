// SPDX-License-Identifier: BSD-3-Clause
// Flow files: what is read of good lines and said of bad ones.
#include "control/model/workload/flows_file.h"

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
	struct diag diag = {0};
	struct flows_file file;

	(void)state;
	assert_int_equal(flows_file_parse(&file, CONFIG_FLOW_FORMAT_ROOST, text, strlen(text),
					  "x.flow", &diag),
			 0);
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
	assert_int_equal(flows_file_parse(&file, CONFIG_FLOW_FORMAT_ROOST, "", 0, "x.flow", &diag),
			 0);
	assert_int_equal(file.count, 0);
	flows_file_free(&file);
}

static void
test_hpcc(void **state)
{
	static const char text[] = "3 # flows\n"
				   "0 4294967295 3 100 1000 2.000000001\n"
				   "17 2 0 65535 1 0\n"
				   "1 0 7 0 5 .123456789012000\n";
	struct diag diag = {0};
	struct flows_file file;

	(void)state;
	assert_int_equal(flows_file_parse(&file, CONFIG_FLOW_FORMAT_HPCC, text, strlen(text),
					  "x.flow", &diag),
			 0);
	assert_int_equal(file.count, 3);
	assert_string_equal(file.lines[0].src.text, "0");
	assert_string_equal(file.lines[0].dst.text, "4294967295");
	assert_null(file.lines[0].tenant.text);
	assert_int_equal(file.lines[0].priority, 3);
	assert_int_equal(file.lines[0].bytes, 1000);
	assert_int_equal(file.lines[0].start_ps, UINT64_C(2000000001000));
	assert_int_equal(file.lines[1].priority, 0);
	assert_int_equal(file.lines[1].start_ps, 0);
	assert_int_equal(file.lines[2].start_ps, UINT64_C(123456789012));
	flows_file_free(&file);
	assert_int_equal(flows_file_parse(&file, CONFIG_FLOW_FORMAT_HPCC, "0", 1, "x.flow", &diag),
			 0);
	assert_int_equal(file.count, 0);
	flows_file_free(&file);
}

// Times of 2 s and later, which is where the run begins.
static void
test_conweave(void **state)
{
	static const char text[] = "2\n\n"
				   "5 1 3 1000 2.000000000\n"
				   "1 5 3 2000 2.000001234567\n";
	struct diag diag = {0};
	struct flows_file file;

	(void)state;
	assert_int_equal(flows_file_parse(&file, CONFIG_FLOW_FORMAT_CONWEAVE, text, strlen(text),
					  "x.flow", &diag),
			 0);
	assert_int_equal(file.count, 2);
	assert_int_equal(file.lines[0].bytes, 1000);
	assert_int_equal(file.lines[0].start_ps, 0);
	assert_int_equal(file.lines[1].start_ps, 1234567);
	flows_file_free(&file);
}

static void
assert_bad(enum config_file_format format, const char *text, size_t length, const char *message)
{
	struct diag diag = {0};
	struct flows_file file;

	assert_int_equal(flows_file_parse(&file, format, text, length, "x.flow", &diag), -EINVAL);
	assert_int_equal(diag.errors, 1);
	assert_string_equal(diag.messages[0].text, message);
	diag_free(&diag);
}

#define BAD_OF(format, text, message) \
	assert_bad(CONFIG_FLOW_FORMAT_##format, text, sizeof(text) - 1, message)
#define BAD(text, message) BAD_OF(ROOST, text, message)

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
	BAD("h1 h2 \0 3 1 1\n", "x.flow:1:1: a NUL byte: this is not a text file");
	BAD("h1 hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh - 3 1 1\n",
	    "x.flow:1:4: dst: \"hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh...\" is longer than a name may "
	    "be (32)");
}

static void
test_bad_numbered(void **state)
{
	(void)state;
	BAD_OF(HPCC, "", "x.flow:1:1: count: the first line must be the number of flows");
	BAD_OF(HPCC, "#\n0 1 3 100 1000 2\n",
	       "x.flow:2:1: count: the first line must be the number of flows");
	BAD_OF(HPCC, "two\n", "x.flow:1:1: count: \"two\" is not a whole number");
	BAD_OF(HPCC, "2\n0 1 3 100 1000 2\n",
	       "x.flow:1:1: count: the number of flows is given as 2, but the file has 1");
	BAD_OF(CONWEAVE, "#\n\n  0\n0 1 3 1000 2\n",
	       "x.flow:3:3: count: the number of flows is given as 0, but the file has 1");
	BAD_OF(HPCC, "1\n0 1 3 1000 2\n",
	       "x.flow:2:1: 5 words; a line is `src dst pg dport bytes start_s`");
	BAD_OF(CONWEAVE, "1\n0 1 3 100 1000 2\n",
	       "x.flow:2:1: 6 words; a line is `src dst pg bytes start_s`");
	BAD_OF(HPCC, "1\nh0 1 3 100 1000 2\n", "x.flow:2:1: src: \"h0\" is not a whole number");
	BAD_OF(HPCC, "1\n0 4294967296 3 100 1000 2\n",
	       "x.flow:2:3: dst: 4294967296 is out of range: 0 to 4294967295");
	BAD_OF(HPCC, "1\n0 1 8 100 1000 2\n", "x.flow:2:5: pg: 8 is out of range: 0 to 7");
	BAD_OF(HPCC, "1\n0 1 - 100 1000 2\n", "x.flow:2:5: pg: \"-\" is not a whole number");
	BAD_OF(HPCC, "1\n0 1 3 65536 1000 2\n",
	       "x.flow:2:7: dport: 65536 is out of range: 0 to 65535");
	BAD_OF(HPCC, "1\n0 1 3 100 1000 2e-3\n",
	       "x.flow:2:16: start_s: \"2e-3\" is not a number such as 2.000001");
	BAD_OF(HPCC, "1\n0 1 3 100 1000 1.0000000000001\n",
	       "x.flow:2:16: start_s: 1.0000000000001 has more than 12 digits after the point");
	BAD_OF(HPCC, "1\n0 1 3 100 1000 9223372.1\n",
	       "x.flow:2:16: start_s: 9223372.1 is out of range: 0 to 9223372 s");
	BAD_OF(CONWEAVE, "1\n0 1 3 1000 1.999999999999\n",
	       "x.flow:2:12: start_s: 1.999999999999 is before 2 s, where times of this format "
	       "begin");
	BAD_OF(CONWEAVE, "2\n0 1 3 1000 2.5\n0 1 3 1000 2.4\n",
	       "x.flow:3:12: start_s: is earlier than the flow before it; this format is sorted by "
	       "start");
	BAD_OF(HPCC, "1\n0 1 3 \0 100 1000 2\n", "x.flow:2:1: a NUL byte: this is not a text file");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),         cmocka_unit_test(test_hpcc),
		cmocka_unit_test(test_conweave),     cmocka_unit_test(test_bad),
		cmocka_unit_test(test_bad_numbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
