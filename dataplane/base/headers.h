// SPDX-License-Identifier: BSD-3-Clause
// Protocol headers below RoCEv2 (roce_headers.h has that): sizes, numbers, and fields in network
// byte order. Ethernet (IEEE 802.3), 802.1Q, IPv4 (RFC 791), IPv6 (RFC 8200), UDP (RFC 768).
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HEADER_ETHERNET_BYTES 14u
#define HEADER_TAG_BYTES 4u
#define HEADER_IP4_BYTES 20u // without options
#define HEADER_IP6_BYTES 40u
#define HEADER_UDP_BYTES 8u

enum header_type {
	HEADER_TYPE_IP4 = 0x0800,
	HEADER_TYPE_ARP = 0x0806,
	HEADER_TYPE_VLAN = 0x8100,
	HEADER_TYPE_IP6 = 0x86dd,
	HEADER_TYPE_MAC_CONTROL = 0x8808,  // pause frames
	HEADER_TYPE_SERVICE_VLAN = 0x88a8, // the outer tag of 802.1ad
	HEADER_TYPE_LLDP = 0x88cc,
};

enum header_protocol {
	HEADER_PROTOCOL_HOP_BY_HOP = 0,
	HEADER_PROTOCOL_ICMP = 1,
	HEADER_PROTOCOL_IP4 = 4,
	HEADER_PROTOCOL_TCP = 6,
	HEADER_PROTOCOL_UDP = 17,
	HEADER_PROTOCOL_IP6 = 41,
	HEADER_PROTOCOL_ROUTING = 43,
	HEADER_PROTOCOL_FRAGMENT = 44,
	HEADER_PROTOCOL_ICMP6 = 58,
	HEADER_PROTOCOL_DESTINATION = 60,
};

// The type of a VLAN tag.
static inline bool
header_is_tag(uint16_t type)
{
	return type == HEADER_TYPE_VLAN || type == HEADER_TYPE_SERVICE_VLAN;
}

static inline uint16_t
header_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t
header_get32(const uint8_t *at)
{
	return (uint32_t)header_get16(at) << 16 | header_get16(at + 2);
}

static inline void
header_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void
header_put32(uint8_t *at, uint32_t value)
{
	header_put16(at, (uint16_t)(value >> 16));
	header_put16(at + 2, (uint16_t)value);
}

// 01:80:c2:00:00:00 to :0f, which no bridge or router passes on (IEEE 802.1Q clause 8.6.3).
static inline bool
header_reserved_address(const uint8_t *mac)
{
	static const uint8_t reserved[5] = {0x01, 0x80, 0xc2, 0x00, 0x00};

	return memcmp(mac, reserved, sizeof(reserved)) == 0 && mac[5] < 0x10;
}
