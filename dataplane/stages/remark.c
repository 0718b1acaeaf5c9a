// SPDX-License-Identifier: BSD-3-Clause
#include "remark.h"

#include "dataplane/base/dscp.h"
#include "dataplane/base/headers.h"

// Of the first byte behind the tag's type: PCP, then DEI and the VLAN's first bits.
#define REMARK_TCI_OFFSET 14
#define REMARK_PCP_SHIFT 5

void
remark_packet(struct rte_mbuf *m, const struct remark_profile *remark)
{
	const struct packet_meta *meta = packet_meta(m);
	uint8_t dscp = remark->dscp[meta->priority], pcp = remark->pcp[meta->priority];

	if (dscp != REMARK_LEAVE && !(meta->flags & PACKET_TRIMMED))
		dscp_set(m, dscp);
	if (pcp != REMARK_LEAVE && meta->l3_off != HEADER_ETHERNET_BYTES) {
		uint8_t *tci = packet_data(m) + REMARK_TCI_OFFSET;

		*tci = (uint8_t)(pcp << REMARK_PCP_SHIFT | (*tci & ((1 << REMARK_PCP_SHIFT) - 1)));
	}
}
