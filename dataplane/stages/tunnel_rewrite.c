// SPDX-License-Identifier: BSD-3-Clause
// The headers that a packet leaves in: what it came in is taken off, and a tunnel or a tag put on.
// tunnel.c has the model.
#include "tunnel.h"

#include "spray_hash.h"
#include "dataplane/base/checksum.h"

#define OUTER_TTL 64
#define OUTER_DONT_FRAGMENT 0x40
#define ENTROPY_SEED UINT32_C(0x76786c61)
#define ENTROPY_FIRST 0xc000u // 49152: what no service is registered for (RFC 6335)
#define ENTROPY_SHIFT (32 - 14)
#define TAG_PCP_SHIFT 13

static void
put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t
ip_bytes(const uint8_t *ip, bool ip6)
{
	return ip6 ? HEADER_IP6_BYTES + header_get16(ip + 4) : header_get16(ip + 2);
}

// Type of service or traffic class: DSCP and ECN.
static uint8_t
get_tos(const uint8_t *ip, bool ip6)
{
	return ip6 ? (uint8_t)(ip[0] << 4 | ip[1] >> 4) : ip[1];
}

static void
set_tos(uint8_t *ip, bool ip6, uint8_t tos)
{
	if (ip6) {
		ip[0] = (uint8_t)((ip[0] & 0xf0) | tos >> 4);
		ip[1] = (uint8_t)(tos << 4 | (ip[1] & 0x0f));
	} else {
		checksum_ipv4_set_byte(ip, 1, tos);
	}
}

// What a router changes in the packet that is routed; and, if it came in a tunnel, what the outer
// header tells.
static void
rewrite_ip(const struct tables *t, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	uint8_t *ip = packet_data(m) + meta->l3_off, before, tos;
	const bool ip6 = meta->flags & PACKET_IPV6;
	bool pipe;

	if (ip6)
		ip[7]--;
	else
		checksum_ipv4_decrement_ttl(ip);
	if (!(meta->flags & PACKET_DECAPPED))
		return;
	before = get_tos(ip, ip6);
	pipe = meta->flags & PACKET_IPIP ? t->ipip->pipe : t->vrfs[meta->vrf].pipe;
	tos = (uint8_t)((pipe ? before & 0xfc : meta->dscp << 2) | meta->ecn);
	if (unlikely(tos != before))
		set_tos(ip, ip6, tos);
}

// Bytes of the frame that the IP packet takes. Where the file gives a NIC's frames a size by decree
// they keep it.
static uint32_t
ip_wire_bytes(const struct packet_meta *meta, const uint8_t *ip)
{
	const uint32_t wire = meta->wire_bytes - meta->l3_off,
		       real = ip_bytes(ip, meta->flags & PACKET_IPV6);

	if (meta->flags & PACKET_NO_PAYLOAD && (wire < real || meta->wire_bytes > PACKET_FRAME_MIN))
		return wire;
	return real;
}

// Has the IP packet begin `headers` bytes behind the frame's first, wherever there is room for
// that. Returns the frame's first byte.
static uint8_t *
make_room(struct rte_mbuf *m, uint32_t headers, uint32_t wire)
{
	struct packet_meta *meta = packet_meta(m);
	const uint32_t at = meta->data_off + meta->l3_off;
	uint8_t *ip = packet_data(m) + meta->l3_off, *data;
	uint32_t there = meta->data_len - meta->l3_off;

	if (there > wire)
		there = wire;
	meta->data_off = (uint16_t)(at >= headers ? at - headers : 0);
	data = packet_data(m);
	if (at < headers)
		memmove(data + headers, ip, there);
	meta->data_len = (uint16_t)(headers + there);
	meta->wire_bytes = headers + wire;
	return data;
}

static void
put_outer_ip4(uint8_t *ip, const struct tunnel_tables *t, const struct encap *encap, uint8_t tos,
	      uint32_t bytes)
{
	uint16_t checksum;

	memcpy(ip, (uint8_t[4]){0x45, tos}, 4);
	put16(ip + 2, bytes);
	memcpy(ip + 4, (uint8_t[8]){0, 0, OUTER_DONT_FRAGMENT, 0, OUTER_TTL, HEADER_PROTOCOL_UDP},
	       8);
	memcpy(ip + 12, t->local, 4);
	memcpy(ip + 16, encap->remote, 4);
	checksum = checksum_ipv4_header(ip, HEADER_IP4_BYTES);
	memcpy(ip + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
}

static void
put_outer_ip6(uint8_t *ip, const struct tunnel_tables *t, const struct encap *encap, uint8_t tos,
	      uint32_t bytes)
{
	memcpy(ip, (uint8_t[4]){(uint8_t)(0x60 | tos >> 4), (uint8_t)(tos << 4)}, 4);
	put16(ip + 4, bytes - HEADER_IP6_BYTES);
	ip[6] = HEADER_PROTOCOL_UDP;
	ip[7] = OUTER_TTL;
	memcpy(ip + 8, t->local, 16);
	memcpy(ip + 24, encap->remote, 16);
}

// VXLAN around the packet that was routed: from the outer IP header to the Ethernet header inside.
// `bytes`: of the IP packet inside.
static void
put_vxlan(uint8_t *ip, const struct tunnel_tables *t, const struct encap *encap, uint8_t tos,
	  uint16_t sport, uint32_t bytes, bool inside_ip6)
{
	const uint32_t header = t->version == 6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES;
	uint8_t *udp = ip + header, *vxlan = udp + HEADER_UDP_BYTES,
		*ethernet = vxlan + TUNNEL_VXLAN_BYTES;

	bytes += TUNNEL_BEHIND_IP;
	if (t->version == 6)
		put_outer_ip6(ip, t, encap, tos, header + bytes);
	else
		put_outer_ip4(ip, t, encap, tos, header + bytes);
	put16(udp, sport);
	put16(udp + 2, TUNNEL_UDP_PORT);
	put16(udp + 4, bytes);
	put16(udp + 6, 0);
	memcpy(vxlan, (uint8_t[4]){TUNNEL_FLAG_VNI}, 4);
	put16(vxlan + 4, encap->vni >> 8);
	put16(vxlan + 6, encap->vni << 8);
	memcpy(ethernet, encap->mac, 6);
	memcpy(ethernet + 6, t->mac, 6);
	put16(ethernet + 12, inside_ip6 ? HEADER_TYPE_IP6 : HEADER_TYPE_IP4);
}

// What was routed is the inside from now on.
static void
note_tunnel(const struct tunnel_tables *t, struct packet_meta *meta)
{
	const uint32_t inside = HEADER_ETHERNET_BYTES + tunnel_overhead(t);

	meta->inner_l3_off = (uint8_t)inside;
	meta->inner_l4_off = meta->ip_proto == HEADER_PROTOCOL_UDP &&
					     inside + meta->l4_off - meta->l3_off <= UINT8_MAX
				     ? (uint8_t)(inside + meta->l4_off - meta->l3_off)
				     : 0;
	if (meta->inner_l4_off == 0)
		meta->flags &= ~(uint32_t)PACKET_ROCE;
	meta->flags &= ~(uint32_t)(PACKET_IPV6 | PACKET_DECAPPED);
	meta->flags |= PACKET_TUNNEL | (t->version == 6 ? PACKET_IPV6 : 0);
	meta->ip_proto = HEADER_PROTOCOL_UDP;
	meta->l3_off = HEADER_ETHERNET_BYTES;
	meta->l4_off = (uint8_t)(inside - TUNNEL_BEHIND_IP);
}

static void
send_in_vxlan(const struct tables *t, struct rte_mbuf *m)
{
	const struct tunnel_tables *tunnels = t->tunnels;
	struct packet_meta *meta = packet_meta(m);
	const struct encap *encap = tunnel_encap(t, meta);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	const bool ip6 = meta->flags & PACKET_IPV6;
	const uint32_t bytes = ip_bytes(ip, ip6);
	const uint8_t dscp = encap->pipe ? tunnels->priority_dscp[meta->priority]
					 : get_tos(ip, ip6) >> 2;
	const uint32_t hash = spray_hash(m, ENTROPY_SEED, meta->encap & PACKET_ENCAP_QP);
	uint8_t *data = make_room(m, HEADER_ETHERNET_BYTES + tunnel_overhead(tunnels),
				  ip_wire_bytes(meta, ip));

	put_vxlan(data + HEADER_ETHERNET_BYTES, tunnels, encap, (uint8_t)(dscp << 2 | meta->ecn),
		  (uint16_t)(ENTROPY_FIRST | hash >> ENTROPY_SHIFT), bytes, ip6);
	note_tunnel(tunnels, meta);
}

// Without a tunnel; with a tag in front of the IP packet, if its VRF has a VLAN. What a tag that it
// came with says of its priority stays.
static void
send_plain(const struct tables *t, struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *before = packet_data(m);
	const uint32_t tci = meta->flags & PACKET_TAGGED
				     ? header_get16(before + HEADER_ETHERNET_BYTES) &
					       ~TUNNEL_VID_MASK
				     : (uint32_t)meta->priority << TAG_PCP_SHIFT;
	const uint32_t l3 = HEADER_ETHERNET_BYTES + (meta->encap != 0 ? HEADER_TAG_BYTES : 0);
	uint8_t *data = make_room(m, l3, ip_wire_bytes(meta, before + meta->l3_off));

	if (meta->encap != 0) {
		put16(data + 12, HEADER_TYPE_VLAN);
		put16(data + HEADER_ETHERNET_BYTES, tci | tunnel_encap(t, meta)->vid);
	}
	if (meta->wire_bytes < PACKET_FRAME_MIN)
		meta->wire_bytes = PACKET_FRAME_MIN;
	meta->l4_off = (uint8_t)(meta->l4_off - meta->l3_off + l3);
	meta->l3_off = (uint8_t)l3;
	meta->flags &= ~(uint32_t)PACKET_DECAPPED;
}

void
tunnel_clear_vlan(struct rte_mbuf *m)
{
	uint8_t *tci = packet_data(m) + HEADER_ETHERNET_BYTES;

	put16(tci, header_get16(tci) & ~TUNNEL_VID_MASK);
}

void
tunnel_rewrite(struct node *n, struct rte_mbuf *m)
{
	const struct tables *t = n->current;
	struct packet_meta *meta = packet_meta(m);
	const uint32_t bytes = meta->wire_bytes;
	uint8_t *data;

	rewrite_ip(t, m);
	if (tunnel_ip_bytes(t, meta) != 0)
		send_in_vxlan(t, m);
	else
		send_plain(t, m);
	data = packet_data(m);
	memcpy(data, t->next_hops[meta->group].mac, 6);
	memcpy(data + 6, t->ports[meta->out_port].mac, 6);
	put16(data + meta->l3_off - 2,
	      meta->flags & PACKET_IPV6 ? HEADER_TYPE_IP6 : HEADER_TYPE_IP4);
	if (meta->wire_bytes != bytes)
		meta->flags |= PACKET_RESIZED;
}
