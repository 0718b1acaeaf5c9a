// SPDX-License-Identifier: BSD-3-Clause
// What is sent waits in a queue of each browser, which is bounded: a browser that does not read
// loses events and gets their number instead. Between events its connection is suspended, which
// costs nothing; a beat now and then makes an end of the connection known.
#include "web_internal.h"

#include "control/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_BEAT_MS 10000
#define STREAM_BLOCK 16384 // bytes that are handed to the connection at a time

// Returns false if there is no room.
static bool
queue_bytes(struct stream *s, const char *text, size_t length)
{
	if (send_queue_waiting(&s->queue) + length > WEB_STREAM_MAX)
		return false;
	send_queue_add(&s->queue, text, length);
	return true;
}

static void
wake(struct stream *s)
{
	if (s->suspended) {
		s->suspended = false;
		MHD_resume_connection(s->connection);
	}
}

static void
send_lost(struct stream *s)
{
	char text[96];
	int length = snprintf(text, sizeof(text), "event: lost\ndata: {\"events\":%" PRIu64 "}\n\n",
			      s->lost);

	if (queue_bytes(s, text, (size_t)length))
		s->lost = 0;
}

static void
send_one(struct stream *s, const char *text, size_t length)
{
	if (s->lost != 0)
		send_lost(s);
	if (s->lost != 0 || !queue_bytes(s, text, length))
		s->lost++;
	wake(s);
}

void
stream_send(struct stream *s, const char *event, const char *data, size_t length)
{
	char *text = memory_format("event: %s\ndata: %.*s\n\n", event, (int)length, data);

	send_one(s, text, strlen(text));
	free(text);
}

void
streams_send(struct web *w, const char *event, const char *data, size_t length)
{
	struct stream *s;

	TAILQ_FOREACH(s, &w->streams, of_all)
	{
		stream_send(s, event, data, length);
	}
}

void
streams_tick(struct web *w, int64_t now)
{
	struct stream *s;

	if (now < w->next_beat_ms)
		return;
	w->next_beat_ms = now + STREAM_BEAT_MS;
	TAILQ_FOREACH(s, &w->streams, of_all)
	{
		if (send_queue_waiting(&s->queue) == 0)
			queue_bytes(s, ":\n\n", 3);
		wake(s);
	}
}

void
streams_close(struct web *w)
{
	struct stream *s;

	TAILQ_FOREACH(s, &w->streams, of_all)
	wake(s);
}

static ssize_t
read_stream(void *context, uint64_t position, char *to, size_t room)
{
	struct stream *s = context;
	size_t length = send_queue_take(&s->queue, to, room);

	(void)position;
	if (length == 0 && !s->suspended) {
		s->suspended = true;
		MHD_suspend_connection(s->connection);
	}
	return (ssize_t)length;
}

static void
free_stream(void *context)
{
	struct stream *s = context;

	TAILQ_REMOVE(&s->web->streams, s, of_all);
	s->web->stream_count--;
	send_queue_free(&s->queue);
	free(s);
}

enum MHD_Result
stream_answer(struct web *w, struct MHD_Connection *connection)
{
	struct MHD_Response *response;
	struct stream *s;

	if (w->stream_count >= WEB_STREAMS_MAX)
		return respond_error(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
				     "too many browsers are connected; close one");
	s = memory_new(sizeof(*s), "stream");
	*s = (struct stream){.web = w, .connection = connection};
	TAILQ_INSERT_TAIL(&w->streams, s, of_all);
	w->stream_count++;
	// While events are not yet subscribed to, the state comes with the answer to that.
	if (w->options->socket != NULL && (w->monitor.subscribed || !monitor_is_up(w)))
		monitor_greet(w, s);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, s,
						     free_stream);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
	return respond(connection, MHD_HTTP_OK, response);
}
