// SPDX-License-Identifier: BSD-3-Clause
// The DSCP in a packet's IP header (RFC 2474).
#pragma once

#include "checksum.h"
#include "packet.h"

// Sets the DSCP of a parsed packet; its metadata keep the one that it came in with. ECN bits stay,
// the IPv4 checksum follows. The node's worker.
static inline void
dscp_set(struct rte_mbuf *m, uint8_t dscp)
{
	const struct packet_meta *meta = packet_meta(m);
	uint8_t *ip = packet_data(m) + meta->l3_off;

	if (meta->flags & PACKET_IPV6) { // the traffic class straddles bytes 0 and 1
		ip[0] = (uint8_t)((ip[0] & 0xf0) | dscp >> 2);
		ip[1] = (uint8_t)(dscp << 6 | (ip[1] & 0x3f));
	} else if (ip[1] >> 2 != dscp) { // mostly it is what the host wrote
		checksum_ipv4_set_byte(ip, 1, (uint8_t)(dscp << 2 | (ip[1] & 3)));
	}
}
