// SPDX-License-Identifier: BSD-3-Clause
// How the packets of a sender's messages look on the wire. Worker only.
#pragma once

#include "qp.h"
#include "responder.h"

#include <rte_common.h>

// How packets look: bits 7:0 the opcode, 15:8 the bytes of headers behind the BTH, 16 whether it
// asks for an acknowledgement. By kind of message, and by place: bit 0, the packet ends a WRITE,
// SEND or READ; bit 1, it ends the message; bit 2, it is the first of a WRITE, SEND or READ.
#define SHAPE(op, extra, asks) (ROCE_OP_##op | (extra) << 8 | (uint32_t)(asks) << 16)

static const uint32_t message_shapes[][8] = {
	[MESSAGE_WRITE] = {SHAPE(WRITE_MIDDLE, 0, 0), SHAPE(WRITE_LAST, 0, 1),
			   SHAPE(WRITE_LAST, 0, 1), SHAPE(WRITE_LAST, 0, 1),
			   SHAPE(WRITE_FIRST, 16, 0), SHAPE(WRITE_ONLY, 16, 1),
			   SHAPE(WRITE_ONLY, 16, 1), SHAPE(WRITE_ONLY, 16, 1)},
	[MESSAGE_WRITE_IMM] = {SHAPE(WRITE_MIDDLE, 0, 0), SHAPE(WRITE_LAST, 0, 1),
			       SHAPE(WRITE_LAST_IMM, 4, 1), SHAPE(WRITE_LAST_IMM, 4, 1),
			       SHAPE(WRITE_FIRST, 16, 0), SHAPE(WRITE_ONLY, 16, 1),
			       SHAPE(WRITE_ONLY_IMM, 20, 1), SHAPE(WRITE_ONLY_IMM, 20, 1)},
	[MESSAGE_SEND] = {SHAPE(SEND_MIDDLE, 0, 0), SHAPE(SEND_LAST, 0, 1), SHAPE(SEND_LAST, 0, 1),
			  SHAPE(SEND_LAST, 0, 1), SHAPE(SEND_FIRST, 0, 0), SHAPE(SEND_ONLY, 0, 1),
			  SHAPE(SEND_ONLY, 0, 1), SHAPE(SEND_ONLY, 0, 1)},
	[MESSAGE_READ_RESPONSE] = {SHAPE(READ_RESPONSE_MIDDLE, 0, 0),
				   SHAPE(READ_RESPONSE_LAST, 4, 0), SHAPE(READ_RESPONSE_LAST, 4, 0),
				   SHAPE(READ_RESPONSE_LAST, 4, 0),
				   SHAPE(READ_RESPONSE_FIRST, 4, 0),
				   SHAPE(READ_RESPONSE_ONLY, 4, 0), SHAPE(READ_RESPONSE_ONLY, 4, 0),
				   SHAPE(READ_RESPONSE_ONLY, 4, 0)},
};

// What stands behind the BTH of the packet at `offset` of a message of `packets`. Few packets have
// anything.
static __attribute__((noinline)) void
message_put_extra(const struct sender *s, uint8_t *at, uint8_t opcode, uint32_t offset,
		  uint32_t packets, uint32_t last_payload)
{
	if (roce_op_has_reth(opcode)) {
		uint64_t va = (uint64_t)offset * s->path_mtu;
		uint64_t most = (uint64_t)NIC_WRITE_PACKETS * s->path_mtu;
		uint64_t left = (uint64_t)(packets - 1) * s->path_mtu + last_payload - va;

		roce_reth_init((struct roce_reth *)at, va, s->address.peer_qpn,
			       (uint32_t)(left < most ? left : most));
		at += sizeof(struct roce_reth);
	}
	if (roce_op_has_aeth(opcode))
		roce_aeth_init((struct roce_aeth *)at, ROCE_SYNDROME_ACK_NO_CREDITS,
			       s->cold->responder->msn);
	if (roce_op_has_immdt(opcode))
		roce_put32(((struct roce_immdt *)at)->value, s->qp.qpn);
}

// Packet `index`, which lies in the message from packet `begin` to before `end`.
static __rte_always_inline void
message_write(struct nic *nic, struct sender *s, struct rte_mbuf *m, uint32_t index, uint32_t begin,
	      uint32_t end, uint32_t last_payload)
{
	uint32_t offset = index - begin, of_one = offset & (NIC_WRITE_PACKETS - 1);
	bool ends = index + 1 == end;
	unsigned int place = (of_one == 0) << 2 | ends << 1 | (of_one == NIC_WRITE_PACKETS - 1);
	uint32_t shape = message_shapes[s->qp.message][place], extra = shape >> 8 & 0xff;
	uint32_t payload = ends ? last_payload : s->path_mtu;
	uint8_t *bth;

	frame_start(m, nic_template(nic_port_of(nic, &s->qp), &s->address), &s->address,
		    PACKET_NO_PAYLOAD | PACKET_ROCE, frame_data_behind_udp(payload, extra),
		    (uint32_t)sizeof(struct roce_bth) + extra,
		    frame_data_bytes(s->address.network, nic->header_bytes, payload, extra), &bth);
	frame_put_bth(bth, (uint8_t)shape, roce_pad_bytes(payload), &s->address, shape >> 16,
		      s->psn_base + index);
	packet_meta(m)->opcode = (uint8_t)shape;
	if (unlikely(extra != 0))
		message_put_extra(s, bth + sizeof(struct roce_bth), (uint8_t)shape, offset,
				  end - begin, last_payload);
}

// The receiver is to acknowledge the packet at once.
static inline void
message_request_ack(struct rte_mbuf *m)
{
	uint8_t *udp = packet_data(m) + packet_meta(m)->l4_off;

	roce_bth_request_ack((struct roce_bth *)(udp + FRAME_UDP_BYTES));
}
