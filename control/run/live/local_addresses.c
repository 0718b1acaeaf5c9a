// SPDX-License-Identifier: BSD-3-Clause
// After a change of any address all of them are read: changes are few, a complete list is right
// whatever was missed (a socket whose buffer overflowed reports ENOBUFS, which counts as a change),
// and setting a map to what it has already has no effect. There are two sockets, so that
// notifications do not mix with answers.
//
// Addresses that need no map are left out: link-local IPv6, which the program knows by its prefix,
// and those of loopback, which no packet of a link carries.
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "dataplane/device/xdp/steering.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESSES_BYTES 32768
#define ADDRESSES_TRIES 5 // of a list that changes while it is read

struct local_addresses {
	struct mnl_socket *changes;
	struct mnl_socket *answers;
	unsigned sequence;
	struct steering_address *list;
	size_t count;
	size_t left_out;
	bool stale; // the ports know an older list
};

static void
add(struct local_addresses *l, int family, const void *bytes)
{
	struct steering_address address = {.version = family == AF_INET ? 4 : 6};

	memcpy(address.bytes, bytes, family == AF_INET ? 4 : 16);
	l->list = memory_grow(l->list, l->count, sizeof(*l->list), "addresses of Linux");
	l->list[l->count++] = address;
}

static bool
is_left_out(int family, const uint8_t *bytes)
{
	const struct in6_addr *ip6 = (const struct in6_addr *)bytes;

	if (family == AF_INET)
		return bytes[0] == 127;
	return IN6_IS_ADDR_LINKLOCAL(ip6) || IN6_IS_ADDR_LOOPBACK(ip6);
}

// Of a point-to-point link IFA_LOCAL is ours, IFA_ADDRESS the peer's; IPv6 mostly has the latter
// alone.
struct found {
	_Alignas(struct in6_addr) uint8_t bytes[16];
	size_t wanted;
	bool any;
	bool local;
};

static int
take_attribute(const struct nlattr *attr, void *arg)
{
	struct found *found = arg;
	bool local = mnl_attr_get_type(attr) == IFA_LOCAL;

	if ((!local && mnl_attr_get_type(attr) != IFA_ADDRESS) || (!local && found->local) ||
	    mnl_attr_get_payload_len(attr) != found->wanted)
		return MNL_CB_OK;
	memcpy(found->bytes, mnl_attr_get_payload(attr), found->wanted);
	found->any = true;
	found->local = local;
	return MNL_CB_OK;
}

static int
take_address(const struct nlmsghdr *message, void *arg)
{
	const struct ifaddrmsg *header = mnl_nlmsg_get_payload(message);
	struct local_addresses *l = arg;
	struct found found = {0};

	if (message->nlmsg_type != RTM_NEWADDR ||
	    mnl_nlmsg_get_payload_len(message) < sizeof(*header) ||
	    (header->ifa_family != AF_INET && header->ifa_family != AF_INET6))
		return MNL_CB_OK;
	found.wanted = header->ifa_family == AF_INET ? 4 : 16;
	mnl_attr_parse(message, sizeof(*header), take_attribute, &found);
	if (found.any && !is_left_out(header->ifa_family, found.bytes))
		add(l, header->ifa_family, found.bytes);
	return MNL_CB_OK;
}

static int
read_once(struct local_addresses *l)
{
	_Alignas(struct nlmsghdr) char buffer[ADDRESSES_BYTES];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	unsigned port = mnl_socket_get_portid(l->answers);
	int more = MNL_CB_OK;

	request->nlmsg_type = RTM_GETADDR;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request->nlmsg_seq = ++l->sequence;
	((struct ifaddrmsg *)mnl_nlmsg_put_extra_header(request, sizeof(struct ifaddrmsg)))
		->ifa_family = AF_UNSPEC;
	free(l->list);
	l->list = NULL;
	l->count = 0;
	if (mnl_socket_sendto(l->answers, request, request->nlmsg_len) < 0)
		return -errno;
	while (more == MNL_CB_OK) {
		ssize_t bytes = mnl_socket_recvfrom(l->answers, buffer, sizeof(buffer));

		if (bytes < 0)
			return -errno;
		more = mnl_cb_run(buffer, (size_t)bytes, l->sequence, port, take_address, l);
	}
	return more == MNL_CB_STOP ? 0 : -errno;
}

// -EINTR: the list changed while the kernel read it out.
static int
read_all(struct local_addresses *l)
{
	int error = -EINTR;

	for (unsigned i = 0; error == -EINTR && i < ADDRESSES_TRIES; i++)
		error = read_once(l);
	return error;
}

static size_t
count_left_out(const struct local_addresses *l)
{
	size_t count[2] = {0};

	for (size_t i = 0; i < l->count; i++)
		count[l->list[i].version == 6]++;
	return (count[0] > STEER_ADDRESSES ? count[0] - STEER_ADDRESSES : 0) +
	       (count[1] > STEER_ADDRESSES ? count[1] - STEER_ADDRESSES : 0);
}

static int
set_ports(struct local_addresses *l, struct live_fabric *live)
{
	int result = 0;

	l->left_out = count_left_out(l);
	for (uint32_t i = 0; i < live->device_count; i++) {
		struct device *device = live->devices[i].live.device;
		int error = device->steering != NULL
				    ? steering_set_local(device->steering, l->list, l->count)
				    : 0;

		if (error != 0 && error != -E2BIG)
			result = error;
	}
	return result;
}

static struct mnl_socket *
open_socket(unsigned groups, int flags)
{
	struct mnl_socket *socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | flags);
	int error;

	if (socket == NULL || mnl_socket_bind(socket, groups, MNL_SOCKET_AUTOPID) == 0)
		return socket;
	error = errno;
	mnl_socket_close(socket);
	errno = error;
	return NULL;
}

// In the namespace of the interfaces.
static int
open_sockets(void *arg)
{
	struct local_addresses *l = arg;

	l->changes = open_socket(RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR, SOCK_NONBLOCK);
	l->answers = l->changes != NULL ? open_socket(0, 0) : NULL;
	return l->answers != NULL ? 0 : -errno;
}

static bool
is_wanted(const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->device_count; i++)
		if (live->devices[i].netdev != NULL)
			return true;
	return false;
}

int
local_addresses_open(struct live_fabric *live, struct diag *diag)
{
	struct local_addresses *l;
	int rc;

	if (!is_wanted(live))
		return 0;
	l = memory_new(sizeof(*l), "addresses of Linux");
	live->local_addresses = l;
	rc = netns_run(live->outer_netns, open_sockets, l);
	if (rc == 0)
		rc = read_all(l);
	if (rc == 0)
		rc = set_ports(l, live);
	if (rc != 0)
		return diag_fail(diag, -rc, "the addresses that Linux has: %s", strerror(-rc));
	if (l->left_out != 0)
		fprintf(live->notes,
			"roost: warning: %zu addresses of Linux beyond the first %d of "
			"their version: what is sent to them is forwarded or dropped\n",
			l->left_out, STEER_ADDRESSES);
	return 0;
}

// Reads all notifications. Returns true if there was any.
static bool
drain(struct local_addresses *l)
{
	_Alignas(struct nlmsghdr) char buffer[ADDRESSES_BYTES];
	bool any = false;

	for (;;) {
		if (mnl_socket_recvfrom(l->changes, buffer, sizeof(buffer)) >= 0 ||
		    errno == ENOBUFS || errno == ENOSPC)
			any = true;
		else if (errno != EINTR)
			return any;
	}
}

void
local_addresses_poll(struct live_fabric *live)
{
	struct local_addresses *l = live->local_addresses;

	if (l == NULL)
		return;
	l->stale |= drain(l);
	// If this fails, the next poll tries again.
	if (l->stale && read_all(l) == 0 && set_ports(l, live) == 0)
		l->stale = false;
}

void
local_addresses_count(const struct local_addresses *l, size_t *addresses, size_t *left_out)
{
	*addresses = l->count;
	*left_out = l->left_out;
}

void
local_addresses_close(struct local_addresses *l)
{
	if (l == NULL)
		return;
	if (l->changes != NULL)
		mnl_socket_close(l->changes);
	if (l->answers != NULL)
		mnl_socket_close(l->answers);
	free(l->list);
	free(l);
}
