// SPDX-License-Identifier: BSD-3-Clause
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int
netlink_open(struct netlink *nl)
{
	int on = 1;
	int error;

	memset(nl, 0, sizeof(*nl));
	nl->socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (nl->socket == NULL)
		return -errno;
	if (mnl_socket_bind(nl->socket, 0, MNL_SOCKET_AUTOPID) < 0) {
		error = -errno;
		netlink_close(nl);
		return error;
	}
	// For the kernel's own words; a kernel without them is fine.
	(void)mnl_socket_setsockopt(nl->socket, NETLINK_EXT_ACK, &on, sizeof(on));
	(void)mnl_socket_setsockopt(nl->socket, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

void
netlink_close(struct netlink *nl)
{
	if (nl->socket != NULL)
		mnl_socket_close(nl->socket);
	nl->socket = NULL;
}

struct nlmsghdr *
netlink_message(void *buffer, uint16_t type, uint16_t flags)
{
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);

	request->nlmsg_type = type;
	request->nlmsg_flags = flags | NLM_F_REQUEST | NLM_F_ACK;
	return request;
}

static int
netlink_attr_message(const struct nlattr *attr, void *arg)
{
	struct netlink *nl = arg;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
		snprintf(nl->message, sizeof(nl->message), "%s", mnl_attr_get_str(attr));
	return MNL_CB_OK;
}

static int
netlink_on_error(const struct nlmsghdr *answer, void *arg)
{
	const struct nlmsgerr *verdict = mnl_nlmsg_get_payload(answer);
	size_t bytes = sizeof(*verdict);

	if (mnl_nlmsg_get_payload_len(answer) < bytes) {
		errno = EBADMSG;
		return MNL_CB_ERROR;
	}
	if (answer->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(answer, (unsigned)bytes, netlink_attr_message, arg);
	if (verdict->error == 0)
		return MNL_CB_STOP;
	errno = -verdict->error;
	return MNL_CB_ERROR;
}

int
netlink_talk(struct netlink *nl, struct nlmsghdr *request, mnl_cb_t answer, void *arg)
{
	unsigned port = mnl_socket_get_portid(nl->socket);
	_Alignas(NETLINK_ALIGN) char buffer[NETLINK_BYTES];

	nl->message[0] = '\0';
	request->nlmsg_seq = ++nl->sequence;
	if (mnl_socket_sendto(nl->socket, request, request->nlmsg_len) < 0)
		return -errno;
	for (;;) {
		ssize_t bytes = mnl_socket_recvfrom(nl->socket, buffer, sizeof(buffer));
		const struct nlmsghdr *first = (const struct nlmsghdr *)buffer;

		if (bytes < 0)
			return -errno;
		// The verdict comes in a datagram of its own.
		if (mnl_nlmsg_ok(first, (int)bytes) && first->nlmsg_type == NLMSG_ERROR)
			return netlink_on_error(first, nl) == MNL_CB_STOP ? 0 : -errno;
		if (mnl_cb_run(buffer, (size_t)bytes, request->nlmsg_seq, port, answer, arg) < 0)
			return -errno;
	}
}
