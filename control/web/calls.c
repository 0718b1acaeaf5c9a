// SPDX-License-Identifier: BSD-3-Clause
// Each call has a connection of its own, so that one which takes long delays no other. Only a few
// are open at a time: the fabric has room for other clients than this one.
#include "web_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct call *
call_start(struct web *w, char *line, size_t length, call_done_fn *done, void *context)
{
	struct call *call;

	if (w->call_count >= WEB_CALLS_MAX) {
		free(line);
		return NULL;
	}
	call = memory_new(sizeof(*call), "call");
	*call = (struct call){.up = {.fd = -1},
			      .line = line,
			      .length = length,
			      .done = done,
			      .context = context,
			      .deadline_ms = clock_ms() + WEB_CALL_MS};
	TAILQ_INSERT_TAIL(&w->calls, call, of_all);
	w->call_count++;
	return call;
}

void
call_cancel(struct web *w, struct call *call)
{
	if (call == NULL)
		return;
	TAILQ_REMOVE(&w->calls, call, of_all);
	w->call_count--;
	upstream_close(&call->up);
	free(call->line);
	free(call);
}

static void
finish(struct web *w, struct call *call, const char *line, size_t length, const char *why)
{
	call->done(call->context, line, length, why);
	call_cancel(w, call);
}

void
calls_close(struct web *w)
{
	while (!TAILQ_EMPTY(&w->calls))
		finish(w, TAILQ_FIRST(&w->calls), NULL, 0, "roost web ends");
}

// Opens the connection of a call that has waited for its turn. Returns 0; -EAGAIN if it is to be
// tried again; or another -errno.
static int
begin(struct web *w, struct call *call)
{
	int rc = upstream_open(&call->up, w->options->socket);

	if (rc != 0)
		return rc;
	upstream_send(&call->up, call->line, call->length);
	free(call->line);
	call->line = NULL;
	call->begun = true;
	return 0;
}

unsigned int
calls_poll(struct web *w, struct pollfd *polled)
{
	unsigned int open = 0;
	struct call *call, *next;

	for (call = TAILQ_FIRST(&w->calls); call != NULL && open < WEB_CALLS_AT_ONCE; call = next) {
		int rc = call->begun ? 0 : begin(w, call);

		next = TAILQ_NEXT(call, of_all);
		if (rc == 0)
			polled[open++] =
				(struct pollfd){call->up.fd, upstream_events(&call->up), 0};
		else if (rc != -EAGAIN)
			finish(w, call, NULL, 0,
			       rc == -ENOENT || rc == -ECONNREFUSED ? "the fabric is not up"
								    : strerror(-rc));
	}
	return open;
}

static short
seen(const struct pollfd *polled, unsigned int count, int fd)
{
	for (unsigned int i = 0; i < count; i++)
		if (polled[i].fd == fd)
			return polled[i].revents;
	return 0;
}

static void
turn(struct web *w, struct call *call, short events, int64_t now)
{
	size_t length;
	int rc = upstream_turn(&call->up, events);
	const char *line = upstream_line(&call->up, &length);

	if (line != NULL)
		finish(w, call, line, length, NULL);
	else if (rc != 0)
		finish(w, call, NULL, 0,
		       rc == -ECONNRESET ? "the fabric has ended" : strerror(-rc));
	else if (now >= call->deadline_ms)
		finish(w, call, NULL, 0, "the fabric did not answer within 60 s");
}

void
calls_turn(struct web *w, const struct pollfd *polled, unsigned int count, int64_t now)
{
	struct call *call, *next;

	for (call = TAILQ_FIRST(&w->calls); call != NULL; call = next) {
		next = TAILQ_NEXT(call, of_all);
		if (call->begun)
			turn(w, call, seen(polled, count, call->up.fd), now);
		else if (now >= call->deadline_ms)
			finish(w, call, NULL, 0, "the fabric did not answer within 60 s");
	}
}
