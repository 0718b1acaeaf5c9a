// SPDX-License-Identifier: BSD-3-Clause
#include "request.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

void *
request_start(struct request *r, uint16_t type, uint16_t flags, size_t header_bytes)
{
	r->why[0] = '\0';
	r->message = mnl_nlmsg_put_header(r->buffer);
	r->message->nlmsg_type = type;
	r->message->nlmsg_flags = flags | NLM_F_REQUEST | NLM_F_ACK;
	r->message->nlmsg_seq = 1;
	return mnl_nlmsg_put_extra_header(r->message, header_bytes);
}

static int
take_reason(const struct nlattr *attr, void *arg)
{
	struct request *r = arg;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(r->why, sizeof(r->why), "%s", mnl_attr_get_str(attr));
	return MNL_CB_OK;
}

int
request_verdict(const struct nlmsghdr *answer, struct request *r)
{
	const struct nlmsgerr *verdict = mnl_nlmsg_get_payload(answer);

	if (mnl_nlmsg_get_payload_len(answer) < sizeof(*verdict))
		return -EBADMSG;
	if (answer->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(answer, sizeof(*verdict), take_reason, r);
	return verdict->error;
}

static int
receive(const struct mnl_socket *socket, struct request *r, mnl_cb_t answer, void *arg)
{
	unsigned port = mnl_socket_get_portid(socket);
	_Alignas(8) char buffer[REQUEST_BYTES];

	for (;;) {
		ssize_t bytes = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
		const struct nlmsghdr *first = (const struct nlmsghdr *)buffer;

		if (bytes < 0)
			return -errno;
		// The verdict comes in a datagram of its own.
		if (mnl_nlmsg_ok(first, (int)bytes) && first->nlmsg_type == NLMSG_ERROR)
			return request_verdict(first, r);
		if (mnl_cb_run(buffer, (size_t)bytes, r->message->nlmsg_seq, port, answer, arg) < 0)
			return -errno;
	}
}

int
request_send(struct request *r, mnl_cb_t answer, void *arg)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	int on = 1, error;

	if (socket == NULL)
		return -errno;
	// For the kernel's own words; older kernels have none.
	(void)mnl_socket_setsockopt(socket, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)mnl_socket_setsockopt(socket, NETLINK_CAP_ACK, &on, sizeof(on));
	if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(socket, r->message, r->message->nlmsg_len) < 0)
		error = -errno;
	else
		error = receive(socket, r, answer, arg);
	mnl_socket_close(socket);
	return error;
}

bool
request_drain(int socket)
{
	char ignored[1];
	bool any = false;

	// A read takes one datagram, of which the rest is dropped.
	for (;;) {
		if (recv(socket, ignored, sizeof(ignored), 0) >= 0 || errno == ENOBUFS)
			any = true;
		else if (errno != EINTR)
			return any;
	}
}
