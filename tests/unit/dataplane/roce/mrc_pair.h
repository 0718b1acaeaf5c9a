// SPDX-License-Identifier: BSD-3-Clause
// What tests of Multipath Reliable Connection share: two NICs that speak it, and a hook.
#pragma once

#include "sprayed_pair.h"

#include "dataplane/base/mrc_headers.h"

#define DATA_FRAME(payload) (42u + 12 + 4 + 16 + (payload) + 4)
#define SACK_FRAME (42u + 12 + 36 + 4)
#define NACK_FRAME (42u + 12 + 20 + 4)
#define PROBE_FRAME (42u + 12 + 16 + 4)
#define PATHS 16
#define SPORT (0xc123u & ~(PATHS * NIC_PORTS_MAX - 1u))

static inline unsigned int
hook(void *context, struct rte_mbuf *m, ps_t at)
{
	const struct roce_bth *bth = (const struct roce_bth *)(packet_data(m) + 42);
	struct entry *e = record_note(context, m, at, ROCE_UDP_PORT, SPORT);

	assert_int_equal(packet_meta(m)->opcode, bth->opcode);
	e->type = bth->opcode;
	e->flags = bth->ack_req;
	e->psn = roce_bth_psn(bth);
	memcpy(e->header, bth + 1, sizeof(e->header));
	return record_judge(context, m);
}

static inline void
prepare(struct world *x)
{
	sprayed_prepare(x, NIC_TRANSPORT_MRC, PATHS, hook);
	for (unsigned int side = A; side <= B; side++)
		x->w.config[side].mrc = (struct mrc_config){.probe_interval = 50 * PS_PER_US};
}

static inline struct nic_totals
totals(const struct world *x)
{
	struct nic_totals out;

	nic_totals(x->w.nics[A], &out);
	return out;
}
