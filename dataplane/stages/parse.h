// SPDX-License-Identifier: BSD-3-Clause
// parse: Ethernet, 802.1Q and 802.1ad, IPv4, IPv6, UDP, BTH. Finds where headers are and copies
// what later stages decide by into the metadata. Every length is checked against both the bytes
// that are there and the frame they claim to be; whatever contradicts itself is a named drop.
//
// Frames to reserved addresses (01:80:c2:00:00:0x) pass unparsed: control_frames is theirs.
#pragma once

#include "stage.h"
#include "dataplane/base/headers.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/queueing/trim.h"

#include <string.h>

#define PARSE_IP6_EXTENSIONS_MAX 8
#define PARSE_IP4_LINK_LOCAL 0xa9feu // 169.254.0.0/16
#define PARSE_IP4_PLAIN_HEADER 0x45  // version 4, no options

// True when the IP packet claims to end behind the frame. A NIC's own packets may be smaller on the
// wire than their headers say, where the file gives frames a size by decree.
static inline bool
parse_overruns(const struct packet_meta *meta, uint32_t end)
{
	return end > meta->wire_bytes && !(meta->flags & PACKET_NO_PAYLOAD);
}

// Cold: UDP claims to go on behind the IP packet that it is in. That is how a trimmed packet looks,
// and nothing but that: a switch trims the frame to a size of few and makes the IP packet end with
// it, so one that has another size, or anything behind its IP packet, is malformed as it always
// was. Out of a tunnel the packet counts as the frame that it is to be. A NIC must know what was
// trimmed wherever it comes from; a switch carries such packets only where one of its fabric can
// have made them.
static __attribute__((cold, noinline)) bool
parse_is_trimmed(const struct node *n, const struct packet_meta *meta, uint32_t end)
{
	const uint32_t before = meta->flags & PACKET_DECAPPED ? meta->l3_off - HEADER_ETHERNET_BYTES
							      : 0;
	const uint32_t bytes = end - before;

	return end == meta->wire_bytes && bytes >= TRIM_BYTES_MIN && bytes <= TRIM_BYTES_MAX &&
	       bytes % 4 == 0 &&
	       (n->role == NODE_NIC || n->current->trims || n->current->trim.size != 0);
}

// UDP at `l4_off` and, on the RoCEv2 port, the BTH. `end`: where the IP packet ends in the frame.
static __rte_always_inline int
parse_udp(const struct node *n, struct packet_meta *meta, const uint8_t *data, uint32_t l4_off,
	  uint32_t end)
{
	const uint8_t *udp = data + l4_off;
	uint32_t length;

	if (unlikely(l4_off + HEADER_UDP_BYTES > end))
		return DROP_MALFORMED;
	if (unlikely(l4_off + HEADER_UDP_BYTES > meta->data_len))
		return DROP_TRUNCATED;
	length = header_get16(udp + 4);
	if (unlikely(length < HEADER_UDP_BYTES))
		return DROP_MALFORMED;
	if (unlikely(l4_off + length > end)) {
		if (!parse_is_trimmed(n, meta, end))
			return DROP_MALFORMED;
		meta->flags |= PACKET_TRIMMED_UPSTREAM;
	}
	if (header_get16(udp + 2) != ROCE_UDP_PORT)
		return STAGE_NEXT;
	if (unlikely(length <
		     HEADER_UDP_BYTES + (uint32_t)sizeof(struct roce_bth) + ROCE_ICRC_BYTES))
		return DROP_MALFORMED;
	if (unlikely(l4_off + HEADER_UDP_BYTES + (uint32_t)sizeof(struct roce_bth) >
		     meta->data_len))
		return DROP_TRUNCATED;
	meta->flags |= PACKET_ROCE;
	meta->opcode = udp[HEADER_UDP_BYTES];
	return STAGE_NEXT;
}

// A source that may not cross a router (RFC 1812 section 5.3.7, RFC 3927 section 2.7), or a
// destination that may not.
static inline bool
parse_ip4_martian(const uint8_t *ip)
{
	uint8_t source = ip[12], destination = ip[16];

	return source == 0 || source == 127 || source >= 224 || destination == 0 ||
	       destination == 127 || destination >= 240 ||
	       header_get16(ip + 12) == PARSE_IP4_LINK_LOCAL ||
	       header_get16(ip + 16) == PARSE_IP4_LINK_LOCAL;
}

// First octets of addresses that need no closer look, a bit each: 1 to 223 but for 127 and 169.
static const uint64_t parse_ip4_plain_octets[4] = {
	~UINT64_C(1),                  // 1 to 63
	~UINT64_C(0) >> 1,             // 64 to 126
	~(UINT64_C(1) << (169 - 128)), // 128 to 191 but for 169
	~UINT64_C(0) >> (256 - 224),   // 192 to 223
};

static inline unsigned int
parse_ip4_plain(uint8_t octet)
{
	return parse_ip4_plain_octets[octet >> 6] >> (octet & 63) & 1;
}

// All words of a sound header, checksum included, add up to all ones (RFC 1071).
static __rte_always_inline bool
parse_ip4_checksum_holds(const uint8_t *ip, uint32_t header)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < header; i += 4) {
		uint32_t word;

		memcpy(&word, ip + i, sizeof(word));
		sum += word;
	}
	// 2^16 is 1 in one's complement: a multiple of 2^16 - 1 folds to all ones. (The version is
	// not 0, so the sum is not either.) The compiler makes a multiplication of it.
	return sum % UINT16_MAX == 0;
}

// What is in an IPv4 header of `header` bytes, and behind it.
static __rte_always_inline int
parse_ip4_header(const struct node *n, struct packet_meta *meta, const uint8_t *data,
		 uint32_t l3_off, uint32_t header)
{
	const uint8_t *ip = data + l3_off;
	uint32_t length = header_get16(ip + 2);

	if (unlikely(length < header))
		return DROP_MALFORMED;
	if (unlikely(parse_overruns(meta, l3_off + length) || l3_off + header > meta->data_len))
		return DROP_TRUNCATED;
	if (unlikely(!parse_ip4_checksum_holds(ip, header)))
		return DROP_BAD_CHECKSUM;
	if (unlikely(!(parse_ip4_plain(ip[12]) & parse_ip4_plain(ip[16])))) {
		if (parse_ip4_martian(ip))
			return DROP_MARTIAN;
		if (ip[16] >= 224)
			return DROP_MULTICAST;
	}
	meta->dscp = ip[1] >> 2;
	meta->ecn = ip[1] & 3;
	meta->l4_off = (uint8_t)(l3_off + header);
	// A fragment, the first one too: what has no ports must take the path of what has.
	if (unlikely((header_get16(ip + 6) & 0x3fff) != 0))
		return STAGE_NEXT;
	meta->ip_proto = ip[9];
	return ip[9] == HEADER_PROTOCOL_UDP
		       ? parse_udp(n, meta, data, l3_off + header, l3_off + length)
		       : STAGE_NEXT;
}

static __attribute__((noinline)) int
parse_ip4_options(const struct node *n, struct packet_meta *meta, const uint8_t *data,
		  uint32_t l3_off)
{
	return parse_ip4_header(n, meta, data, l3_off, (data[l3_off] & 0xfu) * 4);
}

static __rte_always_inline int
parse_ip4(const struct node *n, struct packet_meta *meta, const uint8_t *data, uint32_t l3_off)
{
	const uint8_t *ip = data + l3_off;

	if (unlikely(l3_off + HEADER_IP4_BYTES > meta->data_len))
		return DROP_TRUNCATED;
	if (likely(ip[0] == PARSE_IP4_PLAIN_HEADER))
		return parse_ip4_header(n, meta, data, l3_off, HEADER_IP4_BYTES);
	return ip[0] > PARSE_IP4_PLAIN_HEADER && ip[0] >> 4 == 4
		       ? parse_ip4_options(n, meta, data, l3_off)
		       : DROP_MALFORMED;
}

static inline bool
parse_ip6_martian(const uint8_t *ip)
{
	static const uint8_t zeros[15];
	const uint8_t *source = ip + 8, *destination = ip + 24;

	// Unspecified and loopback (RFC 4291 sections 2.5.2, 2.5.3), and a multicast source.
	return source[0] == 0xff || (memcmp(source, zeros, 15) == 0 && source[15] <= 1) ||
	       (memcmp(destination, zeros, 15) == 0 && destination[15] <= 1);
}

// Link-local addresses stay on their link (RFC 4291 section 2.5.6).
static inline bool
parse_ip6_link_local(const uint8_t *address)
{
	return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

static inline bool
parse_ip6_is_extension(uint8_t next)
{
	return next == HEADER_PROTOCOL_HOP_BY_HOP || next == HEADER_PROTOCOL_ROUTING ||
	       next == HEADER_PROTOCOL_DESTINATION || next == HEADER_PROTOCOL_FRAGMENT;
}

// What stands behind the IPv6 header, from `at` to `end`. Fragments, and chains of extensions too
// long to follow, are routed without a look at their ports.
static inline int
parse_ip6_payload(const struct node *n, struct packet_meta *meta, const uint8_t *data, uint32_t at,
		  uint32_t end, uint8_t next)
{
	for (unsigned int i = 0; unlikely(parse_ip6_is_extension(next)); i++) {
		const uint8_t *extension = data + at;

		if (i == PARSE_IP6_EXTENSIONS_MAX)
			return STAGE_NEXT;
		if (at + 8 > end)
			return DROP_MALFORMED;
		if (at + 8 > meta->data_len)
			return DROP_TRUNCATED;
		if (next == HEADER_PROTOCOL_FRAGMENT && (header_get16(extension + 2) & 0xfff9) != 0)
			return STAGE_NEXT; // more fragments, or an offset
		at += next == HEADER_PROTOCOL_FRAGMENT ? 8 : 8 + extension[1] * 8u;
		next = extension[0];
		if (at > end)
			return DROP_MALFORMED;
		if (at > UINT8_MAX)
			return STAGE_NEXT;
	}
	meta->l4_off = (uint8_t)at;
	meta->ip_proto = next;
	return next == HEADER_PROTOCOL_UDP ? parse_udp(n, meta, data, at, end) : STAGE_NEXT;
}

static inline int
parse_ip6(const struct node *n, struct packet_meta *meta, const uint8_t *data)
{
	const uint8_t *ip = data + meta->l3_off;
	uint32_t end, at = meta->l3_off + HEADER_IP6_BYTES;

	if (at > meta->data_len)
		return DROP_TRUNCATED;
	end = at + header_get16(ip + 4);
	if (ip[0] >> 4 != 6)
		return DROP_MALFORMED;
	if (parse_overruns(meta, end))
		return DROP_TRUNCATED;
	if (parse_ip6_martian(ip) || parse_ip6_link_local(ip + 8) || parse_ip6_link_local(ip + 24))
		return DROP_MARTIAN;
	if (ip[24] == 0xff)
		return DROP_MULTICAST;
	meta->flags |= PACKET_IPV6;
	meta->dscp = (uint8_t)((ip[0] & 0xf) << 2 | ip[1] >> 6);
	meta->ecn = ip[1] >> 4 & 3;
	return parse_ip6_payload(n, meta, data, at, end, ip[6]);
}

// What an EtherType says stands at meta->l3_off.
static __rte_always_inline int
parse_network(const struct node *n, struct packet_meta *meta, const uint8_t *data, uint16_t type,
	      uint32_t l3_off)
{
	meta->l3_off = (uint8_t)l3_off;
	if (likely(type == HEADER_TYPE_IP4))
		return parse_ip4(n, meta, data, l3_off);
	return type == HEADER_TYPE_IP6 ? parse_ip6(n, meta, data) : DROP_NOT_IP;
}

// Up to two tags, of which the outer one tells the priority.
static __attribute__((noinline)) int
parse_tagged(const struct node *n, struct packet_meta *meta, const uint8_t *data)
{
	uint32_t l3_off = HEADER_ETHERNET_BYTES + HEADER_TAG_BYTES;
	uint16_t type;

	if (meta->data_len < l3_off)
		return DROP_TRUNCATED;
	meta->flags |= PACKET_TAGGED;
	meta->pcp = data[HEADER_ETHERNET_BYTES] >> 5;
	type = header_get16(data + l3_off - 2);
	if (header_is_tag(type)) {
		l3_off += HEADER_TAG_BYTES;
		if (meta->data_len < l3_off)
			return DROP_TRUNCATED;
		type = header_get16(data + l3_off - 2);
	}
	return parse_network(n, meta, data, type, l3_off);
}

static __rte_always_inline int
stage_parse(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now)
{
	struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m);
	uint16_t type;

	(void)in;
	(void)now;
	meta->flags &= PACKET_ENDURING;
	meta->ip_proto = 0;
	if (unlikely(meta->data_len < HEADER_ETHERNET_BYTES))
		return DROP_RUNT;
	if (unlikely(data[6] & 1))
		return DROP_MULTICAST_SOURCE;
	if (unlikely(header_reserved_address(data)))
		return STAGE_NEXT;
	type = header_get16(data + 12);
	if (unlikely(type != HEADER_TYPE_IP4 && header_is_tag(type))) {
		meta->l3_off = HEADER_ETHERNET_BYTES;
		return parse_tagged(n, meta, data);
	}
	return parse_network(n, meta, data, type, HEADER_ETHERNET_BYTES);
}
