// SPDX-License-Identifier: BSD-3-Clause
#include "rpc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rpc {
	const struct api_method *methods;
	size_t count;
	void *context;
	enum api_right right;
};

// {"jsonrpc": "2.0", "error": ..., "id": ...}. id: NULL when it could not be told.
static json_t *
error_json(enum api_code code, const char *message, json_t *id)
{
	json_t *text = json_string(message);

	if (text == NULL)
		text = json_string("the reason is not text");
	return json_pack("{s:s,s:{s:i,s:o},s:O?}", "jsonrpc", "2.0", "error", "code", (int)code,
			 "message", text, "id", id);
}

static const struct api_method *
find_method(const struct rpc *rpc, const char *name)
{
	for (size_t i = 0; i < rpc->count; i++)
		if (strcmp(rpc->methods[i].name, name) == 0)
			return &rpc->methods[i];
	return NULL;
}

static bool
fits(const json_t *value, enum api_type type)
{
	size_t i;
	json_t *item;

	switch (type) {
	case API_TEXT:
		return json_is_string(value);
	case API_INTEGER:
		return json_is_integer(value);
	case API_BOOL:
		return json_is_boolean(value);
	default:
		break;
	}
	json_array_foreach((json_t *)(uintptr_t)value, i,
			   item) if (type == API_TEXTS ? !json_is_string(item)
						       : !json_is_object(item)) return false;
	return json_is_array(value);
}

static const struct api_param *
find_param(const struct api_method *method, const char *name)
{
	for (const struct api_param *p = method->params; p->name != NULL; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

// Whether the parameters are those that the method's table lists. One line in why if not.
static bool
check_params(const struct api_method *method, const json_t *params, char *why)
{
	static const char *const types[] = {
		[API_TEXT] = "a string",
		[API_INTEGER] = "an integer",
		[API_BOOL] = "true or false",
		[API_TEXTS] = "a list of strings",
		[API_OBJECTS] = "a list of objects",
	};
	const char *name;
	json_t *value;

	if (json_is_array(params)) {
		snprintf(why, API_WHY_MAX, "%s takes its parameters by name, in an object",
			 method->name);
		return false;
	}
	json_object_foreach((json_t *)(uintptr_t)params, name, value)
	{
		const struct api_param *p = find_param(method, name);

		if (p != NULL && fits(value, p->type))
			continue;
		if (p == NULL)
			snprintf(why, API_WHY_MAX, "%s has no parameter \"%.80s\"", method->name,
				 name);
		else
			snprintf(why, API_WHY_MAX, "%s: \"%s\" is not %s", method->name, name,
				 types[p->type]);
		return false;
	}
	for (const struct api_param *p = method->params; p->name != NULL; p++) {
		if (!p->required || json_object_get(params, p->name) != NULL)
			continue;
		snprintf(why, API_WHY_MAX, "%s needs \"%s\": %s", method->name, p->name, p->help);
		return false;
	}
	return true;
}

static json_t *
call_method(const struct rpc *rpc, const char *name, const json_t *params, json_t *id)
{
	const struct api_method *method = find_method(rpc, name);
	char why[API_WHY_MAX] = "";
	json_t *result = NULL;
	int status;

	if (method == NULL) {
		snprintf(why, sizeof(why), "there is no method %.100s", name);
		return error_json(API_METHOD_NOT_FOUND, why, id);
	}
	if (method->right > rpc->right) {
		snprintf(why, sizeof(why), "only root and the fabric's owner may call %s",
			 method->name);
		return error_json(API_FORBIDDEN, why, id);
	}
	if (method->params != NULL && !check_params(method, params, why))
		return error_json(API_INVALID_PARAMS, why, id);
	status = method->call(rpc->context, params, &result, why, sizeof(why));
	if (status == 0)
		return json_pack("{s:s,s:o,s:O?}", "jsonrpc", "2.0", "result",
				 result != NULL ? result : json_null(), "id", id);
	json_decref(result);
	if (why[0] == '\0')
		snprintf(why, sizeof(why), "%s: %s", method->name, strerror(-status));
	return error_json(status == -EINVAL ? API_INVALID_PARAMS : API_FAILED, why, id);
}

// What is wrong with a request's form, or NULL.
static const char *
request_fault(const json_t *request)
{
	const json_t *id = json_object_get(request, "id");
	const char *version = json_string_value(json_object_get(request, "jsonrpc"));
	const json_t *params = json_object_get(request, "params");

	if (!json_is_object(request))
		return "a request is an object";
	if (id != NULL && !json_is_string(id) && !json_is_number(id) && !json_is_null(id))
		return "\"id\" is neither a string nor a number";
	if (version == NULL || strcmp(version, "2.0") != 0)
		return "\"jsonrpc\" is not \"2.0\"";
	if (!json_is_string(json_object_get(request, "method")))
		return "\"method\" is not a string";
	if (params != NULL && !json_is_object(params) && !json_is_array(params))
		return "\"params\" is neither an object nor an array";
	return NULL;
}

// The answer to one request of a message; NULL when it is a notification, or when memory ran out
// (then *failed too).
static json_t *
answer_request(const struct rpc *rpc, const json_t *request, bool *failed)
{
	const char *fault = request_fault(request);
	json_t *id = json_object_get(request, "id");
	json_t *answer;

	if (fault != NULL)
		answer = error_json(API_INVALID_REQUEST, fault,
				    json_is_object(id) || json_is_array(id) ? NULL : id);
	else
		answer = call_method(rpc, json_string_value(json_object_get(request, "method")),
				     json_object_get(request, "params"), id);
	if (answer == NULL)
		*failed = true;
	if (fault == NULL && id == NULL) {
		json_decref(answer);
		return NULL;
	}
	return answer;
}

static json_t *
answer_batch(const struct rpc *rpc, const json_t *batch, bool *failed)
{
	json_t *answers;

	if (json_array_size(batch) == 0)
		return error_json(API_INVALID_REQUEST, "the batch is empty", NULL);
	if (json_array_size(batch) > API_BATCH_MAX)
		return error_json(API_INVALID_REQUEST, "the batch has more than 16 requests", NULL);
	answers = json_array();
	for (size_t i = 0; i < json_array_size(batch) && !*failed; i++) {
		json_t *answer = answer_request(rpc, json_array_get(batch, i), failed);

		if (answer != NULL && json_array_append_new(answers, answer) != 0)
			*failed = true;
	}
	if (json_array_size(answers) == 0) {
		json_decref(answers);
		return NULL;
	}
	return answers;
}

// Writes it as a line. NULL when memory ran out.
static char *
line_of(const json_t *answer, size_t *length)
{
	char *text;

	*length = json_dumpb(answer, NULL, 0, JSON_COMPACT);
	text = *length != 0 ? malloc(*length + 2) : NULL;
	if (text == NULL)
		return NULL;
	json_dumpb(answer, text, *length, JSON_COMPACT);
	text[(*length)++] = '\n';
	text[*length] = '\0';
	return text;
}

int
rpc_answer(const struct api_method *methods, size_t count, void *context, enum api_right right,
	   const char *text, size_t length, char **out, size_t *out_length)
{
	struct rpc rpc = {methods, count, context, right};
	json_error_t error;
	json_t *message =
		json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	json_t *answer;
	bool failed = false;

	*out = NULL;
	*out_length = 0;
	if (message == NULL)
		answer = error_json(API_PARSE_ERROR, error.text, NULL);
	else if (json_is_array(message))
		answer = answer_batch(&rpc, message, &failed);
	else
		answer = answer_request(&rpc, message, &failed);
	failed = failed || (message == NULL && answer == NULL);
	if (answer != NULL) {
		*out = failed ? NULL : line_of(answer, out_length);
		failed = *out == NULL;
	}
	json_decref(answer);
	json_decref(message);
	return failed ? -ENOMEM : 0;
}

char *
rpc_refusal(enum api_code code, const char *message)
{
	json_t *answer = error_json(code, message, NULL);
	size_t length;
	char *line = answer != NULL ? line_of(answer, &length) : NULL;

	json_decref(answer);
	return line;
}

char *
rpc_notification(const char *method, const json_t *params, size_t *length)
{
	json_t *message = json_pack("{s:s,s:s,s:O}", "jsonrpc", "2.0", "method", method, "params",
				    (json_t *)(uintptr_t)params);
	char *line = message != NULL ? line_of(message, length) : NULL;

	json_decref(message);
	return line;
}
