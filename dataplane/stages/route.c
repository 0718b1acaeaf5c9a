// SPDX-License-Identifier: BSD-3-Clause
#include "route.h"

static uint32_t
find_loopback(const struct vrf *vrf, bool ip6, const uint8_t *address)
{
	const struct loopback_routes *to = ip6 ? &vrf->loopbacks6 : &vrf->loopbacks4;
	uint32_t place = ip6 ? lpm_lookup6(to->trie, address) : lpm_lookup4(to->trie, address);

	return place != LPM_NONE ? to->groups[place] : LPM_NONE;
}

uint32_t
route_find(const struct vrf *vrf, bool ip6, const uint8_t *address)
{
	uint32_t group = ip6 ? lpm_lookup6(vrf->ip6, address) : lpm_lookup4(vrf->ip4, address);

	return group != LPM_NONE ? group : find_loopback(vrf, ip6, address);
}

int
route_missed(const struct vrf *vrf, struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	bool ip6 = meta->flags & PACKET_IPV6;

	meta->group = find_loopback(vrf, ip6, ip + (ip6 ? 24 : 16));
	return meta->group == LPM_NONE ? DROP_NO_ROUTE : STAGE_NEXT;
}
