// SPDX-License-Identifier: BSD-3-Clause
// What tests of Multipath Reliable Connection share: two NICs, and hooks that note headers and do
// deeds.
#pragma once

#include "sprayed_pair.h"

#include "dataplane/base/mrc_headers.h"

#define DATA_FRAME(payload) (42u + 12 + 4 + 16 + (payload) + 4)
#define SACK_FRAME (42u + 12 + 36 + 4)
#define NACK_FRAME (42u + 12 + 20 + 4)
#define PROBE_FRAME (42u + 12 + 16 + 4)
#define PATHS 16
#define SPORT (0xc123u & ~(PATHS * NIC_PORTS_MAX - 1u))

// What a hook saw, and does to the n-th packet, or to all of a path.
struct record {
	unsigned int count;
	uint8_t deeds[4096];
	uint32_t dead; // a bit per entropy value: its packets are lost
	struct {
		ps_t at;
		uint8_t opcode;
		uint8_t flags; // the BTH's byte of AckReq
		uint32_t psn;
		uint16_t value;
		uint32_t wire_bytes;
		uint8_t behind[40]; // the BTH
	} entries[4096];
};

static inline unsigned int
hook(void *context, struct rte_mbuf *m, ps_t at)
{
	const uint8_t *udp = packet_data(m) + 34;
	const struct roce_bth *bth = (const struct roce_bth *)(udp + 8);
	struct record *r = context;
	unsigned int n = r->count++;

	assert_true(n < 4096);
	assert_int_equal(roce_get16(udp + 2), ROCE_UDP_PORT);
	assert_int_equal(packet_meta(m)->opcode, bth->opcode);
	r->entries[n].at = at;
	r->entries[n].opcode = bth->opcode;
	r->entries[n].flags = bth->ack_req;
	r->entries[n].psn = roce_bth_psn(bth);
	r->entries[n].value = (uint16_t)(roce_get16(udp) - SPORT);
	r->entries[n].wire_bytes = packet_meta(m)->wire_bytes;
	memcpy(r->entries[n].behind, bth + 1, sizeof(r->entries[n].behind));
	if (r->dead >> r->entries[n].value & 1)
		return PAIR_DROP;
	return sprayed_do(m, r->deeds[n]);
}

struct world {
	struct pair w;
	struct record forth, back;
	uint32_t qpn;
};

static inline void
prepare(struct world *x)
{
	memset(x, 0, sizeof(*x));
	pair_init(&x->w, 1);
	for (unsigned int side = A; side <= B; side++) {
		x->w.config[side].transport = NIC_TRANSPORT_MRC;
		x->w.config[side].mrc = (struct mrc_config){
			.paths = PATHS, .ack_every = 4, .probe_interval = 50 * PS_PER_US};
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
							.endpoint.first_psn = FIRST_PSN});
}

static inline void
expect_complete(struct world *x, uint64_t packets)
{
	sprayed_expect_complete(&x->w, x->qpn, packets);
}

static inline unsigned int
count_opcode(const struct record *r, uint8_t opcode)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < r->count; i++)
		count += r->entries[i].opcode == opcode;
	return count;
}

static inline struct nic_totals
totals(const struct world *x)
{
	struct nic_totals out;

	nic_totals(x->w.nics[A], &out);
	return out;
}
