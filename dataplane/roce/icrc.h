// SPDX-License-Identifier: BSD-3-Clause
//
// The invariant CRC at the end of every RoCEv2 packet (InfiniBand Architecture Specification volume
// 1, section 7.8.1 and annex A17). It covers what no router may change: icrc.c says what.
//
// A frame begins with its Ethernet header, carries up to two 802.1Q or 802.1ad tags, IPv4 (options
// allowed) or IPv6, UDP to port 4791 and a BTH. All functions may be called from any thread, on
// frames from anywhere: they check every length. Errors of all of them:
//   -EPROTONOSUPPORT  not RoCEv2: another EtherType, protocol or port, IPv6 extension headers
//   -EINVAL           malformed: version, IHL, lengths that contradict each other, a fragment
//   -EMSGSIZE         `frame_bytes` ends before what the function needs
#pragma once

#include "dataplane/base/roce_headers.h"

#include <stddef.h>
#include <stdint.h>

// Where the parts of a frame lie, in bytes from its beginning.
struct icrc_span {
	size_t l3;   // IP header
	size_t bth;  // base transport header
	size_t icrc; // the ICRC, by the IP length: perhaps past the bytes at hand
};

// Finds the parts of the frame whose first `frame_bytes` are at hand: its headers up to the BTH are
// enough. 0 or an error as above.
int icrc_find(const uint8_t *frame, size_t frame_bytes, struct icrc_span *span);

// Computes the ICRC of a frame whose first `frame_bytes` are at hand, at least to the end of the
// BTH. What its IP length covers past them counts as zeros, which is how a payload is meant that
// was never written to memory; the bytes of the ICRC itself do not count. 0 and *icrc, or an error
// as above.
int icrc_compute(const uint8_t *frame, size_t frame_bytes, uint32_t *icrc);

// Computes the ICRC of a complete frame and stores it at the frame's end as its IP length tells
// (Ethernet padding may follow). 0 or an error as above.
int icrc_write(uint8_t *frame, size_t frame_bytes);

// 0 if the ICRC of a complete frame is right, -EBADMSG if it is wrong, or an error as above.
int icrc_verify(const uint8_t *frame, size_t frame_bytes);

// The same of an InfiniBand packet, which begins with its LRH and ends with the ICRC:
// `packet_bytes` from the one to the other, of which the first `present` are at hand and the others
// count as zeros. 0 or an error as above; -EINVAL where LNH says that there is no BTH.
int icrc_compute_infiniband(const uint8_t *packet, size_t present, size_t packet_bytes,
			    uint32_t *icrc);
int icrc_verify_infiniband(const uint8_t *packet, size_t packet_bytes);

// The VCRC of the bytes from the LRH to the ICRC (section 7.8.2): a CRC-16 of the polynomial
// 0x100b. It goes on the wire as the ICRC does, in two bytes. Continues from `vcrc`, 0 at first.
uint16_t icrc_vcrc(uint16_t vcrc, const uint8_t *bytes, size_t count);

// The ICRC on the wire: the CRC's coefficient of x^31 goes first, in the least significant bit of
// the first byte, which in CRC-32's usual reflected form is little endian.
static inline void
icrc_store(uint8_t at[ROCE_ICRC_BYTES], uint32_t icrc)
{
	at[0] = icrc;
	at[1] = icrc >> 8;
	at[2] = icrc >> 16;
	at[3] = icrc >> 24;
}

static inline uint32_t
icrc_load(const uint8_t at[ROCE_ICRC_BYTES])
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
