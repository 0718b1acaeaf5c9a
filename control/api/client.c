// SPDX-License-Identifier: BSD-3-Clause
// One call: a connection, a line out, a line back. The answer is limited too, so that a daemon with
// a fault cannot use up the memory of its clients.
#include "api.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define CLIENT_ANSWER_MAX (256u * 1024 * 1024)
#define CLIENT_READ_BYTES 65536

struct connected {
	int fd;
	int64_t deadline_ms; // INT64_MAX: none
	char *in;
	size_t in_length; // received
	size_t in_capacity;
	size_t line_length;       // of the first line in it, once that is complete
	size_t tail_length;       // of the bytes behind that line that belong to it
	bool has_line;            // that has not been replaced by the next
	const volatile int *stop; // NULL, or ends a wait when it is not 0
};

// Waits for the socket. Returns 0 or -errno.
static int
call_wait(const struct connected *c, short events)
{
	for (;;) {
		struct pollfd polled = {.fd = c->fd, .events = events};
		int64_t left = c->deadline_ms == INT64_MAX ? -1 : c->deadline_ms - clock_ms();
		int ready;

		if (c->stop != NULL && *c->stop != 0)
			return -EINTR;
		if (c->deadline_ms != INT64_MAX && left <= 0)
			return -ETIMEDOUT;
		ready = poll(&polled, 1, left > INT32_MAX ? INT32_MAX : (int)left);
		if (ready > 0)
			return 0;
		if (ready < 0 && errno != EINTR)
			return -errno;
	}
}

// Blocking, because a socket that does not block gives up at once while many others wait to be
// accepted.
static int
call_connect(struct connected *c, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return -errno;
	if (c->deadline_ms != INT64_MAX) {
		int64_t left = c->deadline_ms - clock_ms();
		struct timeval wait = {.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000 + 1};

		if (setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) != 0)
			return -errno;
	}
	if (connect(c->fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return 0;
}

static int
call_send(const struct connected *c, const char *text, size_t length)
{
	while (length != 0) {
		int status = call_wait(c, POLLOUT);
		ssize_t sent;

		if (status != 0)
			return status;
		sent = send(c->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		text += sent > 0 ? sent : 0;
		length -= sent > 0 ? (size_t)sent : 0;
	}
	return 0;
}

static int
call_reserve(struct connected *c)
{
	size_t capacity = c->in_capacity == 0 ? CLIENT_READ_BYTES : 2 * c->in_capacity;

	if (c->in_length < c->in_capacity)
		return 0;
	if (capacity > CLIENT_ANSWER_MAX)
		return -EMSGSIZE;
	c->in = memory_resize(c->in, capacity, 1, "bytes of an answer");
	c->in_capacity = capacity;
	return 0;
}

// Receives what there is, or waits for more. Returns 0 or -errno.
static int
call_fill(struct connected *c)
{
	int status = call_reserve(c);
	ssize_t got;

	if (status != 0)
		return status;
	got = recv(c->fd, c->in + c->in_length, c->in_capacity - c->in_length, MSG_DONTWAIT);
	if (got == 0)
		return -ECONNRESET;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? call_wait(c, POLLIN) : -errno;
	c->in_length += (size_t)got;
	return 0;
}

// Receives a line, of line_length bytes without its newline, over the one before.
static int
call_receive(struct connected *c)
{
	size_t taken = c->has_line ? c->line_length + 1 + c->tail_length : 0, scanned = 0;

	c->has_line = false;
	c->tail_length = 0;
	c->in_length -= taken;
	if (taken != 0)
		memmove(c->in, c->in + taken, c->in_length);
	for (;;) {
		char *newline = c->in_length > scanned
					? memchr(c->in + scanned, '\n', c->in_length - scanned)
					: NULL;
		int status;

		if (newline != NULL) {
			c->line_length = (size_t)(newline - c->in);
			c->has_line = true;
			return 0;
		}
		scanned = c->in_length;
		status = call_fill(c);
		if (status != 0)
			return status;
	}
}

// Takes the answer apart.
static int
call_unpack(const struct connected *c, json_t **result, struct diag *diag)
{
	json_t *answer = json_loadb(c->in, c->line_length, 0, NULL);
	json_t *error = json_object_get(answer, "error");
	json_int_t code = json_integer_value(json_object_get(error, "code"));
	const char *message = json_string_value(json_object_get(error, "message"));
	int status = 0;

	if (error != NULL)
		status = diag_fail(diag,
				   code == API_INVALID_PARAMS || code == API_METHOD_NOT_FOUND
					   ? EINVAL
					   : EREMOTEIO,
				   "%s", message != NULL ? message : "the fabric gave no reason");
	else if (json_object_get(answer, "result") == NULL)
		status = diag_fail(diag, EPROTO, "the fabric's answer is not JSON-RPC");
	else
		*result = json_incref(json_object_get(answer, "result"));
	json_decref(answer);
	return status;
}

static char *
request_line(const struct api_call *call)
{
	json_t *request = json_pack("{s:s,s:s,s:i,s:O*}", "jsonrpc", "2.0", "method", call->method,
				    "id", 1, "params", call->params);
	char *text = json_dumps(request, JSON_COMPACT), *line = memory_format("%s\n", text);

	free(text);
	json_decref(request);
	return line;
}

// Sends a request and receives its answer. What remains in the connection came behind the answer.
static int
call_do(struct connected *c, const struct api_call *call, json_t **result, struct diag *diag)
{
	char *line = request_line(call);
	int status;

	*result = NULL;
	*c = (struct connected){
		.fd = -1,
		.deadline_ms = call->timeout_ms < 0 ? INT64_MAX : clock_ms() + call->timeout_ms};
	status = call_connect(c, call->path);
	if (status == 0)
		status = call_send(c, line, strlen(line));
	// The server says why it refuses a client before it reads the request.
	if (status == 0 || status == -EPIPE)
		status = call_receive(c);
	free(line);
	if (status == 0)
		return call_unpack(c, result, diag);
	return diag_fail(diag, -status, "%s: %s", call->path, strerror(-status));
}

static void
call_end(struct connected *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->in);
}

int
api_call(const struct api_call *call, json_t **result, struct diag *diag)
{
	struct connected c;
	int status = call_do(&c, call, result, diag);

	call_end(&c);
	return status;
}

// Passes on the event in the line that has been received. Returns false if no more are wanted.
static bool
call_event(const struct connected *c, const struct api_follower *follower)
{
	json_t *message = json_loadb(c->in, c->line_length, 0, NULL);
	const json_t *event = json_object_get(message, "params");
	bool more = event == NULL || follower->event(follower->context, event);

	json_decref(message);
	return more;
}

int
api_follow(const struct api_call *call, const struct api_follower *follower, struct diag *diag)
{
	struct connected c;
	json_t *result;
	int status = call_do(&c, call, &result, diag);

	if (status == 0 && follower->begun != NULL)
		follower->begun(follower->context, result);
	json_decref(result);
	c.deadline_ms = INT64_MAX;
	while (status == 0) {
		status = call_receive(&c);
		if (status != 0)
			diag_fail(diag, -status, "%s: %s", call->path,
				  status == -ECONNRESET ? "the fabric has ended"
							: strerror(-status));
		else if (!call_event(&c, follower))
			break;
	}
	call_end(&c);
	return status;
}

// ---- streams ------------------------------------------------------------------------------------

struct api_stream {
	struct connected c;
	json_t *params; // of a message whose bytes are not all there; or NULL
};

int
api_stream_open(struct api_stream **out, const struct api_call *call, json_t **result,
		struct diag *diag)
{
	struct api_stream *stream = memory_new(sizeof(*stream), "a stream");
	int status = call_do(&stream->c, call, result, diag);

	*out = status == 0 ? stream : NULL;
	if (status != 0)
		api_stream_close(stream);
	return status;
}

int
api_stream_call(struct api_stream *stream, const struct api_call *call, json_t **result,
		struct diag *diag)
{
	struct connected *c = &stream->c;
	char *line = request_line(call);
	int status;

	*result = NULL;
	c->deadline_ms = call->timeout_ms < 0 ? INT64_MAX : clock_ms() + call->timeout_ms;
	status = call_send(c, line, strlen(line));
	if (status == 0)
		status = call_receive(c);
	free(line);
	if (status == 0)
		return call_unpack(c, result, diag);
	return diag_fail(diag, -status, "%s: %s", call->method, strerror(-status));
}

int
api_stream_ask(struct api_stream *stream, const char *method)
{
	const struct api_call call = {.method = method};
	char *line = request_line(&call);
	int status;

	stream->c.deadline_ms = INT64_MAX;
	status = call_send(&stream->c, line, strlen(line));
	free(line);
	return status;
}

// Receives the line of the next notification.
static int
stream_line(struct api_stream *stream)
{
	struct connected *c = &stream->c;
	json_int_t count;
	json_t *message;
	int status = call_receive(c);

	if (status != 0)
		return status;
	message = json_loadb(c->in, c->line_length, 0, NULL);
	stream->params = json_incref(json_object_get(message, "params"));
	json_decref(message);
	count = json_integer_value(json_object_get(stream->params, API_BYTES));
	if (count < 0 || count > API_EVENTS_MAX)
		return -EPROTO;
	c->tail_length = (size_t)count;
	return 0;
}

int
api_stream_next(struct api_stream *stream, int timeout_ms, const volatile int *stop,
		json_t **params)
{
	struct connected *c = &stream->c;
	int status = 0;

	*params = NULL;
	c->deadline_ms = timeout_ms < 0 ? INT64_MAX : clock_ms() + timeout_ms;
	c->stop = stop;
	while (status == 0 && stream->params == NULL)
		status = stream_line(stream);
	while (status == 0 && c->in_length < c->line_length + 1 + c->tail_length)
		status = call_fill(c);
	if (status != 0)
		return status;
	*params = stream->params;
	stream->params = NULL;
	return 0;
}

const void *
api_stream_bytes(const struct api_stream *stream, size_t *count)
{
	*count = stream->c.tail_length;
	return stream->c.in + stream->c.line_length + 1;
}

int
api_stream_fd(const struct api_stream *stream)
{
	return stream->c.fd;
}

void
api_stream_close(struct api_stream *stream)
{
	if (stream == NULL)
		return;
	json_decref(stream->params);
	call_end(&stream->c);
	free(stream);
}
