// SPDX-License-Identifier: BSD-3-Clause
// rewrite: what a router changes: TTL or hop limit, MACs, and the IPv4 checksum incrementally (RFC
// 1624). All of it is outside the ICRC (IBTA annex 17), which stays valid.
#pragma once

#include "dataplane/base/checksum.h"
#include "tunnel.h"

// With tunnels the packet's encapsulation is put on or taken off, too.
static __rte_always_inline int
stage_rewrite(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	uint8_t *data, *ip;

	(void)in;
	(void)now;
	if (variant & NODE_TUNNELS) {
		if (meta->encap != 0 || meta->flags & (PACKET_DECAPPED | PACKET_VLAN)) {
			tunnel_rewrite(n, m);
			return STAGE_NEXT;
		}
		if (unlikely(meta->flags & PACKET_TAGGED) && t->tunnels != NULL &&
		    t->tunnels->vids != NULL)
			tunnel_clear_vlan(m);
	}
	data = packet_data(m);
	ip = data + meta->l3_off;
	memcpy(data, t->next_hops[meta->group].mac, 6);
	memcpy(data + 6, t->ports[meta->out_port].mac, 6);
	if (unlikely(meta->flags & PACKET_IPV6))
		ip[7]--;
	else
		checksum_ipv4_decrement_ttl(ip);
	return STAGE_NEXT;
}
