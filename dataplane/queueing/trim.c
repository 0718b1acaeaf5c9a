// SPDX-License-Identifier: BSD-3-Clause
// A packet that its egress queue refuses is trimmed to its first bytes and sent by another queue,
// so that the receiver learns at once that data is missing. Trimming applies to unicast IP packets
// of eligible classes from groups that are not lossless. CNPs are not trimmed, because they have
// nothing to trim, nor are packets that arrive or leave in a tunnel or with their VRF's tag. The IP
// length becomes that of the rest, and the IPv4 checksum holds, so that routers forward it. The UDP
// length stays, which shows a NIC that bytes are missing. The priority stays; the DSCP becomes the
// profile's.
//
// The rest is charged anew: the ingress side with fewer cells, the egress side to the other queue.
// If it is refused again, the complete packet is dropped for the first reason. Otherwise the packet
// counts in the first queue's `trimmed` and not in its `dropped`, and its group has received one
// packet, of its first size.
#include "trim.h"

#include "charge.h"
#include "dataplane/base/checksum.h"
#include "dataplane/base/dscp.h"
#include "dataplane/base/headers.h"
#include "dataplane/base/roce_headers.h"

static uint32_t
ip_end(struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;

	if (meta->flags & PACKET_IPV6)
		return meta->l3_off + HEADER_IP6_BYTES + header_get16(ip + 4);
	return meta->l3_off + header_get16(ip + 2);
}

// True when it was the egress side that refused: the ingress side, not charged since, still admits.
static bool
refused_by_queue(struct node *n, struct port *in, struct rte_mbuf *m, enum drop_reason reason)
{
	const struct charge c = charge_of(m);
	uint32_t shared;

	if (reason != DROP_TENANT_SHARE)
		return reason == DROP_EGRESS_POOL;
	return charge_try(n, &c, in, &in->groups[c.pg].usage, &in->profile->pg[c.pg].threshold,
			  true, DROP_INGRESS_POOL, &shared) >= 0;
}

static bool
may_trim(struct node *n, struct port *in, const struct port *out, struct rte_mbuf *m,
	 enum drop_reason reason)
{
	const struct trim_profile *trim = &n->current->trim;
	const struct packet_meta *meta = packet_meta(m);

	if (!(trim->eligible & 1u << meta->tc) || in->profile->pg[meta->pg].lossless)
		return false;
	if (meta->flags & (PACKET_TUNNEL | PACKET_DECAPPED | PACKET_VLAN) ||
	    (n->variant & NODE_TUNNELS && meta->encap != 0))
		return false; // what is left would have another size elsewhere
	if (meta->wire_bytes <= trim->size || ip_end(m) <= trim->size)
		return false; // behind the IP packet there is nothing that would be missed
	if (meta->flags & PACKET_ROCE && meta->opcode == ROCE_OP_CNP)
		return false;
	if (out->stormed & 1u << trim->tc && out->profile->watchdog.action == WATCHDOG_DROP)
		return false; // the watchdog discards what comes for the other queue
	return refused_by_queue(n, in, m, reason);
}

// Makes the packet what `size` bytes of its frame hold. Of a packet whose payload is not written
// the headers are all there is, and they stay.
static void
shorten(struct rte_mbuf *m, uint32_t size, uint8_t dscp)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *ip = packet_data(m) + meta->l3_off;
	uint32_t left = size - meta->l3_off;

	if (meta->data_len > size)
		meta->data_len = (uint16_t)size;
	if (meta->flags & PACKET_IPV6) {
		ip[4] = (uint8_t)((left - HEADER_IP6_BYTES) >> 8);
		ip[5] = (uint8_t)(left - HEADER_IP6_BYTES);
	} else {
		checksum_ipv4_set_byte(ip, 2, (uint8_t)(left >> 8));
		checksum_ipv4_set_byte(ip, 3, (uint8_t)left);
	}
	dscp_set(m, dscp);
	meta->flags |= PACKET_TRIMMED;
}

// Charges what will be left of the packet; what was counted when it was first tried is not counted
// again.
static int
charge_again(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m, ps_t now)
{
	const struct packet_meta *meta = packet_meta(m);
	struct priority_group *g = &in->groups[meta->pg];
	struct queue *q = &out->queues[meta->tc];
	struct queue_cold *cold = &out->queue_cold[meta->tc];
	const uint64_t packets = g->packets, bytes = g->bytes, g_dropped = g->dropped,
		       q_dropped = q->dropped, q_dropped_bytes = cold->dropped_bytes;
	int verdict;

	verdict = charge_admit(n, in, out, m, now, NODE_FULL | NODE_TENANTS);
	g->packets = packets;
	g->bytes = bytes;
	g->dropped = g_dropped;
	q->dropped = q_dropped;
	cold->dropped_bytes = q_dropped_bytes;
	return verdict;
}

int
trim_refused(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m,
	     enum drop_reason reason, ps_t now)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const uint32_t bytes = meta->wire_bytes, cells = meta->cells;
	const uint8_t tc = meta->tc;

	if (!may_trim(n, in, out, m, reason))
		return (int)reason;
	meta->wire_bytes = t->trim.size;
	meta->cells = tables_cells(t, t->trim.size);
	meta->tc = t->trim.tc;
	node_meet(n, meta->pg, meta->tc);
	if (charge_again(n, in, out, m, now) >= 0) {
		meta->wire_bytes = bytes;
		meta->cells = cells;
		meta->tc = tc;
		return (int)reason;
	}
	out->queues[tc].dropped--;
	out->queue_cold[tc].dropped_bytes -= bytes;
	out->queue_cold[tc].trimmed++;
	shorten(m, t->trim.size, t->trim.dscp);
	return -1;
}
