// SPDX-License-Identifier: BSD-3-Clause
// One connection to the fabric stays open for as long as both live. It says what methods there are
// when it begins, that the fabric has ended when it ends, and in between the events, if a browser
// wants them. While the fabric is down, it is tried again and again.
#include "web_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MONITOR_RETRY_MS 500
#define MONITOR_UNUSED_MS 5000 // without a browser that listens
#define MONITOR_METAS_MAX 64
#define SUBSCRIBE(params) "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"subscribe\"" params "}\n"

bool
monitor_is_up(const struct web *w)
{
	return w->monitor.methods != NULL;
}

bool
monitor_method(const struct web *w, const char *name, enum access_right *right)
{
	const char *needs = json_string_value(json_object_get(w->monitor.methods, name));

	*right = needs != NULL && strcmp(needs, "read") == 0 ? ACCESS_READ : ACCESS_WRITE;
	return needs != NULL;
}

static void
send_line(struct monitor *m, const char *line)
{
	upstream_send(&m->up, line, strlen(line));
}

static const char *
state_of(const struct web *w)
{
	return monitor_is_up(w) ? "{\"up\":true}" : "{\"up\":false}";
}

static void
say_state(struct web *w)
{
	streams_send(w, "state", state_of(w), strlen(state_of(w)));
}

void
monitor_greet(const struct web *w, struct stream *s)
{
	const struct monitor *m = &w->monitor;
	json_t *meta;
	size_t i;

	stream_send(s, "state", state_of(w), strlen(state_of(w)));
	if (m->refused != NULL)
		stream_send(s, "refused", m->refused, strlen(m->refused));
	if (m->film_head == NULL)
		return;
	stream_send(s, "header", m->film_head, strlen(m->film_head));
	json_array_foreach(m->film_metas, i, meta)
		stream_send(s, "header", json_string_value(meta), json_string_length(meta));
}

// Ends the connection, and with it what was subscribed to.
static void
disconnect(struct monitor *m)
{
	upstream_close(&m->up);
	free(m->film_head);
	free(m->refused);
	m->film_head = m->refused = NULL;
	json_decref(m->film_metas);
	m->film_metas = NULL;
	m->metas_begin = false;
	m->subscribing = m->subscribed = false;
}

void
monitor_close(struct web *w)
{
	struct monitor *m = &w->monitor;

	disconnect(m);
	json_decref(m->methods);
	*m = (struct monitor){.up = {.fd = -1}, .next_try_ms = clock_ms() + MONITOR_RETRY_MS};
}

static void
lose(struct web *w)
{
	bool was_up = monitor_is_up(w);

	monitor_close(w);
	if (was_up)
		say_state(w);
}

static void
connect_again(struct web *w, int64_t now)
{
	struct monitor *m = &w->monitor;
	int rc = upstream_open(&m->up, w->options->socket);

	m->next_try_ms = now + MONITOR_RETRY_MS;
	if (rc == 0)
		send_line(m, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}\n");
	else if (rc != -EAGAIN && monitor_is_up(w))
		lose(w);
}

static void
subscribe(struct monitor *m)
{
	m->subscribing = true;
	send_line(m, m->has_film ? SUBSCRIBE(",\"params\":{\"film-ms\":100}") : SUBSCRIBE(""));
}

void
monitor_tick(struct web *w, int64_t now)
{
	struct monitor *m = &w->monitor;

	if (w->options->socket == NULL)
		return;
	if (w->stream_count != 0)
		m->last_used_ms = now;
	// Nothing ends a subscription but the connection's end: a film costs the fabric something.
	if (m->subscribed && now - m->last_used_ms >= MONITOR_UNUSED_MS) {
		disconnect(m);
		m->next_try_ms = now;
	}
	if (m->up.fd < 0 && now >= m->next_try_ms)
		connect_again(w, now);
	if (monitor_is_up(w) && m->up.fd >= 0 && !m->subscribing && w->stream_count != 0)
		subscribe(m);
}

struct pollfd
monitor_poll(const struct web *w)
{
	const struct monitor *m = &w->monitor;

	return (struct pollfd){m->up.fd, m->up.fd >= 0 ? upstream_events(&m->up) : 0, 0};
}

static bool
has_parameter(const json_t *method, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(method, "params"), i, one)
	{
		const char *known = json_string_value(json_object_get(one, "name"));

		if (known != NULL && strcmp(known, name) == 0)
			return true;
	}
	return false;
}

// The right that each method needs stands in its description, which derives from its row.
static void
take_methods(struct web *w, const json_t *description)
{
	json_t *methods = json_object(), *one;
	size_t i;

	json_array_foreach(json_object_get(description, "methods"), i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		json_t *right = json_object_get(one, "x-right");

		if (name != NULL && json_is_string(right))
			json_object_set(methods, name, right);
		if (name != NULL && strcmp(name, "subscribe") == 0)
			w->monitor.has_film = has_parameter(one, "film-ms");
	}
	json_decref(w->monitor.methods);
	w->monitor.methods = methods;
}

// A browser that learns that the fabric is up misses no event from then on. Where the fabric sends
// no film, as to too many of other intervals, there are events; where it sends none, the reason.
static void
take_subscription(struct web *w, const json_t *error)
{
	struct monitor *m = &w->monitor;
	const char *why = json_string_value(json_object_get(error, "message"));

	if (error != NULL) {
		free(m->refused);
		m->refused = memory_text(why != NULL ? why : "the fabric gives no reason");
		streams_send(w, "refused", m->refused, strlen(m->refused));
	}
	if (error != NULL && m->has_film) {
		m->has_film = false;
		subscribe(m);
		return;
	}
	m->subscribed = true;
	say_state(w);
}

// Keeps a META for browsers that join later. After many, it asks for one that has all of them.
static void
keep_meta(struct monitor *m, const char *block)
{
	if (m->metas_begin || m->film_metas == NULL) {
		json_decref(m->film_metas);
		m->film_metas = json_array();
		m->metas_begin = false;
	}
	json_array_append_new(m->film_metas, json_string(block));
	if (json_array_size(m->film_metas) == MONITOR_METAS_MAX)
		subscribe(m);
	else if (json_array_size(m->film_metas) > 2 * MONITOR_METAS_MAX)
		json_array_remove(m->film_metas, 1);
}

// A block of the film in base64, by how "FILM" and "META" begin in that. A whole META follows
// FILM; both come again for another client of the fabric, and say nothing new to browsers here.
static void
take_block(struct web *w, const char *block)
{
	struct monitor *m = &w->monitor;
	bool film = strncmp(block, "RklMT", 5) == 0, meta = strncmp(block, "TUVUQ", 5) == 0;

	if (film) {
		m->metas_begin = true;
		if (m->film_head != NULL)
			return;
		m->film_head = memory_text(block);
	}
	if (meta) {
		bool known = m->metas_begin && m->film_metas != NULL;

		keep_meta(m, block);
		if (known)
			return;
	}
	streams_send(w, film || meta ? "header" : "chunk", block, strlen(block));
}

// Events that the fabric reports as lost are lost to all browsers, and none of them is to blame.
static void
take_event(struct web *w, json_t *event)
{
	const char *block = json_string_value(json_object_get(event, "block"));
	const char *kind = json_string_value(json_object_get(event, "kind"));
	bool lost = kind != NULL && strcmp(kind, "lost") == 0;
	char *text;

	if (kind != NULL && strcmp(kind, "film") == 0 && block != NULL) {
		take_block(w, block);
		return;
	}
	if (lost)
		json_object_set_new(event, "by", json_string("server"));
	text = json_dumps(event, JSON_COMPACT);
	streams_send(w, lost ? "lost" : "event", text, strlen(text));
	free(text);
}

static void
take_line(struct web *w, const char *line, size_t length)
{
	json_t *message = json_loadb(line, length, 0, NULL);
	json_t *result = json_object_get(message, "result");
	json_int_t id = json_integer_value(json_object_get(message, "id"));
	const char *method = json_string_value(json_object_get(message, "method"));

	if (method != NULL && strcmp(method, "event") == 0)
		take_event(w, json_object_get(message, "params"));
	else if (id == 1 && result != NULL)
		take_methods(w, result);
	else if (id == 2)
		take_subscription(w, json_object_get(message, "error"));
	json_decref(message);
}

void
monitor_turn(struct web *w, short events, int64_t now)
{
	struct monitor *m = &w->monitor;
	const char *line;
	size_t length;
	int rc;

	if (m->up.fd >= 0) {
		rc = upstream_turn(&m->up, events);
		while ((line = upstream_line(&m->up, &length)) != NULL)
			take_line(w, line, length);
		if (rc != 0)
			lose(w);
	}
	monitor_tick(w, now);
}
