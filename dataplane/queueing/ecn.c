// SPDX-License-Identifier: BSD-3-Clause
#include "ecn.h"

void
ecn_set_ce(struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *l3 = packet_data(m) + meta->l3_off;

	if (meta->flags & PACKET_IPV6)
		l3[1] |= ECN_CE << 4; // the traffic class straddles bytes 0 and 1
	else
		checksum_ipv4_set_byte(l3, 1, l3[1] | ECN_CE);
	meta->ecn = ECN_CE;
}
