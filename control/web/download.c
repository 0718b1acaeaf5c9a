// SPDX-License-Identifier: BSD-3-Clause
// GET /capture: packets of a port as a pcapng file, which is sent while it grows. Each has a
// connection of its own to the fabric, with which the capture ends. What the browser has not read
// waits in a queue. When that is full, nothing is read from the fabric, which then loses packets
// and counts them in the file (control/run/live/capture_stream.c). When the time is over, all that
// is left is read at once, however slow the browser is, so that the fabric captures no longer.
#include "web_internal.h"

#include "compile.h"
#include "control/api/api.h"
#include "control/base/base64.h"
#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DOWNLOAD_BLOCK 32768             // bytes that are handed to the connection at a time
#define DOWNLOAD_QUEUE_MAX (256u * 1024) // bytes that wait for a browser while it captures
#define DOWNLOAD_REST_MAX (8u << 20)     // and afterwards; the fabric keeps half of that
#define DOWNLOAD_ASK_MS 10000            // for the fabric to begin
#define DOWNLOAD_TYPE "application/x-pcapng"

enum download_state {
	DOWNLOAD_FILTERS, // the filter is compiled
	DOWNLOAD_ASKS,    // the fabric is to begin
	DOWNLOAD_RUNS,
	DOWNLOAD_ENDS,   // the fabric is to send what is left
	DOWNLOAD_WHOLE,  // all is in the queue
	DOWNLOAD_BROKEN, // no more comes
};

struct download {
	TAILQ_ENTRY(download) of_all;
	struct web *web;
	struct MHD_Connection *connection;
	struct request *request; // NULL: its answer has begun
	enum download_state state;
	char *port;
	json_t *params; // of the method
	unsigned int seconds;
	struct compile compile;
	struct upstream up;
	int64_t deadline_ms; // of the state
	struct send_queue queue;
	bool suspended;
};

static void
destroy(struct download *d)
{
	TAILQ_REMOVE(&d->web->downloads, d, of_all);
	d->web->download_count--;
	compile_stop(&d->compile);
	upstream_close(&d->up);
	send_queue_free(&d->queue);
	json_decref(d->params);
	free(d->port);
	free(d);
}

void
download_cancel(struct download *d)
{
	if (d != NULL)
		destroy(d);
}

static void
wake(struct download *d)
{
	if (d->suspended) {
		d->suspended = false;
		MHD_resume_connection(d->connection);
	}
}

// Ends one that waits for its answer with an error; one that is being sent, without its end.
static void
fail(struct download *d, unsigned int status, const char *why)
{
	struct request *r = d->request;

	if (r == NULL) {
		d->state = DOWNLOAD_BROKEN;
		d->deadline_ms = clock_ms() + WEB_CAPTURE_REST_MS;
		upstream_close(&d->up);
		wake(d);
		return;
	}
	r->answer_status = status;
	r->answer = memory_text(why);
	r->download = NULL;
	destroy(d);
	request_resume(r);
}

// ---- what the fabric sends ----------------------------------------------------------------------

// Returns NULL, or why the fabric cannot be asked.
static const char *
ask(struct download *d, int64_t now)
{
	json_t *call = json_pack("{s:s,s:i,s:s,s:O}", "jsonrpc", "2.0", "id", 1, "method",
				 "capture", "params", d->params);
	char *text = json_dumps(call, JSON_COMPACT), *line = memory_format("%s\n", text);
	int rc = upstream_open(&d->up, d->web->options->socket);

	if (rc == 0) {
		upstream_send(&d->up, line, strlen(line));
		d->state = DOWNLOAD_ASKS;
		d->deadline_ms = now + DOWNLOAD_ASK_MS;
	}
	free(line);
	free(text);
	json_decref(call);
	if (rc == -EAGAIN)
		return "the fabric has too many clients; try again";
	return rc != 0 ? "the fabric is not up" : NULL;
}

static void
take_filter(struct download *d, int64_t now)
{
	int rc = compile_turn(&d->compile);
	const char *why = NULL;

	if (rc == -EINVAL) {
		fail(d, MHD_HTTP_BAD_REQUEST, d->compile.text);
	} else if (rc == 0) {
		json_object_set_new(d->params, "filter", json_string(d->compile.text));
		why = ask(d, now);
	}
	if (why != NULL)
		fail(d, MHD_HTTP_SERVICE_UNAVAILABLE, why);
}

// The fabric's answer to the method. It refuses a wrong port or direction, a client that may not
// capture, and one capture too many.
static void
take_answer(struct download *d, const json_t *message, int64_t now)
{
	const json_t *error = json_object_get(message, "error");
	const char *why = json_string_value(json_object_get(error, "message"));
	json_int_t code = json_integer_value(json_object_get(error, "code"));
	unsigned int status = MHD_HTTP_SERVICE_UNAVAILABLE;

	if (code == API_INVALID_PARAMS)
		status = MHD_HTTP_BAD_REQUEST;
	if (code == API_FORBIDDEN)
		status = MHD_HTTP_FORBIDDEN;
	if (json_object_get(message, "result") == NULL) {
		fail(d, status, why != NULL ? why : "the fabric did not start a capture");
		return;
	}
	d->state = DOWNLOAD_RUNS;
	d->deadline_ms = now + INT64_C(1000) * d->seconds;
	request_resume(d->request);
}

static void
take_blocks(struct download *d, const json_t *params)
{
	const char *text = json_string_value(json_object_get(params, "blocks"));
	size_t count = 0;
	uint8_t *blocks = text != NULL ? base64_decode(text, &count) : NULL;

	if (blocks != NULL)
		send_queue_add(&d->queue, blocks, count);
	free(blocks);
	if (json_is_true(json_object_get(params, "end"))) {
		d->state = DOWNLOAD_WHOLE;
		d->deadline_ms = clock_ms() + WEB_CAPTURE_REST_MS;
		upstream_close(&d->up);
	}
	if (d->request == NULL)
		wake(d);
}

// Returns false if the download is over, or has been freed.
static bool
take_line(struct download *d, const char *line, size_t length, int64_t now)
{
	json_t *message = json_loadb(line, length, 0, NULL);
	const json_t *params = json_object_get(message, "params");
	bool begins = d->state == DOWNLOAD_ASKS;
	bool goes_on;

	if (begins && params == NULL) {
		goes_on = json_object_get(message, "result") != NULL;
		take_answer(d, message, now);
	} else {
		if (params != NULL)
			take_blocks(d, params);
		goes_on = d->state != DOWNLOAD_WHOLE;
	}
	json_decref(message);
	return goes_on;
}

static void
take_lines(struct download *d, short events, int64_t now)
{
	int rc = upstream_turn(&d->up, events);
	const char *line;
	size_t length;

	while ((line = upstream_line(&d->up, &length)) != NULL)
		if (!take_line(d, line, length, now))
			return;
	if (rc != 0)
		fail(d, MHD_HTTP_BAD_GATEWAY, "the fabric has ended");
}

// ---- time ---------------------------------------------------------------------------------------

// Closes the browser's connection, of which libmicrohttpd learns by this.
static void
leave(struct download *d)
{
	shutdown(client_socket(d->connection), SHUT_RDWR);
	fail(d, MHD_HTTP_SERVICE_UNAVAILABLE, "the browser has gone");
}

static void
end_state(struct download *d, int64_t now)
{
	static const char end[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"capture-end\"}\n";

	if (d->state == DOWNLOAD_ASKS) {
		fail(d, MHD_HTTP_BAD_GATEWAY, "the fabric does not answer");
	} else if (d->state == DOWNLOAD_RUNS) {
		upstream_send(&d->up, end, sizeof(end) - 1);
		d->state = DOWNLOAD_ENDS;
		d->deadline_ms = now + WEB_CAPTURE_REST_MS;
	} else {
		leave(d);
	}
}

static void
turn(struct download *d, short fabric, short browser, int64_t now)
{
	if (browser != 0)
		leave(d);
	else if (now >= d->deadline_ms)
		end_state(d, now);
	else if (d->state == DOWNLOAD_FILTERS && fabric != 0)
		take_filter(d, now);
	else if (fabric != 0)
		take_lines(d, fabric, now);
}

static struct pollfd
poll_fabric(const struct download *d)
{
	const size_t most = d->state == DOWNLOAD_ENDS ? DOWNLOAD_REST_MAX : DOWNLOAD_QUEUE_MAX;
	struct pollfd p = {d->up.fd, 0, 0};

	if (d->state == DOWNLOAD_FILTERS)
		return (struct pollfd){d->compile.fd, POLLIN, 0};
	if (d->up.fd < 0)
		return p;
	p.events = upstream_events(&d->up);
	if (send_queue_waiting(&d->queue) >= most)
		p.events &= ~POLLIN;
	if (p.events == 0)
		p.fd = -1; // poll would return at once when the fabric ends
	return p;
}

unsigned int
downloads_poll(struct web *w, struct pollfd *polled)
{
	struct download *d;
	unsigned int count = 0;

	TAILQ_FOREACH(d, &w->downloads, of_all)
	{
		polled[count++] = poll_fabric(d);
		polled[count++] = (struct pollfd){
			d->state != DOWNLOAD_BROKEN ? client_socket(d->connection) : -1, POLLRDHUP,
			0};
	}
	return count;
}

void
downloads_turn(struct web *w, const struct pollfd *polled, int64_t now)
{
	struct download *d, *next;

	for (d = TAILQ_FIRST(&w->downloads); d != NULL; d = next, polled += 2) {
		next = TAILQ_NEXT(d, of_all);
		turn(d, polled[0].revents, polled[1].revents, now);
	}
}

void
downloads_close(struct web *w)
{
	struct download *d, *next;

	for (d = TAILQ_FIRST(&w->downloads); d != NULL; d = next) {
		next = TAILQ_NEXT(d, of_all);
		fail(d, MHD_HTTP_SERVICE_UNAVAILABLE, "roost web ends");
	}
}

// ---- the answer ---------------------------------------------------------------------------------

static ssize_t
read_download(void *context, uint64_t position, char *to, size_t room)
{
	struct download *d = context;
	size_t length = send_queue_take(&d->queue, to, room);

	(void)position;
	if (length != 0)
		return (ssize_t)length;
	if (d->state == DOWNLOAD_WHOLE)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (d->state == DOWNLOAD_BROKEN)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (!d->suspended) {
		d->suspended = true;
		MHD_suspend_connection(d->connection);
	}
	return 0;
}

static void
free_download(void *context)
{
	destroy(context);
}

static enum MHD_Result
send_download(struct download *d)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, DOWNLOAD_BLOCK, read_download, d, free_download);
	// The fabric knows the port, so its name has no special characters.
	char *disposition = memory_format("attachment; filename=\"%s-%s.pcapng\"",
					  d->web->options->fabric, d->port);

	d->request->download = NULL;
	d->request = NULL;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, DOWNLOAD_TYPE);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
	free(disposition);
	return respond(d->connection, MHD_HTTP_OK, response);
}

static const char *
argument(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_GET_ARGUMENT_KIND, name);
}

// Returns 0 if the text is no number of seconds.
static unsigned int
read_seconds(const char *text)
{
	size_t digits;
	unsigned long seconds;

	if (text == NULL)
		return WEB_CAPTURE_SECONDS;
	digits = strspn(text, "0123456789");
	seconds = digits != 0 && digits <= 4 && text[digits] == '\0' ? strtoul(text, NULL, 10) : 0;
	return seconds <= WEB_CAPTURE_SECONDS_MAX ? (unsigned int)seconds : 0;
}

static json_t *
make_params(const char *port, const char *direction)
{
	json_t *params = json_pack("{s:[o]}", "ports", api_text(port));

	if (direction != NULL)
		json_object_set_new(params, "direction", api_text(direction));
	return params;
}

static enum MHD_Result
begin(struct request *r, unsigned int seconds)
{
	const char *port = argument(r, "port"), *filter = argument(r, "filter");
	struct web *w = r->web;
	struct download *d = memory_new(sizeof(*d), "download");
	const char *why = NULL;

	*d = (struct download){.web = w,
			       .connection = r->connection,
			       .request = r,
			       .port = memory_text(port),
			       .params = make_params(port, argument(r, "direction")),
			       .seconds = seconds,
			       .compile = {.fd = -1},
			       .up = {.fd = -1},
			       .deadline_ms = INT64_MAX};
	TAILQ_INSERT_TAIL(&w->downloads, d, of_all);
	w->download_count++;
	if (filter == NULL)
		why = ask(d, clock_ms());
	else if (compile_start(&d->compile, filter) != 0)
		why = "cannot start the process that compiles the filter";
	if (why != NULL) {
		destroy(d);
		return respond_error(r->connection, MHD_HTTP_SERVICE_UNAVAILABLE, why);
	}
	r->download = d;
	r->suspended = true;
	MHD_suspend_connection(r->connection);
	return MHD_YES;
}

enum MHD_Result
download_answer(struct request *r)
{
	struct MHD_Connection *c = r->connection;
	unsigned int seconds = read_seconds(argument(r, "seconds"));
	enum access_right needs = ACCESS_WRITE;

	if (r->download != NULL)
		return send_download(r->download);
	if (r->answer_status != 0)
		return respond_error(c, r->answer_status, r->answer);
	if (r->web->options->socket == NULL)
		return respond_error(c, MHD_HTTP_NOT_FOUND,
				     "a film has no packets: capture a live fabric, or give "
				     "`record: pcap` to `roost sim`");
	if (r->foreign)
		return respond_error(c, MHD_HTTP_FORBIDDEN, "other sites cannot start a capture");
	if (monitor_method(r->web, "capture", &needs) && needs > r->right)
		return respond_error(c, MHD_HTTP_FORBIDDEN, request_lacks_right(r));
	if (argument(r, "port") == NULL)
		return respond_error(c, MHD_HTTP_BAD_REQUEST,
				     "name a port: /capture?port=leaf1.swp3");
	if (seconds == 0)
		return respond_error(c, MHD_HTTP_BAD_REQUEST,
				     "seconds must be a whole number from 1 to 60");
	if (!monitor_is_up(r->web))
		return respond_error(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the fabric is not up");
	if (r->web->download_count >= WEB_CAPTURES_MAX)
		return respond_error(
			c, MHD_HTTP_SERVICE_UNAVAILABLE,
			"4 captures are being downloaded; try again when one has ended");
	return begin(r, seconds);
}
