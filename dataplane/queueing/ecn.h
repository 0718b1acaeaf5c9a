// SPDX-License-Identifier: BSD-3-Clause
// ECN marking at dequeue, on the instantaneous depth of the queue without the packet itself: never
// at or below min, always above max, between them with a probability that grows linearly. Only ECT
// is marked, CE is never cleared, and the IPv4 checksum follows (RFC 3168 section 5; RFC 1624).
// Where a class drops by RED, what is not ECT is dropped instead, on the same decision (RFC 3168
// section 7; RFC 7567).
#pragma once

#include "dataplane/base/checksum.h"
#include "dataplane/base/packet.h"
#include "dataplane/base/random.h"
#include "dataplane/base/tables.h"

#include <stdbool.h>

enum ecn { ECN_NOT_ECT = 0, ECN_ECT1 = 1, ECN_ECT0 = 2, ECN_CE = 3 };

static inline bool
ecn_congested(const struct ecn_profile *e, uint32_t depth, struct random *random)
{
	if (likely(depth <= e->min))
		return false;
	if (depth > e->max)
		return true;
	return (uint64_t)random_u32(random) << 24 <
	       ((uint64_t)depth * e->cell - e->min_bytes) * e->slope;
}

// Sets CE in the packet's IP header; of InfiniBand FECN in the BTH.
void ecn_set_ce(struct rte_mbuf *m);

// What the ECN of a packet becomes where its tunnel ends, by that and the outer header's (RFC 6040,
// figure 4); -1: the packet is dropped.
int ecn_combine(uint8_t inside, uint8_t outside);

// Marks the packet if it is ECT and the queue behind it, `depth` cells, is congested. True when it
// did.
static inline bool
ecn_mark(struct rte_mbuf *m, const struct ecn_profile *e, uint32_t depth, struct random *random)
{
	uint8_t ecn = packet_meta(m)->ecn;

	if (!e->enabled || ecn == ECN_NOT_ECT || ecn == ECN_CE || !ecn_congested(e, depth, random))
		return false;
	ecn_set_ce(m);
	return true;
}

// True when the packet is to be dropped by RED: not ECT, and of a congested queue that drops by it.
static inline bool
ecn_red_drops(struct rte_mbuf *m, const struct tc_profile *tc, uint32_t depth,
	      struct random *random)
{
	return tc->red && packet_meta(m)->ecn == ECN_NOT_ECT && tc->ecn.enabled &&
	       ecn_congested(&tc->ecn, depth, random);
}
