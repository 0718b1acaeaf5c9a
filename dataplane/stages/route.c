// SPDX-License-Identifier: BSD-3-Clause
#include "route.h"

uint32_t
route_find(const struct vrf *vrf, bool ip6, const uint8_t *address)
{
	uint32_t group = ip6 ? lpm_lookup6(vrf->ip6, address) : lpm_lookup4(vrf->ip4, address);

	if (group != LPM_NONE)
		return group;
	return ip6 ? lpm_lookup6(vrf->loopbacks6, address) : lpm_lookup4(vrf->loopbacks4, address);
}

int
route_missed(const struct vrf *vrf, struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;

	meta->group = meta->flags & PACKET_IPV6 ? lpm_lookup6(vrf->loopbacks6, ip + 24)
						: lpm_lookup4(vrf->loopbacks4, ip + 16);
	return meta->group == LPM_NONE ? DROP_NO_ROUTE : STAGE_NEXT;
}
