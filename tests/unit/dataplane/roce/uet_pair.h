// SPDX-License-Identifier: BSD-3-Clause
// What tests of Ultra Ethernet Transport share: two NICs, and hooks that note headers and do deeds.
#pragma once

#include "sprayed_pair.h"

#define DATA_FRAME(payload) (42u + 12 + 44 + (payload))
#define ACK_FRAME (42u + 32)
#define NACK_FRAME 60u // 58 and padding

// What a hook saw, and does to the n-th packet.
struct record {
	unsigned int count;
	uint8_t deeds[8192];
	struct {
		ps_t at;
		uint8_t type;
		uint8_t flags;
		uint32_t psn; // of an ACK: the last in order
		uint16_t sport;
		uint32_t wire_bytes;
		uint64_t bitmap;
		uint32_t first_psn, acked_psn;
	} entries[8192];
};

static inline unsigned int
hook(void *context, struct rte_mbuf *m, ps_t at)
{
	const uint8_t *pds = packet_data(m) + 42;
	const struct uet_ack_cc *ack = (const struct uet_ack_cc *)pds;
	struct record *r = context;
	unsigned int n = r->count++;

	assert_true(n < 8192);
	assert_int_equal(roce_get16(pds - 6), UET_UDP_PORT);
	r->entries[n].at = at;
	r->entries[n].type = (uint8_t)uet_type((const struct uet_prologue *)pds);
	r->entries[n].flags = (uint8_t)uet_flags((const struct uet_prologue *)pds);
	r->entries[n].psn = roce_get32(pds + 4);
	if (r->entries[n].type == UET_NACK)
		r->entries[n].psn = roce_get32(((const struct uet_nack *)pds)->psn);
	r->entries[n].sport = roce_get16(pds - 8);
	r->entries[n].wire_bytes = packet_meta(m)->wire_bytes;
	if (r->entries[n].type == UET_ACK_CC) {
		uint32_t cack = roce_get32(ack->cack_psn);

		r->entries[n].bitmap = roce_get64(ack->sack_bitmap);
		r->entries[n].first_psn = cack +
					  (uint32_t)(int16_t)roce_get16(ack->sack_psn_offset);
		r->entries[n].acked_psn = cack + (uint32_t)(int16_t)roce_get16(ack->ack_psn_offset);
	}
	return sprayed_do(m, r->deeds[n]);
}

struct world {
	struct pair w;
	struct record forth, back;
	uint32_t qpn;
	uint32_t window, repeat; // of the flow
};

static inline void
prepare(struct world *x)
{
	*x = (struct world){0};
	pair_init(&x->w, 1);
	for (unsigned int side = A; side <= B; side++) {
		x->w.config[side].transport = NIC_TRANSPORT_UET;
		x->w.config[side].uet = (struct uet_config){
			.paths = 16, .ack_every = 4, .grant = 4, .unsolicited = 1};
		x->w.config[side].rto = 100 * PS_PER_US;
	}
}

static inline void
start(struct world *x, uint64_t bytes)
{
	pair_start(&x->w);
	x->w.relays[A][0].hook = x->w.relays[B][0].hook = hook;
	x->w.relays[A][0].context = &x->forth;
	x->w.relays[B][0].context = &x->back;
	x->qpn = pair_add_flow(&x->w, (struct nic_flow){.path_mtu = 1000,
							.bytes = bytes,
							.repeat = x->repeat,
							.window = x->window,
							.endpoint.first_psn = FIRST_PSN});
}

static inline void
expect_complete(struct world *x, uint64_t packets)
{
	sprayed_expect_complete(&x->w, x->qpn, packets);
}

static inline unsigned int
count_type(const struct record *r, unsigned int type)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < r->count; i++)
		count += r->entries[i].type == type;
	return count;
}
