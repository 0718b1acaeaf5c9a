// SPDX-License-Identifier: BSD-3-Clause
#include "web_internal.h"

#include <stdlib.h>
#include <string.h>

// Everything that the page needs comes from here, and no other site may show or use it.
#define POLICY                                                                          \
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " \
	"img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

enum MHD_Result
respond(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response)
{
	static const char *const headers[][2] = {
		{"Content-Security-Policy", POLICY},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Referrer-Policy", "no-referrer"},
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
	};
	enum MHD_Result result;

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	if (MHD_get_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL) == NULL)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result
respond_text(struct MHD_Connection *connection, unsigned int status, const char *type,
	     const char *text)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);

	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return respond(connection, status, response);
}

enum MHD_Result
respond_json(struct MHD_Connection *connection, unsigned int status, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	enum MHD_Result result = respond_text(connection, status, RESPOND_JSON, text);

	free(text);
	json_decref(value);
	return result;
}

enum MHD_Result
respond_error(struct MHD_Connection *connection, unsigned int status, const char *why)
{
	return respond_json(connection, status, json_pack("{s:s}", "error", why));
}

const char *
request_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}
