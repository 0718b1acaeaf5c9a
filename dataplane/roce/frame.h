// SPDX-License-Identifier: BSD-3-Clause
// The frames that a NIC makes: Ethernet, IPv4 or IPv6, UDP and RoCEv2's headers, or InfiniBand's
// LRH and the same transport's headers, written by copying a template of the NIC and storing what
// differs. Only headers are written: wire_bytes counts the payload, its padding and the ICRC
// (PACKET_NO_PAYLOAD).
//
// As queue pairs of the usual adapters do: IPv4 with DF and an ID that counts per queue pair, UDP
// checksum 0 over IPv6 too (RFC 6936; annex A17.9.2), all packets of a queue pair ECT(0),
// acknowledgements included, because the traffic class is the queue pair's; CNPs not-ECT.
#pragma once

#include "dataplane/base/checksum.h"
#include "dataplane/base/ib_headers.h"
#include "dataplane/base/packet.h"
#include "dataplane/base/tables.h"
#include "dataplane/base/roce_headers.h"

#include <rte_byteorder.h>

#include <string.h>

#define FRAME_ETHERNET_BYTES 14u
#define FRAME_IP4_BYTES 20u
#define FRAME_IP6_BYTES 40u
#define FRAME_UDP_BYTES 8u
#define FRAME_HEADERS_MAX 96u
#define FRAME_TTL 64
#define FRAME_PROTOCOL_UDP 17
#define FRAME_SIZE_REAL (-1)

// What is in front of the BTH.
enum frame_network {
	FRAME_IP4,        // Ethernet, IPv4, UDP
	FRAME_IP6,        // Ethernet, IPv6, UDP
	FRAME_INFINIBAND, // LRH
};

// How large frames are. A size that is not FRAME_SIZE_REAL stands for all headers of a data packet,
// to which the payload is added unpadded, or for a whole acknowledgement.
struct frame_sizes {
	int32_t header_bytes;
	int32_t ack_bytes;
	uint8_t network; // enum frame_network
};

// Ethernet, IP and UDP, or the LRH, before they have a destination. Of IPv4 they fit a cache line,
// which a NIC lays them on.
struct frame_template {
	uint8_t headers[FRAME_HEADERS_MAX];
};

// Where a queue pair's (or stream's) packets go, and how. Worker: rw.
struct frame_address {
	uint8_t peer_ip[16]; // InfiniBand: the LID, then the P_Key, each big endian
	uint32_t peer_qpn;
	uint32_t sum;       // of the IPv4 header's words but length and ID
	uint16_t udp_sport; // big endian
	uint16_t ip_id;
	uint8_t traffic_class; // DSCP and ECN
	uint8_t priority;
	uint8_t tc;
	uint8_t network; // enum frame_network
};

// The frame_network of an IP version; 0: InfiniBand.
static inline uint8_t
frame_network_of(unsigned int ip_version)
{
	return ip_version == 0 ? FRAME_INFINIBAND : ip_version == 6 ? FRAME_IP6 : FRAME_IP4;
}

// Bytes of a packet with `behind` bytes behind the UDP header, as a frame without FCS; or behind
// the LRH, without VCRC.
static inline uint32_t
frame_bytes(unsigned int network, uint32_t behind)
{
	uint32_t bytes = FRAME_ETHERNET_BYTES + FRAME_IP4_BYTES + FRAME_UDP_BYTES + behind;

	if (unlikely(network != FRAME_IP4)) {
		if (network == FRAME_INFINIBAND)
			return IB_LRH_BYTES + behind;
		bytes += FRAME_IP6_BYTES - FRAME_IP4_BYTES;
	}
	return bytes < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : bytes;
}

// Bytes behind the UDP header of a data packet: BTH, `extra` bytes of further headers, padded
// payload, ICRC.
static inline uint32_t
frame_data_behind_udp(uint32_t payload, uint32_t extra)
{
	return (uint32_t)sizeof(struct roce_bth) + extra + payload + roce_pad_bytes(payload) +
	       ROCE_ICRC_BYTES;
}

// The frame, without FCS, of a data packet.
static inline uint32_t
frame_data_bytes(unsigned int network, int32_t header_bytes, uint32_t payload, uint32_t extra)
{
	if (header_bytes != FRAME_SIZE_REAL)
		return (uint32_t)header_bytes + payload;
	return frame_bytes(network, frame_data_behind_udp(payload, extra));
}

#define FRAME_ACK_BEHIND_UDP \
	(sizeof(struct roce_bth) + sizeof(struct roce_aeth) + (size_t)ROCE_ICRC_BYTES)
#define FRAME_CNP_BEHIND_UDP \
	(sizeof(struct roce_bth) + sizeof(struct roce_cnp) + (size_t)ROCE_ICRC_BYTES)

#define FRAME_REQUEST_BEHIND_UDP \
	(sizeof(struct roce_bth) + sizeof(struct roce_reth) + (size_t)ROCE_ICRC_BYTES)

// The frame, without FCS, of a READ request, which is of the size of acknowledgements where that is
// given.
static inline uint32_t
frame_request_bytes(unsigned int network, int32_t ack_bytes)
{
	if (ack_bytes != FRAME_SIZE_REAL)
		return (uint32_t)ack_bytes;
	return frame_bytes(network, FRAME_REQUEST_BEHIND_UDP);
}

// The frame, without FCS, of an acknowledgement.
static inline uint32_t
frame_ack_bytes(unsigned int network, int32_t ack_bytes)
{
	if (ack_bytes != FRAME_SIZE_REAL)
		return (uint32_t)ack_bytes;
	return frame_bytes(network, FRAME_ACK_BEHIND_UDP);
}

// Makes the template of packets from `mac`, `ip` (4 or 16 bytes) to the gateway `gateway_mac`.
void frame_template_init(struct frame_template *t, bool ip6, const uint8_t *mac,
			 const uint8_t *gateway_mac, const uint8_t *ip);

// The same of packets from a LID, of a partition (with the membership bit).
void frame_template_init_infiniband(struct frame_template *t, uint16_t lid, uint16_t pkey);

// Completes an address whose peer_ip, traffic_class and network are set, for packets from the
// template.
void frame_address_init(struct frame_address *a, const struct frame_template *t);

// The LRH of a packet. The VL is that of the SL by default, which is the priority.
static inline void
frame_put_lrh(uint8_t *data, const struct frame_template *t, const struct frame_address *a,
	      uint32_t behind)
{
	struct ib_lrh *lrh = (struct ib_lrh *)data;

	memcpy(lrh, t->headers, sizeof(*lrh));
	lrh->vl_version = (uint8_t)(a->tc << 4);
	lrh->sl_next |= (uint8_t)(a->priority << 4);
	memcpy(lrh->dlid, a->peer_ip, sizeof(lrh->dlid));
	ib_lrh_set_bytes(lrh, IB_LRH_BYTES + behind);
}

// A packet of the template's to the address with Ethernet, IP and UDP written. `flags`: of the
// metadata, beside PACKET_IPV6. `behind`: bytes behind the UDP header by the packet's lengths, of
// which `present` will be written at *payload.
static inline void
frame_start(struct rte_mbuf *m, const struct frame_template *t, struct frame_address *a,
	    uint8_t flags, uint32_t behind, uint32_t present, uint32_t wire_bytes,
	    uint8_t **payload)
{
	struct packet_meta *meta = packet_meta(m);
	uint8_t *data = (uint8_t *)meta + PACKET_META_BYTES, *ip = data + FRAME_ETHERNET_BYTES,
		*udp;
	uint16_t udp_bytes = rte_cpu_to_be_16((uint16_t)(FRAME_UDP_BYTES + behind));

	*meta = (struct packet_meta){
		.wire_bytes = wire_bytes,
		.flags = flags,
		.priority = a->priority,
		.tc = a->tc,
		.l3_off = FRAME_ETHERNET_BYTES,
		.l4_off = FRAME_ETHERNET_BYTES + FRAME_IP4_BYTES,
		.ip_proto = FRAME_PROTOCOL_UDP,
		.dscp = a->traffic_class >> 2,
		.ecn = a->traffic_class & 3,
		.tenant = TENANT_NONE,
	};
	if (likely(a->network == FRAME_IP4)) {
		uint16_t length =
			rte_cpu_to_be_16((uint16_t)(FRAME_IP4_BYTES + FRAME_UDP_BYTES + behind));
		uint16_t id = rte_cpu_to_be_16(a->ip_id++);
		uint16_t checksum = (uint16_t)~checksum_fold(a->sum + length + id);

		memcpy(data, t->headers, 64);
		ip[1] = a->traffic_class;
		memcpy(ip + 2, &length, sizeof(length));
		memcpy(ip + 4, &id, sizeof(id));
		memcpy(ip + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
		memcpy(ip + 16, a->peer_ip, 4);
		udp = ip + FRAME_IP4_BYTES;
	} else if (a->network == FRAME_INFINIBAND) {
		meta->flags = flags | PACKET_INFINIBAND;
		meta->l3_off = meta->l4_off = 0;
		meta->ip_proto = 0;
		frame_put_lrh(data, t, a, behind);
		*payload = data + IB_LRH_BYTES;
		meta->data_len = (uint16_t)(IB_LRH_BYTES + present);
		return;
	} else {
		meta->flags = flags | PACKET_IPV6;
		meta->l4_off = FRAME_ETHERNET_BYTES + FRAME_IP6_BYTES;
		memcpy(data, t->headers, FRAME_HEADERS_MAX);
		ip[0] = (uint8_t)(0x60 | a->traffic_class >> 4);
		ip[1] = (uint8_t)(a->traffic_class << 4);
		memcpy(ip + 4, &udp_bytes, sizeof(udp_bytes));
		memcpy(ip + 24, a->peer_ip, 16);
		udp = ip + FRAME_IP6_BYTES;
	}
	memcpy(udp, &a->udp_sport, sizeof(a->udp_sport));
	memcpy(udp + 4, &udp_bytes, sizeof(udp_bytes));
	*payload = udp + FRAME_UDP_BYTES;
	meta->data_len = (uint16_t)(*payload + present - data);
}

// The P_Key of packets to an address.
static inline uint32_t
frame_pkey(const struct frame_address *a)
{
	return unlikely(a->network == FRAME_INFINIBAND)
		       ? (uint32_t)a->peer_ip[2] << 8 | a->peer_ip[3]
		       : ROCE_PKEY_DEFAULT;
}

// Writes the BTH of a packet to an address in three stores.
static inline void
frame_put_bth(uint8_t *at, uint8_t opcode, unsigned int pad, const struct frame_address *a,
	      bool ack_req, uint32_t psn)
{
	uint32_t words[3] = {
		rte_cpu_to_be_32((uint32_t)opcode << 24 |
				 (uint32_t)(ROCE_BTH_MIG_REQ | pad << ROCE_BTH_PAD_SHIFT) << 16 |
				 frame_pkey(a)),
		rte_cpu_to_be_32(a->peer_qpn),
		rte_cpu_to_be_32((ack_req ? (uint32_t)ROCE_BTH_ACK_REQ << 24 : 0) |
				 (psn & ROCE_PSN_MASK)),
	};

	memcpy(at, words, sizeof(words));
}

// An acknowledgement (or NAK, by `syndrome`), or NULL when memory has run out.
struct rte_mbuf *frame_make_ack(struct packet_pool *packets, const struct frame_template *t,
				struct frame_address *a, uint32_t wire_bytes, uint32_t psn,
				uint8_t syndrome, uint32_t msn);

// A READ request for `bytes` at `va`, or NULL when memory has run out.
struct rte_mbuf *frame_make_request(struct packet_pool *packets, const struct frame_template *t,
				    struct frame_address *a, uint32_t wire_bytes, uint32_t psn,
				    uint64_t va, uint32_t bytes);

// A congestion notification to the address, which gives peer and source port; DSCP, priority and
// traffic class are CNPs' own. NULL when memory has run out.
struct rte_mbuf *frame_make_cnp(struct packet_pool *packets, const struct frame_template *t,
				struct frame_address *a, uint8_t dscp, uint8_t priority,
				uint8_t tc);
