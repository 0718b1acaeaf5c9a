// SPDX-License-Identifier: BSD-3-Clause
// The kernel knows the user of every TCP socket of a namespace: inet_diag answers for one socket,
// and where a kernel lacks it, /proc/net/tcp lists them all. A socket that its process has closed
// no longer belongs to anybody, and the kernel reports root as its user: only established ones with
// an inode count.
#include "peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// One end of a connection, both families alike.
struct end {
	bool ip6;
	uint16_t port;       // network byte order
	uint32_t address[4]; // network byte order; IPv4: the first
};

void
learn_peers_open(struct learn_peers *p)
{
	p->diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
	p->tcp[0] = open("/proc/thread-self/net/tcp", O_RDONLY | O_CLOEXEC);
	p->tcp[1] = open("/proc/thread-self/net/tcp6", O_RDONLY | O_CLOEXEC);
}

void
learn_peers_close(struct learn_peers *p)
{
	const int fds[] = {p->diag, p->tcp[0], p->tcp[1]};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

// An IPv4 client of an IPv6 listener has an IPv4 socket.
static bool
end_of(const struct sockaddr_storage *from, struct end *out)
{
	const struct sockaddr_in *ip4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)from;

	*out = (struct end){0};
	if (from->ss_family == AF_INET) {
		out->port = ip4->sin_port;
		out->address[0] = ip4->sin_addr.s_addr;
		return true;
	}
	if (from->ss_family != AF_INET6)
		return false;
	out->port = ip6->sin6_port;
	memcpy(out->address, &ip6->sin6_addr, sizeof(out->address));
	out->ip6 = !IN6_IS_ADDR_V4MAPPED(&ip6->sin6_addr);
	if (!out->ip6)
		memmove(out->address, &out->address[3], sizeof(out->address[0]));
	return true;
}

// Asks for the socket at `theirs` that is connected to `ours`. Returns 0, -ENOENT if there is none
// or the kernel cannot tell, or another -errno.
static int
ask_diag(int diag, const struct end *theirs, const struct end *ours, uid_t *out)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 request;
	} ask = {
		.header = {.nlmsg_len = sizeof(ask),
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = theirs->ip6 ? AF_INET6 : AF_INET,
			    .sdiag_protocol = IPPROTO_TCP,
			    .idiag_states = ~0u,
			    .id = {.idiag_sport = theirs->port,
				   .idiag_dport = ours->port,
				   .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
	};
	struct {
		struct nlmsghdr header;
		struct inet_diag_msg message;
		char rest[1024];
	} answer;
	const struct inet_diag_msg *m = &answer.message;
	ssize_t got;

	memcpy(ask.request.id.idiag_src, theirs->address, sizeof(theirs->address));
	memcpy(ask.request.id.idiag_dst, ours->address, sizeof(ours->address));
	while (recv(diag, &answer, sizeof(answer), 0) > 0) // of an earlier question
		;
	if (send(diag, &ask, sizeof(ask), 0) != sizeof(ask))
		return -errno;
	got = recv(diag, &answer, sizeof(answer), 0);
	if (got < (ssize_t)(sizeof(answer.header) + sizeof(*m)) ||
	    answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return -ENOENT;
	if (m->idiag_state != TCP_ESTABLISHED || m->idiag_inode == 0 ||
	    m->id.idiag_sport != theirs->port || m->id.idiag_dport != ours->port)
		return -ECONNRESET;
	*out = m->idiag_uid;
	return 0;
}

// As /proc/net/tcp writes it: words in host byte order, in hexadecimal.
static void
format_end(const struct end *e, char text[static 40])
{
	if (e->ip6)
		snprintf(text, 40, "%08X%08X%08X%08X:%04X", e->address[0], e->address[1],
			 e->address[2], e->address[3], ntohs(e->port));
	else
		snprintf(text, 40, "%08X:%04X", e->address[0], ntohs(e->port));
}

static int
search_list(int list, const struct end *theirs, const struct end *ours, uid_t *out)
{
	char line[512], wanted[128], from[40], to[40];
	unsigned int state, uid, inode;
	int fd = list >= 0 ? dup(list) : -1, rc = -ENOENT;
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return -ENOENT;
	}
	format_end(theirs, from);
	format_end(ours, to);
	snprintf(wanted, sizeof(wanted), ": %s %s ", from, to);
	rewind(file);
	while (rc == -ENOENT && fgets(line, sizeof(line), file) != NULL) {
		const char *at = strstr(line, wanted);

		if (at != NULL && sscanf(at + strlen(wanted), "%x %*s %*s %*s %u %*u %u", &state,
					 &uid, &inode) == 3)
			rc = state == TCP_ESTABLISHED && inode != 0 ? 0 : -ECONNRESET;
	}
	fclose(file);
	if (rc == 0)
		*out = uid;
	return rc;
}

int
learn_peers_user(const struct learn_peers *p, int fd, uid_t *out)
{
	struct sockaddr_storage theirs = {0}, ours = {0};
	socklen_t theirs_size = sizeof(theirs), ours_size = sizeof(ours);
	struct end their_end, our_end;
	int rc;

	if (getpeername(fd, (struct sockaddr *)&theirs, &theirs_size) != 0 ||
	    getsockname(fd, (struct sockaddr *)&ours, &ours_size) != 0 ||
	    !end_of(&theirs, &their_end) || !end_of(&ours, &our_end))
		return -ENOENT;
	rc = ask_diag(p->diag, &their_end, &our_end, out);
	if (rc != 0 && rc != -ECONNRESET)
		rc = search_list(p->tcp[their_end.ip6], &their_end, &our_end, out);
	return rc != 0 ? -ENOENT : 0;
}
