// SPDX-License-Identifier: BSD-3-Clause
// The sockets of libumad2sim: datagrams on abstract names, which every process in the network
// namespace can reach. So each message must come with the kernel's word that its sender is this
// user or root; others are not read any further.
#include "subnet_internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BURST 16       // messages of one socket, before others have their turn
#define PATIENCE_MS 50 // for a program whose socket is full

// The name's length counts one NUL behind it, as libumad2sim makes it. Returns that of the address.
static socklen_t
make_address(const struct subnet_sockets *s, const char *what, uint32_t number, bool numbered,
	     struct sockaddr_un *out)
{
	int length;

	memset(out, 0, sizeof(*out));
	out->sun_family = AF_UNIX;
	if (numbered)
		length = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "%s:%s%u",
				  s->prefix, what, number);
	else
		length = snprintf(out->sun_path + 1, sizeof(out->sun_path) - 1, "%s:%s", s->prefix,
				  what);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 2u + (unsigned)length);
}

// A socket on a name of ours, whose messages come with their sender. Returns it or -errno.
static int
open_socket(const struct sockaddr_un *address, socklen_t length)
{
	const int on = 1;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0 &&
	    bind(fd, (const struct sockaddr *)address, length) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static int
open_program(void *context, unsigned program, uint32_t id)
{
	struct subnet_sockets *s = context;
	struct sockaddr_un address;
	socklen_t length = make_address(s, "out", program, true, &address);
	int fd = open_socket(&address, length), rc;

	if (fd == -EADDRINUSE)
		return fd;
	if (fd < 0) {
		fprintf(stderr, "@%s:out%u: %s\n", s->prefix, program, strerror(-fd));
		return fd;
	}
	length = make_address(s, "in", id, true, &address);
	// From now on the kernel passes on what comes from there alone.
	if (connect(fd, (const struct sockaddr *)&address, length) != 0) {
		rc = -errno;
		fprintf(stderr, "@%s:in%u of a program: %s\n", s->prefix, id, strerror(-rc));
		close(fd);
		// Only our own name is for the caller to change.
		return rc == -EADDRINUSE ? -ECONNREFUSED : rc;
	}
	s->programs[program] = fd;
	s->ids[program] = id;
	return 0;
}

static void
close_program(void *context, unsigned program)
{
	struct subnet_sockets *s = context;

	close(s->programs[program]);
	s->programs[program] = -1;
}

// A program that reads slowly is waited for a moment; then its packet is lost, as on a wire. Traps
// are sent again, so nobody waits for them.
static void
send_program(void *context, unsigned program, const uint8_t packet[UMAD_PACKET_BYTES])
{
	struct subnet_sockets *s = context;
	struct pollfd polled = {s->programs[program], POLLOUT, 0};
	const bool trap = packet[UMAD_AT_MAD + MAD_AT_METHOD] == MAD_TRAP;

	for (int attempt = 0; attempt < (trap ? 1 : 2); attempt++) {
		if (send(polled.fd, packet, UMAD_PACKET_BYTES, MSG_NOSIGNAL) >= 0)
			return;
		if (errno != EAGAIN && errno != EINTR) {
			umad_forget(s->umad, program);
			return;
		}
		if (attempt == 0 && !trap)
			poll(&polled, 1, PATIENCE_MS);
	}
}

int
subnet_sockets_open(struct subnet_sockets *s, struct umad *umad, const char *prefix,
		    struct diag *diag)
{
	struct sockaddr_un address;
	socklen_t length;

	*s = (struct subnet_sockets){.umad = umad, .control = -1};
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++)
		s->programs[i] = -1;
	if (prefix[0] == '\0' || strlen(prefix) >= sizeof(s->prefix))
		return diag_fail(diag, EINVAL, "%s: a name of sockets has 1 to %zu characters",
				 prefix, sizeof(s->prefix) - 1);
	strcpy(s->prefix, prefix);
	length = make_address(s, "ctl", 0, false, &address);
	s->control = open_socket(&address, length);
	if (s->control == -EADDRINUSE)
		return diag_fail(diag, EADDRINUSE,
				 "the socket @%s:ctl is in use in this network namespace: end "
				 "the other `roost subnet` or ibsim, or choose another name with "
				 "--socket",
				 s->prefix);
	if (s->control < 0)
		return diag_fail(diag, -s->control, "@%s:ctl: %s", s->prefix,
				 strerror(-s->control));
	umad->context = s;
	umad->open = open_program;
	umad->close = close_program;
	umad->send = send_program;
	return 0;
}

void
subnet_sockets_close(struct subnet_sockets *s)
{
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++)
		if (s->programs[i] >= 0)
			close(s->programs[i]);
	if (s->control >= 0)
		close(s->control);
}

unsigned
subnet_sockets_poll(const struct subnet_sockets *s, struct pollfd polled[static SUBNET_POLLED_MAX])
{
	unsigned count = 0;

	polled[count++] = (struct pollfd){s->control, POLLIN, 0};
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++)
		if (s->programs[i] >= 0)
			polled[count++] = (struct pollfd){s->programs[i], POLLIN, 0};
	return count;
}

// Said once, because the program that is ignored waits without a word.
static void
note_ignored(struct subnet_sockets *s, uid_t user)
{
	if (s->ignored)
		return;
	s->ignored = true;
	fprintf(stderr, "ignored a message of user %u: run the program as root or as user %u\n",
		user, geteuid());
}

// Whether the kernel says that a message is from this user or root.
static bool
is_trusted(struct subnet_sockets *s, struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
		struct ucred sender;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&sender, CMSG_DATA(c), sizeof(sender));
		if (sender.uid == 0 || sender.uid == geteuid())
			return true;
		note_ignored(s, sender.uid);
		return false;
	}
	return false;
}

struct received {
	struct sockaddr_un from;
	socklen_t from_length;
	bool usable; // of the right length, and from whom it may be
};

// Returns false if there is nothing to read.
static bool
receive(struct subnet_sockets *s, int fd, uint8_t *bytes, size_t size, struct received *out)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec part = {bytes, size};
	struct msghdr message = {
		.msg_name = &out->from,
		.msg_namelen = sizeof(out->from),
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	// Descriptors that somebody attaches are closed by the kernel: there is no room for them.
	ssize_t length = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

	if (length < 0)
		return false;
	out->from_length = message.msg_namelen;
	out->usable = (size_t)length == size && (message.msg_flags & MSG_TRUNC) == 0 &&
		      is_trusted(s, &message);
	return true;
}

static void
read_control(struct subnet_sockets *s)
{
	uint8_t message[UMAD_CONTROL_BYTES];
	struct received received;

	for (int count = 0;
	     count < BURST && receive(s, s->control, message, sizeof(message), &received); count++)
		if (received.usable && umad_control(s->umad, message))
			sendto(s->control, message, sizeof(message), MSG_NOSIGNAL,
			       (const struct sockaddr *)&received.from, received.from_length);
}

static void
read_program(struct subnet_sockets *s, unsigned program)
{
	uint8_t packet[UMAD_PACKET_BYTES];
	struct received received;

	for (int count = 0; count < BURST && s->programs[program] >= 0 &&
			    receive(s, s->programs[program], packet, sizeof(packet), &received);
	     count++)
		if (received.usable)
			umad_packet(s->umad, program, packet);
}

void
subnet_sockets_read(struct subnet_sockets *s)
{
	read_control(s);
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++)
		if (s->programs[i] >= 0)
			read_program(s, i);
}

// The kernel does not say when the other end of such a socket is closed, but refuses to connect to
// it again.
void
subnet_sockets_reap(struct subnet_sockets *s)
{
	for (unsigned i = 0; i < UMAD_PROGRAMS_MAX; i++) {
		struct sockaddr_un address;
		socklen_t length = make_address(s, "in", s->ids[i], true, &address);

		if (s->programs[i] >= 0 &&
		    connect(s->programs[i], (const struct sockaddr *)&address, length) != 0 &&
		    errno == ECONNREFUSED)
			umad_forget(s->umad, i);
	}
}
