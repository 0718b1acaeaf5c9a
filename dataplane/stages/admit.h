// SPDX-License-Identifier: BSD-3-Clause
// admit: whether the way out can carry the packet and the buffer has room for it; charges it.
#pragma once

#include "../queueing/charge.h"
#include "parse.h"

// The IP packet's length, without Ethernet header, tag and padding.
static inline uint32_t
admit_ip_bytes(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;

	return meta->flags & PACKET_IPV6 ? parse_u16(ip + 4) + PARSE_IP6_BYTES : parse_u16(ip + 2);
}

static __rte_always_inline int
stage_admit(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	struct port *out = &n->ports[meta->out_port];

	if (unlikely(admit_ip_bytes(m) > out->profile->mtu))
		return DROP_MTU_EXCEEDED;
	meta->cells = tables_cells(t, meta->wire_bytes);
	if (unlikely(t->latency_wanted))
		meta->arrived = now;
	if (unlikely(tables_whole_rule(t)))
		return charge_admit_whole(n, in, out, m, now);
	return charge_admit(n, in, out, m, now, false);
}
