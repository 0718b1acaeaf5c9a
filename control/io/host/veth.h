// SPDX-License-Identifier: BSD-3-Clause
// Plugs a namespace into the fabric: a veth pair whose one end is the namespace's eth1 and whose
// other end, in this thread's namespace, is opened by net_af_xdp. See veth.c.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct veth_address {
	int family;        // AF_INET or AF_INET6
	uint8_t bytes[16]; // network order; the first 4 for AF_INET
	unsigned prefix_length;
};

struct veth_route {
	struct veth_address destination; // prefix_length 0: the default route
	struct veth_address gateway; // may lie outside every prefix: it is taken to be on the link
};

struct veth_options {
	int netns_fd;            // of the host's end
	const char *netns;       // its name, for messages
	const char *host_name;   // "eth1"
	const char *switch_name; // of the end in this namespace
	const char *fabric;      // its name, which tells a second fabric who has the namespace
	uint8_t host_mac[6];
	uint8_t switch_mac[6];
	uint8_t gateway_mac[6]; // of every gateway: the permanent neighbour
	unsigned mtu;           // IP MTU of both ends
	const struct veth_address *addresses;
	unsigned address_count;
	const struct veth_route *routes;
	unsigned route_count;
};

// Makes the pair and all of the host's settings, or nothing. IPv6 is on at the host's end only if
// an address is IPv6. Returns 0, -EEXIST or -errno with one line in `err`. Control thread, root.
int veth_create(const struct veth_options *options, char *err, size_t err_bytes);

// Gives a host that is plugged in other addresses: its tenant has changed. Of the options only
// namespace, host name and addresses count; `old`: as many addresses. The new ones are added before
// the old ones go, because an interface that loses its last address loses its routes. An old one
// that is absent is no error. Returns 0 or -errno with one line in `err`. Control thread, root.
int veth_readdress(const struct veth_options *options, const struct veth_address *old, char *err,
		   size_t err_bytes);
