// SPDX-License-Identifier: BSD-3-Clause
// IP-in-IP that ends at a switch: IPv4 and IPv6 in either (RFC 2003, RFC 2473, RFC 4213), to an
// address that the file lists. stage_tunnel() decapsulates the packet, the outer header goes when
// the packet is rewritten (tunnel_rewrite()). See ipip.c.
#pragma once

#include "stage.h"
#include "dataplane/base/headers.h"

// Whether the packet may be in IP-in-IP: it is not a fragment, and did not come out of VXLAN.
static __rte_always_inline bool
ipip_looks(const struct packet_meta *meta)
{
	return (meta->ip_proto == HEADER_PROTOCOL_IP4 || meta->ip_proto == HEADER_PROTOCOL_IP6) &&
	       !(meta->flags & PACKET_DECAPPED);
}

// A packet in IP-in-IP that came by this port. Returns the verdict: STAGE_NEXT also where its
// destination is no address of tables->ipip, which is not NULL.
int ipip_receive(struct node *n, const struct port_tables *port, struct rte_mbuf *m);
