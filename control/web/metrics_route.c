// SPDX-License-Identifier: BSD-3-Clause
// GET /metrics: one call to the fabric, and its answer as text.
#include "web_internal.h"

#include "control/base/memory.h"
#include "metrics.h"

#include <string.h>

#define METRICS_BLOCK 32768 // bytes that are handed to the connection at a time

static const char calls[] =
	"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"counters\"},"
	"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"show\",\"params\":{\"what\":\"fabric\"}}]\n";

// NULL: what the server was started with.
static const char *
names_of(const struct request *r)
{
	return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, "names");
}

static struct metrics_form
form_of(const struct request *r)
{
	const char *accept = request_header(r->connection, MHD_HTTP_HEADER_ACCEPT);
	const char *names = names_of(r);
	struct metrics_form form = r->web->options->metrics;

	if (names != NULL)
		form.nvswitch = strcmp(names, "nvswitch") == 0;
	if (accept != NULL && strstr(accept, "application/openmetrics-text") != NULL)
		form.openmetrics = true;
	return form;
}

// The result with this id, of a batch of answers; the caller's.
static json_t *
result_of(const json_t *answers, json_int_t id)
{
	json_t *one;
	size_t i;

	json_array_foreach(answers, i, one)
	{
		if (json_integer_value(json_object_get(one, "id")) == id)
			return json_incref(json_object_get(one, "result"));
	}
	return NULL;
}

static void
take_answer(void *context, const char *line, size_t length, const char *why)
{
	struct request *r = context;
	json_t *answers = line != NULL ? json_loadb(line, length, 0, NULL) : NULL;
	json_t *counters = result_of(answers, 1), *fabric = result_of(answers, 2);

	r->call = NULL;
	if (counters != NULL && fabric != NULL) {
		r->answer_status = MHD_HTTP_OK;
		r->metrics = metrics_create(counters, fabric, form_of(r));
	} else {
		r->answer_status = MHD_HTTP_BAD_GATEWAY;
		r->answer = memory_text(why != NULL ? why : "the fabric has refused its counters");
		json_decref(counters);
		json_decref(fabric);
	}
	json_decref(answers);
	request_resume(r);
}

static ssize_t
read_metrics(void *context, uint64_t position, char *to, size_t room)
{
	size_t length = metrics_read(context, to, room);

	(void)position;
	return length != 0 ? (ssize_t)length : MHD_CONTENT_READER_END_OF_STREAM;
}

static void
free_metrics(void *context)
{
	metrics_destroy(context);
}

enum MHD_Result
metrics_answer(struct request *r)
{
	const char *names = names_of(r);
	struct MHD_Response *response;
	char *line;

	if (names != NULL && strcmp(names, "roost") != 0 && strcmp(names, "nvswitch") != 0)
		return respond_error(r->connection, MHD_HTTP_BAD_REQUEST,
				     "names: want roost or nvswitch");
	if (r->metrics != NULL) {
		response = MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, METRICS_BLOCK, read_metrics, r->metrics, free_metrics);
		r->metrics = NULL;
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
					metrics_type(form_of(r)));
		return respond(r->connection, MHD_HTTP_OK, response);
	}
	if (r->answer_status != 0)
		return respond_error(r->connection, r->answer_status, r->answer);
	if (r->web->options->socket == NULL)
		return respond_error(r->connection, MHD_HTTP_NOT_FOUND, "a film has no metrics");
	if (!monitor_is_up(r->web))
		return respond_error(r->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				     "the fabric is not up");
	line = memory_text(calls);
	r->call = call_start(r->web, line, strlen(line), take_answer, r);
	if (r->call == NULL)
		return respond_error(r->connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				     "too many requests are waiting for the fabric; try again");
	r->suspended = true;
	MHD_suspend_connection(r->connection);
	return MHD_YES;
}
