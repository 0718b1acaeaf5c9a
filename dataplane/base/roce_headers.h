// SPDX-License-Identifier: BSD-3-Clause
//
// RoCEv2 headers as they lie on the wire: BTH, RETH, AETH and the payload of a CNP (InfiniBand
// Architecture Specification volume 1, chapter 9; annex A17 for RoCEv2), opcodes of the reliable
// connection, and 24-bit PSNs.
//
// All structs are made of bytes, so that they may be laid over a packet at any address and alias
// whatever it was written as; multi-byte fields are read and written by the functions below, which
// take and give host order. Nothing here checks lengths: the caller knows that the header is there.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ROCE_UDP_PORT 4791
#define ROCE_PKEY_DEFAULT 0xffff
#define ROCE_ICRC_BYTES 4
#define ROCE_PSN_MASK UINT32_C(0xffffff)

// BTH opcodes: the reliable connection's (transport 000 in the top three bits) and the CNP.
enum roce_op {
	ROCE_OP_SEND_FIRST = 0x00,
	ROCE_OP_SEND_MIDDLE = 0x01,
	ROCE_OP_SEND_LAST = 0x02,
	ROCE_OP_SEND_LAST_IMM = 0x03,
	ROCE_OP_SEND_ONLY = 0x04,
	ROCE_OP_SEND_ONLY_IMM = 0x05,
	ROCE_OP_WRITE_FIRST = 0x06,
	ROCE_OP_WRITE_MIDDLE = 0x07,
	ROCE_OP_WRITE_LAST = 0x08,
	ROCE_OP_WRITE_LAST_IMM = 0x09,
	ROCE_OP_WRITE_ONLY = 0x0a,
	ROCE_OP_WRITE_ONLY_IMM = 0x0b,
	ROCE_OP_READ_REQUEST = 0x0c,
	ROCE_OP_READ_RESPONSE_FIRST = 0x0d,
	ROCE_OP_READ_RESPONSE_MIDDLE = 0x0e,
	ROCE_OP_READ_RESPONSE_LAST = 0x0f,
	ROCE_OP_READ_RESPONSE_ONLY = 0x10,
	ROCE_OP_ACK = 0x11,
	ROCE_OP_CNP = 0x81,
};

// Base transport header.
struct roce_bth {
	uint8_t opcode; // enum roce_op
	uint8_t flags;  // SE 7, MigReq 6, pad count 5:4, transport version 3:0
	uint8_t pkey[2];
	uint8_t congestion; // FECN 7, BECN 6, reserved 5:0; masked in the ICRC ("resv8a")
	uint8_t dest_qp[3];
	uint8_t ack_req; // AckReq 7, reserved 6:0
	uint8_t psn[3];
};

#define ROCE_BTH_SE 0x80
#define ROCE_BTH_MIG_REQ 0x40
#define ROCE_BTH_PAD_SHIFT 4
#define ROCE_BTH_PAD_MASK 0x30
#define ROCE_BTH_VERSION_MASK 0x0f
#define ROCE_BTH_FECN 0x80
#define ROCE_BTH_BECN 0x40
#define ROCE_BTH_ACK_REQ 0x80

// RDMA extended transport header: first or only packet of a WRITE, and a READ request.
struct roce_reth {
	uint8_t va[8];
	uint8_t rkey[4];
	uint8_t dma_bytes[4];
};

// ACK extended transport header: ACK, and all READ responses but the middle ones.
struct roce_aeth {
	uint8_t syndrome; // kind 6:5 and value 4:0, bit 7 is 0
	uint8_t msn[3];
};

// Immediate data: the last or only packet of a message that has them, behind the RETH if there is
// one.
struct roce_immdt {
	uint8_t value[4];
};

// What follows the BTH of a CNP (annex A17.9.3): zeros.
struct roce_cnp {
	uint8_t reserved[16];
};

_Static_assert(sizeof(struct roce_bth) == 12, "BTH is 12 bytes");
_Static_assert(sizeof(struct roce_reth) == 16, "RETH is 16 bytes");
_Static_assert(sizeof(struct roce_aeth) == 4, "AETH is 4 bytes");
_Static_assert(sizeof(struct roce_immdt) == 4, "ImmDt is 4 bytes");
_Static_assert(sizeof(struct roce_cnp) == 16, "a CNP carries 16 bytes");

// AETH syndromes: the kind, and for a NAK its code (section 9.7.5.2.1).
enum roce_syndrome {
	ROCE_SYNDROME_KIND_MASK = 0x60,
	ROCE_SYNDROME_VALUE_MASK = 0x1f,
	ROCE_SYNDROME_ACK = 0x00,                              // value: credits, encoded
	ROCE_SYNDROME_RNR = 0x20,                              // value: RNR timer, encoded
	ROCE_SYNDROME_NAK = 0x60,                              // value: code
	ROCE_SYNDROME_ACK_NO_CREDITS = ROCE_SYNDROME_ACK | 31, // end-to-end credits not in use
	ROCE_SYNDROME_NAK_PSN_SEQUENCE = ROCE_SYNDROME_NAK | 0,
	ROCE_SYNDROME_NAK_INVALID_REQUEST = ROCE_SYNDROME_NAK | 1,
	ROCE_SYNDROME_NAK_REMOTE_ACCESS = ROCE_SYNDROME_NAK | 2,
	ROCE_SYNDROME_NAK_REMOTE_OPERATIONAL = ROCE_SYNDROME_NAK | 3,
};

static inline uint16_t
roce_get16(const uint8_t at[2])
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline void
roce_put16(uint8_t at[2], uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline uint32_t
roce_get24(const uint8_t at[3])
{
	return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline void
roce_put24(uint8_t at[3], uint32_t value)
{
	at[0] = value >> 16;
	at[1] = value >> 8;
	at[2] = value;
}

static inline uint32_t
roce_get32(const uint8_t at[4])
{
	return (uint32_t)at[0] << 24 | roce_get24(at + 1);
}

static inline void
roce_put32(uint8_t at[4], uint32_t value)
{
	at[0] = value >> 24;
	roce_put24(at + 1, value);
}

static inline uint64_t
roce_get64(const uint8_t at[8])
{
	return (uint64_t)roce_get32(at) << 32 | roce_get32(at + 4);
}

static inline void
roce_put64(uint8_t at[8], uint64_t value)
{
	roce_put32(at, (uint32_t)(value >> 32));
	roce_put32(at + 4, (uint32_t)value);
}

// Whether packets of this opcode have a RETH behind the BTH.
static inline bool
roce_op_has_reth(uint8_t opcode)
{
	return opcode == ROCE_OP_WRITE_FIRST || opcode == ROCE_OP_WRITE_ONLY ||
	       opcode == ROCE_OP_WRITE_ONLY_IMM || opcode == ROCE_OP_READ_REQUEST;
}

// Whether packets of this opcode have immediate data.
static inline bool
roce_op_has_immdt(uint8_t opcode)
{
	const uint32_t have = 1u << ROCE_OP_SEND_LAST_IMM | 1u << ROCE_OP_SEND_ONLY_IMM |
			      1u << ROCE_OP_WRITE_LAST_IMM | 1u << ROCE_OP_WRITE_ONLY_IMM;

	return opcode < 32 && (have >> opcode & 1);
}

// Whether a packet of this opcode, a SEND's or a WRITE's, is its message's last.
static inline bool
roce_op_ends_message(uint8_t opcode)
{
	const uint32_t end = 1u << ROCE_OP_SEND_LAST | 1u << ROCE_OP_SEND_LAST_IMM |
			     1u << ROCE_OP_SEND_ONLY | 1u << ROCE_OP_SEND_ONLY_IMM |
			     1u << ROCE_OP_WRITE_LAST | 1u << ROCE_OP_WRITE_LAST_IMM |
			     1u << ROCE_OP_WRITE_ONLY | 1u << ROCE_OP_WRITE_ONLY_IMM;

	return opcode < 32 && (end >> opcode & 1);
}

// Whether packets of this opcode have an AETH behind the BTH.
static inline bool
roce_op_has_aeth(uint8_t opcode)
{
	return opcode == ROCE_OP_ACK || opcode == ROCE_OP_READ_RESPONSE_FIRST ||
	       opcode == ROCE_OP_READ_RESPONSE_LAST || opcode == ROCE_OP_READ_RESPONSE_ONLY;
}

// Bytes of the BTH and what extends it: where the payload begins, counted from the BTH. For the
// opcodes of enum roce_op; a CNP has no payload, its reserved bytes count.
static inline unsigned int
roce_op_header_bytes(uint8_t opcode)
{
	unsigned int bytes = sizeof(struct roce_bth);

	if (roce_op_has_reth(opcode))
		bytes += sizeof(struct roce_reth);
	if (roce_op_has_aeth(opcode))
		bytes += sizeof(struct roce_aeth);
	if (roce_op_has_immdt(opcode))
		bytes += sizeof(struct roce_immdt);
	if (opcode == ROCE_OP_CNP)
		bytes += sizeof(struct roce_cnp);
	return bytes;
}

// Whether packets of this opcode carry data, which is what adaptive routing may spray: neither an
// acknowledgement, of any transport that has one, nor a CNP.
static inline bool
roce_op_is_data(uint8_t opcode)
{
	uint8_t operation = opcode & 0x1f;

	return opcode != ROCE_OP_CNP && operation != 0x11 && operation != 0x12;
}

// Writes a whole BTH with the default P_Key, transport version 0 and no flag but MigReq, which a
// queue pair that never migrates sets. `dest_qp` and `psn` are taken modulo 2^24, `pad` is 0 to 3.
static inline void
roce_bth_init(struct roce_bth *bth, enum roce_op opcode, uint32_t dest_qp, uint32_t psn,
	      unsigned int pad)
{
	bth->opcode = opcode;
	bth->flags = ROCE_BTH_MIG_REQ | (pad << ROCE_BTH_PAD_SHIFT & ROCE_BTH_PAD_MASK);
	bth->pkey[0] = ROCE_PKEY_DEFAULT >> 8;
	bth->pkey[1] = ROCE_PKEY_DEFAULT & 0xff;
	bth->congestion = 0;
	roce_put24(bth->dest_qp, dest_qp);
	bth->ack_req = 0;
	roce_put24(bth->psn, psn);
}

static inline uint16_t
roce_bth_pkey(const struct roce_bth *bth)
{
	return bth->pkey[0] << 8 | bth->pkey[1];
}

static inline uint32_t
roce_bth_dest_qp(const struct roce_bth *bth)
{
	return roce_get24(bth->dest_qp);
}

static inline uint32_t
roce_bth_psn(const struct roce_bth *bth)
{
	return roce_get24(bth->psn);
}

static inline unsigned int
roce_bth_version(const struct roce_bth *bth)
{
	return bth->flags & ROCE_BTH_VERSION_MASK;
}

// Bytes that pad the payload to a multiple of 4, in front of the ICRC.
static inline unsigned int
roce_bth_pad(const struct roce_bth *bth)
{
	return (bth->flags & ROCE_BTH_PAD_MASK) >> ROCE_BTH_PAD_SHIFT;
}

static inline bool
roce_bth_se(const struct roce_bth *bth)
{
	return bth->flags & ROCE_BTH_SE;
}

static inline bool
roce_bth_mig_req(const struct roce_bth *bth)
{
	return bth->flags & ROCE_BTH_MIG_REQ;
}

static inline void
roce_bth_request_ack(struct roce_bth *bth)
{
	bth->ack_req |= ROCE_BTH_ACK_REQ;
}

static inline bool
roce_bth_ack_req(const struct roce_bth *bth)
{
	return bth->ack_req & ROCE_BTH_ACK_REQ;
}

static inline bool
roce_bth_fecn(const struct roce_bth *bth)
{
	return bth->congestion & ROCE_BTH_FECN;
}

static inline bool
roce_bth_becn(const struct roce_bth *bth)
{
	return bth->congestion & ROCE_BTH_BECN;
}

// Pad bytes that a payload needs.
static inline unsigned int
roce_pad_bytes(uint32_t payload_bytes)
{
	return -payload_bytes & 3;
}

// Writes the BTH and the payload of a CNP to `dest_qp`: BECN set, PSN 0 (annex A17.9.3).
static inline void
roce_cnp_init(struct roce_bth *bth, struct roce_cnp *cnp, uint32_t dest_qp)
{
	roce_bth_init(bth, ROCE_OP_CNP, dest_qp, 0, 0);
	bth->flags = 0;
	bth->congestion = ROCE_BTH_BECN;
	*cnp = (struct roce_cnp){{0}};
}

static inline void
roce_reth_init(struct roce_reth *reth, uint64_t va, uint32_t rkey, uint32_t dma_bytes)
{
	roce_put32(reth->va, va >> 32);
	roce_put32(reth->va + 4, va);
	roce_put32(reth->rkey, rkey);
	roce_put32(reth->dma_bytes, dma_bytes);
}

static inline uint64_t
roce_reth_va(const struct roce_reth *reth)
{
	return (uint64_t)roce_get32(reth->va) << 32 | roce_get32(reth->va + 4);
}

static inline uint32_t
roce_reth_rkey(const struct roce_reth *reth)
{
	return roce_get32(reth->rkey);
}

static inline uint32_t
roce_reth_dma_bytes(const struct roce_reth *reth)
{
	return roce_get32(reth->dma_bytes);
}

// `syndrome` is one of enum roce_syndrome, or ROCE_SYNDROME_RNR with a timer; `msn` modulo 2^24.
static inline void
roce_aeth_init(struct roce_aeth *aeth, uint8_t syndrome, uint32_t msn)
{
	aeth->syndrome = syndrome;
	roce_put24(aeth->msn, msn);
}

static inline uint32_t
roce_aeth_msn(const struct roce_aeth *aeth)
{
	return roce_get24(aeth->msn);
}

// ROCE_SYNDROME_ACK, _RNR or _NAK, or 0x40, which is reserved.
static inline uint8_t
roce_aeth_kind(const struct roce_aeth *aeth)
{
	return aeth->syndrome & ROCE_SYNDROME_KIND_MASK;
}

// Credits, RNR timer or NAK code, as the kind says.
static inline uint8_t
roce_aeth_value(const struct roce_aeth *aeth)
{
	return aeth->syndrome & ROCE_SYNDROME_VALUE_MASK;
}

// `psn` moved on by `n`, which may be negative; modulo 2^24.
static inline uint32_t
psn_add(uint32_t psn, int32_t n)
{
	return (psn + (uint32_t)n) & ROCE_PSN_MASK;
}

// How far `a` lies after `b` on the circle of PSNs: -2^23 .. 2^23 - 1, negative if before it
// (section 9.7.2: half of the circle is ahead, half behind). Bits above the 24th do not count.
static inline int32_t
psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}
