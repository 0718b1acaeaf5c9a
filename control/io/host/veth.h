// SPDX-License-Identifier: BSD-3-Clause
// Connects a namespace to the fabric by a veth pair: one end is the namespace's eth1, the other, in
// this thread's namespace, is opened by net_af_xdp. See veth.c.
#pragma once

#include "control/base/diag.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

struct veth_address {
	int family;        // AF_INET or AF_INET6
	uint8_t bytes[16]; // network order; the first 4 for AF_INET
	unsigned prefix_length;
};

static inline struct veth_address
veth_address_of(int family, const uint8_t *bytes, unsigned prefix_length)
{
	struct veth_address a = {.family = family, .prefix_length = prefix_length};

	memcpy(a.bytes, bytes, family == AF_INET ? 4 : 16);
	return a;
}

struct veth_route {
	struct veth_address destination; // prefix_length 0: the default route
	struct veth_address gateway;     // on the link, even outside every prefix
	uint8_t table;                   // 0: the main one
	uint32_t metric;                 // 0: the most preferred
};

struct veth_options {
	int netns_fd;            // of the host's end
	const char *netns;       // its name, for messages
	const char *enter;       // the command that runs another in it, for messages
	const char *host_name;   // "eth1"
	const char *switch_name; // of the end in this namespace
	const char *fabric; // its name, for the error of a second fabric that wants the namespace
	uint8_t host_mac[6];
	uint8_t switch_mac[6];
	unsigned mtu; // IP MTU of both ends
	const struct veth_address *addresses;
	unsigned address_count;
	const struct veth_route *routes;
	unsigned route_count;
};

// Makes the pair and all of the host's settings, or nothing. IPv6 is on at the host's end only if
// an address is IPv6. Returns 0, or -EEXIST or -errno with an error in diag. Control thread, root.
int veth_create(const struct veth_options *options, struct diag *diag);

// Changes the addresses of a host, because its tenant has changed. Of the options only namespace,
// host name and addresses are used; `old` has as many addresses. New addresses are added before the
// old ones are removed, because an interface that loses its last address loses its routes. An
// absent old one is no error. Returns 0, or -errno with an error in diag. Control thread, root.
int veth_readdress(const struct veth_options *options, const struct veth_address *old,
		   struct diag *diag);

// Gives the host's end, which has been down, what Linux took from it then: IPv6 addresses and
// routes. What is there is left alone. Returns 0, or -errno with an error in diag. Control thread,
// root.
int veth_restore(const struct veth_options *options, struct diag *diag);
