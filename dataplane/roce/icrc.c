// SPDX-License-Identifier: BSD-3-Clause
//
// The ICRC is Ethernet's CRC-32 over eight bytes of ones, which stand for InfiniBand's local route
// header, and then the packet from its IP header to its last payload or pad byte, in which all that
// a router may change reads as ones: of IPv4 the type of service, TTL and header checksum, of IPv6
// the traffic class, flow label and hop limit, the UDP checksum, and the byte of the BTH that holds
// FECN and BECN. All else counts, IPv4 options too: a router that changes them breaks the packet.
//
// A packet of the virtual NIC has real headers and no payload in memory; its payload is zeros. A
// CRC register takes n zero bytes as a multiplication by x^8n modulo the polynomial, which zlib's
// combination operator does in time logarithmic in n, so that the zeros are never written.

#include "icrc.h"

#include "dataplane/base/ib_headers.h"

#include <zlib.h>

#include <errno.h>
#include <string.h>

enum {
	ETHERTYPE_OFFSET = 12,
	ETHERTYPE_IPV4 = 0x0800,
	ETHERTYPE_IPV6 = 0x86dd,
	ETHERTYPE_8021Q = 0x8100,
	ETHERTYPE_8021AD = 0x88a8,
	TAG_BYTES = 4,
	MAX_TAGS = 2,
	IPV4_MIN_BYTES = 20,
	IPV4_MAX_BYTES = 60,
	IPV6_BYTES = 40,
	UDP_BYTES = 8,
	PROTOCOL_UDP = 17,
	LRH_BYTES = 8,
	// All that is masked lies in front of this, in the largest case.
	MAX_MASKED_BYTES = IPV4_MAX_BYTES + UDP_BYTES + sizeof(struct roce_bth),
};

static uint16_t
get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

// Steps over the Ethernet header and its tags: *l3 and the EtherType behind them.
static int
find_l3(const uint8_t *frame, size_t frame_bytes, size_t *l3, uint16_t *ethertype)
{
	size_t at = ETHERTYPE_OFFSET;

	for (unsigned int tags = 0; tags <= MAX_TAGS; tags++, at += TAG_BYTES) {
		if (frame_bytes < at + 2)
			return -EMSGSIZE;
		*ethertype = get16(frame + at);
		if (*ethertype != ETHERTYPE_8021Q && *ethertype != ETHERTYPE_8021AD) {
			*l3 = at + 2;
			return 0;
		}
	}
	return -EPROTONOSUPPORT;
}

// Bytes of the IPv4 header at `ip`, of which `bytes` exist, and of all that it says to hold.
static int
measure_ipv4(const uint8_t *ip, size_t bytes, size_t *header_bytes, size_t *total_bytes)
{
	if (bytes < IPV4_MIN_BYTES)
		return -EMSGSIZE;
	*header_bytes = (ip[0] & 0x0f) * 4u;
	*total_bytes = get16(ip + 2);
	if (ip[0] >> 4 != 4 || *header_bytes < IPV4_MIN_BYTES)
		return -EINVAL;
	if (ip[9] != PROTOCOL_UDP)
		return -EPROTONOSUPPORT;
	if ((get16(ip + 6) & 0x3fff) != 0) // more fragments, or an offset
		return -EINVAL;
	return 0;
}

static int
measure_ipv6(const uint8_t *ip, size_t bytes, size_t *header_bytes, size_t *total_bytes)
{
	if (bytes < IPV6_BYTES)
		return -EMSGSIZE;
	*header_bytes = IPV6_BYTES;
	*total_bytes = IPV6_BYTES + get16(ip + 4);
	if (ip[0] >> 4 != 6)
		return -EINVAL;
	return ip[6] == PROTOCOL_UDP ? 0 : -EPROTONOSUPPORT;
}

int
icrc_find(const uint8_t *frame, size_t frame_bytes, struct icrc_span *span)
{
	size_t l3, header_bytes, total_bytes;
	uint16_t ethertype;
	int rc = find_l3(frame, frame_bytes, &l3, &ethertype);

	if (rc != 0)
		return rc;
	if (ethertype == ETHERTYPE_IPV4)
		rc = measure_ipv4(frame + l3, frame_bytes - l3, &header_bytes, &total_bytes);
	else if (ethertype == ETHERTYPE_IPV6)
		rc = measure_ipv6(frame + l3, frame_bytes - l3, &header_bytes, &total_bytes);
	else
		rc = -EPROTONOSUPPORT;
	if (rc != 0)
		return rc;

	const uint8_t *udp = frame + l3 + header_bytes;
	size_t bth = l3 + header_bytes + UDP_BYTES;
	if (total_bytes < header_bytes + UDP_BYTES + sizeof(struct roce_bth) + ROCE_ICRC_BYTES)
		return -EINVAL;
	if (frame_bytes < bth + sizeof(struct roce_bth))
		return -EMSGSIZE;
	if (get16(udp + 2) != ROCE_UDP_PORT)
		return -EPROTONOSUPPORT;
	if (get16(udp + 4) != total_bytes - header_bytes)
		return -EINVAL;
	*span = (struct icrc_span){
		.l3 = l3, .bth = bth, .icrc = l3 + total_bytes - ROCE_ICRC_BYTES};
	return 0;
}

// Sets what a router may change to ones, in a copy of the headers that begins with the IP header
// and holds its BTH at `bth`.
static void
mask_headers(uint8_t *headers, size_t bth)
{
	if (headers[0] >> 4 == 4) {
		headers[1] = 0xff;                // type of service
		headers[8] = 0xff;                // TTL
		headers[10] = headers[11] = 0xff; // header checksum
	} else {
		headers[0] |= 0x0f; // traffic class and flow label
		headers[1] = headers[2] = headers[3] = 0xff;
		headers[7] = 0xff; // hop limit
	}
	headers[bth - 2] = headers[bth - 1] = 0xff; // UDP checksum
	headers[bth + offsetof(struct roce_bth, congestion)] = 0xff;
}

// The CRC of what `crc` covers with `n` zero bytes behind it. zlib's CRCs are complements of the
// register, and its operator multiplies.
static uint32_t
append_zeros(uint32_t crc, size_t n)
{
	return n == 0 ? crc : ~crc32_combine_op(~crc, 0, crc32_combine_gen(n));
}

// The ICRC of the frame that `span` describes, zeros behind its first `frame_bytes`.
static uint32_t
compute_span(const uint8_t *frame, size_t frame_bytes, const struct icrc_span *span)
{
	uint8_t masked[LRH_BYTES + MAX_MASKED_BYTES];
	size_t behind_bth = span->bth + sizeof(struct roce_bth);
	size_t present = frame_bytes < span->icrc ? frame_bytes : span->icrc;

	memset(masked, 0xff, LRH_BYTES);
	memcpy(masked + LRH_BYTES, frame + span->l3, behind_bth - span->l3);
	mask_headers(masked + LRH_BYTES, span->bth - span->l3);

	uint32_t crc = crc32(0, masked, LRH_BYTES + behind_bth - span->l3);
	crc = crc32(crc, frame + behind_bth, present - behind_bth);
	return append_zeros(crc, span->icrc - present);
}

int
icrc_compute(const uint8_t *frame, size_t frame_bytes, uint32_t *icrc)
{
	struct icrc_span span;
	int rc = icrc_find(frame, frame_bytes, &span);

	if (rc == 0)
		*icrc = compute_span(frame, frame_bytes, &span);
	return rc;
}

int
icrc_write(uint8_t *frame, size_t frame_bytes)
{
	struct icrc_span span;
	int rc = icrc_find(frame, frame_bytes, &span);

	if (rc != 0)
		return rc;
	if (frame_bytes < span.icrc + ROCE_ICRC_BYTES)
		return -EMSGSIZE;
	icrc_store(frame + span.icrc, compute_span(frame, frame_bytes, &span));
	return 0;
}

int
icrc_verify(const uint8_t *frame, size_t frame_bytes)
{
	struct icrc_span span;
	int rc = icrc_find(frame, frame_bytes, &span);

	if (rc != 0)
		return rc;
	if (frame_bytes < span.icrc + ROCE_ICRC_BYTES)
		return -EMSGSIZE;
	if (icrc_load(frame + span.icrc) != compute_span(frame, frame_bytes, &span))
		return -EBADMSG;
	return 0;
}

// ---- InfiniBand ---------------------------------------------------------------------------------
//
// Without a GRH the VL alone is masked of the LRH; with one the LRH is, and of the GRH the traffic
// class, flow label and hop limit. Of the BTH the byte of FECN and BECN is, as in RoCEv2.

int
icrc_compute_infiniband(const uint8_t *packet, size_t present, size_t packet_bytes, uint32_t *icrc)
{
	uint8_t masked[IB_LRH_BYTES + IB_GRH_BYTES + sizeof(struct roce_bth)];
	const unsigned int next = present < IB_LRH_BYTES ? IB_NEXT_RAW : packet[1] & 3u;
	const size_t bth = next == IB_NEXT_GRH ? IB_LRH_BYTES + IB_GRH_BYTES : IB_LRH_BYTES;
	const size_t behind_bth = bth + sizeof(struct roce_bth);
	const size_t end = packet_bytes - ROCE_ICRC_BYTES;
	uint32_t crc;

	if (next < IB_NEXT_BTH || packet_bytes < behind_bth + ROCE_ICRC_BYTES)
		return -EINVAL;
	if (present < behind_bth)
		return -EMSGSIZE;
	memcpy(masked, packet, behind_bth);
	if (next == IB_NEXT_GRH) {
		memset(masked, 0xff, IB_LRH_BYTES);
		masked[IB_LRH_BYTES] |= 0x0f; // traffic class and flow label
		memset(masked + IB_LRH_BYTES + 1, 0xff, 3);
		masked[IB_LRH_BYTES + 7] = 0xff; // hop limit
	}
	masked[0] |= 0xf0; // VL
	masked[bth + offsetof(struct roce_bth, congestion)] = 0xff;
	if (present > end)
		present = end;
	crc = crc32(0, masked, (uInt)behind_bth);
	crc = crc32(crc, packet + behind_bth, (uInt)(present - behind_bth));
	*icrc = append_zeros(crc, end - present);
	return 0;
}

int
icrc_verify_infiniband(const uint8_t *packet, size_t packet_bytes)
{
	uint32_t icrc;
	int rc = icrc_compute_infiniband(packet, packet_bytes, packet_bytes, &icrc);

	if (rc != 0)
		return rc;
	return icrc_load(packet + packet_bytes - ROCE_ICRC_BYTES) == icrc ? 0 : -EBADMSG;
}

uint16_t
icrc_vcrc(uint16_t vcrc, const uint8_t *bytes, size_t count)
{
	// What four bits leave behind: multiples of 0x100b, reflected.
	static const uint16_t steps[16] = {0x0000, 0x1a01, 0x3402, 0x2e03, 0x6804, 0x7205,
					   0x5c06, 0x4607, 0xd008, 0xca09, 0xe40a, 0xfe0b,
					   0xb80c, 0xa20d, 0x8c0e, 0x960f};
	uint16_t r = (uint16_t)~vcrc;

	for (size_t i = 0; i < count; i++) {
		r ^= bytes[i];
		r = (uint16_t)(r >> 4 ^ steps[r & 0xf]);
		r = (uint16_t)(r >> 4 ^ steps[r & 0xf]);
	}
	return (uint16_t)~r;
}
