// SPDX-License-Identifier: BSD-3-Clause
// ICMP (RFC 792) and ICMPv6 (RFC 4443): which packets may be answered, and the packets that answer.
// All bytes come from outside; nothing is read beyond what is there.
#include "answer.h"

#include "dataplane/base/checksum.h"
#include "parse.h"

#define IP4_LATER_FRAGMENT 0x1fff
#define IP4_MORE_FRAGMENTS 0x2000
#define IP4_DONT_FRAGMENT 0x40
#define IP4_ERROR_BYTES_MAX 576u  // of an error (RFC 1812 section 4.3.2.3)
#define IP6_ERROR_BYTES_MAX 1280u // the same (RFC 4443 section 2.4 c)
#define ICMP4_TYPE_LAST 18        // of those known (RFC 950)

static bool
look4(struct answer_question *q, uint32_t there)
{
	const uint8_t *ip = q->ip;
	uint16_t fragment = header_get16(ip + 6);

	q->length = header_get16(ip + 2);
	q->bytes = q->length < there ? q->length : there;
	q->l4 = (ip[0] & 0xfu) * 4;
	q->protocol = ip[9];
	q->fragment = fragment & IP4_MORE_FRAGMENTS;
	return (fragment & IP4_LATER_FRAGMENT) == 0 && q->l4 <= q->bytes;
}

static bool
look6(struct answer_question *q, uint32_t there)
{
	const uint8_t *ip = q->ip;

	q->length = HEADER_IP6_BYTES + header_get16(ip + 4);
	q->bytes = q->length < there ? q->length : there;
	q->l4 = HEADER_IP6_BYTES;
	q->protocol = ip[6];
	for (unsigned int i = 0; parse_ip6_is_extension(q->protocol); i++) {
		const uint8_t *extension = ip + q->l4;

		if (i == PARSE_IP6_EXTENSIONS_MAX || q->l4 + 8 > q->bytes)
			return false;
		if (q->protocol == HEADER_PROTOCOL_FRAGMENT) {
			if ((header_get16(extension + 2) & 0xfff8) != 0)
				return false;
			q->fragment = extension[3] & 1;
			q->l4 += 8;
		} else {
			q->l4 += 8 + extension[1] * 8u;
		}
		q->protocol = extension[0];
	}
	return q->l4 <= q->bytes;
}

bool
answer_look(struct rte_mbuf *m, struct answer_question *q)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *ip = packet_data(m) + meta->l3_off;
	const uint32_t there = meta->data_len - meta->l3_off;

	// In VXLAN that ends here, the Ethernet header inside; else that in front of any tags.
	*q = (struct answer_question){.ip = ip,
				      .mac = (meta->flags & (PACKET_DECAPPED | PACKET_IPIP)) ==
							     PACKET_DECAPPED
						     ? ip - HEADER_ETHERNET_BYTES
						     : packet_data(m),
				      .ip6 = ip[0] >> 4 == 6};
	return q->ip6 ? look6(q, there) : look4(q, there);
}

bool
answer_is_error(const struct answer_question *q)
{
	uint8_t type;

	if (q->protocol != (q->ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP))
		return false;
	if (q->l4 >= q->bytes)
		return true;
	type = q->ip[q->l4];
	if (q->ip6)
		return type < ICMP6_ECHO || type == ICMP6_REDIRECT;
	return (type >= ICMP4_UNREACHABLE && type <= 5) || type == ICMP4_TIME_EXCEEDED ||
	       type == ICMP4_TIME_EXCEEDED + 1 || type > ICMP4_TYPE_LAST;
}

uint16_t
answer_icmp6_checksum(const uint8_t *ip, const uint8_t *at, uint32_t bytes)
{
	const uint8_t pseudo[8] = {0, 0, (uint8_t)(bytes >> 8), (uint8_t)bytes, 0,
				   0, 0, HEADER_PROTOCOL_ICMP6};
	uint32_t sum = checksum_add(0, ip + 8, 32);

	sum = checksum_add(sum, pseudo, sizeof(pseudo));
	return (uint16_t)~checksum_fold(checksum_add(sum, at, bytes));
}

static uint16_t
icmp_checksum(bool ip6, const uint8_t *ip, const uint8_t *at, uint32_t bytes)
{
	return ip6 ? answer_icmp6_checksum(ip, at, bytes)
		   : (uint16_t)~checksum_fold(checksum_add(0, at, bytes));
}

static void
put_checksum(bool ip6, uint8_t *ip, uint8_t *at, uint32_t bytes)
{
	uint16_t checksum;

	memset(at + 2, 0, sizeof(checksum));
	checksum = icmp_checksum(ip6, ip, at, bytes);
	memcpy(at + 2, &checksum, sizeof(checksum));
}

bool
answer_is_echo(const struct answer_question *q)
{
	const uint8_t *icmp = q->ip + q->l4;
	// An IPv4 header with options or an extension is no ping's.
	const uint32_t plain = q->ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES;

	return q->protocol == (q->ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP) &&
	       !q->fragment && q->l4 == plain && q->bytes == q->length &&
	       q->l4 + ANSWER_ICMP_BYTES <= q->bytes &&
	       icmp[0] == (q->ip6 ? ICMP6_ECHO : ICMP4_ECHO) && icmp[1] == 0 &&
	       icmp_checksum(q->ip6, q->ip, icmp, q->bytes - q->l4) == 0;
}

// The Ethernet header; what is routed gets its addresses when it is rewritten.
static void
put_ethernet(const struct node *n, const struct port *in, const struct answer_question *q,
	     uint8_t *frame)
{
	memcpy(frame, q->mac + 6, 6);
	memcpy(frame + 6, n->current->ports[in->index].mac, 6);
	header_put16(frame + 12, q->ip6 ? HEADER_TYPE_IP6 : HEADER_TYPE_IP4);
}

static void
put_ip4_checksum(uint8_t *ip)
{
	uint16_t checksum = checksum_ipv4_header(ip, HEADER_IP4_BYTES);

	memcpy(ip + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
}

// Marks of a packet that the switch has made: as stage_parse() and stage_classify() would find
// them. What is routed loses one of its TTL on the way out.
static void
set_marks(struct rte_mbuf *m, bool ip6, uint8_t dscp, bool on_link)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *ip = packet_data(m) + HEADER_ETHERNET_BYTES;

	ip[ip6 ? 7 : 8] = (uint8_t)(ANSWER_TTL + (on_link ? 0 : 1));
	if (!ip6)
		put_ip4_checksum(ip);
	meta->flags = ip6 ? PACKET_IPV6 : 0;
	meta->l4_off =
		(uint8_t)(HEADER_ETHERNET_BYTES + (ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES));
	meta->ip_proto = ip6 ? HEADER_PROTOCOL_ICMP6 : HEADER_PROTOCOL_ICMP;
	meta->dscp = dscp;
	meta->ecn = 0;
}

// ECN is not echoed: the reply is Not-ECT.
struct rte_mbuf *
answer_make_echo(struct node *n, struct port *in, struct rte_mbuf *m,
		 const struct answer_question *q, bool on_link)
{
	struct rte_mbuf *reply = answer_start(n, in, m, HEADER_ETHERNET_BYTES + q->bytes);
	uint8_t *frame, *ip, *icmp;
	uint8_t dscp;

	if (reply == NULL)
		return NULL;
	frame = packet_data(reply);
	ip = frame + HEADER_ETHERNET_BYTES;
	icmp = ip + q->l4;
	put_ethernet(n, in, q, frame);
	memcpy(ip, q->ip, q->bytes);
	if (q->ip6) {
		memcpy(ip + 8, q->ip + 24, 16);
		memcpy(ip + 24, q->ip + 8, 16);
		dscp = (uint8_t)((ip[0] & 0xf) << 2 | ip[1] >> 6);
		ip[1] &= 0xc0; // ECN, and the flow label's first bits
		memset(ip + 2, 0, 2);
		icmp[0] = ICMP6_ECHO_REPLY;
	} else {
		memcpy(ip + 12, q->ip + 16, 4);
		memcpy(ip + 16, q->ip + 12, 4);
		dscp = ip[1] >> 2;
		ip[1] &= 0xfc;
		icmp[0] = ICMP4_ECHO_REPLY;
	}
	put_checksum(q->ip6, ip, icmp, q->bytes - q->l4);
	set_marks(reply, q->ip6, dscp, on_link);
	return reply;
}

// Type and code by kind, of IPv4 and IPv6.
static const uint8_t types[ANSWER_PACKETS][2][2] = {
	[ANSWER_TIME_EXCEEDED] = {{ICMP4_TIME_EXCEEDED, 0}, {ICMP6_TIME_EXCEEDED, 0}},
	[ANSWER_TOO_BIG] = {{ICMP4_UNREACHABLE, 4}, {ICMP6_TOO_BIG, 0}},
	[ANSWER_NET_UNREACHABLE] = {{ICMP4_UNREACHABLE, 0}, {ICMP6_UNREACHABLE, 0}},
	[ANSWER_HOST_UNREACHABLE] = {{ICMP4_UNREACHABLE, 1}, {ICMP6_UNREACHABLE, 3}},
	[ANSWER_PROTOCOL_UNREACHABLE] = {{ICMP4_UNREACHABLE, 2}, {ICMP6_PARAMETER, 1}},
	[ANSWER_PORT_UNREACHABLE] = {{ICMP4_UNREACHABLE, 3}, {ICMP6_UNREACHABLE, 4}},
};

static void
put_error_ip(uint8_t *ip, const struct answer_question *q, const uint8_t *source, uint32_t bytes)
{
	if (q->ip6) {
		memset(ip, 0, 8);
		ip[0] = 0x60 | ANSWER_DSCP_ERROR >> 2;
		ip[1] = (uint8_t)(ANSWER_DSCP_ERROR << 6);
		header_put16(ip + 4, (uint16_t)(bytes - HEADER_IP6_BYTES));
		ip[6] = HEADER_PROTOCOL_ICMP6;
		memcpy(ip + 8, source, 16);
		memcpy(ip + 24, q->ip + 8, 16);
		return;
	}
	memset(ip, 0, HEADER_IP4_BYTES);
	ip[0] = 0x45;
	ip[1] = ANSWER_DSCP_ERROR << 2;
	header_put16(ip + 2, (uint16_t)bytes);
	ip[6] = IP4_DONT_FRAGMENT; // so its identification may be 0 (RFC 6864 section 4.1)
	ip[9] = HEADER_PROTOCOL_ICMP;
	memcpy(ip + 12, source, 4);
	memcpy(ip + 16, q->ip + 12, 4);
}

// How much of the packet the error quotes: as much as there is, and as the packets of the pool
// hold.
static uint32_t
quote_bytes(const struct node *n, const struct answer_question *q, uint32_t headers)
{
	uint32_t most = (q->ip6 ? IP6_ERROR_BYTES_MAX : IP4_ERROR_BYTES_MAX) - headers;
	uint32_t room = n->packets->data_room - HEADER_ETHERNET_BYTES - headers -
			(n->variant & NODE_TUNNELS ? PACKET_TUNNEL_ROOM : 0);

	most = most < room ? most : room;
	return q->bytes < most ? q->bytes : most;
}

struct rte_mbuf *
answer_make_error(struct node *n, struct port *in, struct rte_mbuf *m,
		  const struct answer_question *q, const struct answer_error *e)
{
	const uint32_t head = q->ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES;
	const uint32_t quote = quote_bytes(n, q, head + ANSWER_ICMP_BYTES);
	const uint32_t bytes = head + ANSWER_ICMP_BYTES + quote;
	struct rte_mbuf *error = answer_start(n, in, m, HEADER_ETHERNET_BYTES + bytes);
	uint8_t *ip, *icmp;

	if (error == NULL)
		return NULL;
	ip = packet_data(error) + HEADER_ETHERNET_BYTES;
	icmp = ip + head;
	put_ethernet(n, in, q, packet_data(error));
	put_error_ip(ip, q, e->source, bytes);
	memset(icmp, 0, ANSWER_ICMP_BYTES);
	memcpy(icmp, types[e->kind][q->ip6], 2);
	if (e->kind == ANSWER_TOO_BIG && q->ip6)
		header_put32(icmp + 4, e->mtu);
	else if (e->kind == ANSWER_TOO_BIG)
		header_put16(icmp + 6, (uint16_t)e->mtu);
	else if (e->kind == ANSWER_PROTOCOL_UNREACHABLE && q->ip6)
		header_put32(icmp + 4, 6); // where the protocol stands
	memcpy(icmp + ANSWER_ICMP_BYTES, q->ip, quote);
	put_checksum(q->ip6, ip, icmp, ANSWER_ICMP_BYTES + quote);
	set_marks(error, q->ip6, ANSWER_DSCP_ERROR, e->on_link);
	return error;
}
