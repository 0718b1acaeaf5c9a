// SPDX-License-Identifier: BSD-3-Clause
// The API of a live fabric: JSON-RPC 2.0 (https://www.jsonrpc.org/specification) over a unix
// stream socket, one request and one answer a line. server.c says how it is served.
#pragma once

#include "control/base/diag.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define API_REQUEST_MAX (1024u * 1024) // bytes of a request with its newline
#define API_BATCH_MAX 16               // requests in one batch
#define API_CLIENTS_MAX 64
#define API_READERS_MAX 32 // of them, clients that may only read
#define API_SUBSCRIBERS_MAX 16
#define API_WATCHED_MAX 2
#define API_EVENTS_MAX (256u * 1024) // bytes of events that may wait for a subscriber
#define API_PATH_MAX 108             // of a socket, with its NUL: sockaddr_un

// JSON-RPC 2.0, section 5.1.
enum api_code {
	API_PARSE_ERROR = -32700,
	API_INVALID_REQUEST = -32600,
	API_METHOD_NOT_FOUND = -32601,
	API_INVALID_PARAMS = -32602,
	API_FAILED = -32000,    // the method failed
	API_FORBIDDEN = -32001, // the client may not call it
};

// A notification of a stream. If there are bytes, its parameter API_BYTES is their number, and they
// follow the line as they are: the next line begins behind them.
#define API_BYTES "raw_bytes"
struct api_message {
	const char *method;
	const json_t *params; // stay the caller's
	const void *bytes;    // NULL: none
	size_t count;
};

// What a client may do, and what a method needs.
enum api_right { API_READ, API_WRITE };

// A client.
struct api_peer {
	uid_t uid;
	pid_t pid;
	enum api_right right;
};

enum api_type { API_TEXT, API_INTEGER, API_BOOL, API_TEXTS, API_OBJECTS };

// A named parameter. A list of them ends with one whose name is NULL.
struct api_param {
	const char *name;
	enum api_type type;
	bool required;
	const char *help;
	const char *const *(*words)(size_t *count); // the values of a text, described; NULL: any
};

// Answers a call. params: an object, an array, or NULL if there are none; the server's. Returns 0
// with *result for the server to free; -EINVAL if the parameters are wrong (API_INVALID_PARAMS), or
// another -errno (API_FAILED), with the errors in diag if there is more to say than the errno does.
// Called by the thread that polls the server.
typedef int api_method_fn(void *context, const json_t *params, json_t **result, struct diag *diag);

// What a method takes, who may call it and what it is for: the server checks calls by it, and the
// documentation derives from it. A table of them ends with one whose name is NULL.
struct api_method {
	const char *name;
	api_method_fn *call;
	enum api_right right;
	const char *help;
	const struct api_param *params; // NULL: the method checks them itself
	const char *result;             // in words
};

// ---- server.c: serving methods ------------------------------------------------------------------

struct api_server;

// Listens on `path`, whose directory is made if it is missing; methods outlive the server. Root
// and the caller's user may connect. A socket that nobody serves any more is replaced; the caller
// holds api_lock() if another process might replace it at the same time. Returns 0, -EADDRINUSE if
// another process serves it, or another -errno, with an error in diag.
int api_server_create(struct api_server **out, const char *path, const struct api_method *methods,
		      void *context, struct diag *diag);

// A string for an answer: a message may contain a path, or be cut within a character, and JSON
// carries UTF-8 only. What is not UTF-8 becomes question marks. (rpc.c)
json_t *api_text(const char *text);

// Closes all connections and removes the socket. NULL is fine.
void api_server_destroy(struct api_server *server);

// Serves the clients, waiting up to timeout_ms (-1: for ever, 0: not at all) for something to do.
// Returns 0, or -errno if polling itself failed. A signal ends the wait.
int api_server_poll(struct api_server *server, int timeout_ms);

// Lets the members of a group connect and call methods that need API_READ. Returns 0, or -errno
// with an error in diag.
int api_server_admit_readers(struct api_server *server, gid_t group, struct diag *diag);

// The client whose request is being answered. Within a method only.
const struct api_peer *api_server_peer(const struct api_server *server);

// Sends events to the client whose request is being answered, from now on: those of `kinds`, one
// bit each, whose size is at least `least`. Returns 0, or -EUSERS if there are too many
// subscribers. Within a method only.
int api_server_subscribe(struct api_server *server, uint32_t kinds, uint64_t least);
// The kinds that any client has subscribed to.
uint32_t api_server_wanted(const struct api_server *server);
// Sends the notification "event" to the subscribers of one kind, with `event` as its parameters,
// whose reference stays the caller's. Events that a subscriber does not read in time are lost, and
// their number is sent ({"kind": "lost", "events": N}) before the next event that it gets.
void api_server_notify(struct api_server *server, uint32_t kind, uint64_t size,
		       const json_t *event);

// The client whose request is being answered, by a number that no other client has had. Within a
// method only.
uint64_t api_server_client(const struct api_server *server);
bool api_server_has_client(struct api_server *server, uint64_t client);
// Streams: a client that gets messages as fast as it reads them. It may take its time over them,
// and is never idle.
void api_server_set_stream(struct api_server *server, uint64_t client, bool streams);
// Sends it a notification, of less than API_EVENTS_MAX. Returns 0; -EAGAIN if the one before has
// not been read, or a request of the client waits; or -ENOENT if the client is gone. Not within a
// method.
int api_server_send(struct api_server *server, uint64_t client, const struct api_message *message);

// Has a descriptor of the caller's (-1: none) end the wait too, as soon as it can be read; at most
// API_WATCHED_MAX of them.
void api_server_watch(struct api_server *server, int fd);

// How long a client may take over a request it began and over an answer that waits for it. 5 s
// unless set.
void api_server_set_patience(struct api_server *server, int ms);

// Clients that are connected.
unsigned int api_server_clients(const struct api_server *server);

// ---- client.c: calling them ---------------------------------------------------------------------

struct api_call {
	const char *path; // of the fabric's socket
	const char *method;
	const json_t *params; // stays the caller's; NULL: none
	int timeout_ms;       // -1: none
};

// Calls a method and waits for its answer. Returns 0 with *result for the caller to free; otherwise
// an error is in diag and *result is NULL: -EINVAL if the server refused the method or its
// parameters; -EREMOTEIO if the method failed; another -errno if the server could not be reached.
int api_call(const struct api_call *call, json_t **result, struct diag *diag);

struct api_follower {
	void *context;
	void (*begun)(void *context, const json_t *answer); // NULL: the answer is not wanted
	bool (*event)(void *context, const json_t *event);  // false: no more are wanted
};

// Subscribes with a call, passes its answer on and then the parameters of each event, until the
// follower wants no more or the connection ends; the timeout is that of the subscription. Returns 0
// if the follower ended it, or as api_call().
int api_follow(const struct api_call *call, const struct api_follower *follower, struct diag *diag);

// A connection that stays, on which messages come between answers.
struct api_stream;

// Calls a method and keeps the connection. Returns as api_call(); *out is for api_stream_close() if
// it returns 0.
int api_stream_open(struct api_stream **out, const struct api_call *call, json_t **result,
		    struct diag *diag);
// Calls another method by the same connection, on which no notifications come. Returns as
// api_call(); the call's path does not count.
int api_stream_call(struct api_stream *stream, const struct api_call *call, json_t **result,
		    struct diag *diag);
// Sends another request, whose answer api_stream_next() passes over. Returns 0 or -errno; -EINTR as
// there.
int api_stream_ask(struct api_stream *stream, const char *method);
// Waits for the next notification and returns its parameters, for json_decref(). Returns 0;
// -ETIMEDOUT; -EINTR if *stop is not 0 (a signal's handler sets it); -ECONNRESET if the fabric has
// ended; or another -errno.
int api_stream_next(struct api_stream *stream, int timeout_ms, const volatile int *stop,
		    json_t **params);
// The bytes that came with it, until the next call; *count is 0 if there were none.
const void *api_stream_bytes(const struct api_stream *stream, size_t *count);
// To wait for together with others: readable when something has come that api_stream_next() has not
// seen. What it has read already makes nothing readable, so call it until it returns -ETIMEDOUT.
int api_stream_fd(const struct api_stream *stream);
// NULL is fine.
void api_stream_close(struct api_stream *stream);

// ---- socket_path.c: where a fabric's socket is --------------------------------------------------
// /run/roost/NAME.sock of root's fabrics, $XDG_RUNTIME_DIR/roost/NAME.sock of another user's.

// The path of the socket of the caller's fabric `name`, whether it is up or not. Returns 0; -EINVAL
// if the name is not valid; -ENOENT if there is no directory for it (XDG_RUNTIME_DIR is not set);
// -ENAMETOOLONG; with an error in diag.
int api_socket_path(const char *name, char path[static API_PATH_MAX], struct diag *diag);

// The fabric that a command is about: `given`, or ROOST_FABRIC if it is NULL. NULL: neither is
// given (an empty variable is none).
const char *api_socket_name(const char *given);
// The socket of a fabric that is up: of `name`, or of the only one if it is NULL. Returns 0;
// -ENOENT if it, or any, is not up; -EEXIST if several are; -EACCES; another as above; with an
// error in diag that lists those that are up.
int api_socket_find(const char *name, char path[static API_PATH_MAX], struct diag *diag);
// The same in another directory.
int api_socket_find_in(const char *directory, const char *name, char path[static API_PATH_MAX],
		       struct diag *diag);

// The exit status of a command after api_socket_find() returned rc: EXIT_USAGE if the name is wrong
// or missing.
int api_socket_exit_status(int rc);

// Passes on the name of each of the caller's fabrics that is up.
void api_socket_list(void (*each)(void *context, const char *name), void *context);

// Passes on name and socket of each fabric that is up and that the caller may ask: of a user other
// than root, also root's.
void api_socket_each(void (*each)(void *context, const char *name, const char *path),
		     void *context);

// Removes a socket that nobody serves. Returns 0, also if there is none; -EADDRINUSE if a process
// serves it or the file is not a socket; or another -errno.
int api_socket_remove_stale(const char *path);

// ---- socket_lock.c: one process at a time brings a fabric of a name up or cleans up after it ----

#define API_LOCK_MS 10000 // of waiting for a lock: longer than anybody should hold it

struct api_lock {
	int directory, fd;
	char name[API_PATH_MAX + 8]; // of the lock's file
};

// Takes the lock of the fabric whose socket is `path`; makes the directory if it is missing. Waits
// for a holder up to wait_ms. Returns 0; -EBUSY; -EPERM if others may write the directory; or
// another -errno; with an error in diag.
int api_lock(struct api_lock *lock, const char *path, int wait_ms, struct diag *diag);
void api_unlock(struct api_lock *lock);

// ---- describe.c: the documentation of methods ---------------------------------------------------

// An OpenRPC document (https://spec.open-rpc.org, version 1.3): every method with its parameters
// and who may call it ("x-right": "read" or "write"). Any thread.
json_t *api_describe(const struct api_method *methods);
// The same as Markdown: a heading for each method and a table of its parameters.
void api_describe_markdown(const struct api_method *methods, FILE *to);
