// SPDX-License-Identifier: BSD-3-Clause
// Zebra connects and sends frames: each a header of version (1), type (1: netlink) and length in
// network byte order, header included, then rtnetlink messages as the kernel would send them
// (https://docs.frrouting.org/projects/dev-guide/en/latest/fpm.html). Nothing is answered.
//
// After connecting, zebra sends all its routes, without a mark where they end. Routes that it has
// not sent when it has been quiet for QUIET_MS, or SWEEP_MS after its first, are removed. When a
// connection ends its routes stay, as those of a restarting daemon should, until another connection
// has sent its routes, or for HOLD_MS; one that sends nothing takes nothing away sooner. There is
// one connection: a new one replaces the old one.
//
// Any process can connect to a port, so the user at the other end decides (peer.c). A connection
// of another user changes nothing: neither routes nor the connection of zebra.
#include "fpm.h"

#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FPM_VERSION 1
#define FPM_NETLINK 1
#define TURN_READS 16
#define QUIET_MS 2000
#define SWEEP_MS 30000 // even if it is never quiet
#define HOLD_MS 60000
#define REFUSALS_MS 60000 // between two reports of connections that were refused

struct learn_fpm {
	struct learn_fpm_options options;
	int listener, peer; // -1: none
	bool sweeps;        // routes not sent since `since_ms` will be removed
	bool said;          // this connection has sent a route
	int64_t since_ms;   // when the last connection ended, or this one sent its first route
	int64_t heard_ms;   // when bytes last came
	uint64_t refused;   // messages of this connection
	struct learn_peers peers;
	uint64_t refused_peers;
	int64_t refused_ms; // when that was last reported; 0: never
	size_t held;        // bytes of an incomplete frame
	struct learn_message message;
	uint8_t bytes[2 * (FPM_FRAME_BYTES + 1)];
};

// ---- the stream ------------------------------------------------------------------------------

// Passes on the messages of a frame one by one, in aligned memory.
static bool
take_frame(const uint8_t *at, size_t count,
	   void (*take)(void *context, const struct nlmsghdr *message), void *context)
{
	_Alignas(8) uint8_t message[FPM_FRAME_BYTES];

	while (count >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr header;
		size_t step;

		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > count)
			return false;
		memcpy(message, at, header.nlmsg_len);
		take(context, (const struct nlmsghdr *)message);
		step = NLMSG_ALIGN((size_t)header.nlmsg_len);
		step = step < count ? step : count;
		at += step;
		count -= step;
	}
	return count == 0;
}

long
fpm_take_frames(const uint8_t *bytes, size_t count,
		void (*take)(void *context, const struct nlmsghdr *message), void *context,
		const char **why)
{
	size_t done = 0;

	while (count - done >= FPM_HEADER_BYTES) {
		const uint8_t *frame = bytes + done;
		size_t length = (size_t)frame[2] << 8 | frame[3];

		*why = frame[0] != FPM_VERSION      ? "its version is not 1"
		       : frame[1] != FPM_NETLINK    ? "it does not send netlink (type 1)"
		       : length <= FPM_HEADER_BYTES ? "an empty frame"
						    : NULL;
		if (*why != NULL)
			return -EPROTO;
		if (count - done < length)
			break;
		if (!take_frame(frame + FPM_HEADER_BYTES, length - FPM_HEADER_BYTES, take,
				context)) {
			*why = "netlink messages that do not fit their frame";
			return -EPROTO;
		}
		done += length;
	}
	return (long)done;
}

// ---- the server ------------------------------------------------------------------------------

static void
notify(const struct learn_fpm *f, const char *line)
{
	if (f->options.notify != NULL)
		f->options.notify(f->options.context, line);
}

static int
watch(const struct learn_fpm *f, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(f->options.epoll, EPOLL_CTL_ADD, fd, &event) != 0 ? -errno : 0;
}

static int
bind_address(int fd, const struct config_listen *listen_at)
{
	struct sockaddr_in ip4 = {.sin_family = AF_INET, .sin_port = htons(listen_at->port)};
	struct sockaddr_in6 ip6 = {.sin6_family = AF_INET6, .sin6_port = htons(listen_at->port)};
	int on = 1, rc;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
		return -errno;
	memcpy(&ip4.sin_addr, listen_at->address, 4);
	memcpy(&ip6.sin6_addr, listen_at->address, 16);
	rc = listen_at->version == 4 ? bind(fd, (struct sockaddr *)&ip4, sizeof(ip4))
				     : bind(fd, (struct sockaddr *)&ip6, sizeof(ip6));
	return rc != 0 || listen(fd, 4) != 0 ? -errno : 0;
}

static int
open_listener(void *arg)
{
	struct learn_fpm *f = arg;
	int family = f->options.listen->version == 4 ? AF_INET : AF_INET6;

	learn_peers_open(&f->peers);
	f->listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return f->listener < 0 ? -errno : bind_address(f->listener, f->options.listen);
}

int
learn_fpm_open(struct learn_fpm **out, const struct learn_fpm_options *options)
{
	struct learn_fpm *f = memory_new(sizeof(*f), "an FPM server");
	int rc;

	f->options = *options;
	f->listener = f->peer = -1;
	f->peers = (struct learn_peers){-1, {-1, -1}};
	rc = netns_run(options->netns_fd, open_listener, f);
	if (rc == 0)
		rc = watch(f, f->listener);
	if (rc != 0) {
		learn_fpm_close(f);
		return rc;
	}
	*out = f;
	return 0;
}

void
learn_fpm_close(struct learn_fpm *f)
{
	if (f == NULL)
		return;
	if (f->peer >= 0)
		close(f->peer);
	if (f->listener >= 0)
		close(f->listener);
	learn_peers_close(&f->peers);
	free(f);
}

bool
learn_fpm_connected(const struct learn_fpm *f)
{
	return f->peer >= 0;
}

uint64_t
learn_fpm_refused(const struct learn_fpm *f)
{
	return f->refused_peers;
}

static void
disconnect(struct learn_fpm *f, int64_t now_ms, const char *why)
{
	char line[128];

	if (f->peer < 0)
		return;
	close(f->peer);
	f->peer = -1;
	f->held = 0;
	f->since_ms = now_ms;
	f->sweeps = true; // its routes stay for a while
	rib_begin(f->options.rib, RIB_FPM);
	snprintf(line, sizeof(line), "FPM: the connection has ended%s%s", why != NULL ? ": " : "",
		 why != NULL ? why : "");
	notify(f, line);
}

// One line for all refusals within REFUSALS_MS, because anybody can cause one.
static void
report_refusal(struct learn_fpm *f, int64_t now_ms, bool known, uid_t user)
{
	char line[192], who[48] = "of nobody on this machine";

	f->refused_peers++;
	if (f->refused_ms != 0 && now_ms - f->refused_ms < REFUSALS_MS)
		return;
	f->refused_ms = now_ms;
	if (known)
		snprintf(who, sizeof(who), "of user %u", (unsigned)user);
	snprintf(line, sizeof(line),
		 "FPM: a connection %s was refused (%llu so far): only root, this process's user "
		 "and %.32s may connect (`learn.fpm.user`)",
		 who, (unsigned long long)f->refused_peers, f->options.user_name);
	notify(f, line);
}

static bool
may_connect(struct learn_fpm *f, int fd, int64_t now_ms)
{
	uid_t user = 0;
	bool known;

	if (f->options.any)
		return true;
	known = learn_peers_user(&f->peers, fd, &user) == 0;
	if (known && (user == 0 || user == geteuid() || user == f->options.user))
		return true;
	report_refusal(f, now_ms, known, user);
	return false;
}

static void
accept_peer(struct learn_fpm *f, int64_t now_ms)
{
	int fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (!may_connect(f, fd, now_ms)) {
		close(fd);
		return;
	}
	disconnect(f, now_ms, "a newer connection replaced it");
	if (watch(f, fd) != 0) {
		close(fd);
		return;
	}
	f->peer = fd;
	f->said = false;
	f->refused = 0;
	notify(f, "FPM: zebra has connected");
}

// The first route of a connection: those that are not among its routes go.
static void
begin_routes(struct learn_fpm *f)
{
	f->said = f->sweeps = true;
	f->since_ms = f->heard_ms;
	rib_begin(f->options.rib, RIB_FPM);
}

static void
take_message(void *context, const struct nlmsghdr *message)
{
	struct learn_fpm *f = context;
	int rc = learn_decode(message, f->options.table, &f->message);

	// Interfaces and neighbours are reported by the kernel.
	if (rc == 0 && (f->message.kind == LEARN_ROUTE || f->message.kind == LEARN_NEXTHOP)) {
		if (!f->said)
			begin_routes(f);
		rc = rib_apply(f->options.rib, RIB_FPM, &f->message, false);
	}
	if (rc != 0 && f->refused++ == 0)
		notify(f, rc == -EBADMSG ? "FPM: a message that contradicts itself was ignored"
					 : "FPM: too many routes; some were ignored");
}

// Returns whether there may be more.
static bool
read_peer(struct learn_fpm *f, int64_t now_ms)
{
	ssize_t got = recv(f->peer, f->bytes + f->held, sizeof(f->bytes) - f->held, 0);
	const char *why = NULL;
	long done;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (got <= 0) {
		disconnect(f, now_ms, got < 0 ? strerror(errno) : NULL);
		return false;
	}
	f->heard_ms = now_ms;
	f->held += (size_t)got;
	done = fpm_take_frames(f->bytes, f->held, take_message, f, &why);
	if (done < 0) {
		disconnect(f, now_ms, why);
		return false;
	}
	f->held -= (size_t)done;
	memmove(f->bytes, f->bytes + done, f->held);
	return true;
}

// When routes that were not sent again are removed.
static int64_t
sweep_at(const struct learn_fpm *f)
{
	int64_t quiet = f->heard_ms + QUIET_MS, most = f->since_ms + SWEEP_MS;

	return f->peer < 0 || !f->said ? f->since_ms + HOLD_MS : quiet < most ? quiet : most;
}

void
learn_fpm_turn(struct learn_fpm *f, int64_t now_ms)
{
	accept_peer(f, now_ms);
	for (int i = 0; i < TURN_READS && f->peer >= 0 && read_peer(f, now_ms); i++)
		;
	if (f->sweeps && now_ms >= sweep_at(f)) {
		rib_end(f->options.rib, RIB_FPM);
		f->sweeps = false;
	}
}

int
learn_fpm_wait_ms(const struct learn_fpm *f, int64_t now_ms)
{
	int64_t left = f->sweeps ? sweep_at(f) - now_ms : -1;

	return !f->sweeps ? -1 : left > 0 ? (int)left : 0;
}
