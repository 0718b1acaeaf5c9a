// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as the kernel's answer to a question about an interface, and as its verdict on a
// request: nothing is read behind them, and what is taken from them is text that ends.
//
// Input: a byte that says which, then the message behind its header.
#include "require.h"

#include "control/io/host/link.h"
#include "control/io/host/request.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A message with this payload, whose memory ends where it does, as netlink aligns messages.
static struct nlmsghdr *
message(const uint8_t *payload, size_t size, uint16_t flags)
{
	struct nlmsghdr *m = calloc(1, sizeof(*m) + NLMSG_ALIGN(size));

	require(m != NULL);
	*m = (struct nlmsghdr){.nlmsg_len = (uint32_t)(sizeof(*m) + size), .nlmsg_flags = flags};
	memcpy(m + 1, payload, size);
	return m;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct request request;
	struct link_info info = {0};
	struct nlmsghdr *m;

	if (size == 0 || size > REQUEST_BYTES)
		return 0;
	m = message(data + 1, size - 1, data[0] & 2 ? NLM_F_ACK_TLVS : 0);
	if (data[0] & 1) {
		request.why[0] = '\0';
		request_verdict(m, &request);
		require(memchr(request.why, '\0', sizeof(request.why)) != NULL);
	} else {
		link_read(m, &info);
		require(memchr(info.kind, '\0', sizeof(info.kind)) != NULL);
		require(memchr(info.master, '\0', sizeof(info.master)) != NULL);
		require(memchr(info.master_kind, '\0', sizeof(info.master_kind)) != NULL);
		require(memchr(info.alias, '\0', sizeof(info.alias)) != NULL);
	}
	free(m);
	return 0;
}
