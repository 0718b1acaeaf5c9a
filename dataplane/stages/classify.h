// SPDX-License-Identifier: BSD-3-Clause
// classify: which priority a packet has, by the first of the trusted markings that it carries, and
// from that its priority group and traffic class; which VRF and tenant it belongs to, by the port
// it came in by.
#pragma once

#include "stage.h"
#include "dataplane/base/priority.h"
#include "dataplane/queueing/credits.h"

// With tunnels it comes behind stage_tunnel(), which knows the VRF and tenant of a packet that came
// in a tunnel or with a tag, and which DSCP counts.
static __rte_always_inline int
stage_classify(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const bool tunnels = variant & NODE_TUNNELS;
	const struct tables *t = n->current;
	const struct port_profile *profile = in->profile;
	const struct port_tables *port = &t->ports[in->index];
	struct packet_meta *meta = packet_meta(m);
	const uint8_t priority = tunnels ? priority_with_ipip(t, profile, meta)
					 : priority_of_packet(profile, meta);
	const unsigned int tc = t->priority_to_tc[priority];
	const unsigned int pg = tunnels && unlikely(meta->flags & PACKET_IPIP)
					? t->ipip->priority_to_pg[priority]
					: t->priority_to_pg[priority];

	(void)now;
	meta->priority = priority;
	meta->pg = (uint8_t)pg;
	if (variant & NODE_FULL && in->credits != NULL)
		meta->pg = credits_classify(n, in, m, tc);
	meta->tc = (uint8_t)tc;
	node_meet(n, meta->pg, tc);
	if (!tunnels || !(meta->flags & (PACKET_DECAPPED | PACKET_VLAN)))
		meta->vrf = port->vrf;
	if (!tunnels || !(meta->flags & (PACKET_DECAPPED | PACKET_VLAN | PACKET_TUNNEL)))
		meta->tenant = port->tenant;
	if (meta->tenant != TENANT_NONE) {
		n->buffer.tenants[meta->tenant].packets++;
		n->buffer.tenants[meta->tenant].bytes += meta->wire_bytes;
	}
	return STAGE_NEXT;
}
