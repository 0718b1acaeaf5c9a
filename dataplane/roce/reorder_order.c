// SPDX-License-Identifier: BSD-3-Clause
#include "reorder_order.h"

#include "dataplane/base/headers.h"
#include "dataplane/base/random.h"
#include "dataplane/base/roce_headers.h"

#include <string.h>

#define UC_WRITE_ONLY_IMM (0x20 | ROCE_OP_WRITE_ONLY_IMM)
#define COMPARE_AND_SWAP 0x13
#define FETCH_AND_ADD 0x14

static enum reorder_kind
kind_of(uint8_t opcode)
{
	// Of the reliable connection: SENDs, WRITEs, READ requests, atomics, SENDs with
	// invalidate; READ responses, acknowledgements. Of the unreliable one there are SENDs and
	// WRITEs.
	const uint32_t requests = 0x001fff | 3u << 0x13 | 3u << 0x16, responses = 0x3fu << 0x0d;

	if (opcode >= 0x20)
		return opcode <= UC_WRITE_ONLY_IMM ? REORDER_REQUEST : REORDER_NONE;
	if (requests >> opcode & 1)
		return REORDER_REQUEST;
	return responses >> opcode & 1 ? REORDER_RESPONSE : REORDER_NONE;
}

static bool
is_mtu(uint32_t bytes)
{
	return bytes >= 256 && bytes <= 4096 && (bytes & (bytes - 1)) == 0;
}

// The payload of a packet that fills the path MTU because another of its message follows.
static uint16_t
payload_of(const uint8_t *udp, uint8_t opcode)
{
	const uint32_t around = HEADER_UDP_BYTES + roce_op_header_bytes(opcode) + ROCE_ICRC_BYTES;
	const uint32_t udp_bytes = header_get16(udp + 4);

	return udp_bytes > around && is_mtu(udp_bytes - around) ? (uint16_t)(udp_bytes - around)
								: 0;
}

static void
read_response(struct reorder_order *o, const uint8_t *udp, uint32_t length, uint8_t opcode)
{
	const uint8_t *bth = udp + HEADER_UDP_BYTES;
	const struct roce_aeth *aeth = (const struct roce_aeth *)(bth + sizeof(struct roce_bth));

	o->begins = opcode != ROCE_OP_READ_RESPONSE_MIDDLE && opcode != ROCE_OP_READ_RESPONSE_LAST;
	o->continues = opcode == ROCE_OP_READ_RESPONSE_FIRST ||
		       opcode == ROCE_OP_READ_RESPONSE_MIDDLE;
	if (o->continues)
		o->payload = payload_of(udp, opcode);
	if (opcode != ROCE_OP_ACK)
		return;
	o->ack = true;
	// A NAK is not for later.
	if (length < sizeof(struct roce_bth) + sizeof(*aeth) ||
	    roce_aeth_kind(aeth) != ROCE_SYNDROME_ACK)
		o->kind = REORDER_NONE;
}

static void
read_request(struct reorder_order *o, const uint8_t *udp, uint32_t length, uint8_t opcode)
{
	const uint8_t *bth = udp + HEADER_UDP_BYTES;
	const struct roce_reth *reth = (const struct roce_reth *)(bth + sizeof(struct roce_bth));

	if (opcode == ROCE_OP_SEND_FIRST || opcode == ROCE_OP_SEND_MIDDLE ||
	    opcode == ROCE_OP_WRITE_FIRST || opcode == ROCE_OP_WRITE_MIDDLE)
		o->payload = payload_of(udp, opcode);
	if (opcode == ROCE_OP_READ_REQUEST && length >= sizeof(struct roce_bth) + sizeof(*reth)) {
		o->read_bytes = roce_reth_dma_bytes(reth);
		o->responded = true;
	}
	if (opcode == COMPARE_AND_SWAP || opcode == FETCH_AND_ADD)
		o->responded = true;
}

struct reorder_order
reorder_read(struct rte_mbuf *m, bool sent, struct reorder_key *key)
{
	const struct packet_meta *meta = packet_meta(m);
	const uint8_t *data = packet_data(m), *udp = data + meta->l4_off;
	const uint8_t *bth = udp + HEADER_UDP_BYTES;
	struct reorder_order o = {REORDER_NONE};
	uint32_t length;

	if ((meta->flags & (PACKET_ROCE | PACKET_TRIMMED | PACKET_TRIMMED_UPSTREAM |
			    PACKET_TUNNEL)) != PACKET_ROCE)
		return o;
	o.kind = kind_of(bth[0]);
	if (o.kind == REORDER_NONE)
		return o;
	length = meta->data_len - meta->l4_off - HEADER_UDP_BYTES; // that is there
	o.psn = roce_get24(bth + offsetof(struct roce_bth, psn));
	if (o.kind == REORDER_RESPONSE)
		read_response(&o, udp, length, bth[0] & 0x1f);
	else
		read_request(&o, udp, length, bth[0] & 0x1f);
	memset(key->source, 0, sizeof(key->source));
	if (meta->flags & PACKET_IPV6)
		memcpy(key->source, data + meta->l3_off + (sent ? 24 : 8), 16);
	else
		memcpy(key->source, data + meta->l3_off + (sent ? 16 : 12), 4);
	key->qp = roce_get24(bth + offsetof(struct roce_bth, dest_qp)) |
		  (uint32_t) !!(meta->flags & PACKET_IPV6) << 24 |
		  (uint32_t)(o.kind == REORDER_RESPONSE) << 25 | 1u << 26;
	return o;
}

uint32_t
reorder_key_hash(const struct reorder_key *key)
{
	uint64_t words[2];

	memcpy(words, key->source, sizeof(words));
	return (uint32_t)random_mix(words[0] ^ random_mix(words[1] ^ random_mix(key->qp)));
}
