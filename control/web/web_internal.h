// SPDX-License-Identifier: BSD-3-Clause
// What the server consists of. All of it belongs to the one thread that runs loop.c.
#pragma once

#include "access.h"
#include "send_queue.h"
#include "upstream.h"
#include "web.h"

#include <jansson.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <sys/queue.h>

// ---- calls.c: requests that wait for the fabric -------------------------------------------------

// Gets the answer, without its newline, or NULL with why there is none. `line` is valid during the
// call only.
typedef void call_done_fn(void *context, const char *line, size_t length, const char *why);

struct call {
	TAILQ_ENTRY(call) of_all;
	struct upstream up;
	char *line; // with its newline; NULL: it has been handed over
	size_t length;
	call_done_fn *done;
	void *context;
	int64_t deadline_ms;
	bool begun;
};

TAILQ_HEAD(call_list, call);

struct web;

// Asks the fabric, whose socket is web's. Takes the line, with its newline. Returns NULL if too
// many wait; the line is freed then too. done() is not called before this function returns.
struct call *call_start(struct web *w, char *line, size_t length, call_done_fn *done,
			void *context);
// Forgets a call, whose done() is not called. NULL is fine.
void call_cancel(struct web *w, struct call *call);
// Ends all of them.
void calls_close(struct web *w);
// Adds what poll should wait for; returns how many.
unsigned int calls_poll(struct web *w, struct pollfd *polled);
// A turn with what poll saw of these.
void calls_turn(struct web *w, const struct pollfd *polled, unsigned int count, int64_t now);

// ---- monitor.c: whether the fabric is up, its methods, its events -------------------------------

struct monitor {
	struct upstream up;
	json_t *methods;      // {NAME: "read"|"write"}; NULL: the fabric is not up
	int64_t next_try_ms;  // to connect
	bool subscribing;     // events have been asked for
	bool subscribed;      // they come
	bool has_film;        // the fabric can send one too
	char *film_head;      // its first block in base64, FILM, once it has come
	json_t *film_metas;   // the same of META: the first is whole, others change or add to it
	char *refused;        // why there is no film, or nothing at all; NULL: nothing was refused
	bool metas_begin;     // the next META is whole again
	int64_t last_used_ms; // when a browser last listened
};

// Connects if it is time to. Asks for events while somebody listens.
void monitor_tick(struct web *w, int64_t now);
// What poll should wait for; fd -1: nothing.
struct pollfd monitor_poll(const struct web *w);
void monitor_turn(struct web *w, short events, int64_t now);
void monitor_close(struct web *w);
struct stream;
// Sends a browser that joins later what the others have got first.
void monitor_greet(const struct web *w, struct stream *s);
bool monitor_is_up(const struct web *w);
// The right that a method needs. Returns false if the fabric has no such method.
bool monitor_method(const struct web *w, const char *name, enum access_right *right);

// ---- stream.c: server-sent events (https://html.spec.whatwg.org, section 9.2) -------------------

struct stream {
	TAILQ_ENTRY(stream) of_all;
	struct web *web;
	struct MHD_Connection *connection;
	struct send_queue queue;
	uint64_t lost; // events since the last that it got
	bool suspended;
};

TAILQ_HEAD(stream_list, stream);

// GET /live.
enum MHD_Result stream_answer(struct web *w, struct MHD_Connection *connection);
// Sends an event to one: data is one line.
void stream_send(struct stream *s, const char *event, const char *data, size_t length);
// The same to all.
void streams_send(struct web *w, const char *event, const char *data, size_t length);
// Sends what a browser must get to notice that a connection has ended, and the other way round.
void streams_tick(struct web *w, int64_t now);
// Ends all of them.
void streams_close(struct web *w);

// ---- patience.c: how long a browser may take over a request -------------------------------------

// A connection.
struct client {
	TAILQ_ENTRY(client) of_all;
	int fd;
	int64_t deadline_ms; // for its request to be complete; INT64_MAX: none has begun
	bool idle;           // since the last answer
	uint64_t received;   // bytes until then
};

TAILQ_HEAD(client_list, client);

// libmicrohttpd's callback.
void client_notify(void *web, struct MHD_Connection *connection, void **context,
		   enum MHD_ConnectionNotificationCode code);
// A request is complete, or has been refused before that.
void client_asked(struct MHD_Connection *connection);
// It has been answered.
void client_answered(struct MHD_Connection *connection);
// Closes connections whose request is overdue.
void clients_tick(struct web *w, int64_t now);
// The connection's socket.
int client_socket(struct MHD_Connection *connection);

// ---- download.c: GET /capture -------------------------------------------------------------------

struct request;
struct download;
TAILQ_HEAD(download_list, download);

// Answers, or begins a capture and suspends the connection.
enum MHD_Result download_answer(struct request *r);
// Ends one whose request has ended before it was answered. NULL is fine.
void download_cancel(struct download *d);
// Adds what poll should wait for; returns how many.
unsigned int downloads_poll(struct web *w, struct pollfd *polled);
// A turn with what poll saw of these.
void downloads_turn(struct web *w, const struct pollfd *polled, int64_t now);
// Ends all of them.
void downloads_close(struct web *w);

// ---- request.c: one request ---------------------------------------------------------------------

struct request {
	struct web *web;
	struct MHD_Connection *connection;
	enum access_right right;
	bool foreign;    // another site made the browser send it
	bool set_cookie; // the address has the token
	char *body;
	size_t length;
	struct call *call;         // that it waits for
	struct download *download; // the same
	char *answer;              // the fabric's
	size_t answer_length;
	unsigned int answer_status; // of HTTP; 0: none yet
	struct metrics *metrics;    // that are the answer
	bool suspended;
};

// libmicrohttpd's callbacks.
enum MHD_Result request_handle(void *web, struct MHD_Connection *connection, const char *url,
			       const char *method, const char *version, const char *upload,
			       size_t *upload_size, void **context);
void request_completed(void *web, struct MHD_Connection *connection, void **context,
		       enum MHD_RequestTerminationCode how);
// Lets libmicrohttpd handle a request again that has its answer now.
void request_resume(struct request *r);
// What to say to a client that may only read.
const char *request_lacks_right(const struct request *r);

// ---- rpc.c: POST /rpc ---------------------------------------------------------------------------

// Answers, or begins a call and suspends the connection.
enum MHD_Result rpc_handle(struct request *r);

// ---- metrics_route.c: GET /metrics --------------------------------------------------------------

// Answers, or begins a call and suspends the connection.
enum MHD_Result metrics_answer(struct request *r);

// ---- routes.c: what GET answers -----------------------------------------------------------------

enum MHD_Result route_get(struct request *r, const char *url);

// ---- respond.c ----------------------------------------------------------------------------------

#define RESPOND_JSON "application/json"
#define RESPOND_TEXT "text/plain; charset=utf-8"

// Adds the headers that every answer has. Takes the response.
enum MHD_Result respond(struct MHD_Connection *connection, unsigned int status,
			struct MHD_Response *response);
// Both copy the text.
enum MHD_Result respond_text(struct MHD_Connection *connection, unsigned int status,
			     const char *type, const char *text);
enum MHD_Result respond_error(struct MHD_Connection *connection, unsigned int status,
			      const char *why);
// Takes the value.
enum MHD_Result respond_json(struct MHD_Connection *connection, unsigned int status, json_t *value);
// The value of a request's header, or NULL.
const char *request_header(struct MHD_Connection *connection, const char *name);

// ---- files.c: what directories with results have ------------------------------------------------

// GET /film/N and /dir/N/NAME, with ranges.
enum MHD_Result film_answer(struct request *r, const char *url);
enum MHD_Result result_answer(struct request *r, const char *url);
// [{"name", "size"}]: the directories, and the bytes of their films; null: it has none.
json_t *film_list(const struct web_options *o);

// ---- page.c: the files of the page --------------------------------------------------------------

// Answers with a file of the page, or that there is none. cookie: a Set-Cookie header, or NULL.
enum MHD_Result page_answer(struct MHD_Connection *connection, const char *name,
			    const char *cookie);

// ---- all ----------------------------------------------------------------------------------------

struct web {
	const struct web_options *options;
	struct access access;
	struct MHD_Daemon *daemon;
	struct call_list calls;
	unsigned int call_count;
	struct stream_list streams;
	unsigned int stream_count;
	struct download_list downloads;
	unsigned int download_count;
	struct client_list clients;
	int64_t next_look_ms; // at clients
	int64_t next_beat_ms; // of streams
	struct monitor monitor;
	int64_t announce_ms; // at the latest
	bool announced;      // the address has been printed
};
