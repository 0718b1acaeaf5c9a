// SPDX-License-Identifier: BSD-3-Clause
//
// The local route header, with which every packet on an InfiniBand link begins (InfiniBand
// Architecture Specification volume 1, section 7.7). Behind it come a global route header of 40
// bytes if it says so, the BTH and what extends it (roce_headers.h), payload and padding, the ICRC
// and, for this link alone, the VCRC. A packet's bytes in memory, and wire_bytes, end with the
// ICRC; the VCRC is counted with the framing, as Ethernet's FCS is.
//
// The LRH is as long as a UDP header: of an InfiniBand packet l4_off is that of the LRH (or of the
// last 8 bytes of the GRH), so that the BTH is found where RoCEv2's is.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ib_lrh {
	uint8_t vl_version; // VL 7:4, LVer 3:0
	uint8_t sl_next;    // SL 7:4, reserved 3:2, LNH 1:0
	uint8_t dlid[2];
	uint8_t words[2]; // reserved 15:11; from the LRH to the ICRC, in words of 4 bytes
	uint8_t slid[2];
};

#define IB_LRH_BYTES 8u
#define IB_GRH_BYTES 40u
#define IB_ICRC_BYTES 4u
#define IB_VCRC_BYTES 2u
#define IB_WORDS_MASK 0x7ffu
#define IB_LID_MULTICAST 0xc000u // LIDs from here on
#define IB_VLS 8u                // data VLs that a port has
#define IB_VL_MANAGEMENT 15u
#define IB_PKEY_BASE 0x7fffu // a P_Key without its membership bit

_Static_assert(sizeof(struct ib_lrh) == IB_LRH_BYTES, "LRH is 8 bytes");

// Link next header: what is behind the LRH.
enum ib_next {
	IB_NEXT_RAW = 0,
	IB_NEXT_IP6 = 1, // raw, too
	IB_NEXT_BTH = 2,
	IB_NEXT_GRH = 3,
};

static inline unsigned int
ib_lrh_vl(const struct ib_lrh *lrh)
{
	return lrh->vl_version >> 4;
}

static inline unsigned int
ib_lrh_sl(const struct ib_lrh *lrh)
{
	return lrh->sl_next >> 4;
}

static inline uint16_t
ib_lrh_dlid(const struct ib_lrh *lrh)
{
	return (uint16_t)(lrh->dlid[0] << 8 | lrh->dlid[1]);
}

static inline uint16_t
ib_lrh_slid(const struct ib_lrh *lrh)
{
	return (uint16_t)(lrh->slid[0] << 8 | lrh->slid[1]);
}

// From the LRH to the ICRC, in bytes.
static inline uint32_t
ib_lrh_bytes(const struct ib_lrh *lrh)
{
	return ((uint32_t)(lrh->words[0] << 8 | lrh->words[1]) & IB_WORDS_MASK) * 4;
}

static inline void
ib_lrh_set_bytes(struct ib_lrh *lrh, uint32_t bytes)
{
	lrh->words[0] = (uint8_t)(bytes >> 10 & IB_WORDS_MASK >> 8);
	lrh->words[1] = (uint8_t)(bytes >> 2);
}

static inline void
ib_lrh_set_vl(struct ib_lrh *lrh, unsigned int vl)
{
	lrh->vl_version = (uint8_t)(vl << 4 | (lrh->vl_version & 0x0f));
}
