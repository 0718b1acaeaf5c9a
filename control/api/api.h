// SPDX-License-Identifier: BSD-3-Clause
// The API of a live fabric: JSON-RPC 2.0 (https://www.jsonrpc.org/specification) over a unix
// stream socket, one request and one answer a line. server.c says how it is served.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define API_REQUEST_MAX (1024u * 1024) // bytes of a request with its newline
#define API_BATCH_MAX 16               // requests in one batch
#define API_CLIENTS_MAX 64
#define API_READERS_MAX 32 // of them those who may only read
#define API_SUBSCRIBERS_MAX 16
#define API_EVENTS_MAX (256u * 1024) // bytes of events that may wait for a subscriber
#define API_WHY_MAX 4096
#define API_PATH_MAX 108 // of a socket, with its NUL: sockaddr_un

// JSON-RPC 2.0, section 5.1.
enum api_code {
	API_PARSE_ERROR = -32700,
	API_INVALID_REQUEST = -32600,
	API_METHOD_NOT_FOUND = -32601,
	API_INVALID_PARAMS = -32602,
	API_FAILED = -32000,    // the method could not do it
	API_FORBIDDEN = -32001, // the client may not ask for it
};

// What a client may do, and what a method needs.
enum api_right { API_READ, API_WRITE };

// Who asks.
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
};

// Answers a call. params: an object, an array, or NULL when there are none; the server's. Returns
// 0 with *result the server's to free; -EINVAL when the parameters are wrong
// (API_INVALID_PARAMS), or another -errno (API_FAILED), with one line in why if there is more to
// say than the errno does. Called by the thread that polls the server.
typedef int api_method_fn(void *context, const json_t *params, json_t **result, char *why,
			  size_t why_size);

// One table says what a method takes, who may call it and what it is for: calls are checked by it,
// and the documentation is made of it (describe.h).
struct api_method {
	const char *name;
	api_method_fn *call;
	enum api_right right;
	const char *help;
	const struct api_param *params; // NULL: the method looks at them itself
	const char *result;             // what it answers, in words
};

struct api_server;

// Listens on `path`, whose directory is made when it is missing; methods outlive the server. Root
// and the caller's user may connect. A socket that nobody serves any more is replaced. Returns 0;
// -EADDRINUSE when somebody does; another -errno; then one line stands in err.
int api_server_create(struct api_server **out, const char *path, const struct api_method *methods,
		      size_t count, void *context, char *err, size_t err_size);

// Closes all connections and removes the socket. NULL is fine.
void api_server_destroy(struct api_server *server);

// Serves what there is to serve, waiting up to timeout_ms (-1: for ever, 0: not at all) for
// something to do. Returns 0, or -errno when polling itself failed. A signal ends the wait.
int api_server_poll(struct api_server *server, int timeout_ms);

// Lets the members of a group connect and call what only reads. Returns 0 or -errno with one line
// in err.
int api_server_admit_readers(struct api_server *server, gid_t group, char *err, size_t err_size);

// Who has sent the request that is being answered. Within a method only.
const struct api_peer *api_server_peer(const struct api_server *server);

// From now on the client whose request is being answered gets events: those of `kinds`, one
// bit each, whose size is at least `least`. Returns 0, or -EUSERS when there are too many
// subscribers. Within a method only.
int api_server_subscribe(struct api_server *server, uint32_t kinds, uint64_t least);
// The kinds that somebody wants to be told of.
uint32_t api_server_wanted(const struct api_server *server);
// Tells the subscribers of one kind: the notification "event" with `event` as its parameters, whose
// reference stays the caller's. What a subscriber does not read in time is lost, and how much that
// was is sent ({"kind": "lost", "events": N}) before the next that it gets. Returns 0 or -ENOMEM.
int api_server_tell(struct api_server *server, uint32_t kind, uint64_t size, const json_t *event);

// Has a descriptor of the caller's (-1: none) end the wait too, as soon as it can be read.
void api_server_watch(struct api_server *server, int fd);

// How long a client may take over a request it began and over an answer that waits for it. 5 s
// unless set.
void api_server_set_patience(struct api_server *server, int ms);

// Clients that are connected.
unsigned int api_server_clients(const struct api_server *server);

// Calls a method of the fabric behind `path` and waits for its answer, for up to timeout_ms (-1:
// for ever). params: stays the caller's; NULL: none. Returns 0 with *result the caller's to free;
// -EINVAL when the server refused the method or its parameters; -EREMOTEIO when the method
// failed; another -errno when the server could not be reached; then one line stands in err.
int api_call(const char *path, const char *method, const json_t *params, int timeout_ms,
	     json_t **result, char *err, size_t err_size);

// Subscribes with a call of `method` and hands over every event's parameters, until `each` returns
// false or the connection ends. Returns 0 when `each` ended it, or as api_call().
int api_follow(const char *path, const char *method, const json_t *params,
	       bool (*each)(void *context, const json_t *event), void *context, char *err,
	       size_t err_size);
