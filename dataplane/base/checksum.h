// SPDX-License-Identifier: BSD-3-Clause
//
// The checksum of an IPv4 header, in full and after a change of one word (RFC 1071, RFC 1624).
//
// Sums are taken over 16-bit words as they lie in memory: one's complement addition gives the same
// bytes in either order, so nothing is swapped. An IPv4 header is never all zeros, so its sum is
// never 0 and its checksum never 0xffff: both functions give 0x0000 there, and so always agree.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CHECKSUM_IPV4_TTL 8
#define CHECKSUM_IPV4_OFFSET 10

// Folds a sum of 16-bit words (at most 2^16 of them) to 16 bits.
static inline uint16_t
checksum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

// A sum of the 16-bit words of `bytes` (below 2^16), the last odd byte filled up with a zero, on
// top of another. Any thread.
static inline uint32_t
checksum_add(uint32_t sum, const uint8_t *data, size_t bytes)
{
	uint16_t word;

	for (size_t i = 0; i + 1 < bytes; i += 2) {
		memcpy(&word, data + i, sizeof(word));
		sum = checksum_fold(sum) + (uint32_t)word;
	}
	if (bytes % 2 != 0) {
		word = 0;
		memcpy(&word, data + bytes - 1, 1);
		sum = checksum_fold(sum) + (uint32_t)word;
	}
	return sum;
}

// The checksum of the IPv4 header at `ip`, of `header_bytes` (IHL x 4, options included; even), as
// it is stored; what its checksum field holds is not counted. Any thread.
static inline uint16_t
checksum_ipv4_header(const uint8_t *ip, size_t header_bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < header_bytes; i += 2) {
		uint16_t word;

		memcpy(&word, ip + i, sizeof(word));
		if (i != CHECKSUM_IPV4_OFFSET)
			sum += word;
	}
	return ~checksum_fold(sum);
}

// The IPv4 header checksum after one of its aligned 16-bit words goes from `before` to `after`; all
// as stored. A wrong checksum stays as wrong as it was. RFC 1624 section 3, equation 3. Any thread.
static inline uint16_t
checksum_ipv4_update16(uint16_t checksum, uint16_t before, uint16_t after)
{
	uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~before + after;
	uint16_t updated = ~checksum_fold(sum);

	return updated == 0xffff ? 0 : updated;
}

// Sets the byte at `offset` of the IPv4 header at `ip` (1: DSCP and ECN; 8: TTL) and brings its
// checksum along. The word is written as one: a byte written and read back with its neighbour would
// have to leave the store buffer first. The node's thread.
static inline void
checksum_ipv4_set_byte(uint8_t *ip, size_t offset, uint8_t value)
{
	const unsigned int shift = (offset & 1) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? 8
											       : 0;
	uint8_t *aligned = ip + (offset & ~(size_t)1);
	uint16_t before, after, checksum;

	memcpy(&before, aligned, sizeof(before));
	after = (uint16_t)((before & ~(0xffu << shift)) | (unsigned int)value << shift);
	memcpy(aligned, &after, sizeof(after));
	memcpy(&checksum, ip + CHECKSUM_IPV4_OFFSET, sizeof(checksum));
	checksum = checksum_ipv4_update16(checksum, before, after);
	memcpy(ip + CHECKSUM_IPV4_OFFSET, &checksum, sizeof(checksum));
}

// Takes one from the TTL, which is not 0, of the IPv4 header at `ip` and brings its checksum along.
// It does what checksum_ipv4_set_byte() does, for the one change that every router makes: the sum
// of the header falls by one unit of the TTL, so the checksum rises by that, end-around (RFC 1141),
// and 0xffff becomes 0 here too. The node's thread.
static inline void
checksum_ipv4_decrement_ttl(uint8_t *ip)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t word; // TTL in the lowest byte, then the protocol, then the checksum

	memcpy(&word, ip + CHECKSUM_IPV4_TTL, sizeof(word));
	word += (word >= 0xfffe0000 ? UINT32_C(0x20000) : UINT32_C(0x10000)) - 1;
	memcpy(ip + CHECKSUM_IPV4_TTL, &word, sizeof(word));
#else
	checksum_ipv4_set_byte(ip, CHECKSUM_IPV4_TTL, ip[CHECKSUM_IPV4_TTL] - 1);
#endif
}
