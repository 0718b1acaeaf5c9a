// SPDX-License-Identifier: BSD-3-Clause
// The format, from the Ethernet type on (802.3 annex 31C: MAC control with the opcode EXTENSION):
//
//   14  2  0xfffe
//   16  3  02:00:00, a locally administered organization
//   19  1  what it is:
//     1  20  4  InfiniBand: opcode (4 bits: 0 normal, 1 initialise), FCTBS (12), VL (4), FCCL (12),
//               as in the first four bytes of the link packet (section 7.9.4)
//     2  20  1  CF_Update: the lane
//        21  3  its credits freed, 20 bits
//     3  20 32  CC_Update: the credits consumed of lanes 0 to 7, four bytes each, 20 bits
//
// The rest is zeros. Ultra Ethernet's own coding of its messages is not public in this detail; what
// they say and what they cost on the wire is.
#include "credit_frame.h"

#include "pause_frame.h"

#include "dataplane/base/headers.h"

#include <string.h>

#define ORGANIZATION_OFFSET 16
#define KIND_OFFSET 19
#define WORD_OFFSET 20
#define UPDATE_BYTES 24
#define SENT_BYTES (WORD_OFFSET + 4 * PRIORITIES)
#define INFINIBAND_MASK 0xfffu
#define CBFC_MASK 0xfffffu

static const uint8_t organization[3] = {0x02, 0x00, 0x00};

struct rte_mbuf *
credit_frame_make(struct node *n, const struct port *p, uint8_t lane)
{
	struct rte_mbuf *m = pause_frame_make(n, p, CREDIT_FRAME_OPCODE);

	if (m == NULL)
		return NULL;
	packet_meta(m)->lane = lane;
	memcpy(packet_data(m) + ORGANIZATION_OFFSET, organization, sizeof(organization));
	return m;
}

// ---- writing ------------------------------------------------------------------------------------

void
credit_frame_write_infiniband(struct rte_mbuf *m, unsigned int lane, uint32_t sent, uint32_t limit)
{
	uint8_t *frame = packet_data(m);

	frame[KIND_OFFSET] = CREDIT_FRAME_INFINIBAND;
	header_put32(frame + WORD_OFFSET,
		     (sent & INFINIBAND_MASK) << 16 | lane << 12 | (limit & INFINIBAND_MASK));
}

void
credit_frame_write_freed(struct rte_mbuf *m, unsigned int lane, uint32_t freed)
{
	uint8_t *frame = packet_data(m);

	frame[KIND_OFFSET] = CREDIT_FRAME_FREED;
	header_put32(frame + WORD_OFFSET, lane << 24 | (freed & CBFC_MASK));
}

void
credit_frame_write_sent(struct rte_mbuf *m, unsigned int lane, uint32_t sent)
{
	uint8_t *frame = packet_data(m);

	frame[KIND_OFFSET] = CREDIT_FRAME_SENT;
	header_put32(frame + WORD_OFFSET + 4 * lane, sent & CBFC_MASK);
}

// ---- reading ------------------------------------------------------------------------------------

static bool
read_infiniband(const uint8_t *data, struct credit_frame *out)
{
	const uint32_t word = header_get32(data + WORD_OFFSET);

	out->lane = word >> 12 & 0xf;
	out->sent[0] = word >> 16 & INFINIBAND_MASK;
	out->value = word & INFINIBAND_MASK;
	return word >> 28 <= 1 && out->lane < PRIORITIES;
}

static bool
read_freed(const uint8_t *data, struct credit_frame *out)
{
	const uint32_t word = header_get32(data + WORD_OFFSET);

	out->lane = word >> 24;
	out->value = word & 0xffffff;
	return out->lane < PRIORITIES && out->value <= CBFC_MASK;
}

static bool
read_sent(const uint8_t *data, uint32_t length, struct credit_frame *out)
{
	if (length < SENT_BYTES)
		return false;
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		out->sent[i] = header_get32(data + WORD_OFFSET + 4 * i);
		if (out->sent[i] > CBFC_MASK)
			return false;
	}
	return true;
}

bool
credit_frame_read(struct rte_mbuf *m, struct credit_frame *out)
{
	const uint8_t *data = packet_data(m);
	const uint32_t length = packet_meta(m)->data_len;

	if (length < UPDATE_BYTES ||
	    memcmp(data + ORGANIZATION_OFFSET, organization, sizeof(organization)) != 0)
		return false;
	out->kind = data[KIND_OFFSET];
	switch (out->kind) {
	case CREDIT_FRAME_INFINIBAND:
		return read_infiniband(data, out);
	case CREDIT_FRAME_FREED:
		return read_freed(data, out);
	case CREDIT_FRAME_SENT:
		return read_sent(data, length, out);
	default:
		return false;
	}
}
