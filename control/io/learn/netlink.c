// SPDX-License-Identifier: BSD-3-Clause
// There are two sockets: one receives changes, the other reads everything, kind by kind (a dump).
// Both feed the rib, which handles their overlap. A dump is made
//   - at the start;
//   - when the first socket overflowed (ENOBUFS) or a datagram did not fit our buffer, because
//     notifications were lost;
//   - when the rib is doubtful, because the kernel does not report everything that it flushes;
//   - again, when the state changed during a dump (NLM_F_DUMP_INTR). What was read is used
//     nevertheless: while routes change all the time, every dump may be interrupted.
// Dumps that follow each other closely wait longer each time.
#include "netlink.h"

#include "control/base/memory.h"
#include "control/io/host/netns.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define BUFFER_BYTES (64 * 1024)
#define SOCKET_BYTES (32 * 1024 * 1024)
#define TURN_DATAGRAMS 256
#define AGAIN_MS_MIN 50
#define AGAIN_MS_MAX 5000

struct learn_netlink {
	struct rib *rib;
	bool routes;
	uint32_t table;
	struct mnl_socket *follow, *dump;
	uint32_t sequence;
	int step;         // of the present dump; -1: none
	bool stale;       // the kernel still answers one that was abandoned
	bool interrupted; // the state changed during the dump
	bool wanted;      // a dump is to begin, at again_ms
	bool settled;
	int64_t again_ms;
	int64_t ended_ms; // when the last dump ended
	int64_t pause_ms; // before the next one
	struct learn_netlink_counts counts;
	struct probe_limiter asks;
	struct learn_message message;
	_Alignas(8) char buffer[BUFFER_BYTES];
};

// What a dump reads: each kind before those that refer to it.
static const struct {
	uint16_t type;
	uint8_t family;
	uint8_t header; // bytes, of which the first is the family and the others are 0
	bool routes;
} steps[] = {
	{RTM_GETLINK, AF_UNSPEC, sizeof(struct ifinfomsg), false},
	{RTM_GETADDR, AF_INET, sizeof(struct ifaddrmsg), false},
	{RTM_GETADDR, AF_INET6, sizeof(struct ifaddrmsg), false},
	{RTM_GETNEIGH, AF_INET, sizeof(struct ndmsg), false},
	{RTM_GETNEIGH, AF_INET6, sizeof(struct ndmsg), false},
	{RTM_GETNEXTHOP, AF_UNSPEC, sizeof(struct nhmsg), true},
	{RTM_GETROUTE, AF_INET, sizeof(struct rtmsg), true},
	{RTM_GETROUTE, AF_INET6, sizeof(struct rtmsg), true},
};

#define STEPS (int)(sizeof(steps) / sizeof(steps[0]))

static int
open_socket(struct mnl_socket **out)
{
	int bytes = SOCKET_BYTES;
	int rc = 0;

	*out = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (*out == NULL)
		return -errno;
	if (mnl_socket_bind(*out, 0, MNL_SOCKET_AUTOPID) < 0)
		rc = -errno;
	// Beyond the limit of users if we may; a smaller buffer is enough for fewer changes.
	if (setsockopt(mnl_socket_get_fd(*out), SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
		       sizeof(bytes)) != 0)
		(void)setsockopt(mnl_socket_get_fd(*out), SOL_SOCKET, SO_RCVBUF, &bytes,
				 sizeof(bytes));
	return rc;
}

static int
join_groups(const struct learn_netlink *n)
{
	static const struct {
		int group;
		bool routes;
	} groups[] = {
		{RTNLGRP_LINK, false},        {RTNLGRP_IPV4_IFADDR, false},
		{RTNLGRP_IPV6_IFADDR, false}, {RTNLGRP_NEIGH, false},
		{RTNLGRP_NEXTHOP, true},      {RTNLGRP_IPV4_ROUTE, true},
		{RTNLGRP_IPV6_ROUTE, true},
	};

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		int group = groups[i].group;

		if ((n->routes || !groups[i].routes) &&
		    mnl_socket_setsockopt(n->follow, NETLINK_ADD_MEMBERSHIP, &group,
					  sizeof(group)) < 0)
			return -errno;
	}
	return 0;
}

static int
open_sockets(void *arg)
{
	struct learn_netlink *n = arg;
	int rc = open_socket(&n->follow);

	if (rc == 0)
		rc = open_socket(&n->dump);
	return rc != 0 ? rc : join_groups(n);
}

int
learn_netlink_open(struct learn_netlink **out, const struct learn_netlink_options *options)
{
	struct learn_netlink *n = memory_new(sizeof(*n), "a source of routes");
	int rc;

	n->rib = options->rib;
	n->routes = options->routes;
	n->table = options->table;
	n->step = -1;
	n->wanted = true;
	n->pause_ms = AGAIN_MS_MIN;
	rc = netns_run(options->netns_fd, open_sockets, n);
	if (rc != 0) {
		learn_netlink_close(n);
		return rc;
	}
	*out = n;
	return 0;
}

void
learn_netlink_close(struct learn_netlink *n)
{
	if (n == NULL)
		return;
	if (n->follow != NULL)
		mnl_socket_close(n->follow);
	if (n->dump != NULL)
		mnl_socket_close(n->dump);
	free(n);
}

void
learn_netlink_fds(const struct learn_netlink *n, int fds[2])
{
	fds[0] = mnl_socket_get_fd(n->follow);
	fds[1] = mnl_socket_get_fd(n->dump);
}

bool
learn_netlink_settled(const struct learn_netlink *n)
{
	return n->settled;
}

const struct learn_netlink_counts *
learn_netlink_counts(const struct learn_netlink *n)
{
	return &n->counts;
}

// ---- dumps -----------------------------------------------------------------------------------

// Requests a dump: at once, or after a pause if the last one is recent.
static void
want_dump(struct learn_netlink *n, int64_t now_ms)
{
	if (n->wanted)
		return;
	n->wanted = true;
	if (now_ms - n->ended_ms > 10 * n->pause_ms)
		n->pause_ms = AGAIN_MS_MIN;
	n->again_ms = n->ended_ms + n->pause_ms;
	n->pause_ms = 2 * n->pause_ms < AGAIN_MS_MAX ? 2 * n->pause_ms : AGAIN_MS_MAX;
}

// Abandons the present dump and requests another.
static void
abandon_dump(struct learn_netlink *n, int64_t now_ms)
{
	n->stale |= n->step >= 0;
	n->step = -1;
	n->ended_ms = now_ms;
	want_dump(n, now_ms);
}

// Requests the next kind. Returns 0 or -errno.
static int
send_step(struct learn_netlink *n)
{
	_Alignas(8) char buffer[64] = {0};
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	uint8_t *header = mnl_nlmsg_put_extra_header(request, steps[n->step].header);

	header[0] = steps[n->step].family;
	request->nlmsg_type = steps[n->step].type;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request->nlmsg_seq = ++n->sequence;
	return mnl_socket_sendto(n->dump, request, request->nlmsg_len) < 0 ? -errno : 0;
}

static void
next_step(struct learn_netlink *n, int64_t now_ms)
{
	do
		n->step++;
	while (n->step < STEPS && steps[n->step].routes && !n->routes);
	if (n->step < STEPS) {
		if (send_step(n) != 0) {
			n->step = -1; // nothing was sent
			abandon_dump(n, now_ms);
		}
		return;
	}
	n->step = -1;
	n->ended_ms = now_ms;
	n->settled = true;
	n->counts.dumps++;
	rib_end(n->rib, RIB_NETLINK);
	if (n->interrupted)
		want_dump(n, now_ms);
}

static void
begin_dump(struct learn_netlink *n, int64_t now_ms)
{
	n->wanted = false;
	n->interrupted = false;
	n->step = -1;
	rib_begin(n->rib, RIB_NETLINK);
	next_step(n, now_ms);
}

// ---- reading ---------------------------------------------------------------------------------

static void
take_message(struct learn_netlink *n, const struct nlmsghdr *message, bool dumped)
{
	int rc = learn_decode(message, n->table, &n->message);

	if (rc == 0)
		rc = rib_apply(n->rib, RIB_NETLINK, &n->message, dumped);
	n->counts.messages++;
	n->counts.refused += rc != 0;
}

// The result in the message that ends or refuses a dump: 0 or -errno.
static int
verdict_of(const struct nlmsghdr *message)
{
	int verdict = 0;

	if (mnl_nlmsg_get_payload_len(message) >= sizeof(verdict))
		memcpy(&verdict, mnl_nlmsg_get_payload(message), sizeof(verdict));
	return verdict;
}

// Handles a message of the dump socket. Answers to earlier dumps and to probes are ignored.
static void
take_answer(struct learn_netlink *n, const struct nlmsghdr *message, int64_t now_ms)
{
	int verdict;

	if (message->nlmsg_seq != n->sequence)
		return;
	if (message->nlmsg_type != NLMSG_DONE && message->nlmsg_type != NLMSG_ERROR) {
		n->interrupted |= message->nlmsg_flags & NLM_F_DUMP_INTR;
		if (n->step >= 0)
			take_message(n, message, true);
		return;
	}
	n->stale = false;
	if (n->step < 0)
		return;
	verdict = verdict_of(message);
	// A kind that the kernel does not have is empty.
	if (verdict == 0 || verdict == -EOPNOTSUPP || verdict == -EAFNOSUPPORT ||
	    verdict == -ENOENT) {
		n->interrupted |= message->nlmsg_flags & NLM_F_DUMP_INTR;
		next_step(n, now_ms);
		return;
	}
	n->step = -1;
	abandon_dump(n, now_ms);
}

static void
take_datagram(struct learn_netlink *n, int bytes, bool dumped, int64_t now_ms)
{
	const struct nlmsghdr *message = (const struct nlmsghdr *)n->buffer;

	for (; mnl_nlmsg_ok(message, bytes); message = mnl_nlmsg_next(message, &bytes)) {
		if (dumped)
			take_answer(n, message, now_ms);
		else
			take_message(n, message, false);
	}
}

// Returns whether there was a datagram.
static bool
read_socket(struct learn_netlink *n, struct mnl_socket *from, int64_t now_ms)
{
	bool dumped = from == n->dump;
	struct iovec to = {.iov_base = n->buffer, .iov_len = sizeof(n->buffer)};
	struct sockaddr_nl sender;
	struct msghdr header = {.msg_name = &sender,
				.msg_namelen = sizeof(sender),
				.msg_iov = &to,
				.msg_iovlen = 1};
	ssize_t bytes = recvmsg(mnl_socket_get_fd(from), &header, 0);

	if (bytes < 0 && errno == ENOBUFS) {
		n->counts.overruns++;
		abandon_dump(n, now_ms);
		return true;
	}
	if (bytes < 0)
		return false;
	if (sender.nl_pid != 0)
		return true; // not the kernel
	if (header.msg_flags & MSG_TRUNC) {
		n->counts.refused++;
		if (!dumped)
			abandon_dump(n, now_ms);
	}
	take_datagram(n, (int)bytes, dumped, now_ms);
	return true;
}

void
learn_netlink_turn(struct learn_netlink *n, int64_t now_ms)
{
	for (int i = 0; i < TURN_DATAGRAMS && read_socket(n, n->follow, now_ms); i++)
		;
	for (int i = 0; i < TURN_DATAGRAMS && read_socket(n, n->dump, now_ms); i++)
		;
	if (n->rib->doubtful && n->step < 0)
		want_dump(n, now_ms);
	if (n->wanted && n->step < 0 && !n->stale && now_ms >= n->again_ms)
		begin_dump(n, now_ms);
}

int
learn_netlink_wait_ms(const struct learn_netlink *n, int64_t now_ms)
{
	if (n->step >= 0 || n->stale || (!n->wanted && !n->rib->doubtful))
		return -1;
	return n->again_ms <= now_ms ? 0 : (int)(n->again_ms - now_ms);
}

// ---- neighbours ------------------------------------------------------------------------------

bool
probe_limiter_allow(struct probe_limiter *a, uint32_t device, const struct learn_address *address,
		    int64_t now_ms)
{
	uint64_t key = hash_bytes(device, address, sizeof(*address)) | 1;
	unsigned int at = key >> 32 & (PROBE_SLOTS - 1);

	if (now_ms - a->since_ms >= PROBE_INTERVAL_MS) {
		a->since_ms = now_ms;
		a->count = 0;
	}
	if (a->count == PROBE_MAX ||
	    (a->last[at].key == key && now_ms - a->last[at].at_ms < PROBE_INTERVAL_MS))
		return false;
	a->count++;
	a->last[at].key = key;
	a->last[at].at_ms = now_ms;
	return true;
}

void
learn_netlink_ask(struct learn_netlink *n, uint32_t device, const struct learn_address *address,
		  int64_t now_ms)
{
	_Alignas(8) char buffer[128] = {0};
	struct nlmsghdr *request;
	struct ndmsg *neighbour;

	if (!probe_limiter_allow(&n->asks, device, address, now_ms))
		return;
	request = mnl_nlmsg_put_header(buffer);
	request->nlmsg_type = RTM_NEWNEIGH;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_REPLACE;
	neighbour = mnl_nlmsg_put_extra_header(request, sizeof(*neighbour));
	neighbour->ndm_family = address->version == 4 ? AF_INET : AF_INET6;
	neighbour->ndm_ifindex = (int)device;
	neighbour->ndm_state = NUD_NONE;
	neighbour->ndm_flags = NTF_USE;
	mnl_attr_put(request, NDA_DST, address->version == 4 ? 4 : 16, address->bytes);
	if (mnl_socket_sendto(n->dump, request, request->nlmsg_len) > 0)
		n->counts.asked++;
}
