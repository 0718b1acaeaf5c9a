// SPDX-License-Identifier: BSD-3-Clause
// A leaf routes a packet in its VRF to a far leaf and sends it there in VXLAN (RFC 7348): outer
// Ethernet, IPv4 or IPv6 between the leaves' loopbacks, UDP to 4789, the VNI of the VRF that the
// packet goes to, and an Ethernet header from router to router, for it is routed at both ends. Or,
// where VRFs share links (VRF-lite), with the VLAN of that VRF in an 802.1Q tag, hop by hop.
//
// - Between switches a packet is an IP packet like any other: its outer marks give its priority,
//   and its outer header is hashed, marked CE and remarked. Its source port, 14 bits of a hash of
//   the inside, spreads flows over equal-cost paths. Only whether it may be sprayed depends on the
//   inside.
// - A packet whose tunnel ends here is routed, sprayed, counted against the MTU and for its tenant
//   by the packet inside. It is charged as it came in and sent as it leaves.
// - ECN goes by RFC 6040: normal mode in; out by the table of its figure 4, in which a packet that
//   is not ECT is dropped if CE was marked on the way. The DSCP is copied out and back in
//   (`uniform`), or is set by the priority outside and unchanged inside (`pipe`, RFC 2983).
// - TTLs: the inside's is decremented where the tunnel begins and where it ends, as by two routers;
//   the outer one begins at 64. The outer UDP checksum is 0, which IPv6 allows too (RFC 6935), and
//   one that comes is not verified, as RFC 7348 section 5 leaves open. Its reserved bits are
//   ignored; its I flag must be set.
// - Bytes behind the IP packet, padding as a rule, do not go through a tunnel.
//
// Offsets are bytes of the metadata, so an inside that begins beyond their range is not parsed; it
// is malformed if its tunnel ends here.
#include "tunnel.h"

#include "parse.h"

#include "dataplane/queueing/ecn.h"

#define VXLAN_VNI_OFFSET 4
#define IP_HEADER_MAX 60u

static uint32_t
get_vni(const uint8_t *vxlan)
{
	const uint8_t *at = vxlan + VXLAN_VNI_OFFSET;

	return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

int
tunnel_receive_tagged(struct node *n, struct rte_mbuf *m)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	uint16_t vid = header_get16(packet_data(m) + HEADER_ETHERNET_BYTES) & TUNNEL_VID_MASK;

	if (vid == 0)
		return STAGE_NEXT; // tells a priority alone (802.1Q section 9.6)
	if (t->tunnels->vids[vid] == VRF_NONE)
		return DROP_UNKNOWN_VLAN;
	meta->flags |= PACKET_VLAN;
	meta->vrf = t->tunnels->vids[vid];
	meta->tenant = t->vrfs[meta->vrf].tenant;
	return STAGE_NEXT;
}

// Finds the IP header at `l3` and UDP behind it, as far as they are there. Nobody here depends on
// their being sound.
static void
look_inside(struct packet_meta *meta, const uint8_t *data, uint32_t l3)
{
	const uint8_t *ip = data + l3, *udp;
	uint32_t l4;
	uint8_t protocol;

	if (header_get16(ip - 2) == HEADER_TYPE_IP4 && ip[0] >> 4 == 4) {
		l4 = l3 + (ip[0] & 0xfu) * 4;
		protocol = (header_get16(ip + 6) & 0x3fff) != 0 ? 0 : ip[9]; // 0: a fragment
	} else if (header_get16(ip - 2) == HEADER_TYPE_IP6 && ip[0] >> 4 == 6 &&
		   l3 + HEADER_IP6_BYTES <= meta->data_len) {
		l4 = l3 + HEADER_IP6_BYTES;
		protocol = ip[6];
	} else {
		return;
	}
	meta->inner_l3_off = (uint8_t)l3;
	if (protocol != HEADER_PROTOCOL_UDP || l4 < l3 + HEADER_IP4_BYTES || l4 > UINT8_MAX ||
	    l4 + HEADER_UDP_BYTES > meta->data_len)
		return;
	udp = data + l4;
	meta->inner_l4_off = (uint8_t)l4;
	if (header_get16(udp + 2) != ROCE_UDP_PORT ||
	    header_get16(udp + 4) <
		    HEADER_UDP_BYTES + (uint32_t)sizeof(struct roce_bth) + ROCE_ICRC_BYTES ||
	    l4 + HEADER_UDP_BYTES + (uint32_t)sizeof(struct roce_bth) > meta->data_len)
		return;
	meta->flags |= PACKET_ROCE;
	meta->opcode = udp[HEADER_UDP_BYTES];
}

// A tunnel that passes: finds its tenant and parses the inside. Malformed ones pass as well.
static void
look(const struct tables *t, struct packet_meta *meta, const uint8_t *data)
{
	const uint32_t l3 = meta->l4_off + TUNNEL_BEHIND_IP;
	const uint8_t *vxlan = data + meta->l4_off + HEADER_UDP_BYTES;
	uint16_t vrf;

	meta->flags |= PACKET_TUNNEL;
	meta->inner_l3_off = meta->inner_l4_off = 0;
	if (l3 > UINT8_MAX || l3 + HEADER_IP4_BYTES > meta->data_len ||
	    !(vxlan[0] & TUNNEL_FLAG_VNI))
		return;
	vrf = tunnel_find_vni(t->tunnels, get_vni(vxlan));
	if (vrf != VRF_NONE)
		meta->tenant = t->vrfs[vrf].tenant;
	look_inside(meta, data, l3);
}

// The Ethernet header at `at` and the VXLAN header before it, of a tunnel whose UDP ends at `end`.
static int
check_headers(const struct tables *t, struct packet_meta *meta, const uint8_t *data, uint32_t at,
	      uint32_t end)
{
	const uint8_t *vxlan = data + at - TUNNEL_VXLAN_BYTES;

	// An IP header inside must end within what an offset can say.
	if (meta->flags & PACKET_TRIMMED_UPSTREAM || at + HEADER_ETHERNET_BYTES > end ||
	    at + HEADER_ETHERNET_BYTES + IP_HEADER_MAX > UINT8_MAX)
		return DROP_MALFORMED;
	if (at + HEADER_ETHERNET_BYTES > meta->data_len)
		return DROP_TRUNCATED;
	if (!(vxlan[0] & TUNNEL_FLAG_VNI))
		return DROP_MALFORMED;
	meta->vrf = tunnel_find_vni(t->tunnels, get_vni(vxlan));
	if (meta->vrf == VRF_NONE)
		return DROP_UNKNOWN_VNI;
	if (!mac_equal(data + at, t->tunnels->mac))
		return DROP_WRONG_MAC;
	return data[at + 6] & 1 ? DROP_MULTICAST_SOURCE : STAGE_NEXT;
}

// The IP packet inside, whose header is at `l3`.
static int
parse_inside(const struct node *n, struct packet_meta *meta, const uint8_t *data, uint32_t l3,
	     uint32_t end)
{
	const uint16_t type = header_get16(data + l3 - 2);
	const uint8_t *ip = data + l3;
	int verdict;

	meta->flags &= PACKET_ENDURING | PACKET_TAGGED;
	meta->flags |= PACKET_DECAPPED;
	meta->ip_proto = 0;
	meta->l3_off = (uint8_t)l3;
	if (type == HEADER_TYPE_IP4)
		verdict = parse_ip4(n, meta, data, l3);
	else
		verdict = type == HEADER_TYPE_IP6 ? parse_ip6(n, meta, data) : DROP_NOT_IP;
	if (verdict != STAGE_NEXT)
		return verdict;
	l3 += type == HEADER_TYPE_IP6 ? HEADER_IP6_BYTES + header_get16(ip + 4)
				      : header_get16(ip + 2);
	return l3 > end ? DROP_MALFORMED : STAGE_NEXT;
}

static int
open_tunnel(struct node *n, struct packet_meta *meta, const uint8_t *data)
{
	const struct tables *t = n->current;
	const uint32_t udp = meta->l4_off, l3 = udp + TUNNEL_BEHIND_IP;
	const uint32_t end = udp + header_get16(data + udp + 4);
	const uint8_t dscp = meta->dscp, outside = meta->ecn;
	int verdict = check_headers(t, meta, data, l3 - HEADER_ETHERNET_BYTES, end), ecn;

	if (verdict != STAGE_NEXT)
		return verdict;
	verdict = parse_inside(n, meta, data, l3, end);
	if (verdict != STAGE_NEXT)
		return verdict;
	ecn = ecn_combine(meta->ecn, outside);
	if (ecn < 0)
		return DROP_TUNNEL_ECN;
	meta->dscp = dscp;
	meta->ecn = (uint8_t)ecn;
	meta->tenant = t->vrfs[meta->vrf].tenant;
	return STAGE_NEXT;
}

static bool
ends_here(const struct tunnel_tables *t, const struct packet_meta *meta, const uint8_t *data)
{
	const uint8_t *ip = data + meta->l3_off;

	if (meta->flags & PACKET_IPV6)
		return t->version == 6 && memcmp(ip + 24, t->local, 16) == 0;
	return t->version == 4 && memcmp(ip + 16, t->local, 4) == 0;
}

int
tunnel_receive(struct node *n, struct rte_mbuf *m, bool may_end)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	const uint8_t l3_off = meta->l3_off, l4_off = meta->l4_off;
	const uint32_t flags = meta->flags;
	int verdict;

	if (!may_end || !ends_here(t->tunnels, meta, data)) {
		look(t, meta, data);
		return STAGE_NEXT;
	}
	verdict = open_tunnel(n, meta, data);
	if (unlikely(verdict != STAGE_NEXT)) { // dropped as what it came as
		meta->flags = flags;
		meta->l3_off = l3_off;
		meta->l4_off = l4_off;
		look(t, meta, data);
		meta->tenant = TENANT_NONE;
	}
	return verdict;
}
