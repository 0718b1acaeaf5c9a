// SPDX-License-Identifier: BSD-3-Clause
#include "sprayed_timeout.h"

#include "pacing.h"
#include "sender_review.h"
#include "sprayed.h"
#include "uet_credit.h"

void
sprayed_timeout(struct nic *nic, struct sender *s, ps_t now)
{
	struct sprayed *sp = s->cold->sprayed;
	ps_t longest = 0;
	bool any = false;

	timer_stop(&s->timer);
	for (uint32_t i = s->acked; i != s->next; i++) {
		const struct sprayed_packet *p = sprayed_packet_at(sp, i);
		ps_t since = sprayed_time_since(p, now);

		if (p->state != SPRAYED_IN_FLIGHT)
			continue;
		if (since >= nic->rto && sprayed_lose(s, i, ENTROPY_LOST)) {
			any = true;
			if (s->special & SENDER_PACED)
				pacing_lost(s, now);
		} else if (since > longest) {
			longest = since;
		}
	}
	s->result.timeouts += any;
	if (sp->in_flight != 0)
		nic_set_timer(nic, &s->timer, now + (nic->rto > longest ? nic->rto - longest : 1));
	else if (sp->credits && !any)
		uet_credit_ask(nic, s);
	sender_review(nic, s, now);
}
