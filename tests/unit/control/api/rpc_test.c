// SPDX-License-Identifier: BSD-3-Clause
// Requests and answers are those of the specification's section 7, with this server's texts.
#include "control/api/server_internal.h"

#include "nothing.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int calls;

static int
subtract(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	calls++;
	assert_ptr_equal(context, &calls);
	if (json_array_size(params) != 2)
		return diag_fail(diag, EINVAL, "subtract wants two numbers");
	*result = json_integer(json_integer_value(json_array_get(params, 0)) -
			       json_integer_value(json_array_get(params, 1)));
	return 0;
}

static int
be_busy(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	(void)context;
	(void)result;
	if (params != NULL)
		return diag_fail(diag, EBUSY, "not \xff today");
	return -EBUSY;
}

static const struct api_method methods[] = {
	{.name = "subtract", .call = subtract},
	{.name = "fail", .call = be_busy},
	{.name = "nothing", .call = nothing},
	{.name = "change",
	 .call = nothing,
	 .right = API_WRITE,
	 .params = (const struct api_param[]){{"key", API_TEXT, true, "which one"},
					      {"keys", API_TEXTS, false, "several"},
					      {"count", API_INTEGER, false, "how many"},
					      {"edits", API_OBJECTS, false, "what"},
					      {"sure", API_BOOL, false, "sure"},
					      {.name = NULL}}},
	{.name = NULL},
};
static const struct rpc rpc = {methods, &calls};

// The answer to a text, NULL when there is none.
static char *
answer_to(const char *text)
{
	size_t length;
	char *answer = rpc_answer(&rpc, API_WRITE, text, strlen(text), &length);

	if (answer != NULL) {
		assert_int_equal(strlen(answer), length);
		assert_int_equal(answer[length - 1], '\n');
		assert_ptr_equal(strchr(answer, '\n'), answer + length - 1);
		answer[length - 1] = '\0';
	}
	return answer;
}

static void
require(const char *text, const char *expected)
{
	char *answer = answer_to(text);

	if (expected == NULL) {
		assert_null(answer);
		return;
	}
	assert_non_null(answer);
	assert_string_equal(answer, expected);
	free(answer);
}

// Requires an error of `code` under the id that `id` is the JSON of.
static void
require_error(const char *text, int code, const char *id)
{
	char *answer = answer_to(text), *id_text;
	json_t *json;

	assert_non_null(answer);
	json = json_loads(answer, 0, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "jsonrpc")), "2.0");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(json, "error"), "code")), code);
	assert_true(json_is_string(json_object_get(json_object_get(json, "error"), "message")));
	assert_null(json_object_get(json, "result"));
	id_text = json_dumps(json_object_get(json, "id"), JSON_ENCODE_ANY);
	assert_string_equal(id_text, id);
	free(id_text);
	json_decref(json);
	free(answer);
}

static void
test_calls(void **state)
{
	(void)state;
	require("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [42, 23], \"id\": 1}",
		"{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":1}");
	require("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [23, 42], \"id\": "
		"\"a\"}",
		"{\"jsonrpc\":\"2.0\",\"result\":-19,\"id\":\"a\"}");
	require("{\"jsonrpc\": \"2.0\", \"method\": \"nothing\", \"id\": null}",
		"{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":null}");
}

static void
test_notifications_are_done_and_not_answered(void **state)
{
	(void)state;
	calls = 0;
	require("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [1,2]}", NULL);
	assert_int_equal(calls, 1);
	require("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [1]}", NULL);
	require("{\"jsonrpc\": \"2.0\", \"method\": \"foobar\"}", NULL);
	require("[{\"jsonrpc\": \"2.0\", \"method\": \"nothing\"}, {\"jsonrpc\": \"2.0\", "
		"\"method\": \"nothing\"}]",
		NULL);
}

static void
test_errors(void **state)
{
	(void)state;
	require_error("{\"jsonrpc\": \"2.0\", \"method\": \"foobar, \"params\": \"bar\", \"baz]",
		      API_PARSE_ERROR, "null");
	require_error("", API_PARSE_ERROR, "null");
	require_error("\xff\xfe", API_PARSE_ERROR, "null");
	require_error("{\"jsonrpc\": \"2.0\", \"jsonrpc\": \"2.0\"}", API_PARSE_ERROR, "null");
	require_error("{\"jsonrpc\": \"2.0\", \"method\": \"foobar\", \"id\": \"1\"}",
		      API_METHOD_NOT_FOUND, "\"1\"");
	require_error("{\"jsonrpc\": \"2.0\", \"method\": 1, \"params\": \"bar\"}",
		      API_INVALID_REQUEST, "null");
	require_error(
		"{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": \"bar\", \"id\": 7}",
		API_INVALID_REQUEST, "7");
	require_error("{\"jsonrpc\": \"1.0\", \"method\": \"subtract\", \"id\": 7}",
		      API_INVALID_REQUEST, "7");
	require_error("{\"method\": \"subtract\", \"id\": 7}", API_INVALID_REQUEST, "7");
	require_error("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"id\": [7]}",
		      API_INVALID_REQUEST, "null");
	require_error("1", API_INVALID_REQUEST, "null");
	require_error("\"text\"", API_INVALID_REQUEST, "null");
	require_error("{}", API_INVALID_REQUEST, "null");
	require_error(
		"{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"params\": [1], \"id\": 7}",
		API_INVALID_PARAMS, "7");
	require_error("{\"jsonrpc\": \"2.0\", \"method\": \"fail\", \"id\": 7}", API_FAILED, "7");
	require_error("{\"jsonrpc\": \"2.0\", \"method\": \"fail\", \"params\": {}, \"id\": 7}",
		      API_FAILED, "7");
}

static void
test_error_texts(void **state)
{
	(void)state;
	require("{\"jsonrpc\": \"2.0\", \"method\": \"fail\", \"id\": 1}",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32000,\"message\":\"fail: Device or "
		"resource busy\"},"
		"\"id\":1}");
	require("{\"jsonrpc\": \"2.0\", \"method\": \"subtract\", \"id\": 1}",
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"subtract wants two "
		"numbers\"},\"id\":1}");
}

static void
test_batches(void **state)
{
	char text[2048] = "[1", *answer;
	json_t *json;

	(void)state;
	require_error("[]", API_INVALID_REQUEST, "null");
	require("[{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[4,1],\"id\":1},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[5,1],\"id\":2}]",
		"[{\"jsonrpc\":\"2.0\",\"result\":3,\"id\":1},{\"jsonrpc\":\"2.0\",\"result\":4,"
		"\"id\":2}]");
	require("[1]", "[{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"a request "
		       "is an object\"},"
		       "\"id\":null}]");
	for (unsigned int i = 1; i < API_BATCH_MAX; i++)
		strcat(text, ",1");
	strcat(text, "]");
	answer = answer_to(text);
	json = json_loads(answer, 0, NULL);
	assert_int_equal(json_array_size(json), API_BATCH_MAX);
	json_decref(json);
	free(answer);
	text[strlen(text) - 1] = '\0';
	strcat(text, ",1]");
	require_error(text, API_INVALID_REQUEST, "null");
}

// As deep as one likes: refused, not followed until the stack ends.
static void
test_depth(void **state)
{
	size_t depth = API_REQUEST_MAX - 1;
	char *text = malloc(depth), *answer;
	size_t length;

	(void)state;
	assert_non_null(text);
	memset(text, '[', depth);
	answer = rpc_answer(&rpc, API_WRITE, text, depth, &length);
	assert_non_null(strstr(answer, "-32700"));
	free(answer);
	free(text);
}

// By the table: names, types and what may not be missing.
static void
test_parameters(void **state)
{
	static const struct {
		const char *params, *why;
	} cases[] = {
		{"{\"key\":\"a\"}", NULL},
		{"{\"key\":\"a\",\"keys\":[],\"count\":-1,\"edits\":[{}],\"sure\":true}", NULL},
		{"[\"a\"]", "change takes its parameters by name, in an object"},
		{"{}", "change needs \\\"key\\\": which one"},
		{"{\"key\":1}", "change: \\\"key\\\" is not a string"},
		{"{\"key\":\"a\",\"keys\":\"b\"}", "change: \\\"keys\\\" is not a list of strings"},
		{"{\"key\":\"a\",\"keys\":[1]}", "change: \\\"keys\\\" is not a list of strings"},
		{"{\"key\":\"a\",\"edits\":[\"b\"]}",
		 "change: \\\"edits\\\" is not a list of objects"},
		{"{\"key\":\"a\",\"count\":1.5}", "change: \\\"count\\\" is not an integer"},
		{"{\"key\":\"a\",\"sure\":1}", "change: \\\"sure\\\" is not true or false"},
		{"{\"key\":\"a\",\"other\":1}", "change has no parameter \\\"other\\\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[512], wanted[512];

		snprintf(text, sizeof(text),
			 "{\"jsonrpc\":\"2.0\",\"method\":\"change\",\"params\":%s,\"id\":1}",
			 cases[i].params);
		snprintf(wanted, sizeof(wanted),
			 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"%s\"},"
			 "\"id\":1}",
			 cases[i].why);
		require(text, cases[i].why == NULL
				      ? "{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":1}"
				      : wanted);
	}
}

static void
test_rights(void **state)
{
	const char text[] = "{\"jsonrpc\":\"2.0\",\"method\":\"change\",\"params\":{\"key\":\"a\"},"
			    "\"id\":1}";
	char *answer;
	size_t length;

	(void)state;
	answer = rpc_answer(&rpc, API_READ, text, strlen(text), &length);
	assert_string_equal(answer,
			    "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32001,\"message\":"
			    "\"only root and the fabric's owner may call change\"},\"id\":1}"
			    "\n");
	free(answer);
}

// A message that a limit cuts within a character is still said.
static void
test_cut_within_a_character(void **state)
{
	char text[512], word[128] = "", *answer;
	size_t length;

	(void)state;
	memset(word, 'a', 99);
	strcat(word, "\xc3\xa9"); // the limit is 100 bytes
	snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"id\":1}", word);
	answer = rpc_answer(&rpc, API_READ, text, strlen(text), &length);
	assert_non_null(strstr(answer, "there is no method aaaa"));
	assert_non_null(strstr(answer, "aaa?\"}"));
	free(answer);
}

static void
test_refusal(void **state)
{
	char *line = rpc_refusal(API_INVALID_REQUEST, "too large");

	(void)state;
	assert_string_equal(
		line, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"too large\"},"
		      "\"id\":null}\n");
	free(line);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_notifications_are_done_and_not_answered),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_error_texts),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_cut_within_a_character),
		cmocka_unit_test(test_refusal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
