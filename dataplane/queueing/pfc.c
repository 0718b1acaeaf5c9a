// SPDX-License-Identifier: BSD-3-Clause
// With PFC, the XOFF and XON of a group carry the priorities mapped to it: each frame those that
// change or are due at its instant and no others, each group refreshed on its own. With 802.3x the
// port's groups share one pause of the link: the first to be XOFF sends it, it is refreshed on
// behalf of one of them (whose refresh_at is set), and the last to be XON ends it. A group's `xoff`
// says that its XOFF is in force, `xoff_priorities` what PFC has sent of it, none where it holds
// the link.
//
// Priorities that the watchdog drops on ingress cause no pauses.
#include "pfc.h"

#include "buffer.h"
#include "packet_memory.h"
#include "pause_frame.h"
#include "xon.h"

uint8_t
pfc_muted(const struct node *n, const struct port *p)
{
	uint8_t muted = 0;

	if (likely(p->stormed == 0) || p->profile->watchdog.action != WATCHDOG_DROP ||
	    !p->profile->watchdog.ingress)
		return 0;
	for (unsigned int bits = p->stormed; bits != 0; bits &= bits - 1)
		muted |= n->current->tc_priorities[__builtin_ctz(bits)];
	return muted;
}

// What an XOFF of the group carries by PFC.
static uint8_t
pfc_priorities(const struct node *n, const struct port *p, unsigned int pg)
{
	if (p->profile->link_pause)
		return 0;
	return p->profile->pg[pg].pfc_priorities & (uint8_t)~pfc_muted(n, p);
}

// Whether an XOFF of the group pauses the link.
static bool
pfc_holds_link(const struct node *n, const struct port *p, unsigned int pg)
{
	uint8_t heard = (uint8_t)~pfc_muted(n, p);

	if (!p->profile->link_pause || !p->profile->pg[pg].lossless)
		return false;
	for (unsigned int bits = heard; bits != 0; bits &= bits - 1)
		if (n->current->priority_to_pg[__builtin_ctz(bits)] == pg)
			return true;
	return false;
}

// Another group than pg that holds the link, or PRIORITIES.
static unsigned int
pfc_other_holder(const struct port *p, unsigned int pg)
{
	unsigned int other = 0;

	while (other < PRIORITIES &&
	       (other == pg || !p->groups[other].xoff || p->groups[other].xoff_priorities != 0))
		other++;
	return other;
}

// Has the group's XOFF sent again at `at`.
static void
pfc_arm(struct node *n, struct port *p, unsigned int pg, ps_t at)
{
	p->refresh_at[pg] = at;
	n->pfc_due = time_min(n->pfc_due, at);
	node_arm_timer(n, at);
}

// Sends the group's XOFF, for the first time or again.
static void
pfc_send_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];

	pfc_arm(n, p, pg, now + p->profile->refresh);
	if (p->out == NULL || !p->up)
		return;
	g->xoff_sent++;
	if (g->xoff_priorities != 0)
		pause_frame_send_pfc(n, p, g->xoff_priorities, p->profile->quanta, now);
	else
		pause_frame_send_link(n, p, p->profile->quanta, now);
}

// The port has a group in XOFF, or none.
static void
pfc_set_xoff(struct node *n, struct port *p, unsigned int pg, bool xoff)
{
	const uint64_t bit = UINT64_C(1) << p->index % 64;
	uint64_t *ports = &n->buffer.xoff_ports[p->index / 64];

	p->groups[pg].xoff = xoff;
	p->xoffs = (uint8_t)(xoff ? p->xoffs | 1u << pg : p->xoffs & ~(1u << pg));
	*ports = p->xoffs != 0 ? *ports | bit : *ports & ~bit;
}

void
pfc_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	uint8_t priorities;

	if (g->xoff)
		return;
	priorities = pfc_priorities(n, p, pg);
	if (priorities == 0 && !pfc_holds_link(n, p, pg))
		return;
	pfc_set_xoff(n, p, pg, true);
	g->xoff_priorities = priorities;
	xon_expect(n, p, 1u << pg);
	if (priorities != 0 || pfc_other_holder(p, pg) == PRIORITIES)
		pfc_send_xoff(n, p, pg, now);
}

// The link's pause outlives the group that it is refreshed for. An XOFF of this very instant counts
// for the group that it now is for.
static void
pfc_hand_over(struct node *n, struct port *p, unsigned int from, unsigned int to, ps_t refresh_at,
	      ps_t now)
{
	if (refresh_at == PS_NEVER)
		return;
	pfc_arm(n, p, to, refresh_at);
	if (refresh_at == now + p->profile->refresh && p->up && p->out != NULL) {
		p->groups[from].xoff_sent--;
		p->groups[to].xoff_sent++;
	}
}

// What a group holds in headroom becomes its own: headroom is for packets after an XOFF.
static void
pfc_empty_headroom(struct node *n, struct port *p, unsigned int pg)
{
	struct priority_group *g = &p->groups[pg];
	const struct threshold *t = &p->profile->pg[pg].threshold;
	const uint32_t cells = g->headroom;
	const uint32_t shared = buffer_shared(g->usage.own + cells, t->reserved) -
				buffer_shared(g->usage.own, t->reserved);

	g->headroom = 0;
	n->buffer.pools[POOL_HEADROOM].used -= cells;
	buffer_take_own(&g->usage, &n->buffer.pools[t->pool], cells, shared);
	p->shared_use[t->pool] += shared;
	buffer_note_group(g, t->reserved);
}

// Takes back the group's XOFF.
static void
pfc_xon(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	ps_t refresh_at = p->refresh_at[pg];
	unsigned int other;
	bool unsent;

	pfc_set_xoff(n, p, pg, false);
	p->refresh_at[pg] = PS_NEVER;
	if (g->xoff_priorities != 0) {
		unsent = pause_frame_send_pfc(n, p, g->xoff_priorities, 0, now) != 0;
	} else {
		other = pfc_other_holder(p, pg);
		if (other != PRIORITIES) {
			pfc_hand_over(n, p, pg, other, refresh_at, now);
			return;
		}
		unsent = pause_frame_send_link(n, p, 0, now);
	}
	if (unsent)
		g->xoff_sent--; // an XOFF of this very instant that never went
}

// The group has room: sends XON.
static void
pfc_release_group(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	pfc_empty_headroom(n, p, pg);
	pfc_xon(n, p, pg, now);
}

// Sends XON of those groups of a port in a pool that may.
static void
pfc_release_port(struct node *n, struct port *p, unsigned int pool, ps_t now)
{
	for (unsigned int bits = p->xoffs; bits != 0; bits &= bits - 1) {
		const unsigned int pg = (unsigned int)__builtin_ctz(bits);

		if (p->profile->pg[pg].threshold.pool != pool)
			continue;
		if (xon_due(n, p, pg))
			pfc_release_group(n, p, pg, now);
		else
			xon_expect(n, p, 1u << pg);
	}
}

void
pfc_pool_fell(struct node *n, unsigned int pool, ps_t now)
{
	struct buffer *b = &n->buffer;

	if (packet_memory_tight(n))
		return; // until a later release
	b->pools[pool].xon_below = 0;
	for (unsigned int word = 0; word < RTE_DIM(b->xoff_ports); word++)
		for (uint64_t bits = b->xoff_ports[word]; bits != 0; bits &= bits - 1)
			pfc_release_port(n, &n->ports[word * 64 + __builtin_ctzll(bits)], pool,
					 now);
}

// Sends XOFF again, or the XON of a group that has nothing to release: all packets that caused its
// XOFF were dropped.
static void
pfc_refresh_group(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	if (xon_due(n, p, pg)) {
		pfc_release_group(n, p, pg, now);
		return;
	}
	xon_expect(n, p, 1u << pg);
	pfc_send_xoff(n, p, pg, now);
}

// Sends the refreshes of a port that are due, and returns when its next is.
static ps_t
pfc_refresh_port(struct node *n, struct port *p, ps_t now)
{
	ps_t next = PS_NEVER;

	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		if (p->refresh_at[pg] <= now)
			pfc_refresh_group(n, p, pg, now);
		next = time_min(next, p->refresh_at[pg]);
	}
	return next;
}

ps_t
pfc_refresh(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	if (now < n->pfc_due)
		return n->pfc_due;
	// From here on of what is armed on the way, behind the loop's back too.
	n->pfc_due = PS_NEVER;
	for (unsigned int i = 0; i < n->port_count; i++)
		next = time_min(next, pfc_refresh_port(n, &n->ports[i], now));
	n->pfc_due = time_min(n->pfc_due, next);
	return n->pfc_due;
}

void
pfc_close_pauses(struct port *p, ps_t now)
{
	for (unsigned int i = 0; i < PAUSES; i++)
		pause_clock_close(&p->tx_pause[i], now);
}

void
pfc_resend_xoffs(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		if (p->refresh_at[pg] == PS_NEVER)
			continue;
		pfc_arm(n, p, pg, now);
	}
}

// Takes back what a group may no longer say. Returns true when it is XOFF still, but to say it all
// anew.
static bool
pfc_adopt_less(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	uint8_t priorities = pfc_priorities(n, p, pg), kept;
	bool link = pfc_holds_link(n, p, pg);

	if (xon_due(n, p, pg)) {
		pfc_release_group(n, p, pg, now);
		return false;
	}
	if (priorities == 0 && !link) {
		pfc_xon(n, p, pg, now);
		return false;
	}
	kept = g->xoff_priorities & priorities;
	if (link ? g->xoff_priorities == 0 : kept != 0) {
		pause_frame_send_pfc(n, p, g->xoff_priorities & (uint8_t)~priorities, 0, now);
		g->xoff_priorities = kept;
		return false;
	}
	pfc_xon(n, p, pg, now);
	return true;
}

// Says what a group may now say as well.
static void
pfc_adopt_more(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	uint8_t priorities = pfc_priorities(n, p, pg);

	pause_frame_send_pfc(n, p, priorities & (uint8_t)~g->xoff_priorities, p->profile->quanta,
			     now);
	g->xoff_priorities = priorities;
}

void
pfc_adopt(struct node *n, struct port *p, ps_t now)
{
	uint8_t again = 0;

	// First all that is taken back: a priority may have moved from one group to another.
	for (unsigned int pg = 0; pg < PRIORITIES; pg++)
		if (p->groups[pg].xoff && pfc_adopt_less(n, p, pg, now))
			again |= (uint8_t)(1u << pg);
	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		if (p->groups[pg].xoff)
			pfc_adopt_more(n, p, pg, now);
		else if (again & 1u << pg)
			pfc_xoff(n, p, pg, now);
	}
	xon_expect(n, p, p->xoffs);
}
