// SPDX-License-Identifier: BSD-3-Clause
// RoCEv2 frames for the tests of reorder.c, as stage_parse() leaves them, in memory of their own.
#pragma once

#include "dataplane/base/headers.h"
#include "dataplane/base/roce_headers.h"
#include "dataplane/roce/reorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reorder_frame {
	uint8_t opcode;
	uint8_t syndrome;
	uint8_t source;
	bool ip6, not_roce;
	bool sent; // by the host: the peer is its destination
	uint32_t flags;
	uint32_t qp, psn;
	uint32_t payload, read_bytes;
};

static inline uint32_t
reorder_frame_psn(struct rte_mbuf *m)
{
	return roce_get24(packet_data(m) + packet_meta(m)->l4_off + HEADER_UDP_BYTES + 9);
}

static inline struct rte_mbuf *
reorder_frame_make(const struct reorder_frame *f)
{
	struct rte_mbuf *m = calloc(1, sizeof(*m) + PACKET_META_BYTES + 160);
	struct packet_meta *meta = packet_meta(m);
	uint32_t ip = f->ip6 ? HEADER_IP6_BYTES : HEADER_IP4_BYTES, headers;
	const uint32_t ip_address = f->ip6 ? 16 : 4;
	uint8_t *data, *udp;

	packet_init_frame(m, 0, 120);
	data = packet_data(m);
	meta->l4_off = (uint8_t)(meta->l3_off + ip);
	meta->opcode = f->opcode;
	meta->flags = f->flags | (f->ip6 ? PACKET_IPV6 : 0) | (f->not_roce ? 0 : PACKET_ROCE);
	data[meta->l3_off + (f->ip6 ? 23 : 15) + (f->sent ? ip_address : 0)] =
		(uint8_t)(1 + f->source);
	udp = data + meta->l4_off;
	headers = HEADER_UDP_BYTES + roce_op_header_bytes(f->opcode) + ROCE_ICRC_BYTES;
	header_put16(udp + 4, (uint16_t)(headers + f->payload));
	udp += HEADER_UDP_BYTES;
	roce_bth_init((struct roce_bth *)udp, f->opcode, f->qp, f->psn, 0);
	udp += sizeof(struct roce_bth);
	if (f->opcode == ROCE_OP_READ_REQUEST)
		roce_reth_init((struct roce_reth *)udp, 0, 0, f->read_bytes);
	if (f->opcode == ROCE_OP_ACK)
		*udp = f->syndrome;
	return m;
}
