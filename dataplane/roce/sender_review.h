// SPDX-License-Identifier: BSD-3-Clause
// Whether a sender has something to send: whatever changes that reviews the sender, which puts it
// in the ring of its class, or out of it. Worker only.
#pragma once

#include "qp.h"

// Packets in flight at most: PSNs are distinct within half of their circle.
#define SENDER_IN_FLIGHT_MAX (UINT32_C(1) << 22)

static inline bool
sender_has_next(const struct sender *s)
{
	return s->next != s->end && s->next - s->acked < SENDER_IN_FLIGHT_MAX;
}

// As sender_has_next(), for those that have more than that (enum sender_special).
bool sender_review_special(struct nic *nic, struct sender *s, ps_t now, ps_t horizon);

// `horizon`: when the transmitter is free.
static inline void
sender_review_until(struct nic *nic, struct sender *s, ps_t now, ps_t horizon)
{
	bool may = likely(s->special == 0) ? sender_has_next(s)
					   : sender_review_special(nic, s, now, horizon);

	if (may)
		source_ready(nic_port_of(nic, &s->qp), &s->source, s->address.tc);
	else
		source_idle(nic_port_of(nic, &s->qp), &s->source, s->address.tc);
}

// The same when the transmitter is busy or not.
void sender_review(struct nic *nic, struct sender *s, ps_t now);
