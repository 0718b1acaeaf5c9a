// SPDX-License-Identifier: BSD-3-Clause
#include "upstream.h"

#include "control/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define UPSTREAM_READ_BYTES 65536

int
upstream_open(struct upstream *u, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int error;

	*u = (struct upstream){.fd = -1};
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	u->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (u->fd >= 0 && connect(u->fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return 0;
	error = errno;
	upstream_close(u);
	return -error;
}

void
upstream_close(struct upstream *u)
{
	if (u == NULL)
		return;
	if (u->fd >= 0)
		close(u->fd);
	free(u->out);
	free(u->in);
	*u = (struct upstream){.fd = -1};
}

void
upstream_send(struct upstream *u, const char *line, size_t length)
{
	u->out = memory_resize(u->out, u->out_length + length, 1, "bytes for the fabric");
	memcpy(u->out + u->out_length, line, length);
	u->out_length += length;
}

short
upstream_events(const struct upstream *u)
{
	return u->out_sent < u->out_length ? POLLIN | POLLOUT : POLLIN;
}

static int
send_some(struct upstream *u)
{
	ssize_t sent = send(u->fd, u->out + u->out_sent, u->out_length - u->out_sent, MSG_NOSIGNAL);

	if (sent > 0)
		u->out_sent += (size_t)sent;
	if (u->out_sent == u->out_length) {
		free(u->out);
		u->out = NULL;
		u->out_length = u->out_sent = 0;
	}
	// The fabric says why it refuses a client before it reads what that sends.
	return sent >= 0 || errno == EAGAIN || errno == EINTR || errno == EPIPE ? 0 : -errno;
}

static void
drop_taken(struct upstream *u)
{
	if (u->in_taken == 0)
		return;
	u->in_length -= u->in_taken;
	memmove(u->in, u->in + u->in_taken, u->in_length);
	u->in_taken = 0;
	u->in_scanned = 0;
}

static int
receive_some(struct upstream *u)
{
	ssize_t got;

	drop_taken(u);
	if (u->in_length == u->in_room) {
		size_t room = u->in_room != 0 ? 2 * u->in_room : UPSTREAM_READ_BYTES;

		if (room > UPSTREAM_LINE_MAX)
			return -EMSGSIZE;
		u->in = memory_resize(u->in, room, 1, "bytes of an answer");
		u->in_room = room;
	}
	got = recv(u->fd, u->in + u->in_length, u->in_room - u->in_length, 0);
	if (got == 0)
		return -ECONNRESET;
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	u->in_length += (size_t)got;
	return 0;
}

int
upstream_turn(struct upstream *u, short events)
{
	int rc = 0;

	if (events & POLLOUT && u->out_sent < u->out_length)
		rc = send_some(u);
	if (rc == 0 && events & (POLLIN | POLLHUP | POLLERR))
		rc = receive_some(u);
	return rc;
}

char *
upstream_line(struct upstream *u, size_t *length)
{
	char *newline;

	drop_taken(u);
	if (u->in_length == u->in_scanned)
		return NULL;
	newline = memchr(u->in + u->in_scanned, '\n', u->in_length - u->in_scanned);
	if (newline == NULL) {
		u->in_scanned = u->in_length;
		return NULL;
	}
	*newline = '\0';
	*length = (size_t)(newline - u->in);
	u->in_taken = *length + 1;
	return u->in;
}
