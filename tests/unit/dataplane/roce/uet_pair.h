// SPDX-License-Identifier: BSD-3-Clause
// What tests of Ultra Ethernet Transport share: two NICs that speak it, and a hook.
#pragma once

#include "sprayed_pair.h"

#define DATA_FRAME(payload) (42u + 12 + 44 + (payload))
#define ACK_FRAME (42u + 32)
#define NACK_FRAME 60u // 58 and padding
#define PATHS 16
#define SPORT (0xc123u & ~(PATHS - 1u))

static inline unsigned int
hook(void *context, struct rte_mbuf *m, ps_t at)
{
	const uint8_t *pds = packet_data(m) + 42;
	struct entry *e = record_note(context, m, at, UET_UDP_PORT, SPORT);

	e->type = (uint8_t)uet_type((const struct uet_prologue *)pds);
	e->flags = (uint8_t)uet_flags((const struct uet_prologue *)pds);
	e->psn = roce_get32(pds + 4);
	memcpy(e->header, pds, sizeof(e->header));
	return record_judge(context, m);
}

static inline void
prepare(struct world *x)
{
	sprayed_prepare(x, NIC_TRANSPORT_UET, PATHS, hook);
	for (unsigned int side = A; side <= B; side++)
		x->w.config[side].uet = (struct uet_config){.grant = 4, .unsolicited = 1};
}

static inline const struct uet_ack_cc *
ack_of(const struct entry *e)
{
	return (const struct uet_ack_cc *)e->header;
}
