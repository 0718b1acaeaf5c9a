// SPDX-License-Identifier: BSD-3-Clause
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LISTEN_BACKLOG 128
#define LISTEN_SEND_BYTES (128 * 1024) // of a connection in the kernel

// Digits only, and no more than a port has.
static bool
read_port(const char *text, uint16_t *port)
{
	unsigned int value = 0;
	size_t length = strspn(text, "0123456789");

	if (length == 0 || length > 5 || text[length] != '\0')
		return false;
	for (size_t i = 0; i < length; i++)
		value = value * 10 + (unsigned int)(text[i] - '0');
	*port = (uint16_t)value;
	return value <= UINT16_MAX;
}

bool
listen_split(const char *text, int otherwise, char host[static LISTEN_TEXT_MAX], uint16_t *port)
{
	bool brackets = text[0] == '[';
	const char *from = text + brackets;
	size_t length = strcspn(from, brackets ? "]" : ":");
	const char *rest = from + length;

	if (length == 0 || length >= LISTEN_TEXT_MAX || (brackets && *rest++ != ']'))
		return false;
	memcpy(host, from, length);
	host[length] = '\0';
	// An IPv6 address stands in brackets, and nothing else does.
	if (brackets != (strchr(host, ':') != NULL))
		return false;
	if (*rest == '\0' && otherwise >= 0) {
		*port = (uint16_t)otherwise;
		return true;
	}
	return *rest == ':' && read_port(rest + 1, port);
}

int
listen_parse(const char *text, struct listen_address *out, struct diag *diag)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)&out->socket;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&out->socket;
	char host[LISTEN_TEXT_MAX];

	*out = (struct listen_address){0};
	if (!listen_split(text, -1, host, &out->port))
		return diag_fail(
			diag, EINVAL,
			"%s: not an address and port, such as 127.0.0.1:8080 or [::1]:8080", text);
	if (strcmp(host, "localhost") == 0)
		strcpy(host, "127.0.0.1");
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(out->port);
		out->length = sizeof(*v4);
		out->loopback = ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
		out->any = v4->sin_addr.s_addr == htonl(INADDR_ANY);
		return 0;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(out->port);
		out->length = sizeof(*v6);
		out->loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
		out->any = IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
		return 0;
	}
	return diag_fail(
		diag, EINVAL,
		"%s: not an IP address or localhost; use the address of an interface, such as "
		"127.0.0.1",
		host);
}

int
listen_open(struct listen_address *a, struct diag *diag)
{
	const int one = 1, bytes = LISTEN_SEND_BYTES;
	char text[LISTEN_TEXT_MAX];
	int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)) == 0 &&
	    bind(fd, (struct sockaddr *)&a->socket, a->length) == 0 &&
	    listen(fd, LISTEN_BACKLOG) == 0 &&
	    getsockname(fd, (struct sockaddr *)&a->socket, &a->length) == 0) {
		// The port is at the same place in both.
		a->port = ntohs(((struct sockaddr_in *)&a->socket)->sin_port);
		return fd;
	}
	error = errno;
	if (fd >= 0)
		close(fd);
	return diag_fail(diag, error, "%s: %s%s", listen_text(a, text), strerror(error),
			 error == EADDRINUSE ? ": choose another with --listen ADDRESS:PORT" : "");
}

const char *
listen_text(const struct listen_address *a, char text[static LISTEN_TEXT_MAX])
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a->socket;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->socket;
	char host[INET6_ADDRSTRLEN] = "";

	if (a->socket.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(text, LISTEN_TEXT_MAX, "[%s]:%u", host, a->port);
	} else {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(text, LISTEN_TEXT_MAX, "%s:%u", host, a->port);
	}
	return text;
}
