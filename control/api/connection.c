// SPDX-License-Identifier: BSD-3-Clause
// A client is in one of two states: its answer waits to be sent, and until then nothing more is
// read from it; or nothing waits, and complete lines are answered, a few per turn so that no client
// can keep the thread to itself. Events for a subscriber are sent between answers. What a client
// has begun (a line without its end, an answer it does not read) must be done before its deadline,
// or it is disconnected; a client that has begun nothing may stay. Nor is there a deadline for a
// stream: what feeds it looks after readers that are slow.
#include "server_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTION_READ_BYTES 65536
#define CONNECTION_REQUESTS_PER_TURN 8
#define CONNECTION_STREAM_BYTES (2 << 20) // that the system may hold for a stream's client

void
connection_close(struct connection *c)
{
	close(c->fd);
	free(c->in);
	free(c->out);
	free(c->events);
}

static void
connection_add_event(struct connection *c, const void *line, size_t length)
{
	if (length == 0)
		return;
	if (c->events == NULL)
		c->events = memory_resize(NULL, API_EVENTS_MAX, 1, "bytes of events");
	memcpy(c->events + c->events_length, line, length);
	c->events_length += length;
}

// Says how many events the client has missed, as soon as there is room: it may be long until the
// next.
static void
connection_add_lost(struct connection *c)
{
	char line[128];
	size_t length;

	if (c->events_lost == 0)
		return;
	length = (size_t)snprintf(line, sizeof(line),
				  "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":{"
				  "\"kind\":\"lost\",\"events\":%" PRIu64 "}}\n",
				  c->events_lost);
	if (c->events_length + length > API_EVENTS_MAX)
		return;
	connection_add_event(c, line, length);
	c->events_lost = 0;
}

// Events that wait are sent next if no answer is.
static void
connection_take_events(const struct service *s, struct connection *c)
{
	if (c->out != NULL)
		return;
	connection_add_lost(c);
	if (c->events_length == 0)
		return;
	c->out = c->events;
	c->out_length = c->events_length;
	c->out_sent = 0;
	c->out_is_events = true;
	c->events = NULL;
	c->events_length = 0;
	c->deadline_ms = c->streams ? INT64_MAX : clock_ms() + s->patience_ms;
}

// Sends what the socket takes of the answer. Returns 0, or -errno when the client is lost.
static int
connection_send(const struct service *s, struct connection *c)
{
	for (;;) {
		ssize_t sent;

		connection_take_events(s, c);
		if (c->out == NULL)
			return 0;
		sent = send(c->fd, c->out + c->out_sent, c->out_length - c->out_sent, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		c->out_sent += (size_t)sent;
		if (c->out_sent == c->out_length) {
			free(c->out);
			c->out = NULL;
			c->out_is_events = false;
			c->deadline_ms = INT64_MAX;
		}
	}
}

void
connection_notify(const struct service *s, struct connection *c, const char *line, size_t length)
{
	connection_add_lost(c);
	if (c->events_lost != 0 || c->events_length + length > API_EVENTS_MAX) {
		c->events_lost++;
		return;
	}
	connection_add_event(c, line, length);
	connection_take_events(s, c);
}

int
connection_stream(const struct service *s, struct connection *c, const struct span *line,
		  const struct span *bytes)
{
	if (c->out != NULL || c->in_length != 0 ||
	    c->events_length + line->count + bytes->count > API_EVENTS_MAX)
		return -EAGAIN;
	connection_add_event(c, line->at, line->count);
	connection_add_event(c, bytes->at, bytes->count);
	return connection_send(s, c);
}

void
connection_widen(const struct connection *c)
{
	const int bytes = CONNECTION_STREAM_BYTES;

	// Root only; others have net.core.wmem_max.
	if (setsockopt(c->fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) != 0)
		(void)setsockopt(c->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

// Sends an answer and frees it afterwards.
static int
connection_answer(const struct service *s, struct connection *c, char *line, size_t length)
{
	c->out = line;
	c->out_length = length;
	c->out_sent = 0;
	c->deadline_ms = clock_ms() + s->patience_ms;
	return connection_send(s, c);
}

static int
connection_refuse(const struct service *s, struct connection *c, const char *message)
{
	char *line = rpc_refusal(API_INVALID_REQUEST, message);

	c->doomed = true;
	return connection_answer(s, c, line, strlen(line));
}

// The length of the first line received, with its newline or, from a client that has ended,
// without; 0 when there is none yet.
static size_t
connection_line(struct connection *c)
{
	const char *from = c->in + c->in_start;
	const char *newline = memchr(from + c->in_scanned, '\n', c->in_length - c->in_scanned);

	if (newline != NULL)
		return (size_t)(newline - from) + 1;
	c->in_scanned = c->in_length;
	return c->ended ? c->in_length : 0;
}

static void
connection_take(struct connection *c, size_t length)
{
	c->in_start = length != c->in_length ? c->in_start + length : 0;
	c->in_length -= length;
	c->in_scanned = 0;
	c->in_blanks = 0;
}

// Passes over blank lines: however many there are, they cost no turns. Returns their length. Each
// byte is looked at once, in however many pieces a line of blanks comes.
static size_t
connection_skip_blanks(struct connection *c)
{
	const char *from;
	size_t blanks = 0, i;

	if (c->in_length == 0)
		return 0;
	from = c->in + c->in_start;
	for (i = c->in_blanks; i < c->in_length && from[i] != '\0' && strchr(" \t\r\n", from[i]);
	     i++)
		if (from[i] == '\n')
			blanks = i + 1;
	if (blanks != 0)
		connection_take(c, blanks);
	c->in_blanks = i - blanks;
	return blanks;
}

// Answers the lines that have been received, up to the turn's share.
static int
connection_serve(struct service *s, struct connection *c)
{
	size_t done = 0, length;
	int status = 0;

	for (unsigned int i = 0; i < CONNECTION_REQUESTS_PER_TURN && c->out == NULL && status == 0;
	     i++) {
		char *answer;
		size_t answer_length;

		done += connection_skip_blanks(c);
		length = c->in_length != 0 ? connection_line(c) : 0;
		if (length == 0)
			break;
		s->asking = c;
		answer = rpc_answer(&s->rpc, c->peer.right, c->in + c->in_start, length,
				    &answer_length);
		s->asking = NULL;
		if (answer != NULL)
			status = connection_answer(s, c, answer, answer_length);
		connection_take(c, length);
		done += length;
	}
	if (status == 0 && c->out == NULL && c->in_length >= API_REQUEST_MAX &&
	    connection_line(c) == 0)
		return connection_refuse(s, c, "the request is larger than 1 MiB");
	if (c->out == NULL && c->in_length == 0)
		c->deadline_ms = INT64_MAX;
	else if (c->out == NULL && (done != 0 || c->deadline_ms == INT64_MAX))
		c->deadline_ms = clock_ms() + s->patience_ms;
	return status;
}

static int
connection_read(struct connection *c)
{
	size_t room;
	ssize_t got;

	// Not zeroed: the system gives it pages only as they fill.
	if (c->in == NULL)
		c->in = memory_resize(NULL, API_REQUEST_MAX, 1, "bytes of requests");
	// Moved to the front when no more is moved than was answered since: short lines cost no
	// copies of long ones behind them.
	if (c->in_start >= c->in_length || (c->in_start != 0 && connection_line(c) == 0)) {
		memmove(c->in, c->in + c->in_start, c->in_length);
		c->in_start = 0;
	}
	room = API_REQUEST_MAX - c->in_start - c->in_length;
	if (room == 0)
		return 0; // complete lines that wait for their turn
	got = recv(c->fd, c->in + c->in_start + c->in_length,
		   room < CONNECTION_READ_BYTES ? room : CONNECTION_READ_BYTES, 0);
	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -errno;
	if (got == 0)
		c->ended = true;
	c->in_length += (size_t)got;
	return 0;
}

short
connection_events(const struct connection *c)
{
	// A client to which events are sent all the time may still ask.
	bool may_ask = (c->out == NULL || c->out_is_events) && !c->ended &&
		       c->in_length < API_REQUEST_MAX;

	return (short)((c->out != NULL ? POLLOUT : 0) | (may_ask ? POLLIN : 0));
}

bool
connection_idle(const struct connection *c)
{
	return c->out == NULL && c->in_length == 0 && c->kinds == 0 && !c->streams;
}

bool
connection_has_line(struct connection *c)
{
	return c->out == NULL && c->in_length != 0 && !c->doomed && connection_line(c) != 0;
}

int
connection_turn(struct service *s, struct connection *c, short events, int64_t now)
{
	int status = 0;

	if (events != 0)
		c->active_ms = now;
	if (events & POLLOUT)
		status = connection_send(s, c);
	if (status == 0 && events & (POLLIN | POLLHUP | POLLERR) &&
	    (c->out == NULL || c->out_is_events) && !c->ended)
		status = connection_read(c);
	if (status == 0 && c->out == NULL && !c->doomed)
		status = connection_serve(s, c);
	if (status != 0)
		return status;
	if (c->out == NULL && (c->doomed || (c->ended && (connection_idle(c) || events & POLLHUP))))
		return -ECONNRESET;
	// What waits for the server's own turn is not the client's delay.
	return c->deadline_ms <= now && !connection_has_line(c) ? -ETIMEDOUT : 0;
}
