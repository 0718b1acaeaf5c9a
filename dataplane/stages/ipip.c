// SPDX-License-Identifier: BSD-3-Clause
// As in SONiC's TUNNEL_DECAP_TABLE, whose modes are those of SAI's tunnels:
// - DSCP. `uniform`: the packet inside gets the outer DSCP, and that gives its priority. `pipe`: it
//   keeps its own, which gives its priority too, unless the tunnel has a map: that maps the outer
//   one.
// - ECN: by RFC 6040, as out of VXLAN, or copied from the outer header.
// - TTL. `pipe`: that of the packet inside counts; `uniform`: the outer one takes its place.
//
// The packet is then routed in the VRF that it came in by, as if the outer header had not been
// there; another one inside would need a switch of its own. Like one out of VXLAN it is charged as
// it came in and sent as it leaves. The offsets of the packet inside are bytes of the metadata.
#include "ipip.h"

#include "parse.h"

#include "dataplane/base/checksum.h"
#include "dataplane/queueing/ecn.h"

#define IP_HEADER_MAX 60u
#define IP4_TTL_OFFSET 8
#define IP6_TTL_OFFSET 7

static bool
ends_here(const struct ipip_tables *t, const struct packet_meta *meta, const uint8_t *data)
{
	const bool ip6 = meta->flags & PACKET_IPV6;
	const uint8_t *to = data + meta->l3_off + (ip6 ? 24 : 16);

	for (uint32_t i = 0; i < t->count; i++)
		if (t->addresses[i].version == (ip6 ? 6 : 4) &&
		    memcmp(t->addresses[i].bytes, to, ip6 ? 16 : 4) == 0)
			return true;
	return false;
}

// Where an IP packet that begins at `l3` ends in the frame.
static uint32_t
ip_end(const uint8_t *data, uint32_t l3, bool ip6)
{
	return ip6 ? l3 + HEADER_IP6_BYTES + header_get16(data + l3 + 4)
		   : l3 + header_get16(data + l3 + 2);
}

// Parses the packet inside, of which the metadata tells from then on.
static int
parse_inside(const struct node *n, struct packet_meta *meta, const uint8_t *data)
{
	const uint32_t end = ip_end(data, meta->l3_off, meta->flags & PACKET_IPV6);
	const uint32_t l3 = meta->l4_off;
	const bool ip6 = meta->ip_proto == HEADER_PROTOCOL_IP6;
	int verdict;

	if (l3 + (ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES) > end ||
	    l3 + IP_HEADER_MAX > UINT8_MAX)
		return DROP_MALFORMED;
	meta->flags &= PACKET_ENDURING | PACKET_TAGGED | PACKET_VLAN;
	meta->flags |= PACKET_DECAPPED | PACKET_IPIP;
	meta->ip_proto = 0;
	meta->l3_off = (uint8_t)l3;
	verdict = ip6 ? parse_ip6(n, meta, data) : parse_ip4(n, meta, data, l3);
	if (verdict != STAGE_NEXT)
		return verdict;
	return ip_end(data, l3, ip6) > end ? DROP_MALFORMED : STAGE_NEXT;
}

static void
copy_ttl(uint8_t *ip, const struct packet_meta *meta, const uint8_t *outer, bool outer_ip6)
{
	const uint8_t ttl = outer[outer_ip6 ? IP6_TTL_OFFSET : IP4_TTL_OFFSET];

	if (meta->flags & PACKET_IPV6)
		ip[IP6_TTL_OFFSET] = ttl;
	else
		checksum_ipv4_set_byte(ip, IP4_TTL_OFFSET, ttl);
}

// `outer`: the metadata before.
static int
open_tunnel(const struct node *n, struct rte_mbuf *m, const struct packet_meta *outer)
{
	const struct ipip_tables *t = n->current->ipip;
	struct packet_meta *meta = packet_meta(m);
	uint8_t *data = packet_data(m);
	int verdict = parse_inside(n, meta, data), ecn;

	if (verdict != STAGE_NEXT)
		return verdict;
	ecn = t->copies_ecn ? outer->ecn : ecn_combine(meta->ecn, outer->ecn);
	if (ecn < 0)
		return DROP_TUNNEL_ECN;
	meta->ecn = (uint8_t)ecn;
	meta->outer_dscp = outer->dscp;
	meta->inner_dscp = meta->dscp;
	if (!t->pipe || t->maps_dscp)
		meta->dscp = outer->dscp;
	if (t->uniform_ttl)
		copy_ttl(data + meta->l3_off, meta, data + outer->l3_off,
			 outer->flags & PACKET_IPV6);
	return STAGE_NEXT;
}

int
ipip_receive(struct node *n, const struct port_tables *port, struct rte_mbuf *m)
{
	struct packet_meta *meta = packet_meta(m);
	const struct packet_meta outer = *meta;
	int verdict;

	if (!ends_here(n->current->ipip, meta, packet_data(m)))
		return STAGE_NEXT;
	verdict = open_tunnel(n, m, &outer);
	if (unlikely(verdict != STAGE_NEXT)) {
		*meta = outer; // dropped as what it came as
	} else if (!(meta->flags & PACKET_VLAN)) {
		meta->vrf = port->vrf;
		meta->tenant = port->tenant;
	}
	return verdict;
}
