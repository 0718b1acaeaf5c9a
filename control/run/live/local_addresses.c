// SPDX-License-Identifier: BSD-3-Clause
// After a change of any address all of them are read: changes are few, a complete list is right
// whatever was missed (a socket whose buffer overflowed reports ENOBUFS, which counts as a change),
// and setting a map to what it has already has no effect. A list that changes while it is read is
// followed by one more notification.
//
// Addresses that need no map are left out: link-local IPv6, which the program knows by its prefix,
// and those of loopback, which no packet of a link carries.
#include "bfd_agent.h"

#include "control/base/memory.h"
#include "control/io/host/netns.h"
#include "control/io/host/request.h"
#include "dataplane/device/xdp/steering.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct local_addresses {
	int changes; // a netlink socket; -1: none
	struct local_list list;
	size_t left_out;
	bool stale; // the ports have an older list
};

static void
add(struct local_list *l, const char *interface, const struct sockaddr *from)
{
	const struct in_addr *ip4 = &((const struct sockaddr_in *)from)->sin_addr;
	const struct in6_addr *ip6 = &((const struct sockaddr_in6 *)from)->sin6_addr;
	struct steering_address address = {.version = from->sa_family == AF_INET ? 4 : 6};

	if (from->sa_family == AF_INET) {
		if (ntohl(ip4->s_addr) >> 24 == IN_LOOPBACKNET)
			return;
		memcpy(address.bytes, ip4, sizeof(*ip4));
	} else if (from->sa_family == AF_INET6) {
		if (IN6_IS_ADDR_LINKLOCAL(ip6) || IN6_IS_ADDR_LOOPBACK(ip6))
			return;
		memcpy(address.bytes, ip6, sizeof(*ip6));
	} else {
		return;
	}
	l->addresses =
		memory_grow(l->addresses, l->count, sizeof(*l->addresses), "addresses of Linux");
	l->interfaces =
		memory_grow(l->interfaces, l->count, sizeof(*l->interfaces), "addresses of Linux");
	snprintf(l->interfaces[l->count], sizeof(*l->interfaces), "%s", interface);
	l->addresses[l->count++] = address;
}

static void
empty(struct local_list *l)
{
	free(l->addresses);
	free(l->interfaces);
	*l = (struct local_list){0};
}

// In the namespace of the interfaces.
static int
read_addresses(void *arg)
{
	struct local_list *l = &((struct local_addresses *)arg)->list;
	struct ifaddrs *all;

	if (getifaddrs(&all) != 0)
		return -errno;
	empty(l);
	for (const struct ifaddrs *i = all; i != NULL; i = i->ifa_next)
		if (i->ifa_addr != NULL)
			add(l, i->ifa_name, i->ifa_addr);
	freeifaddrs(all);
	return 0;
}

static size_t
count_left_out(const struct local_addresses *l)
{
	size_t count[2] = {0};

	for (size_t i = 0; i < l->list.count; i++)
		count[l->list.addresses[i].version == 6]++;
	return (count[0] > STEER_ADDRESSES ? count[0] - STEER_ADDRESSES : 0) +
	       (count[1] > STEER_ADDRESSES ? count[1] - STEER_ADDRESSES : 0);
}

static int
set_port(const struct local_addresses *l, const struct live_fabric *live,
	 const struct device_port *d)
{
	int error = bfd_agent_steer(live, d);

	return error != 0 ? error
			  : steering_set_local(d->live.device->steering, l->list.addresses,
					       l->list.count);
}

static int
set_ports(struct local_addresses *l, struct live_fabric *live)
{
	int result = 0;

	l->left_out = count_left_out(l);
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];
		const struct device *device = d->live.device;
		int error = device != NULL && device->steering != NULL ? set_port(l, live, d) : 0;

		if (error != 0 && error != -E2BIG)
			result = error;
	}
	icmp_sources_set(live, &l->list);
	return result;
}

// In the namespace of the interfaces.
static int
open_changes(void *arg)
{
	const struct sockaddr_nl groups = {.nl_family = AF_NETLINK,
					   .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
	struct local_addresses *l = arg;

	l->changes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (l->changes < 0 ||
	    bind(l->changes, (const struct sockaddr *)&groups, sizeof(groups)) != 0)
		return -errno;
	return read_addresses(l);
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
	l->changes = -1;
	live->local_addresses = l;
	rc = netns_run(live->outer_netns, open_changes, l);
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

void
local_addresses_refresh(struct live_fabric *live)
{
	if (live->local_addresses != NULL)
		live->local_addresses->stale = true;
	local_addresses_poll(live);
}

void
local_addresses_poll(struct live_fabric *live)
{
	struct local_addresses *l = live->local_addresses;

	if (l == NULL)
		return;
	l->stale |= request_drain(l->changes);
	// If this fails, the next poll tries again.
	if (l->stale && netns_run(live->outer_netns, read_addresses, l) == 0 &&
	    set_ports(l, live) == 0)
		l->stale = false;
}

void
local_addresses_count(const struct local_addresses *l, size_t *addresses, size_t *left_out)
{
	*addresses = l->list.count;
	*left_out = l->left_out;
}

void
local_addresses_close(struct local_addresses *l)
{
	if (l == NULL)
		return;
	if (l->changes >= 0)
		close(l->changes);
	empty(&l->list);
	free(l);
}
