// SPDX-License-Identifier: BSD-3-Clause
#include "control/api/api.h"

#include "nothing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const *
words(size_t *count)
{
	static const char *const all[] = {"a", "b"};

	*count = 2;
	return all;
}

static const struct api_param params[] = {
	{"key", API_TEXT, true, "what"},
	{"ids", API_TEXTS, false, "which", .words = words},
	{.name = NULL},
};
static const struct api_method methods[] = {
	{"set", nothing, API_WRITE, "Changes it", params, "nothing"},
	{.name = "bare", .call = nothing},
	{.name = NULL},
};

static void
test_openrpc(void **state)
{
	json_t *got = api_describe(methods), *list = json_object_get(got, "methods");
	json_t *wanted = json_loads(
		"{\"name\":\"set\",\"summary\":\"Changes it\",\"x-right\":\"write\","
		"\"paramStructure\":\"by-name\",\"params\":[{\"name\":\"key\",\"description\":"
		"\"what\",\"required\":true,\"schema\":{\"type\":\"string\"}},{\"name\":\"ids\","
		"\"description\":\"which\",\"required\":false,\"schema\":{\"type\":\"array\","
		"\"items\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}}}],\"result\":{\"name\":"
		"\"result\","
		"\"description\":\"nothing\",\"schema\":{}}}",
		0, NULL);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(got, "openrpc")), "1.3.2");
	assert_int_equal(json_array_size(list), 2);
	assert_true(json_equal(json_array_get(list, 0), wanted));
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "x-right")),
			    "read");
	json_decref(wanted);
	json_decref(got);
}

static void
test_markdown(void **state)
{
	char *text;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	(void)state;
	api_describe_markdown(methods, to);
	fclose(to);
	assert_string_equal(text,
			    "### set\n\nChanges it. Needs the right to write.\n\n"
			    "| Parameter | Type | |\n| --- | --- | --- |\n"
			    "| `key` | string, required | what |\n"
			    "| `ids` | list of strings | which: a, b |\n\nReturns nothing.\n\n"
			    "### bare\n\n. Needs the right to read.\n\nReturns .\n");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_openrpc),
		cmocka_unit_test(test_markdown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
