// SPDX-License-Identifier: BSD-3-Clause
// The address plan: addresses follow from the place (plane, pod, leaf, port of the leaf) and back.
//     IPv4  10.(plane * 32 + pod).leaf.port
//     IPv6  fd00::plane:pod:leaf:port, each in hexadecimal
//     MAC   of a host 02:00: + the four bytes of its IPv4 address
//           of a switch's port 02:01: + node (3 bytes) + port
// Planes and pods count from 0, leaves and ports from 1; a number of 256 is written 0 in IPv4. In a
// fabric with pods leaves count within theirs; in others leaves beyond 256 continue in the next
// pod.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ADDRESSES_LEAVES_PER_POD 256
#define ADDRESSES_PODS 32
#define ADDRESSES_PLANES 8
#define ADDRESSES_TEXT_MAX 46 // INET6_ADDRSTRLEN

// The hosts' gateway, by a permanent neighbour entry for their leaf's port.
#define ADDRESSES_GATEWAY_IP4 "169.254.0.1"
#define ADDRESSES_GATEWAY_IP6 "fe80::1"

struct place {
	uint16_t plane; // 0 .. 7
	uint16_t pod;   // 0 .. 31
	uint16_t leaf;  // 1 .. 256
	uint16_t port;  // 1 .. 256
};

// A host's addresses, in network byte order. Any thread.
void addresses_ip4(const struct place *place, uint8_t out[static 4]);
void addresses_ip6(const struct place *place, uint8_t out[static 16]);
void addresses_host_mac(const struct place *place, uint8_t out[static 6]);
// A switch port's MAC; node: its index in the topology, number: the N of swpN.
void addresses_switch_mac(uint32_t node, uint16_t number, uint8_t out[static 6]);

// The place that an address stands for. "10.1.3.7", "fd00::0:1:3:7" or "02:00:0a:01:03:07".
// Returns 0; -EINVAL: the text is no address; -ENOENT: an address of no place.
int addresses_find_place(const char *text, struct place *out);
