// SPDX-License-Identifier: BSD-3-Clause
// What the server consists of: messages, the socket that listens, and clients.
#pragma once

#include "api.h"

// ---- rpc.c: JSON-RPC 2.0 without its transport --------------------------------------------------

// What a type is called, by enum api_type (describe.c).
struct api_type_names {
	const char *schema; // in JSON Schema; of a list, its items
	bool list;
	const char *help;  // "list of strings"
	const char *error; // "X is not a list of strings"
};
extern const struct api_type_names api_type_names[];

struct rpc {
	const struct api_method *methods;
	void *context;
};

// Answers one message (a request, a notification, or a batch of them) of a client that has this
// right. Returns a line of JSON and its newline, for free(), or NULL if there is nothing to answer
// (notifications).
char *rpc_answer(const struct rpc *rpc, enum api_right right, const char *text, size_t length,
		 size_t *answer_length);
// A notification's line.
char *rpc_notification(const char *method, const json_t *params, size_t *length);
// The line that refuses a message whose id is unknown.
char *rpc_refusal(enum api_code code, const char *message);

// ---- listener.c: a unix stream socket that listens, and its file --------------------------------

struct listener {
	int fd;
	dev_t device; // of the socket's file
	ino_t inode;
	char path[API_PATH_MAX];
};

// Listens on `path` with mode 0600. Its directory is made if it is missing; a socket there that
// nobody serves any more is replaced. Returns 0; -EADDRINUSE if another process serves it;
// -ENAMETOOLONG or another -errno; with an error in diag.
int listener_open(struct listener *l, const char *path, int backlog, struct diag *diag);
// Closes it and removes the file, if it is still the same.
void listener_close(struct listener *l);
// Lets the members of a group connect too. Returns 0 or -errno.
int listener_open_to(struct listener *l, gid_t group);
// 0 if a process listens on the socket `path`, or -errno: -ECONNREFUSED if it is stale.
int listener_probe(const char *path);
// Opens the directory of the socket `path`, made with mode 0700 if it is missing. Returns a
// descriptor or -errno. (socket_lock.c)
int socket_directory_open(const char *path);

// ---- connection.c: one client: lines in, answers out, deadlines between -------------------------

// What clients are served.
struct service {
	struct rpc rpc;
	int patience_ms;
	struct connection *asking; // whose request is being answered; NULL: nobody's
};

struct connection {
	int fd; // does not block
	struct api_peer peer;
	char *in;        // received; room for API_REQUEST_MAX
	size_t in_start; // where what has not been answered begins, at a line's start
	size_t in_length;
	size_t in_scanned; // of them known to hold no newline
	size_t in_blanks;  // of them known to be blanks
	char *out;         // the answer that waits, or NULL
	size_t out_length;
	size_t out_sent;
	bool out_is_events;
	uint64_t id;    // no other client has had it
	bool streams;   // it is sent messages as fast as it reads them
	uint32_t kinds; // of events that it gets; 0: none
	uint64_t least; // their size
	char *events; // those that wait behind the answer, complete lines; room for API_EVENTS_MAX
	size_t events_length;
	uint64_t events_lost; // since the last that it got
	int64_t deadline_ms;  // of what was begun, by clock_ms(); INT64_MAX: nothing
	int64_t active_ms;    // when it last did anything
	bool ended;           // it will send no more
	bool doomed;          // to be closed once its answer is sent
};

// The events that poll should wait for.
short connection_events(const struct connection *c);
// True if a complete request has been received that is not yet answered.
bool connection_has_line(struct connection *c);
// True if it has begun nothing.
bool connection_idle(const struct connection *c);
// Puts an event's line behind what waits to be sent; one for which there is no room is counted as
// lost.
void connection_notify(const struct service *s, struct connection *c, const char *line,
		       size_t length);
struct span {
	const void *at;
	size_t count;
};

// Lets its socket hold more, as far as the system allows: server and client need not wait for each
// other after every 100 KiB.
void connection_widen(const struct connection *c);
// Sends a message's line, and the bytes behind it, after what waits. Returns 0; -EAGAIN if that is
// too much, or the client has sent something that waits to be answered; or another -errno if it is
// to be closed.
int connection_stream(const struct service *s, struct connection *c, const struct span *line,
		      const struct span *bytes);
// One turn with the events that poll saw. Returns 0, or -errno if it is to be closed.
int connection_turn(struct service *s, struct connection *c, short events, int64_t now);
void connection_close(struct connection *c);
