// SPDX-License-Identifier: BSD-3-Clause
#include "server_internal.h"

#include "control/base/memory.h"
#include "control/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

json_t *
api_text(const char *text)
{
	json_t *string = json_string(text);
	char *copy;

	if (string != NULL)
		return string;
	copy = memory_text(text);
	utf8_repair(copy);
	string = json_string(copy);
	free(copy);
	return string;
}

// {"jsonrpc": "2.0", "error": ..., "id": ...}. id: NULL if it is unknown.
static json_t *
error_json(enum api_code code, const char *message, json_t *id)
{
	return json_pack("{s:s,s:{s:i,s:o},s:O?}", "jsonrpc", "2.0", "error", "code", (int)code,
			 "message", api_text(message), "id", id);
}

static const struct api_method *
find_method(const struct rpc *rpc, const char *name)
{
	for (const struct api_method *m = rpc->methods; m->name != NULL; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

static bool
fits(const json_t *value, enum api_type type)
{
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
	for (size_t i = 0; i < json_array_size(value); i++)
		if (json_typeof(json_array_get(value, i)) !=
		    (type == API_TEXTS ? JSON_STRING : JSON_OBJECT))
			return false;
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

// Checks the parameters against the method's table. Returns 0, or -EINVAL with an error in diag.
static int
check_params(const struct api_method *method, const json_t *params, struct diag *diag)
{
	const char *name;
	json_t *value;

	if (json_is_array(params))
		return diag_fail(diag, EINVAL, "%s takes its parameters by name, in an object",
				 method->name);
	json_object_foreach((json_t *)(uintptr_t)params, name, value)
	{
		const struct api_param *p = find_param(method, name);

		if (p == NULL)
			return diag_fail(diag, EINVAL, "%s has no parameter \"%.80s\"",
					 method->name, name);
		if (!fits(value, p->type))
			return diag_fail(diag, EINVAL, "%s: \"%s\" is not %s", method->name, name,
					 api_type_names[p->type].error);
	}
	for (const struct api_param *p = method->params; p->name != NULL; p++)
		if (p->required && json_object_get(params, p->name) == NULL)
			return diag_fail(diag, EINVAL, "%s needs \"%s\": %s", method->name, p->name,
					 p->help);
	return 0;
}

// All errors in one line.
static json_t *
errors_json(enum api_code code, const struct diag *diag, json_t *id)
{
	size_t size;
	char *text;
	FILE *to = memory_stream_open(&text, &size);
	const char *separator = "";
	json_t *answer;

	for (unsigned i = 0; i < diag->count; i++) {
		if (diag->messages[i].warning)
			continue;
		fprintf(to, "%s%s", separator, diag_text(&diag->messages[i]));
		separator = "; ";
	}
	fclose(to);
	answer = error_json(code, text, id);
	free(text);
	return answer;
}

static json_t *
call_method(const struct rpc *rpc, const struct api_method *method, const json_t *params,
	    json_t *id)
{
	struct diag diag = {0};
	json_t *result = NULL, *answer;
	int status = method->params != NULL ? check_params(method, params, &diag) : 0;

	if (status == 0)
		status = method->call(rpc->context, params, &result, &diag);
	if (status == 0) {
		answer = json_pack("{s:s,s:o,s:O?}", "jsonrpc", "2.0", "result",
				   result != NULL ? result : json_null(), "id", id);
	} else {
		if (diag.errors == 0)
			diag_fail(&diag, -status, "%s: %s", method->name, strerror(-status));
		answer =
			errors_json(status == -EINVAL ? API_INVALID_PARAMS : API_FAILED, &diag, id);
		json_decref(result);
	}
	diag_free(&diag);
	return answer;
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

static json_t *
answer_request(const struct rpc *rpc, enum api_right right, const json_t *request)
{
	const char *name = json_string_value(json_object_get(request, "method"));
	json_t *id = json_object_get(request, "id");
	const struct api_method *method = find_method(rpc, name);
	char why[160];

	if (method == NULL) {
		snprintf(why, sizeof(why), "there is no method %.100s", name);
		return error_json(API_METHOD_NOT_FOUND, why, id);
	}
	if (method->right > right) {
		snprintf(why, sizeof(why), "only root and the fabric's owner may call %s",
			 method->name);
		return error_json(API_FORBIDDEN, why, id);
	}
	return call_method(rpc, method, json_object_get(request, "params"), id);
}

// The answer to one item of a message; NULL if it is a notification.
static json_t *
answer_item(const struct rpc *rpc, enum api_right right, const json_t *request)
{
	const char *fault = request_fault(request);
	json_t *id = json_object_get(request, "id"), *answer;

	if (fault != NULL)
		return error_json(API_INVALID_REQUEST, fault,
				  json_is_object(id) || json_is_array(id) ? NULL : id);
	answer = answer_request(rpc, right, request);
	if (id != NULL)
		return answer;
	json_decref(answer);
	return NULL;
}

static json_t *
answer_batch(const struct rpc *rpc, enum api_right right, const json_t *batch)
{
	json_t *answers, *request;
	size_t i;

	if (json_array_size(batch) == 0)
		return error_json(API_INVALID_REQUEST, "the batch is empty", NULL);
	if (json_array_size(batch) > API_BATCH_MAX)
		return error_json(API_INVALID_REQUEST, "the batch has more than 16 requests", NULL);
	answers = json_array();
	json_array_foreach(batch, i, request)
	{
		json_t *answer = answer_item(rpc, right, request);

		if (answer != NULL)
			json_array_append_new(answers, answer);
	}
	if (json_array_size(answers) != 0)
		return answers;
	json_decref(answers);
	return NULL;
}

// Writes a message as a line and gives it back.
static char *
line_of(json_t *message, size_t *length)
{
	char *text;

	*length = json_dumpb(message, NULL, 0, JSON_COMPACT) + 1;
	text = memory_array(*length + 1, 1, "bytes of an answer");
	json_dumpb(message, text, *length, JSON_COMPACT);
	text[*length - 1] = '\n';
	json_decref(message);
	return text;
}

char *
rpc_answer(const struct rpc *rpc, enum api_right right, const char *text, size_t length,
	   size_t *answer_length)
{
	json_error_t error;
	json_t *message =
		json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
	json_t *answer;

	if (message == NULL)
		answer = error_json(API_PARSE_ERROR, error.text, NULL);
	else if (json_is_array(message))
		answer = answer_batch(rpc, right, message);
	else
		answer = answer_item(rpc, right, message);
	json_decref(message);
	return answer != NULL ? line_of(answer, answer_length) : NULL;
}

char *
rpc_refusal(enum api_code code, const char *message)
{
	size_t length;

	return line_of(error_json(code, message, NULL), &length);
}

char *
rpc_notification(const char *method, const json_t *params, size_t *length)
{
	return line_of(json_pack("{s:s,s:s,s:O}", "jsonrpc", "2.0", "method", method, "params",
				 (json_t *)(uintptr_t)params),
		       length);
}
