// SPDX-License-Identifier: BSD-3-Clause
// What a packet is, in a few words: addresses, ports, RoCE, pauses. As much as its bytes say; they
// may be cut anywhere and may lie.
#pragma once

#include <jansson.h>
#include <stdint.h>

// Adds to an object: protocol ("roce", "udp", "tcp", "icmp", "icmp6", "arp", "pfc", "pause",
// "lldp", "ip", "ip6" or "ethernet"), src, dst, and where they apply vlan, vni, sport, dport, dscp,
// ecn, opcode, qp, psn, syndrome, and `quanta` by priority. Of a packet in a tunnel, all is of the
// packet inside; the outer addresses are tunnel_src and tunnel_dst.
void packet_json_add(json_t *to, const uint8_t *data, uint32_t count);

// The same of an InfiniBand packet: protocol is "infiniband", src and dst are LIDs such as "lid 5",
// and where they apply there are sl, vl, pkey, opcode, qp, psn and syndrome.
void packet_json_add_infiniband(json_t *to, const uint8_t *data, uint32_t count);
