// SPDX-License-Identifier: BSD-3-Clause
// bfdd listens, with `--dplaneaddr unix:PATH`, and runs its sessions in Linux while nobody is
// connected. (It can also connect, with unixc:, but the address that FRR 8.4 then passes is too
// long for Linux.)
//
// The process that listens decides which neighbours are alive, so its user must be trusted. The
// kernel says who it is (SO_PEERCRED). Roost only answers messages, so connecting to a process that
// is no bfdd does no harm.
#include "bfd_client.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TURN_READS 16
#define OUT_BYTES 65536  // that bfdd has not read
#define AGAIN_MS 500     // between two attempts to connect
#define REPORTS_MS 60000 // between two reports of what fails again and again
#define STEADY_MS 5000   // a connection that lasts so long does not

struct bfd_client {
	struct bfd_client_options options;
	int epoll, peer;  // -1: none
	int64_t again_ms; // when to connect again
	uint64_t refused;
	int64_t refused_ms; // when that was last reported; 0: never
	int64_t since_ms;   // of this connection
	int64_t brief_ms;   // when one that was not steady was last reported; 0: never
	bool reported;      // that there is this connection
	bool overflowed;
	size_t held, waiting; // bytes of `in`, of `out`
	uint8_t in[2 * BFD_MESSAGE_MAX];
	uint8_t out[OUT_BYTES];
};

int
bfd_client_open(struct bfd_client **out, const struct bfd_client_options *options)
{
	struct bfd_client *c = memory_new(sizeof(*c), "the connection to bfdd");

	c->options = *options;
	c->peer = -1;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0) {
		int rc = -errno;

		free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void
bfd_client_close(struct bfd_client *c)
{
	if (c == NULL)
		return;
	if (c->peer >= 0)
		close(c->peer);
	close(c->epoll);
	free(c);
}

int
bfd_client_fd(const struct bfd_client *c)
{
	return c->epoll;
}

bool
bfd_client_connected(const struct bfd_client *c)
{
	return c->peer >= 0;
}

uint64_t
bfd_client_refused(const struct bfd_client *c)
{
	return c->refused;
}

// ---- connecting --------------------------------------------------------------------------------

// One line for all refusals within REPORTS_MS.
static void
report_refusal(struct bfd_client *c, int64_t now_ms, uid_t user)
{
	char line[256];

	c->refused++;
	if (c->refused_ms != 0 && now_ms - c->refused_ms < REPORTS_MS)
		return;
	c->refused_ms = now_ms;
	snprintf(line, sizeof(line),
		 "a process of user %u listens at %.100s; Roost accepts root, its own user and "
		 "%.32s (`switch.bfd.user`)",
		 (unsigned)user, c->options.path, c->options.user_name);
	c->options.notify(c->options.context, line);
}

static bool
may_listen(struct bfd_client *c, int fd, int64_t now_ms)
{
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	    (peer.uid == 0 || peer.uid == geteuid() ||
	     c->options.accepts(c->options.context, peer.uid)))
		return true;
	report_refusal(c, now_ms, peer.uid);
	return false;
}

// Returns the descriptor, or -1.
static int
dial(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -1;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool
is_steady(const struct bfd_client *c, int64_t now_ms)
{
	return now_ms - c->since_ms >= STEADY_MS;
}

// A listener that closes at once would fill the log: if it has done so lately, a connection is
// reported when it lasts.
static void
report_connection(struct bfd_client *c, int64_t now_ms)
{
	if (c->peer < 0 || c->reported ||
	    (c->brief_ms != 0 && now_ms - c->brief_ms < REPORTS_MS && !is_steady(c, now_ms)))
		return;
	c->reported = true;
	c->options.notify(c->options.context, "connected to bfdd");
}

static void
connect_peer(struct bfd_client *c, int64_t now_ms)
{
	struct epoll_event event = {.events = EPOLLIN};
	int fd;

	if (c->peer >= 0 || now_ms < c->again_ms)
		return;
	c->again_ms = now_ms + AGAIN_MS;
	fd = dial(c->options.path);
	if (fd < 0)
		return;
	if (!may_listen(c, fd, now_ms) || epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		close(fd);
		return;
	}
	c->peer = fd;
	c->since_ms = now_ms;
	c->reported = false;
	report_connection(c, now_ms);
}

static void
disconnect(struct bfd_client *c, int64_t now_ms, const char *why)
{
	char line[160];

	close(c->peer);
	c->peer = -1;
	c->held = c->waiting = 0;
	c->overflowed = false;
	snprintf(line, sizeof(line), "the connection to bfdd has ended%s%s",
		 why != NULL ? ": " : "", why != NULL ? why : "");
	if (c->reported) {
		c->brief_ms = is_steady(c, now_ms) ? 0 : now_ms;
		c->options.notify(c->options.context, line);
	}
	c->options.ended(c->options.context);
}

// ---- messages ----------------------------------------------------------------------------------

// Returns whether there may be more.
static bool
read_peer(struct bfd_client *c, int64_t now_ms)
{
	ssize_t got = recv(c->peer, c->in + c->held, sizeof(c->in) - c->held, 0);
	const char *why = NULL;
	long done;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		disconnect(c, now_ms, got < 0 ? strerror(errno) : NULL);
		return false;
	}
	c->held += (size_t)got;
	done = bfd_take_messages(c->in, c->held, c->options.take, c->options.context, &why);
	if (done < 0) {
		disconnect(c, now_ms, why);
		return false;
	}
	c->held -= (size_t)done;
	memmove(c->in, c->in + done, c->held);
	return true;
}

static void
flush(struct bfd_client *c)
{
	ssize_t sent;

	if (c->peer < 0 || c->waiting == 0)
		return;
	sent = send(c->peer, c->out, c->waiting, MSG_NOSIGNAL);
	if (sent <= 0) // an error shows when it is read from
		return;
	c->waiting -= (size_t)sent;
	memmove(c->out, c->out + sent, c->waiting);
}

void
bfd_client_send(struct bfd_client *c, const uint8_t *message, size_t length)
{
	if (c->peer < 0 || c->overflowed)
		return;
	if (c->waiting + length > sizeof(c->out)) {
		c->overflowed = true;
		return;
	}
	memcpy(c->out + c->waiting, message, length);
	c->waiting += length;
	flush(c);
}

void
bfd_client_turn(struct bfd_client *c, int64_t now_ms)
{
	connect_peer(c, now_ms);
	report_connection(c, now_ms);
	for (int i = 0; i < TURN_READS && c->peer >= 0 && read_peer(c, now_ms); i++)
		;
	flush(c);
	if (c->peer >= 0 && c->overflowed)
		disconnect(c, now_ms, "bfdd does not read its socket");
}

int
bfd_client_wait_ms(const struct bfd_client *c, int64_t now_ms, int max_ms)
{
	int64_t left = c->peer >= 0 ? max_ms : c->again_ms - now_ms;

	return left < 0 ? 0 : left < max_ms ? (int)left : max_ms;
}
