// SPDX-License-Identifier: BSD-3-Clause
// One rtnetlink socket and the conversation with it, on libmnl. A socket belongs to the network
// namespace that its thread was in when it was opened.
#pragma once

#include <libmnl/libmnl.h>

#include <stddef.h>
#include <stdint.h>

#define NETLINK_BYTES 32768 // of a message buffer: what libmnl advises
#define NETLINK_ALIGN 8

struct netlink {
	struct mnl_socket *socket;
	uint32_t sequence;
	char message[128]; // the kernel's own words on the last error, "" without any
};

// Returns 0 or -errno.
int netlink_open(struct netlink *nl);

// Closing one that is closed or all zero is fine.
void netlink_close(struct netlink *nl);

// Starts a message in `buffer` (NETLINK_BYTES). `flags`: NLM_F_REQUEST | NLM_F_ACK are added.
struct nlmsghdr *netlink_message(void *buffer, uint16_t type, uint16_t flags);

// Sends a message and waits for the kernel's verdict; answers on the way go to `answer`, which may
// be NULL.
// Returns 0 or -errno, with nl->message.
int netlink_talk(struct netlink *nl, struct nlmsghdr *request, mnl_cb_t answer, void *arg);
