// SPDX-License-Identifier: BSD-3-Clause
// Reads and changes Linux interfaces of this thread's network namespace.
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#define LINK_KIND_MAX 16

struct nlmsghdr;

struct link_info {
	int index;
	unsigned mtu;
	uint8_t mac[6]; // 0 without one
	bool up;
	bool running;                    // up, and it has a carrier
	uint32_t carrier_downs;          // how often it has lost its carrier
	bool xdp;                        // an XDP program is attached
	char kind[LINK_KIND_MAX];        // "veth", "" for hardware
	char master[IF_NAMESIZE];        // "" without one
	char master_kind[LINK_KIND_MAX]; // "bridge", "bond", ...
	char alias[64];
	uint64_t rx_dropped; // by the kernel; 0 in a lossless fabric
	uint64_t tx_dropped;
	uint64_t rx_errors;
	uint64_t tx_errors;
	uint64_t rx_packets;
	uint64_t tx_packets;
};

// Returns 0, -ENODEV or -errno.
int link_get(const char *name, struct link_info *info);
// Reads the kernel's answer, a message that is as long as it says. Returns as a callback of libmnl.
int link_read(const struct nlmsghdr *answer, struct link_info *info);

// The alias of interfaces that Roost makes, followed by the fabric's name: it distinguishes them
// from others, and names the fabric that uses a namespace.
#define LINK_ALIAS "roost "

// Sets that alias. Returns 0 or -errno.
int link_set_fabric(const char *name, const char *fabric);
// The fabric of the alias, or NULL. It lies in info.
const char *link_fabric(const struct link_info *info);

// Writes a key of /proc/sys/net/ipv6/conf. Returns 0, also in a kernel without IPv6, which needs no
// change; or -errno.
int link_set_ipv6(const char *name, const char *key, const char *value);

// Brings it up, or takes it down. Both return 0 or -errno.
int link_set_up(const char *name);
int link_set_down(const char *name);

// Whether another interface is above it: a VLAN, a bridge, a bond. Returns 1, 0, -ENODEV or -errno.
int link_has_upper(const char *name);

// Detaches an XDP program. Returns 0, also if there is none, or -errno.
int link_detach_xdp(const char *name);

// Deletes it (a veth's far end goes too). Returns 0, -ENODEV or -errno.
int link_delete(const char *name);
