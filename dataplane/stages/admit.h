// SPDX-License-Identifier: BSD-3-Clause
// admit: checks that the egress port can carry the packet and that the buffer has room for it, or
// for the rest after trimming; charges it.
#pragma once

#include "dataplane/queueing/port_tx_full.h"
#include "dataplane/queueing/trim.h"
#include "dataplane/queueing/watchdog.h"
#include "stage.h"
#include "dataplane/base/headers.h"
#include "tunnel.h"

// The IP packet's length, without Ethernet header, tag and padding.
static inline uint32_t
admit_ip_bytes(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;

	return meta->flags & PACKET_IPV6 ? header_get16(ip + 4) + HEADER_IP6_BYTES
					 : header_get16(ip + 2);
}

static __rte_always_inline int
admit_packet(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	const bool full = variant & NODE_FULL, tunnels = variant & NODE_TUNNELS;
	struct packet_meta *meta = packet_meta(m);
	struct port *out = &n->ports[meta->out_port];
	uint32_t overhead = tunnels ? tunnel_ip_bytes(n->current, meta) : 0;
	uint32_t mtu = out->profile->mtu;

	if (tunnels)
		mtu = tunnel_mtu(n->current, meta, mtu);
	if (unlikely((variant & NODE_INFINIBAND ? meta->wire_bytes : admit_ip_bytes(m)) + overhead >
		     mtu))
		return DROP_MTU_EXCEEDED;
	if (tunnels && unlikely(!tunnel_has_room(n, m, overhead)))
		return DROP_NO_MBUF;
	meta->cells = tables_cells(n->current, meta->wire_bytes);
	// What takes credit, or may be held on a link with retry, is charged first, and leaves at
	// the same instant.
	if (port_idle(n, out, meta->tc, now) &&
	    (!full || (port_unshaped(out, meta->tc, now) && !out->gated)) &&
	    charge_pass(n, in, out, m, variant))
		return STAGE_NEXT;
	meta->arrived = now; // even without a histogram: there may be one before it leaves
	return charge_admit(n, in, out, m, now, variant);
}

// In the full variant the watchdog may drop the packet first, and a packet that is refused may be
// trimmed.
static __rte_always_inline int
stage_admit(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now, unsigned int variant)
{
	struct port *out = &n->ports[packet_meta(m)->out_port];
	int verdict;

	if (!(variant & NODE_FULL))
		return admit_packet(n, in, m, now, variant);
	if (unlikely(in->stormed | out->stormed) && watchdog_refuses(n, in, out, m))
		return DROP_WATCHDOG;
	verdict = admit_packet(n, in, m, now, variant);
	if (unlikely(verdict >= 0) && n->current->trim.size != 0 && verdict != DROP_MTU_EXCEEDED &&
	    verdict != DROP_NO_MBUF)
		verdict = trim_refused(n, in, out, m, (enum drop_reason)verdict, now);
	return verdict;
}
