// SPDX-License-Identifier: BSD-3-Clause
#include "sender_review.h"

#include "message_place.h"
#include "pacing.h"
#include "responder.h"
#include "sprayed.h"

bool
sender_review_special(struct nic *nic, struct sender *s, ps_t now, ps_t horizon)
{
	bool may;

	if (s->next == s->end) {
		if (s->special & SENDER_PROGRAM)
			message_place_next(s);
		else if (s->special & SENDER_RESPONDER)
			responder_next(s);
	}
	may = sender_has_next(s) || s->special & SENDER_RESENDS;
	if (s->special & SENDER_SPRAYED)
		return sprayed_admits(nic, s, may, now);
	return s->special & SENDER_PACED ? pacing_admits(nic, s, may, now, horizon) : may;
}

void
sender_review(struct nic *nic, struct sender *s, ps_t now)
{
	const struct port *p = nic_port_of(nic, &s->qp)->port;

	sender_review_until(nic, s, now, p->tx_free > now ? p->tx_free : now);
}
