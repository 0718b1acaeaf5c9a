// SPDX-License-Identifier: BSD-3-Clause
//
// Headers of Ultra Ethernet Transport as they lie on the wire, over UDP: the packet delivery
// sublayer (PDS) for reliable unordered delivery (RUD), and the standard request header of the
// semantic sublayer (SES). Source: UE Specification 1.0, as public implementations lay it out
// (xdp2-dev/xdp2, src/include/uet/pds.h and ses.h).
//
// As in roce_headers.h all structs are made of bytes, and nothing here checks lengths.
#pragma once

#include "roce_headers.h"

#define UET_UDP_PORT 4793
#define UET_PDCID_EXCHANGES 0x8000u // PDCIDs of exchanges' queue pairs from here on

// Of a prologue: what kind of packet it is (5 bits), what follows (4 bits), and 7 flags.
enum uet_type {
	UET_RUD_REQUEST = 2,
	UET_ACK_CC = 8,
	UET_NACK = 10,
	UET_CONTROL = 11,
	UET_RUD_CC_REQUEST = 13,
};
enum uet_next { UET_NEXT_NONE = 0, UET_NEXT_REQUEST = 3 };
enum uet_control { UET_CONTROL_CREDIT = 7, UET_CONTROL_CREDIT_REQUEST = 8 }; // instead of uet_next

enum uet_request_flags { UET_REQUEST_RETX = 0x10, UET_REQUEST_ACK = 0x08 };
enum uet_answer_flags { UET_ANSWER_MARKED = 0x20, UET_ANSWER_RETX = 0x10 };

enum uet_nack_code { UET_NACK_TRIMMED = 1, UET_NACK_OUT_OF_WINDOW = 11 };

struct uet_prologue {
	uint8_t value[2];
};

struct uet_request {
	struct uet_prologue prologue;
	uint8_t clear_psn_offset[2];
	uint8_t psn[4];
	uint8_t spdcid[2];
	uint8_t dpdcid[2];
};

// Behind the request where the receiver grants credits.
struct uet_request_cc {
	uint8_t context;
	uint8_t target[3]; // credit that the sender needs, ever, in units of UET_CREDIT_BYTES
};

#define UET_CREDIT_BYTES 256u
#define UET_CREDIT_MASK 0xffffffu

struct uet_ack_cc {
	struct uet_prologue prologue;
	uint8_t ack_psn_offset[2]; // of the packet that caused it, from cack_psn; signed
	uint8_t cack_psn[4];       // all up to it have arrived
	uint8_t spdcid[2];
	uint8_t dpdcid[2];
	uint8_t cc_type_flags;      // type 7:4: 0 NSCC, 1 receiver credit
	uint8_t mpr;                // largest range of PSNs in flight, in units of UET_MPR_UNIT
	uint8_t sack_psn_offset[2]; // of the bitmap's first bit, from cack_psn; signed
	uint8_t sack_bitmap[8];     // bit i: PSN + i has arrived
	uint8_t service_time[2];    // not kept: 0
	uint8_t window_penalty;     // restore 7, penalty 6:0
	uint8_t received[3];        // bytes of payload, in units of UET_CREDIT_BYTES
	uint8_t out_of_order[2];    // packets that arrived ahead of a missing one
};

#define UET_MPR_UNIT 128u

struct uet_nack {
	struct uet_prologue prologue;
	uint8_t code; // enum uet_nack_code
	uint8_t vendor_code;
	uint8_t psn[4];
	uint8_t spdcid[2];
	uint8_t dpdcid[2];
	uint8_t payload[4];
};

struct uet_credit {
	struct uet_prologue prologue;
	uint8_t reserved[2];
	uint8_t psn[4];
	uint8_t spdcid[2];
	uint8_t dpdcid[2];
	uint8_t payload[4]; // credit: ever granted; request: the target; both as in uet_request_cc
};

enum uet_opcode { UET_OP_WRITE = 1, UET_OP_SEND = 5 };
enum uet_message_flags {
	UET_MESSAGE_DATA = 0x04,
	UET_MESSAGE_END = 0x02,
	UET_MESSAGE_START = 0x01
};

struct uet_message {
	uint8_t opcode; // enum uet_opcode, 5:0
	uint8_t flags;  // version 7:6, enum uet_message_flags
	uint8_t id[2];
	uint8_t generation;
	uint8_t job_id[3];
	uint8_t pid_on_fep[2];
	uint8_t resource_index[2];
	uint8_t offset[8]; // in the buffer
	uint8_t initiator[4];
	uint8_t key[8];
	uint8_t data[8]; // of the first packet: header data; else the packet's length and offset
	uint8_t length[4];
};

#define UET_DATA_BEHIND_UDP (sizeof(struct uet_request) + sizeof(struct uet_message))

_Static_assert(sizeof(struct uet_request) == 12, "a request is 12 bytes");
_Static_assert(sizeof(struct uet_request_cc) == 4, "its credit state 4");
_Static_assert(sizeof(struct uet_ack_cc) == 32, "an acknowledgement with congestion state 32");
_Static_assert(sizeof(struct uet_nack) == 16, "a NACK 16");
_Static_assert(sizeof(struct uet_credit) == 16, "a control packet 16");
_Static_assert(sizeof(struct uet_message) == 44, "a standard request header 44");

static inline void
uet_prologue_init(struct uet_prologue *p, unsigned int type, unsigned int next, unsigned int flags)
{
	roce_put16(p->value, type << 11 | next << 7 | flags);
}

static inline unsigned int
uet_type(const struct uet_prologue *p)
{
	return p->value[0] >> 3;
}

static inline unsigned int
uet_next(const struct uet_prologue *p)
{
	return roce_get16(p->value) >> 7 & 0xf;
}

static inline unsigned int
uet_flags(const struct uet_prologue *p)
{
	return p->value[1] & 0x7f;
}

// Bytes of the PDS header of a type; 0 for one that is not spoken here.
static inline unsigned int
uet_header_bytes(unsigned int type)
{
	switch (type) {
	case UET_RUD_REQUEST:
		return sizeof(struct uet_request);
	case UET_RUD_CC_REQUEST:
		return sizeof(struct uet_request) + sizeof(struct uet_request_cc);
	case UET_ACK_CC:
		return sizeof(struct uet_ack_cc);
	case UET_NACK:
		return sizeof(struct uet_nack);
	case UET_CONTROL:
		return sizeof(struct uet_credit);
	default:
		return 0;
	}
}
