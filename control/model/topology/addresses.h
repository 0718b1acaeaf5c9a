// SPDX-License-Identifier: BSD-3-Clause
// The address plan: addresses follow from the place and back.
//     host      IPv4  10.(plane * 32 + pod).leaf.port
//               IPv6  fd00::plane:pod:leaf:port, each in hexadecimal
//               MAC   02:00: + the four bytes of its IPv4 address
//     switch    IPv4  172.(16 + tier).(plane * 32 + pod).number, its loopback
//               IPv6  fd00:0:0:(1 + tier):plane:pod:number:0, the same
//               MAC   02:02: + node (3 bytes) + 00, as a router at the end of tunnels
//     its port  IPv6  fe80::(1 + tier, plane):pod:number:port, of the link alone; to IPv4 it has
//                     none of its own (the link is unnumbered) and borrows the loopback
//               MAC   02:01: + node (3 bytes) + port
// Planes and pods count from 0, leaves and ports from 1; a number of 256 is written 0 in IPv4.
// Tiers are leaf 0, spine 1, super 2. In a fabric with pods leaves and spines count within theirs;
// in others, and supers in all, those beyond 256 continue in the next pod. A node is its index in
// the topology.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_LEAVES_PER_POD 256
#define ADDRESSES_PODS 32
#define ADDRESSES_PLANES 8
#define ADDRESSES_TEXT_MAX 46 // INET6_ADDRSTRLEN

// The hosts' gateway: their leaf's port, which answers ARP and ND for it.
#define ADDRESSES_GATEWAY_IP4 "169.254.0.1"
#define ADDRESSES_GATEWAY_IP6 "fe80::1"
// The source of ICMP errors of a switch without an address, which nobody has (RFC 7600).
#define ADDRESSES_NONE_IP4 "192.0.0.8"

#define ADDRESSES_TIERS 3

// A switch, one of its ports, or the host behind a leaf's port.
struct place {
	uint16_t plane;  // 0 .. 7
	uint16_t pod;    // 0 .. 31
	uint16_t number; // of the switch, 1 .. 256
	uint16_t port;   // 1 .. 256; 0: none
	uint16_t tier;   // 0 .. 2; of a host's leaf 0
};

// A host's addresses, in network byte order. Any thread.
void addresses_ip4(const struct place *place, uint8_t out[static 4]);
void addresses_ip6(const struct place *place, uint8_t out[static 16]);
void addresses_host_mac(const struct place *place, uint8_t out[static 6]);
// A switch port's MAC; node: its index in the topology, number: the N of swpN.
void addresses_switch_mac(uint32_t node, uint16_t number, uint8_t out[static 6]);

// A switch's loopbacks (the port is ignored), and the link-local address of one of its ports. Any
// thread.
void addresses_loopback4(const struct place *place, uint8_t out[static 4]);
void addresses_loopback6(const struct place *place, uint8_t out[static 16]);
void addresses_link_local(const struct place *place, uint8_t out[static 16]);
// The MAC of a switch as a router.
void addresses_router_mac(uint32_t node, uint8_t out[static 6]);

enum addresses_kind {
	ADDRESSES_HOST,        // place
	ADDRESSES_LOOPBACK,    // place, without a port
	ADDRESSES_LINK_LOCAL,  // place
	ADDRESSES_ROUTER_MAC,  // node
	ADDRESSES_SWITCH_PORT, // node, port
};

// The owner of an address; the kind says which members are set.
struct addresses_found {
	enum addresses_kind kind;
	struct place place;
	uint32_t node;
	uint16_t port;
};

// Returns 0; -EINVAL: the text is no address; -ENOENT: an address that the plan does not use.
// Any thread.
int addresses_find(const char *text, struct addresses_found *out);

// A text as an address: *version is 4, 6, or 0 of a MAC. Returns 0 or -EINVAL.
int addresses_parse(const char *text, uint8_t *version, uint8_t out[static 16]);
