// SPDX-License-Identifier: BSD-3-Clause
#include "readdress.h"

#include "netlink.h"
#include "netns.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

struct readdress {
	const struct readdress_options *options;
	struct netlink nl;
	const char *step;
};

static int
change_address(struct readdress *r, int index, uint16_t type, uint16_t flags,
	       const struct veth_address *address)
{
	_Alignas(NETLINK_ALIGN) char buffer[NETLINK_BYTES];
	struct nlmsghdr *request = netlink_message(buffer, type, flags);
	struct ifaddrmsg *header = mnl_nlmsg_put_extra_header(request, sizeof(*header));
	size_t bytes = address->family == AF_INET6 ? 16 : 4;

	header->ifa_family = (uint8_t)address->family;
	header->ifa_prefixlen = (uint8_t)address->prefix_length;
	header->ifa_flags = address->family == AF_INET6 ? IFA_F_PERMANENT | IFA_F_NODAD
							: IFA_F_PERMANENT;
	header->ifa_scope = RT_SCOPE_UNIVERSE;
	header->ifa_index = (uint32_t)index;
	mnl_attr_put(request, IFA_LOCAL, bytes, address->bytes);
	mnl_attr_put(request, IFA_ADDRESS, bytes, address->bytes);
	return netlink_talk(&r->nl, request, NULL, NULL);
}

// In the host's namespace.
static int
change_addresses(void *arg)
{
	struct readdress *r = arg;
	const struct readdress_options *o = r->options;
	int index = (int)if_nametoindex(o->interface), error;

	r->step = "finding it";
	error = index == 0 ? -errno : netlink_open(&r->nl);
	if (error != 0)
		return error;
	r->step = "adding its address";
	for (unsigned i = 0; error == 0 && i < o->count; i++)
		error = change_address(r, index, RTM_NEWADDR, NLM_F_CREATE | NLM_F_REPLACE,
				       &o->new[i]);
	for (unsigned i = 0; error == 0 && i < o->count; i++) {
		r->step = "taking its old address away";
		error = change_address(r, index, RTM_DELADDR, 0, &o->old[i]);
		if (error == -EADDRNOTAVAIL)
			error = 0;
	}
	netlink_close(&r->nl);
	return error;
}

int
readdress_host(const struct readdress_options *o, char *err, size_t err_bytes)
{
	struct readdress r = {.options = o};
	int error = netns_run(o->netns_fd, change_addresses, &r);

	if (error != 0)
		snprintf(err, err_bytes, "namespace %s, %s: %s: %s", o->netns, o->interface,
			 r.step != NULL ? r.step : "entering it", strerror(-error));
	return error;
}
