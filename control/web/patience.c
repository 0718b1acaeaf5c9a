// SPDX-License-Identifier: BSD-3-Clause
// libmicrohttpd closes connections over which nothing moves. A client that sends a byte now and
// then would keep its place for ever, so a request must be complete in time: since the connection
// began, or since the first byte that came after an answer. The kernel counts the bytes.
#include "web_internal.h"

#include "control/base/clock.h"
#include "control/base/memory.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PATIENCE_LOOK_MS 250

int
client_socket(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static struct client *
client_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

static uint64_t
received_bytes(const struct client *c)
{
	struct tcp_info info = {0};
	socklen_t length = sizeof(info);

	getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &length);
	return info.tcpi_bytes_received;
}

void
client_notify(void *web, struct MHD_Connection *connection, void **context,
	      enum MHD_ConnectionNotificationCode code)
{
	struct web *w = web;
	struct client *c = *context;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		c = memory_new(sizeof(*c), "client");
		*c = (struct client){.fd = client_socket(connection),
				     .deadline_ms = clock_ms() + WEB_REQUEST_MS};
		TAILQ_INSERT_TAIL(&w->clients, c, of_all);
		*context = c;
	} else {
		TAILQ_REMOVE(&w->clients, c, of_all);
		free(c);
	}
}

void
client_asked(struct MHD_Connection *connection)
{
	struct client *c = client_of(connection);

	c->deadline_ms = INT64_MAX;
	c->idle = false;
}

void
client_answered(struct MHD_Connection *connection)
{
	struct client *c = client_of(connection);

	c->deadline_ms = INT64_MAX;
	c->idle = true;
	c->received = received_bytes(c);
}

void
clients_tick(struct web *w, int64_t now)
{
	struct client *c;

	if (now < w->next_look_ms)
		return;
	w->next_look_ms = now + PATIENCE_LOOK_MS;
	TAILQ_FOREACH(c, &w->clients, of_all)
	{
		if (c->idle && received_bytes(c) != c->received) {
			c->idle = false;
			c->deadline_ms = now + WEB_REQUEST_MS;
		}
		if (now < c->deadline_ms)
			continue;
		c->deadline_ms = INT64_MAX;
		shutdown(c->fd, SHUT_RDWR); // libmicrohttpd notices, and closes it
	}
}
