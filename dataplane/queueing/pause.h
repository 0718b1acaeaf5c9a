// SPDX-License-Identifier: BSD-3-Clause
// Received pauses: which queues they hold, and until when (802.1Q clause 36; 802.3 annex 31B, 31D).
// A pause of a priority, or of the whole link where that is the port's flow control, lasts quanta x
// 512 bit times of the port's rate from the frame's arrival; a new frame replaces it; it takes
// effect between packets. A queue is held until no priority mapped to it is paused. A pause that
// runs out is noticed at the port's next departure, but all that is counted of it ends when it did.
//
// Of a queue that the watchdog has in a storm, pauses are kept but not honoured (watchdog.h).
#pragma once

#include "dataplane/base/credit.h"
#include "dataplane/base/llr.h"
#include "dataplane/base/node.h"

// The priorities whose PFC frames count, bit by bit: none with 802.3x.
static inline uint8_t
pause_obeyed(const struct port *p)
{
	return p->profile->link_pause ? 0 : p->profile->obeyed;
}

// Cold: ends the pauses that have run out by `now`. A port that is paused has a departure due when
// that is the case, whether or not anything waits: what sprays must see it too.
void pause_expire(struct node *n, struct port *p, ps_t now);

// A PFC frame with these enabled priorities and quanta arrived at `now`; those that the port does
// not obey are counted and ignored.
void pause_receive(struct node *n, struct port *p, uint8_t priorities,
		   const uint16_t quanta[PRIORITIES], ps_t now);

// An 802.3x pause frame arrived at `now`; it is counted, and holds all queues where that is the
// port's flow control.
void pause_receive_link(struct node *n, struct port *p, uint16_t quanta, ps_t now);

// Cold: the watchdog has started or stopped ignoring the pauses of a queue.
void pause_reconsider(struct node *n, struct port *p, unsigned int tc, ps_t now);

// Cold: the port's link went down, which ends the pauses received over it.
void pause_clear(struct node *n, struct port *p, ps_t now);

// Cold: new tables are in force; which pauses are obeyed and which queues they hold may have
// changed. Between PFC and 802.3x a held queue stays held until the far side, which changes as
// well, ends the pause or it runs out.
void pause_adopt(struct node *n, struct port *p, ps_t now);

// Recomputes node->held of the port: also queues that lack credit, or that wait for
// acknowledgements of link-level retry. Packets in the queues of a dead link are sent and lost
// there, and packets for a queue that the watchdog discards are lost too. Packets that have a
// choice must take another port.
static inline void
pause_update_held(struct node *n, const struct port *p)
{
	uint8_t discarding =
		p->stormed != 0 && p->profile->watchdog.action == WATCHDOG_DROP ? p->stormed : 0;

	if (unlikely(p->gated)) {
		discarding |= p->credits != NULL ? p->credits->starved : 0;
		discarding |= p->llr != NULL && p->llr->blocked ? 0xff : 0;
	}
	n->held[p->index] = p->up ? p->paused | p->tx_off | discarding : 0xff;
}

// The queues that are not empty and may send at `now`.
static inline unsigned int
pause_eligible(struct node *n, struct port *p, ps_t now)
{
	if (unlikely(p->paused != 0))
		pause_expire(n, p, now);
	return p->nonempty & ~(unsigned int)(p->paused | p->tx_off);
}

// When the first of the port's pauses runs out, or PS_NEVER.
static inline ps_t
pause_resume_at(const struct port *p)
{
	ps_t at = PS_NEVER;

	for (unsigned int bits = p->paused; bits != 0; bits &= bits - 1)
		at = time_min(at, p->queue_paused_until[__builtin_ctz(bits)]);
	return at;
}
