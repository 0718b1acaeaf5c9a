// SPDX-License-Identifier: BSD-3-Clause
// Samples come first: they show what the events before this instant have left. What the watchdog
// does makes some refreshes needless, so it comes before those.
#include "switch_timer.h"

#include "credits.h"
#include "histogram.h"
#include "llr.h"
#include "pfc.h"
#include "watchdog.h"

ps_t
switch_timer(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	if (n->current->histogram_count != 0)
		next = histogram_sample(n, now);
	next = time_min(next, watchdog_poll(n, now));
	next = time_min(next, credits_poll(n, now));
	next = time_min(next, llr_poll(n, now));
	return time_min(next, pfc_refresh(n, now));
}
