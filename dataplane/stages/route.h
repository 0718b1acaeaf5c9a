// SPDX-License-Identifier: BSD-3-Clause
// route: longest prefix match of the destination in the packet's VRF. Leaves the next-hop group.
#pragma once

#include "stage.h"
#include "dataplane/base/headers.h"

// Cold: the group towards an address, loopbacks of switches included; LPM_NONE: no route.
uint32_t route_find(const struct vrf *vrf, bool ip6, const uint8_t *address);

// Cold: a destination that the VRF's own trie does not cover: a switch's loopback, or none.
int route_missed(const struct vrf *vrf, struct rte_mbuf *m);

static __rte_always_inline int
stage_route(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const struct vrf *vrf = &t->vrfs[meta->vrf];
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	bool ip6 = meta->flags & PACKET_IPV6;
	uint8_t ttl = ip6 ? ip[7] : ip[8];

	(void)in;
	(void)now;
	if (unlikely(ttl <= 1))
		return DROP_TTL_EXPIRED;
	meta->group = ip6 ? lpm_lookup6(vrf->ip6, ip + 24) : lpm_lookup4(vrf->ip4, ip + 16);
	return unlikely(meta->group == LPM_NONE) ? route_missed(vrf, m) : STAGE_NEXT;
}
