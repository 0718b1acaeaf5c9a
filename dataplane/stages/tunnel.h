// SPDX-License-Identifier: BSD-3-Clause
// tunnel: which VRF a packet from another switch belongs to, by the VXLAN header or the 802.1Q tag
// of its encapsulation; decapsulates tunnels that end here, IP-in-IP too (ipip.h), and parses the
// inside of others. What is put on and taken off is written with the rest that a router rewrites
// (tunnel_rewrite()). See tunnel.c for the model.
#pragma once

#include "ipip.h"
#include "dataplane/base/headers.h"

#define TUNNEL_UDP_PORT 4789
#define TUNNEL_VXLAN_BYTES 8u
#define TUNNEL_FLAG_VNI 0x08    // the first byte of a VXLAN header: I
#define TUNNEL_VID_MASK 0x0fffu // of an 802.1Q tag's second two bytes
// Bytes from the outer IP header's end to the IP packet inside.
#define TUNNEL_BEHIND_IP (HEADER_UDP_BYTES + TUNNEL_VXLAN_BYTES + HEADER_ETHERNET_BYTES)

// A packet that came by an underlay port with a tag. Returns the verdict.
int tunnel_receive_tagged(struct node *n, struct rte_mbuf *m);

// A packet in VXLAN from another switch, by a port where tunnels may end or not.
int tunnel_receive(struct node *n, struct rte_mbuf *m, bool may_end);

// Clears the VLAN of a tag that a host put on and keeps its priority, so that no other switch takes
// it for that of a VRF.
void tunnel_clear_vlan(struct rte_mbuf *m);

// Does what stage_rewrite() does, and also removes the encapsulation that the packet came in and
// adds the one that it leaves in; there is room for that (tunnel_has_room()).
void tunnel_rewrite(struct node *n, struct rte_mbuf *m);

// Bytes that VXLAN puts before the IP packet inside, beside the Ethernet header.
static inline uint32_t
tunnel_overhead(const struct tunnel_tables *t)
{
	return (t->version == 6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES) + TUNNEL_BEHIND_IP;
}

static inline const struct encap *
tunnel_encap(const struct tables *t, const struct packet_meta *meta)
{
	return &t->tunnels->encaps[meta->encap & ~PACKET_ENCAP_QP];
}

// By how many bytes the IP packet that leaves is longer than the one that is routed.
static inline uint32_t
tunnel_ip_bytes(const struct tables *t, const struct packet_meta *meta)
{
	if (meta->encap == 0 || tunnel_encap(t, meta)->kind != ENCAP_VXLAN)
		return 0;
	return tunnel_overhead(t->tunnels);
}

// The largest IP packet that may leave by a port with this MTU: in a tunnel no larger than the
// paths to its far end let through, so that the source learns of it (RFC 4459 section 3.2).
static inline uint32_t
tunnel_mtu(const struct tables *t, const struct packet_meta *meta, uint32_t mtu)
{
	const struct encap *encap;

	if (meta->encap == 0)
		return mtu;
	encap = tunnel_encap(t, meta);
	return encap->mtu < mtu ? encap->mtu : mtu;
}

// Whether the packet has room for the headers that it leaves in: in front of its data, or behind,
// where the data can be moved to. `overhead`: tunnel_ip_bytes().
static inline bool
tunnel_has_room(const struct node *n, struct rte_mbuf *m, uint32_t overhead)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint32_t headers = HEADER_ETHERNET_BYTES + HEADER_TAG_BYTES + overhead;

	return meta->encap == 0 || (uint32_t)meta->data_off + meta->l3_off >= headers ||
	       headers + meta->data_len - meta->l3_off <= packet_room(n->packets, m);
}

// Only packets of other switches can be in VXLAN or a VRF's VLAN.
static __rte_always_inline int
tunnel_receive_inner(struct node *n, const struct port_tables *port, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);

	if (meta->flags & PACKET_TAGGED && port->underlay && n->current->tunnels->vids != NULL) {
		int verdict = tunnel_receive_tagged(n, m);

		if (verdict != STAGE_NEXT || meta->flags & PACKET_VLAN)
			return verdict;
	}
	if (meta->ip_proto == HEADER_PROTOCOL_UDP &&
	    header_get16(packet_data(m) + meta->l4_off + 2) == TUNNEL_UDP_PORT)
		return tunnel_receive(n, m, port->underlay);
	return STAGE_NEXT;
}

// A host's packet is payload, even if it looks like VXLAN, and is admitted to the fabric here. What
// comes out of VXLAN is not decapsulated once more.
static __rte_always_inline int
stage_tunnel(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	const struct tables *t = n->current;
	const struct port_tables *port = &t->ports[in->index];
	struct packet_meta *meta = packet_meta(m);
	int verdict = STAGE_NEXT;

	(void)now;
	if (!port->inner)
		meta->epoch = t->epoch;
	else if (likely(t->tunnels != NULL))
		verdict = tunnel_receive_inner(n, port, m);
	if (unlikely(t->ipip != NULL) && verdict == STAGE_NEXT && ipip_looks(meta))
		verdict = ipip_receive(n, port, m);
	return verdict;
}
