// SPDX-License-Identifier: BSD-3-Clause
// A request is checked as soon as its head is there (access.h), before anything of its body is
// taken. Only GET, HEAD and POST /rpc exist.
#include "web_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
request_resume(struct request *r)
{
	if (!r->suspended)
		return;
	r->suspended = false;
	MHD_resume_connection(r->connection);
}

void
request_completed(void *web, struct MHD_Connection *connection, void **context,
		  enum MHD_RequestTerminationCode how)
{
	struct request *r = *context;

	(void)how;
	client_answered(connection);
	if (r == NULL)
		return;
	call_cancel(web, r->call);
	download_cancel(r->download);
	free(r->body);
	free(r->answer);
	metrics_destroy(r->metrics);
	free(r);
	*context = NULL;
}

static struct access_request
read_head(struct MHD_Connection *c)
{
	return (struct access_request){
		.host = request_header(c, MHD_HTTP_HEADER_HOST),
		.origin = request_header(c, MHD_HTTP_HEADER_ORIGIN),
		.fetch_site = request_header(c, "Sec-Fetch-Site"),
		.fetch_mode = request_header(c, "Sec-Fetch-Mode"),
		.cookie = request_header(c, MHD_HTTP_HEADER_COOKIE),
		.authorization = request_header(c, MHD_HTTP_HEADER_AUTHORIZATION),
		.content_type = request_header(c, MHD_HTTP_HEADER_CONTENT_TYPE),
		.query_token = MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"),
	};
}

// The length that a request says its body has; -1: it does not say, or not in numbers.
static long long
body_length(struct MHD_Connection *connection)
{
	const char *text = request_header(connection, MHD_HTTP_HEADER_CONTENT_LENGTH);
	char *end = NULL;
	long long length;

	if (text == NULL)
		return -1;
	errno = 0;
	length = strtoll(text, &end, 10);
	return errno == 0 && *end == '\0' && end != text ? length : -1;
}

// Refuses what is to be refused before its body. Returns false if nothing is.
static bool
refuse_post(struct MHD_Connection *c, const struct access_request *head, enum MHD_Result *result)
{
	const char *why = access_refuse_body(head);

	if (why != NULL)
		*result = respond_error(c, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, why);
	else if (body_length(c) < 0)
		*result = respond_error(c, MHD_HTTP_LENGTH_REQUIRED,
					"the request needs a Content-Length header");
	else if (body_length(c) > WEB_BODY_MAX)
		*result = respond_error(c, MHD_HTTP_CONTENT_TOO_LARGE,
					"the body is larger than 1 MiB");
	else
		return false;
	return true;
}

const char *
request_lacks_right(const struct request *r)
{
	return r->web->access.allow_changes
		       ? "this needs the token: open the address that roost web printed, or send "
			 "Authorization: Bearer TOKEN"
		       : "this roost web is read-only: start it with --allow-changes";
}

static enum MHD_Result
begin(struct web *w, struct MHD_Connection *c, const char *url, const char *method, void **context)
{
	const struct access_request head = read_head(c);
	const char *why = access_refuse(&w->access, &head);
	bool post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	enum access_right right = access_right(&w->access, &head);
	enum MHD_Result result;
	struct request *r;

	if (why != NULL)
		return respond_error(c, MHD_HTTP_FORBIDDEN, why);
	if (right == ACCESS_NONE)
		return respond_error(c, MHD_HTTP_UNAUTHORIZED,
				     "open the address that roost web printed, with its ?token=");
	if (!post && strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
	    strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return respond_error(c, MHD_HTTP_METHOD_NOT_ALLOWED,
				     "method not allowed: use GET, or POST for /rpc");
	if (w->options->only_metrics && strcmp(url, "/metrics") != 0)
		return respond_error(c, MHD_HTTP_NOT_FOUND, "only GET /metrics is served here");
	if (post && strcmp(url, "/rpc") != 0)
		return respond_error(c, MHD_HTTP_NOT_FOUND, "not found: only /rpc takes POST");
	if (post && refuse_post(c, &head, &result))
		return result;
	r = memory_new(sizeof(*r), "request");
	*r = (struct request){.web = w,
			      .connection = c,
			      .right = right,
			      .foreign = access_is_foreign(&head),
			      .set_cookie = access_has_query_token(&w->access, &head)};
	*context = r;
	return MHD_YES;
}

static enum MHD_Result
take_body(struct request *r, const char *upload, size_t *size)
{
	if (*size > WEB_BODY_MAX - r->length)
		return MHD_NO;
	r->body = memory_resize(r->body, r->length + *size, 1, "bytes of a request");
	memcpy(r->body + r->length, upload, *size);
	r->length += *size;
	*size = 0;
	return MHD_YES;
}

enum MHD_Result
request_handle(void *web, struct MHD_Connection *connection, const char *url, const char *method,
	       const char *version, const char *upload, size_t *upload_size, void **context)
{
	struct request *r = *context;
	enum MHD_Result result;

	(void)version;
	if (r == NULL) {
		result = begin(web, connection, url, method, context);
		if (*context == NULL) // it has been refused
			client_asked(connection);
		return result;
	}
	if (*upload_size != 0)
		return strcmp(method, MHD_HTTP_METHOD_POST) == 0 ? take_body(r, upload, upload_size)
								 : MHD_NO;
	client_asked(connection);
	return strcmp(method, MHD_HTTP_METHOD_POST) == 0 ? rpc_handle(r) : route_get(r, url);
}
