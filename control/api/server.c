// SPDX-License-Identifier: BSD-3-Clause
// The server's side of the socket: who may connect, how many, and whose turn it is. One thread
// polls; nothing here blocks on a client (connection.c).
//
// Access is checked twice: the socket's mode is 0600, or 0660 for the group that may read, and the
// peer's credentials must name root, the user who runs the server, or a member of that group. When
// all places are taken, the client that has been idle the longest is disconnected. Clients that may
// only read have no more than API_READERS_MAX places and make room among themselves, so that they
// cannot keep the owner out. A subscriber is not idle.
#include "server_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SERVER_PATIENCE_MS 5000
#define PEER_GROUPS_MAX 256

struct api_server {
	struct listener listener;
	int watched[API_WATCHED_MAX]; // the caller's
	unsigned int watched_count;
	struct service service;
	bool readers_admitted;
	gid_t readers;
	uint64_t last_id; // of a client
	unsigned int client_count;
	struct connection clients[API_CLIENTS_MAX];
};

static void
server_drop_client(struct api_server *s, unsigned int index)
{
	connection_close(&s->clients[index]);
	s->clients[index] = s->clients[--s->client_count];
}

// True when the peer is, or was when it connected, a member of the group.
static bool
peer_in_group(int fd, const struct ucred *peer, gid_t group)
{
	gid_t groups[PEER_GROUPS_MAX];
	socklen_t length = sizeof(groups);

	if (peer->gid == group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0)
		return false;
	for (size_t i = 0; i < length / sizeof(groups[0]); i++)
		if (groups[i] == group)
			return true;
	return false;
}

// Returns false if the peer may not even read.
static bool
peer_identify(const struct api_server *s, int fd, struct api_peer *out)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
		return false;
	*out = (struct api_peer){.uid = peer.uid, .pid = peer.pid, .right = API_READ};
	if (peer.uid == 0 || peer.uid == geteuid())
		out->right = API_WRITE;
	return out->right == API_WRITE ||
	       (s->readers_admitted && peer_in_group(fd, &peer, s->readers));
}

static unsigned int
count_readers(const struct api_server *s)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < s->client_count; i++)
		count += s->clients[i].peer.right == API_READ;
	return count;
}

// The client that has been idle the longest, of those with at most this right, or API_CLIENTS_MAX
// if none is.
static unsigned int
longest_idle(const struct api_server *s, enum api_right most)
{
	unsigned int found = API_CLIENTS_MAX;

	for (unsigned int i = 0; i < s->client_count; i++) {
		const struct connection *c = &s->clients[i];

		if (connection_idle(c) && c->peer.right <= most &&
		    (found == API_CLIENTS_MAX || c->active_ms < s->clients[found].active_ms))
			found = i;
	}
	return found;
}

// Makes a place for one more client. Returns false if there can be none.
static bool
make_room(struct api_server *s, enum api_right right)
{
	bool readers_full = right == API_READ && count_readers(s) == API_READERS_MAX;
	unsigned int idle;

	if (s->client_count < API_CLIENTS_MAX && !readers_full)
		return true;
	idle = longest_idle(s, right);
	if (idle == API_CLIENTS_MAX)
		return false;
	server_drop_client(s, idle);
	return true;
}

// Sends a peer the reason why it is not served, as far as its socket takes it at once.
static void
turn_away(int fd, const char *message)
{
	char *line = rpc_refusal(API_FAILED, message);

	(void)!send(fd, line, strlen(line), MSG_NOSIGNAL);
	free(line);
	close(fd);
}

static void
server_accept(struct api_server *s)
{
	int fd = accept4(s->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct api_peer peer;

	if (fd < 0)
		return;
	if (!peer_identify(s, fd, &peer)) {
		turn_away(fd, s->readers_admitted
				      ? "only root, the fabric's owner and its readers may ask"
				      : "only root and the fabric's owner may ask");
		return;
	}
	if (!make_room(s, peer.right)) {
		turn_away(fd, "too many clients");
		return;
	}
	s->clients[s->client_count++] = (struct connection){
		.fd = fd,
		.id = ++s->last_id,
		.peer = peer,
		.deadline_ms = INT64_MAX,
		.active_ms = clock_ms(),
	};
}

// How long poll may wait: not past a deadline, not at all while requests wait for their turn.
static int
server_timeout(struct api_server *s, int timeout_ms)
{
	int64_t now = clock_ms();
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
	struct pollfd polled[1 + API_CLIENTS_MAX + API_WATCHED_MAX];
	unsigned int count = s->client_count;
	int64_t now;

	polled[0] = (struct pollfd){.fd = s->listener.fd, .events = POLLIN};
	for (unsigned int i = 0; i < count; i++)
		polled[1 + i] = (struct pollfd){
			.fd = s->clients[i].fd,
			.events = connection_events(&s->clients[i]),
		};
	for (unsigned int i = 0; i < s->watched_count; i++)
		polled[1 + count + i] = (struct pollfd){.fd = s->watched[i], .events = POLLIN};
	if (poll(polled, 1 + count + s->watched_count, server_timeout(s, timeout_ms)) < 0) {
		if (errno != EINTR)
			return -errno;
		return 0;
	}
	now = clock_ms();
	// Backwards: closing moves the last client into the place of the closed one.
	for (unsigned int i = count; i-- > 0;)
		if (connection_turn(&s->service, &s->clients[i], polled[1 + i].revents, now) != 0)
			server_drop_client(s, i);
	if (polled[0].revents & POLLIN)
		server_accept(s);
	return 0;
}

void
api_server_watch(struct api_server *s, int fd)
{
	if (fd >= 0 && s->watched_count < API_WATCHED_MAX)
		s->watched[s->watched_count++] = fd;
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
		  void *context, struct diag *diag)
{
	struct api_server *s = memory_new(sizeof(*s), "API server");
	int status = listener_open(&s->listener, path, API_CLIENTS_MAX, diag);

	*out = NULL;
	if (status != 0) {
		free(s);
		return status;
	}
	s->service = (struct service){.rpc = {methods, context}, .patience_ms = SERVER_PATIENCE_MS};
	*out = s;
	return 0;
}

int
api_server_admit_readers(struct api_server *s, gid_t group, struct diag *diag)
{
	int status = listener_open_to(&s->listener, group);

	if (status != 0)
		return diag_fail(diag, -status, "%s: %s", s->listener.path, strerror(-status));
	s->readers = group;
	s->readers_admitted = true;
	return 0;
}

const struct api_peer *
api_server_peer(const struct api_server *s)
{
	return &s->service.asking->peer;
}

uint64_t
api_server_client(const struct api_server *s)
{
	return s->service.asking->id;
}

static struct connection *
find_client(struct api_server *s, uint64_t id)
{
	for (unsigned int i = 0; i < s->client_count; i++)
		if (s->clients[i].id == id)
			return &s->clients[i];
	return NULL;
}

bool
api_server_has_client(struct api_server *s, uint64_t id)
{
	return find_client(s, id) != NULL;
}

void
api_server_set_stream(struct api_server *s, uint64_t id, bool streams)
{
	struct connection *c = find_client(s, id);

	if (c == NULL)
		return;
	c->streams = streams;
	connection_widen(c);
}

int
api_server_send(struct api_server *s, uint64_t id, const struct api_message *message)
{
	struct connection *c = find_client(s, id);
	struct span line, bytes = {message->bytes, message->count};
	char *text;
	int rc;

	if (c == NULL)
		return -ENOENT;
	if (c->out != NULL)
		return -EAGAIN;
	text = rpc_notification(message->method, message->params, &line.count);
	line.at = text;
	rc = connection_stream(&s->service, c, &line, &bytes);
	free(text);
	if (rc == 0 || rc == -EAGAIN)
		return rc;
	server_drop_client(s, (unsigned int)(c - s->clients));
	return -ENOENT;
}

int
api_server_subscribe(struct api_server *s, uint32_t kinds, uint64_t least)
{
	struct connection *c = s->service.asking;
	unsigned int subscribers = 0;

	for (unsigned int i = 0; i < s->client_count; i++)
		subscribers += s->clients[i].kinds != 0;
	if (c->kinds == 0 && subscribers >= API_SUBSCRIBERS_MAX)
		return -EUSERS;
	c->kinds = kinds;
	c->least = least;
	return 0;
}

uint32_t
api_server_wanted(const struct api_server *s)
{
	uint32_t kinds = 0;

	for (unsigned int i = 0; i < s->client_count; i++)
		kinds |= s->clients[i].kinds;
	return kinds;
}

void
api_server_notify(struct api_server *s, uint32_t kind, uint64_t size, const json_t *event)
{
	size_t length;
	char *line = NULL;

	for (unsigned int i = 0; i < s->client_count; i++) {
		struct connection *c = &s->clients[i];

		if (!(c->kinds & kind) || size < c->least)
			continue;
		if (line == NULL)
			line = rpc_notification("event", event, &length);
		connection_notify(&s->service, c, line, length);
	}
	free(line);
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
