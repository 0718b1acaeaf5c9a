// SPDX-License-Identifier: BSD-3-Clause
// Management datagrams (MADs) of InfiniBand: 256 bytes, of which the first 24 are a common header
// (InfiniBand Architecture Specification volume 1, sections 13.4 and 14.2). All fields are in
// network byte order. Any thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define MAD_BYTES 256
#define MAD_DATA 64 // where the attribute begins
#define MAD_DATA_BYTES 64

enum mad_class {
	MAD_CLASS_SUBNET = 0x01,
	MAD_CLASS_ADMINISTRATION = 0x03,
	MAD_CLASS_PERFORMANCE = 0x04,
	MAD_CLASS_SUBNET_DIRECTED = 0x81,
};

enum mad_method {
	MAD_GET = 0x01,
	MAD_SET = 0x02,
	MAD_TRAP = 0x05,
	MAD_TRAP_REPRESS = 0x07,
	MAD_RESPONSE = 0x80, // a bit
	MAD_GET_RESPONSE = 0x81,
};

enum mad_status {
	MAD_OK = 0,
	MAD_BUSY = 0x01,
	MAD_BAD_METHOD = 0x08,
	MAD_BAD_ATTRIBUTE = 0x0c, // the method does not have it
	MAD_BAD_VALUE = 0x1c,
	MAD_DIRECTION = 0x8000, // a bit in directed-route MADs: on the way back
};

enum mad_attribute {
	MAD_NOTICE = 0x02,
	MAD_NODE_DESCRIPTION = 0x10,
	MAD_NODE_INFO = 0x11,
	MAD_SWITCH_INFO = 0x12,
	MAD_GUID_INFO = 0x14,
	MAD_PORT_INFO = 0x15,
	MAD_PARTITIONS = 0x16,
	MAD_SL_TO_VL = 0x17,
	MAD_VL_ARBITRATION = 0x18,
	MAD_LINEAR_TABLE = 0x19,
	MAD_MULTICAST_TABLE = 0x1b,
	MAD_SM_INFO = 0x20,
	// of MAD_CLASS_PERFORMANCE
	MAD_CLASS_PORT_INFO = 0x01,
	MAD_COUNTERS = 0x12,
	MAD_COUNTERS_EXTENDED = 0x1d,
};

// Offsets in the header.
enum {
	MAD_AT_BASE = 0,
	MAD_AT_CLASS = 1,
	MAD_AT_VERSION = 2,
	MAD_AT_METHOD = 3,
	MAD_AT_STATUS = 4,
	MAD_AT_HOP_POINTER = 6, // of a directed route
	MAD_AT_HOP_COUNT = 7,   // the same
	MAD_AT_TRANSACTION = 8,
	MAD_AT_ATTRIBUTE = 16,
	MAD_AT_MODIFIER = 20,
	MAD_AT_DIRECTED_SOURCE = 32,
	MAD_AT_DIRECTED_DESTINATION = 34,
	MAD_AT_PATH = 128,        // of a directed route: a port for each hop, from [1]
	MAD_AT_RETURN_PATH = 192, // the ports by which it came
};

// Offsets in PortInfo of what is of lanes (section 14.2.5.6).
enum {
	MAD_PORT_INFO_VL_CAP = 37, // high half
	MAD_PORT_INFO_HIGH_LIMIT = 38,
	MAD_PORT_INFO_HIGH_ENTRIES = 39,
	MAD_PORT_INFO_LOW_ENTRIES = 40,
	MAD_PORT_INFO_OPERATIONAL_VLS = 43, // high half; low: of partitions
};

#define MAD_HOPS_MAX 63
#define MAD_LID_PERMISSIVE 0xffff
#define MAD_LID_MAX 0xbfff // the largest unicast one

static inline uint16_t
mad_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t
mad_get32(const uint8_t *at)
{
	return (uint32_t)mad_get16(at) << 16 | mad_get16(at + 2);
}

static inline uint64_t
mad_get64(const uint8_t *at)
{
	return (uint64_t)mad_get32(at) << 32 | mad_get32(at + 4);
}

static inline void
mad_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void
mad_put32(uint8_t *at, uint32_t value)
{
	mad_put16(at, (uint16_t)(value >> 16));
	mad_put16(at + 2, (uint16_t)value);
}

static inline void
mad_put64(uint8_t *at, uint64_t value)
{
	mad_put32(at, (uint32_t)(value >> 32));
	mad_put32(at + 4, (uint32_t)value);
}

// Half a byte: the high one, or the low one.
static inline void
mad_put_high(uint8_t *at, unsigned value)
{
	*at = (uint8_t)((*at & 0x0f) | (value & 0x0f) << 4);
}

static inline void
mad_put_low(uint8_t *at, unsigned value)
{
	*at = (uint8_t)((*at & 0xf0) | (value & 0x0f));
}

static inline bool
mad_is_subnet(const uint8_t *mad)
{
	return mad[MAD_AT_CLASS] == MAD_CLASS_SUBNET ||
	       mad[MAD_AT_CLASS] == MAD_CLASS_SUBNET_DIRECTED;
}

static inline bool
mad_is_response(const uint8_t *mad)
{
	return (mad[MAD_AT_METHOD] & MAD_RESPONSE) != 0 || mad[MAD_AT_METHOD] == MAD_TRAP_REPRESS;
}
