// SPDX-License-Identifier: BSD-3-Clause
#include "control/run/compare/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FABRIC                                                                               \
	"fabric:\n  topology: {kind: leaf-spine, leaves: 1, spines: 0, hosts-per-leaf: 3}\n" \
	"workload:\n"

static struct compare_run
run_of(const char *name, const char *work)
{
	struct diag diag = {0};
	struct compare_run run = {.file = name, .name = name};
	struct config *config;
	char text[1024];

	snprintf(text, sizeof(text), FABRIC "%s", work);
	assert_int_equal(config_load_text(&config, text, strlen(text), name, &diag), 0);
	compare_load_items(&run.load, config);
	config_free(config);
	diag_free(&diag);
	return run;
}

static char *
warned(const struct compare_run *a, const struct compare_run *b)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	compare_warn(a, b, to);
	fclose(to);
	return text;
}

// Layout, comments and quotes are no difference.
static void
test_the_same_otherwise_written(void **state)
{
	struct compare_run a = run_of("a", "  - {kind: flow, from: h1, to: h2, size: 1MB}\n");
	struct compare_run b = run_of("b", "  # one\n  - kind: \"flow\"\n    from: h1\n    to: h2\n"
					   "    size: 1MB\n");
	char *text = warned(&a, &b);

	(void)state;
	assert_int_equal(a.load.count, 1);
	assert_string_equal(a.load.items[0], "{kind: flow, from: h1, to: h2, size: 1MB}");
	assert_string_equal(text, "");
	free(text);
	compare_load_free(&a.load);
	compare_load_free(&b.load);
}

static void
test_differences_are_named(void **state)
{
	struct compare_run a = run_of("a", "  - {kind: flow, from: h1, to: h2, size: 1MB}\n");
	struct compare_run b = run_of("b",
				      "  - {kind: flow, from: h1, to: h2, size: 2MB}\n"
				      "  - {kind: incast, to: h1, from: [h2, h3], size: 1KB}\n");
	char *text;

	(void)state;
	a.load.flows = 1;
	a.load.bytes = 1000000;
	b.load.flows = 3;
	b.load.bytes = 2002000;
	text = warned(&a, &b);
	assert_string_equal(
		text,
		"b: warning: workload item 1 is {kind: flow, from: h1, to: h2, size: 2MB}, "
		"in a it is {kind: flow, from: h1, to: h2, size: 1MB}\n"
		"b: warning: the workload has 2 items, in a it has 1\n"
		"b: warning: the workload comes to 3 flows (2 MB in total), in a to 1 (1 MB)\n");
	free(text);
	text = warned(&b, &a);
	assert_non_null(strstr(text, "a: warning: the workload has 1 item, in b it has 2\n"));
	assert_non_null(
		strstr(text, "the workload comes to 1 flow (1 MB in total), in b to 3 (2 MB)\n"));
	free(text);
	compare_load_free(&a.load);
	compare_load_free(&b.load);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_otherwise_written),
		cmocka_unit_test(test_differences_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
