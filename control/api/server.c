// SPDX-License-Identifier: BSD-3-Clause
// The server's side of the socket: who may connect, how many, and whose turn it is. One thread
// polls; nothing here blocks on a client (connection.c).
//
// Who may connect is asked twice: the socket's mode is 0600, and SO_PEERCRED must name root or
// the user who runs the server. When all places are taken, the client that has been idle the
// longest makes room.
#include "connection.h"
#include "listener.h"
#include "rpc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVER_PATIENCE_MS 5000

struct api_server {
	struct listener listener;
	struct service service;
	unsigned int client_count;
	struct connection clients[API_CLIENTS_MAX];
};

static void
server_drop_client(struct api_server *s, unsigned int index)
{
	connection_close(&s->clients[index]);
	s->clients[index] = s->clients[--s->client_count];
}

static bool
peer_allowed(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
		return false;
	return peer.uid == 0 || peer.uid == geteuid();
}

// The client that has been idle the longest, or API_CLIENTS_MAX when none is.
static unsigned int
longest_idle(const struct api_server *s)
{
	unsigned int found = API_CLIENTS_MAX;

	for (unsigned int i = 0; i < s->client_count; i++) {
		const struct connection *c = &s->clients[i];

		if (connection_idle(c) &&
		    (found == API_CLIENTS_MAX || c->active_ms < s->clients[found].active_ms))
			found = i;
	}
	return found;
}

// Tells a peer why it is not served, as far as its socket takes it at once.
static void
turn_away(int fd, const char *message)
{
	char *line = rpc_refusal(API_FAILED, message);

	if (line != NULL)
		(void)!send(fd, line, strlen(line), MSG_NOSIGNAL);
	free(line);
	close(fd);
}

static void
server_accept(struct api_server *s)
{
	int fd = accept4(s->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (!peer_allowed(fd)) {
		turn_away(fd, "only root and the fabric's owner may ask");
		return;
	}
	if (s->client_count == API_CLIENTS_MAX) {
		unsigned int idle = longest_idle(s);

		if (idle == API_CLIENTS_MAX) {
			turn_away(fd, "too many clients");
			return;
		}
		server_drop_client(s, idle);
	}
	s->clients[s->client_count++] = (struct connection){
		.fd = fd, .deadline_ms = INT64_MAX, .active_ms = connection_clock_ms()};
}

// How long poll may wait: not past a deadline, not at all while requests wait for their turn.
static int
server_timeout(struct api_server *s, int timeout_ms)
{
	int64_t now = connection_clock_ms();
	int64_t wait = timeout_ms < 0 ? INT64_MAX : timeout_ms;

	for (unsigned int i = 0; i < s->client_count; i++) {
		struct connection *c = &s->clients[i];
		int64_t left = c->deadline_ms > now ? c->deadline_ms - now : 0;

		if (connection_has_line(c))
			return 0;
		if (c->deadline_ms != INT64_MAX && left < wait)
			wait = left;
	}
	return wait == INT64_MAX ? -1 : (int)wait;
}

int
api_server_poll(struct api_server *s, int timeout_ms)
{
	struct pollfd polled[1 + API_CLIENTS_MAX];
	unsigned int count = s->client_count;
	int64_t now;

	polled[0] = (struct pollfd){.fd = s->listener.fd, .events = POLLIN};
	for (unsigned int i = 0; i < count; i++)
		polled[1 + i] = (struct pollfd){
			.fd = s->clients[i].fd,
			.events = connection_events(&s->clients[i]),
		};
	if (poll(polled, 1 + count, server_timeout(s, timeout_ms)) < 0) {
		if (errno != EINTR)
			return -errno;
		return 0;
	}
	now = connection_clock_ms();
	// Backwards: closing moves the last client into the place of the closed one.
	for (unsigned int i = count; i-- > 0;)
		if (connection_turn(&s->service, &s->clients[i], polled[1 + i].revents, now) != 0)
			server_drop_client(s, i);
	if (polled[0].revents & POLLIN)
		server_accept(s);
	return 0;
}

void
api_server_set_patience(struct api_server *s, int ms)
{
	s->service.patience_ms = ms;
}

unsigned int
api_server_clients(const struct api_server *s)
{
	return s->client_count;
}

int
api_server_create(struct api_server **out, const char *path, const struct api_method *methods,
		  size_t count, void *context, char *err, size_t err_size)
{
	struct api_server *s = calloc(1, sizeof(*s));
	int status;

	*out = NULL;
	if (s == NULL) {
		snprintf(err, err_size, "%s: %s", path, strerror(ENOMEM));
		return -ENOMEM;
	}
	s->service = (struct service){methods, count, context, SERVER_PATIENCE_MS};
	status = listener_open(&s->listener, path, API_CLIENTS_MAX, err, err_size);
	if (status != 0) {
		free(s);
		return status;
	}
	*out = s;
	return 0;
}

void
api_server_destroy(struct api_server *s)
{
	if (s == NULL)
		return;
	while (s->client_count != 0)
		server_drop_client(s, s->client_count - 1);
	listener_close(&s->listener);
	free(s);
}
