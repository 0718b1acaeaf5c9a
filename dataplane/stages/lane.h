// SPDX-License-Identifier: BSD-3-Clause
// lane: the priority of an InfiniBand packet is its service level, and the traffic class that this
// maps to is the virtual lane by which it leaves (SL2VL). The lane by which it came says its
// priority group. At a host's port a packet of another partition goes no further.
#pragma once

#include "dataplane/base/ib_headers.h"
#include "dataplane/base/roce_headers.h"
#include "stage.h"

// Whether a packet is of this partition; 0 is none.
static inline bool
lane_in_partition(struct rte_mbuf *m, uint16_t pkey)
{
	const struct roce_bth *bth =
		(const struct roce_bth *)(packet_data(m) + packet_meta(m)->l4_off + IB_LRH_BYTES);

	return pkey == 0 || (roce_bth_pkey(bth) & IB_PKEY_BASE) == pkey;
}

static __rte_always_inline int
stage_lane(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	const struct port_tables *port = &t->ports[in->index];
	const struct ib_lrh *lrh = (const struct ib_lrh *)packet_data(m);
	struct packet_meta *meta = packet_meta(m);
	const unsigned int sl = ib_lrh_sl(lrh);

	(void)now;
	if (unlikely(sl >= PRIORITIES))
		return DROP_SERVICE_LEVEL;
	if (unlikely(!lane_in_partition(m, port->pkey)))
		return DROP_PARTITION;
	meta->priority = (uint8_t)sl;
	meta->pg = t->vl_to_pg[ib_lrh_vl(lrh)];
	meta->tc = t->priority_to_tc[sl];
	meta->vrf = port->vrf;
	meta->tenant = port->tenant;
	node_meet(n, meta->pg, meta->tc);
	if (meta->tenant != TENANT_NONE) {
		n->buffer.tenants[meta->tenant].packets++;
		n->buffer.tenants[meta->tenant].bytes += meta->wire_bytes;
	}
	return STAGE_NEXT;
}
