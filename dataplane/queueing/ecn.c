// SPDX-License-Identifier: BSD-3-Clause
#include "ecn.h"

#include "dataplane/base/ib_headers.h"
#include "dataplane/base/roce_headers.h"

void
ecn_set_ce(struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *l3 = packet_data(m) + meta->l3_off;

	if (meta->flags & PACKET_INFINIBAND)
		((struct roce_bth *)(packet_data(m) + meta->l4_off + IB_LRH_BYTES))->congestion |=
			ROCE_BTH_FECN;
	else if (meta->flags & PACKET_IPV6)
		l3[1] |= ECN_CE << 4; // the traffic class straddles bytes 0 and 1
	else
		checksum_ipv4_set_byte(l3, 1, l3[1] | ECN_CE);
	meta->ecn = ECN_CE;
}

int
ecn_combine(uint8_t inside, uint8_t outside)
{
	static const int8_t table[4][4] = {
		[ECN_NOT_ECT] = {ECN_NOT_ECT, ECN_NOT_ECT, ECN_NOT_ECT, -1},
		[ECN_ECT0] =
			{ECN_ECT0, [ECN_ECT0] = ECN_ECT0, [ECN_ECT1] = ECN_ECT1, [ECN_CE] = ECN_CE},
		[ECN_ECT1] =
			{ECN_ECT1, [ECN_ECT0] = ECN_ECT1, [ECN_ECT1] = ECN_ECT1, [ECN_CE] = ECN_CE},
		[ECN_CE] = {ECN_CE, ECN_CE, ECN_CE, ECN_CE},
	};

	return table[inside][outside];
}
