// SPDX-License-Identifier: BSD-3-Clause
#include "xoff.h"

#include "dataplane/queueing/pause_frame.h"

static void
xoff_send(struct node *n, struct port *p, uint8_t priorities, uint16_t quanta, ps_t now)
{
	if (priorities == 0)
		return;
	if (p->profile->link_pause)
		pause_frame_send_link(n, p, quanta, now);
	else
		pause_frame_send_pfc(n, p, priorities, quanta, now);
}

void
xoff_want(struct node *n, struct port *p, struct xoff *x, enum xoff_reason reason,
	  uint8_t priorities, ps_t now)
{
	uint8_t before = x->told, after;

	x->wanted[reason] = priorities;
	after = x->wanted[XOFF_DRAIN] | x->wanted[XOFF_STORM];
	if (after == before)
		return;
	x->told = after;
	if (p->profile->link_pause && before != 0 && after != 0)
		return; // the link stays paused
	xoff_send(n, p, before & (uint8_t)~after, 0, now);
	xoff_send(n, p, after & (uint8_t)~before, p->profile->quanta, now);
	if (after == 0)
		x->refresh_at = PS_NEVER;
	else if (before == 0)
		x->refresh_at = now + p->profile->refresh;
}

void
xoff_refresh(struct node *n, struct port *p, struct xoff *x, ps_t now)
{
	xoff_send(n, p, x->told, p->profile->quanta, now);
	x->refresh_at = now + p->profile->refresh;
}
