// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of Multipath Reliable Connection as they lie on the wire, behind RoCEv2's BTH. Source:
// OCP MRC 1.0, sections 6.2.2 and 7.5.5, at second hand: public write-ups and dissectors of 2026,
// which agree on what is here. What no source says is zero.
//
// As in roce_headers.h all structs are made of bytes, and nothing here checks lengths.
#pragma once

#include "roce_headers.h"

// BTH opcodes: transport 110 in the top three bits, operations as the reliable connection's.
enum mrc_op {
	MRC_OP_WRITE_FIRST = 0xc6,
	MRC_OP_WRITE_MIDDLE = 0xc7,
	MRC_OP_WRITE_LAST = 0xc8,
	MRC_OP_WRITE_LAST_IMM = 0xc9,
	MRC_OP_WRITE_ONLY = 0xca,
	MRC_OP_WRITE_ONLY_IMM = 0xcb,
	MRC_OP_ACK = 0xd1,
	MRC_OP_SACK = 0xdc,
	MRC_OP_NACK = 0xdd,
	MRC_OP_PROBE = 0xde,
};

// Of the BTH's byte that has AckReq.
#define MRC_BTH_RETX 0x20 // the packet is sent again
#define MRC_BTH_TIME 0x10 // a TSETH is there

struct mrc_message { // METH
	uint8_t receive_msn[2];
	uint8_t msn[2];
};

struct mrc_time { // TSETH
	uint8_t sent_at[2];
	uint8_t resolution;
	uint8_t format;
};

enum mrc_path_feedback { MRC_PATH_GOOD = 0, MRC_PATH_SKIP_ONCE = 1, MRC_PATH_ALWAYS_SKIP = 2 };

#define MRC_SACK_FEEDBACK_SHIFT 5 // enum mrc_path_feedback, 6:5
#define MRC_SACK_PROBED 0x02      // it answers a probe

struct mrc_sack { // SETH and CC_STATE
	uint8_t reserved;
	uint8_t flags;
	uint8_t ack_psn_offset
		[2];        // of the packet that caused it, from cack_psn; or the probe's number
	uint8_t entropy[4]; // of that packet
	uint8_t source[2];  // contexts
	uint8_t destination[2];
	uint8_t reserved1;
	uint8_t cack_psn[3];        // all up to it have arrived
	uint8_t cc_type_flags;      // type 7:4: 0 NSCC
	uint8_t mpr;                // largest range of PSNs in flight, in units of MRC_MPR_UNIT
	uint8_t sack_psn_offset[2]; // of the bitmap's first bit, from cack_psn; signed
	uint8_t sack_bitmap[8];     // bit i: PSN + i has arrived
	uint8_t sent_at[2];         // the packet's TSETH; it has none: 0
	uint8_t out_of_order[2];    // packets that arrived ahead of a missing one, 14:0
	uint8_t window_penalty;     // restore 7, penalty 6:0
	uint8_t received[3];        // bytes of payload, in units of MRC_RECEIVED_BYTES
};

#define MRC_MPR_UNIT 128u
#define MRC_RECEIVED_BYTES 256u

enum mrc_nack_reason {
	MRC_NACK_TRIMMED = 1,
	MRC_NACK_TRIMMED_LASTHOP = 2,
	MRC_NACK_OUT_OF_WINDOW = 11,
};

struct mrc_nack { // NETH
	uint8_t reserved[2];
	uint8_t reason;
	uint8_t vendor;
	uint8_t entropy[4];
	uint8_t source[2];
	uint8_t destination[2];
	uint8_t reserved1;
	uint8_t psn[3];
	uint8_t cc_type_flags;
	uint8_t reserved2;
	uint8_t sent_at[2];
};

struct mrc_probe { // PETH
	uint8_t reserved[3];
	uint8_t vendor;
	uint8_t number[2]; // comes back in the SACK
	uint8_t reserved1[2];
	uint8_t source[2];
	uint8_t destination[2];
	struct mrc_time time;
};

_Static_assert(sizeof(struct mrc_message) == 4, "METH is 4 bytes");
_Static_assert(sizeof(struct mrc_time) == 4, "TSETH is 4 bytes");
_Static_assert(sizeof(struct mrc_sack) == 36, "SETH is 28 bytes, CC_STATE 8");
_Static_assert(sizeof(struct mrc_nack) == 20, "NETH is 20 bytes");
_Static_assert(sizeof(struct mrc_probe) == 16, "PETH is 16 bytes");

// Behind UDP, with the ICRC; of a data packet all but payload, its padding and immediate data.
#define MRC_DATA_BEHIND_UDP                                                                \
	(sizeof(struct roce_bth) + sizeof(struct mrc_message) + sizeof(struct roce_reth) + \
	 (size_t)ROCE_ICRC_BYTES)
#define MRC_SACK_BEHIND_UDP \
	(sizeof(struct roce_bth) + sizeof(struct mrc_sack) + (size_t)ROCE_ICRC_BYTES)

static inline bool
mrc_op_is_write(uint8_t opcode)
{
	return opcode >= MRC_OP_WRITE_FIRST && opcode <= MRC_OP_WRITE_ONLY_IMM;
}

static inline bool
mrc_op_has_immdt(uint8_t opcode)
{
	return opcode == MRC_OP_WRITE_LAST_IMM || opcode == MRC_OP_WRITE_ONLY_IMM;
}

static inline bool
mrc_op_ends_message(uint8_t opcode)
{
	return opcode >= MRC_OP_WRITE_LAST && opcode <= MRC_OP_WRITE_ONLY_IMM;
}

// Bytes of the BTH and what extends it; 0 for an opcode that is not spoken here.
static inline uint32_t
mrc_header_bytes(uint8_t opcode, const struct roce_bth *bth)
{
	uint32_t bytes = sizeof(struct roce_bth);

	switch (opcode) {
	case MRC_OP_ACK:
		return bytes + (uint32_t)sizeof(struct roce_aeth);
	case MRC_OP_SACK:
		return bytes + (uint32_t)sizeof(struct mrc_sack);
	case MRC_OP_NACK:
		return bytes + (uint32_t)sizeof(struct mrc_nack);
	case MRC_OP_PROBE:
		return bytes + (uint32_t)sizeof(struct mrc_probe);
	default:
		break;
	}
	if (!mrc_op_is_write(opcode))
		return 0;
	bytes += (uint32_t)(sizeof(struct mrc_message) + sizeof(struct roce_reth));
	if (bth->ack_req & MRC_BTH_TIME)
		bytes += (uint32_t)sizeof(struct mrc_time);
	if (mrc_op_has_immdt(opcode))
		bytes += (uint32_t)sizeof(struct roce_immdt);
	return bytes;
}
