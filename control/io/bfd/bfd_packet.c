// SPDX-License-Identifier: BSD-3-Clause
// A frame has no VLAN tag, no IPv4 options or IPv6 extension headers that matter, and is no
// fragment: a neighbour on the link has no reason for any of them. IPv4 options are skipped.
// Packets are sent with DSCP CS6, as network control is.
#include "bfd_packet.h"

#include "dataplane/base/checksum.h"
#include "dataplane/base/headers.h"

#include <errno.h>
#include <string.h>

#define BFD_VERSION 1
#define BFD_TTL 255
#define BFD_TOS 0xc0 // CS6
#define PROTOCOL_UDP 17
#define ETHERNET_BYTES 14
#define IP4_BYTES 20
#define IP6_BYTES 40
#define UDP_BYTES 8
#define TYPE_IP4 0x0800
#define TYPE_IP6 0x86dd

enum bfd_flag {
	BFD_POLL = 1 << 5,
	BFD_FINAL = 1 << 4,
	BFD_CPI = 1 << 3,
	BFD_AUTHENTICATED = 1 << 2,
	BFD_DEMAND = 1 << 1,
	BFD_MULTIPOINT = 1 << 0,
};

// ---- packets -----------------------------------------------------------------------------------

int
bfd_packet_parse(const uint8_t *bytes, size_t length, struct bfd_packet *out)
{
	const uint8_t flags = length >= BFD_PACKET_BYTES ? bytes[1] : 0;

	if (length < BFD_PACKET_BYTES || bytes[0] >> 5 != BFD_VERSION ||
	    bytes[3] < BFD_PACKET_BYTES || bytes[3] > length)
		return -EBADMSG;
	*out = (struct bfd_packet){
		.state = (enum bfd_state)(flags >> 6),
		.diag = bytes[0] & BFD_DIAG_MAX,
		.poll = flags & BFD_POLL,
		.final = flags & BFD_FINAL,
		.cpi = flags & BFD_CPI,
		.demand = flags & BFD_DEMAND,
		.detect_mult = bytes[2],
		.my_discr = header_get32(bytes + 4),
		.your_discr = header_get32(bytes + 8),
		.desired_min_tx_us = header_get32(bytes + 12),
		.required_min_rx_us = header_get32(bytes + 16),
		.required_min_echo_rx_us = header_get32(bytes + 20),
	};
	if (flags & (BFD_MULTIPOINT | BFD_AUTHENTICATED) || out->detect_mult == 0 ||
	    out->my_discr == 0)
		return -EBADMSG;
	// Who does not know the other's discriminator has heard nothing from it.
	if (out->your_discr == 0 && (out->state == BFD_INIT || out->state == BFD_UP))
		return -EBADMSG;
	return 0;
}

static void
put_packet(uint8_t *to, const struct bfd_packet *p)
{
	to[0] = (uint8_t)(BFD_VERSION << 5 | (p->diag & BFD_DIAG_MAX));
	to[1] = (uint8_t)((unsigned)p->state << 6 | (p->poll ? BFD_POLL : 0) |
			  (p->final ? BFD_FINAL : 0) | (p->cpi ? BFD_CPI : 0) |
			  (p->demand ? BFD_DEMAND : 0));
	to[2] = p->detect_mult;
	to[3] = BFD_PACKET_BYTES;
	header_put32(to + 4, p->my_discr);
	header_put32(to + 8, p->your_discr);
	header_put32(to + 12, p->desired_min_tx_us);
	header_put32(to + 16, p->required_min_rx_us);
	header_put32(to + 20, p->required_min_echo_rx_us);
}

// ---- frames ------------------------------------------------------------------------------------

// The sum over a UDP datagram and its pseudo header; folded 0xffff if its checksum is right.
static uint32_t
sum_udp(const struct bfd_path *path, const uint8_t *udp, size_t length)
{
	const uint8_t rest[4] = {0, PROTOCOL_UDP, (uint8_t)(length >> 8), (uint8_t)length};
	const size_t address = path->version == 4 ? 4 : 16;
	uint32_t sum = checksum_add(0, path->local, address);

	sum = checksum_add(sum, path->peer, address);
	sum = checksum_add(sum, rest, sizeof(rest));
	return checksum_add(sum, udp, length);
}

static void
put_udp(uint8_t *to, const struct bfd_path *path, const struct bfd_packet *packet)
{
	const size_t length = UDP_BYTES + BFD_PACKET_BYTES;
	uint16_t checksum;

	header_put16(to, path->source_port);
	header_put16(to + 2, BFD_PORT);
	header_put16(to + 4, (unsigned)length);
	header_put16(to + 6, 0);
	put_packet(to + UDP_BYTES, packet);
	checksum = (uint16_t)~checksum_fold(sum_udp(path, to, length));
	if (checksum == 0)
		checksum = 0xffff; // 0 means that there is none
	memcpy(to + 6, &checksum, sizeof(checksum));
}

static void
put_ip4(uint8_t *to, const struct bfd_path *path)
{
	uint16_t checksum;

	memset(to, 0, IP4_BYTES);
	to[0] = 0x45;
	to[1] = BFD_TOS;
	header_put16(to + 2, IP4_BYTES + UDP_BYTES + BFD_PACKET_BYTES);
	header_put16(to + 6, 0x4000); // do not fragment
	to[8] = BFD_TTL;
	to[9] = PROTOCOL_UDP;
	memcpy(to + 12, path->local, 4);
	memcpy(to + 16, path->peer, 4);
	checksum = checksum_ipv4_header(to, IP4_BYTES);
	memcpy(to + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
}

static void
put_ip6(uint8_t *to, const struct bfd_path *path)
{
	header_put32(to, (uint32_t)6 << 28 | (uint32_t)BFD_TOS << 20);
	header_put16(to + 4, UDP_BYTES + BFD_PACKET_BYTES);
	to[6] = PROTOCOL_UDP;
	to[7] = BFD_TTL;
	memcpy(to + 8, path->local, 16);
	memcpy(to + 24, path->peer, 16);
}

size_t
bfd_frame_build(const struct bfd_path *path, const struct bfd_packet *packet,
		uint8_t frame[static BFD_FRAME_MAX])
{
	const bool ip4 = path->version == 4;
	const size_t ip_bytes = ip4 ? IP4_BYTES : IP6_BYTES;
	uint8_t *ip = frame + ETHERNET_BYTES;

	memcpy(frame, path->peer_mac, 6);
	memcpy(frame + 6, path->local_mac, 6);
	header_put16(frame + 12, ip4 ? TYPE_IP4 : TYPE_IP6);
	if (ip4)
		put_ip4(ip, path);
	else
		put_ip6(ip, path);
	put_udp(ip + ip_bytes, path, packet);
	return ETHERNET_BYTES + ip_bytes + UDP_BYTES + BFD_PACKET_BYTES;
}

// The fields of an IP header, of either version, but for the addresses.
struct ip_header {
	size_t header_bytes, total_bytes;
	uint8_t ttl, protocol;
};

static int
parse_ip4(const uint8_t *ip, size_t length, struct bfd_path *path, struct ip_header *out)
{
	uint16_t checksum;

	if (length < IP4_BYTES || ip[0] >> 4 != 4)
		return -EBADMSG;
	out->header_bytes = (ip[0] & 0xf) * 4u;
	out->total_bytes = header_get16(ip + 2);
	if (out->header_bytes < IP4_BYTES || out->total_bytes < out->header_bytes ||
	    out->total_bytes > length || (header_get16(ip + 6) & 0x3fff) != 0) // a fragment
		return -EBADMSG;
	memcpy(&checksum, ip + CHECKSUM_IPV4_OFFSET, sizeof(checksum));
	if (checksum != checksum_ipv4_header(ip, out->header_bytes))
		return -EBADMSG;
	out->ttl = ip[8];
	out->protocol = ip[9];
	path->version = 4;
	memcpy(path->peer, ip + 12, 4);
	memcpy(path->local, ip + 16, 4);
	return 0;
}

static int
parse_ip6(const uint8_t *ip, size_t length, struct bfd_path *path, struct ip_header *out)
{
	if (length < IP6_BYTES || ip[0] >> 4 != 6)
		return -EBADMSG;
	out->header_bytes = IP6_BYTES;
	out->total_bytes = IP6_BYTES + (size_t)header_get16(ip + 4);
	if (out->total_bytes > length)
		return -EBADMSG;
	out->protocol = ip[6];
	out->ttl = ip[7];
	path->version = 6;
	memcpy(path->peer, ip + 8, 16);
	memcpy(path->local, ip + 24, 16);
	return 0;
}

static int
parse_udp(const struct bfd_path *path, const uint8_t *udp, size_t length, struct bfd_packet *out)
{
	size_t datagram_bytes;

	if (length < UDP_BYTES || header_get16(udp + 2) != BFD_PORT)
		return -EBADMSG;
	datagram_bytes = header_get16(udp + 4);
	if (datagram_bytes < UDP_BYTES || datagram_bytes > length)
		return -EBADMSG;
	// Only IPv4 may do without a checksum.
	if ((path->version == 6 || header_get16(udp + 6) != 0) &&
	    (header_get16(udp + 6) == 0 ||
	     checksum_fold(sum_udp(path, udp, datagram_bytes)) != 0xffff))
		return -EBADMSG;
	return bfd_packet_parse(udp + UDP_BYTES, datagram_bytes - UDP_BYTES, out);
}

int
bfd_frame_parse(const uint8_t *frame, size_t length, struct bfd_path *path, struct bfd_packet *out)
{
	struct ip_header ip;
	uint16_t type;
	int rc;

	*path = (struct bfd_path){0};
	if (length < ETHERNET_BYTES)
		return -EBADMSG;
	type = header_get16(frame + 12);
	memcpy(path->local_mac, frame, 6);
	memcpy(path->peer_mac, frame + 6, 6);
	frame += ETHERNET_BYTES;
	length -= ETHERNET_BYTES;
	rc = type == TYPE_IP4   ? parse_ip4(frame, length, path, &ip)
	     : type == TYPE_IP6 ? parse_ip6(frame, length, path, &ip)
				: -EBADMSG;
	if (rc != 0 || ip.protocol != PROTOCOL_UDP)
		return -EBADMSG;
	rc = parse_udp(path, frame + ip.header_bytes, ip.total_bytes - ip.header_bytes, out);
	return rc == 0 && ip.ttl != BFD_TTL ? -EMULTIHOP : rc;
}

// ---- words -------------------------------------------------------------------------------------

const char *
bfd_state_name(enum bfd_state state)
{
	static const char *const names[] = {
		[BFD_ADMIN_DOWN] = "admin-down",
		[BFD_DOWN] = "down",
		[BFD_INIT] = "init",
		[BFD_UP] = "up",
	};

	return names[state];
}

// RFC 5880, section 4.1.
const char *
bfd_diag_text(uint8_t diag)
{
	static const char *const texts[] = {
		"none",
		"detection time expired",
		"echo function failed",
		"neighbour signalled session down",
		"forwarding plane reset",
		"path down",
		"concatenated path down",
		"administratively down",
		"reverse concatenated path down",
	};

	return diag < sizeof(texts) / sizeof(texts[0]) ? texts[diag] : "unknown";
}
