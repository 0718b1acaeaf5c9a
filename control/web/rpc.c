// SPDX-License-Identifier: BSD-3-Clause
// POST /rpc: passes requests of JSON-RPC on, after a look at which methods they call. What is
// passed on is written anew from what was read, so that the fabric reads the same as this file did.
// The status is that of the request alone: what the fabric says, or that it is down, is an error of
// JSON-RPC in an answer with status 200, as browsers log any other status as a fault of the page.
#include "web_internal.h"

#include "control/api/api.h"
#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

static json_t *
error_json(enum api_code code, const char *why)
{
	return json_pack("{s:s,s:n,s:{s:i,s:s}}", "jsonrpc", "2.0", "id", "error", "code",
			 (int)code, "message", why);
}

static enum MHD_Result
refuse(const struct request *r, unsigned int status, enum api_code code, const char *why)
{
	return respond_json(r->connection, status, error_json(code, why));
}

// Why one request of a message is not passed on, or NULL.
static const char *
refuse_one(const struct request *r, const json_t *one, unsigned int *status, enum api_code *code)
{
	const char *name = json_string_value(json_object_get(one, "method"));
	json_t *id = json_object_get(one, "id");
	enum access_right needs;

	*status = MHD_HTTP_BAD_REQUEST;
	*code = API_INVALID_REQUEST;
	if (name == NULL || (!json_is_string(id) && !json_is_integer(id)))
		return "each request needs a method and an id";
	if (strcmp(name, "subscribe") == 0)
		return "events come from GET /live";
	if (!monitor_method(r->web, name, &needs)) {
		*status = MHD_HTTP_NOT_FOUND;
		*code = API_METHOD_NOT_FOUND;
		return "no such method";
	}
	if (needs <= r->right)
		return NULL;
	*status = MHD_HTTP_FORBIDDEN;
	*code = API_FORBIDDEN;
	return request_lacks_right(r);
}

static void
take_answer(void *context, const char *line, size_t length, const char *why)
{
	struct request *r = context;

	r->call = NULL;
	if (line != NULL) {
		r->answer = memory_copy(line, length, 1, "bytes of an answer");
		r->answer_length = length;
	} else {
		json_t *error = error_json(API_FAILED, why);

		r->answer = json_dumps(error, JSON_COMPACT);
		r->answer_length = strlen(r->answer);
		json_decref(error);
	}
	r->answer_status = MHD_HTTP_OK;
	request_resume(r);
}

// Passes a message on that may be. Returns whether the fabric is to answer it.
static bool
pass_on(struct request *r, const json_t *message)
{
	char *text = json_dumps(message, JSON_COMPACT), *line = memory_format("%s\n", text);

	free(text);
	r->call = call_start(r->web, line, strlen(line), take_answer, r);
	if (r->call == NULL)
		return false;
	r->suspended = true;
	MHD_suspend_connection(r->connection);
	return true;
}

static enum MHD_Result
send_answer(struct request *r)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(r->answer_length, r->answer, MHD_RESPMEM_MUST_FREE);

	r->answer = NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, RESPOND_JSON);
	return respond(r->connection, r->answer_status, response);
}

static enum MHD_Result
handle_message(struct request *r, const json_t *message)
{
	size_t count = json_is_array(message) ? json_array_size(message) : 1;
	unsigned int status;
	enum api_code code;

	if (count == 0 || count > API_BATCH_MAX)
		return refuse(r, MHD_HTTP_BAD_REQUEST, API_INVALID_REQUEST,
			      "a batch has 1 to 16 requests");
	for (size_t i = 0; i < count; i++) {
		const json_t *one = json_is_array(message) ? json_array_get(message, i) : message;
		const char *why = refuse_one(r, one, &status, &code);

		if (why != NULL)
			return refuse(r, status, code, why);
	}
	if (!pass_on(r, message))
		return refuse(r, MHD_HTTP_SERVICE_UNAVAILABLE, API_FAILED,
			      "too many requests are waiting for the fabric; try again");
	return MHD_YES;
}

enum MHD_Result
rpc_handle(struct request *r)
{
	json_t *message;
	enum MHD_Result result;

	if (r->answer_status != 0)
		return send_answer(r);
	if (r->web->options->socket == NULL)
		return refuse(r, MHD_HTTP_NOT_FOUND, API_FAILED, "a film has no methods");
	if (!monitor_is_up(r->web))
		return refuse(r, MHD_HTTP_OK, API_FAILED, "the fabric is not up");
	message = json_loadb(r->body != NULL ? r->body : "", r->length, 0, NULL);
	if (message == NULL)
		return refuse(r, MHD_HTTP_BAD_REQUEST, API_PARSE_ERROR, "the body is not JSON");
	result = handle_message(r, message);
	json_decref(message);
	return result;
}
