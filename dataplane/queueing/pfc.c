// SPDX-License-Identifier: BSD-3-Clause
// A PFC frame carries the priorities that change or are due at its instant and no others. It starts at that
// instant if the transmitter is free, else as soon as it is, ahead of every queue; it is never paused and
// never charged to the buffer. Should another group of the port change at the same instant, its priority
// joins the frame: nothing of it can have been seen by the far side, which is at least a wire away.
#include "pfc.h"

#include "../port_tx.h"

#include <string.h>

#define PFC_ETHERTYPE 0x8808
#define PFC_OPCODE 0x0101
#define PFC_VECTOR_OFFSET 16
#define PFC_QUANTA_OFFSET 18

static void
put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

// Puts priorities into the frame and returns those that were not in it.
static uint8_t
pfc_frame_set(struct rte_mbuf *m, uint8_t priorities, uint16_t quanta)
{
	uint8_t *frame = packet_data(m);
	uint8_t before = frame[PFC_VECTOR_OFFSET + 1];

	frame[PFC_VECTOR_OFFSET + 1] |= priorities;
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1)
		put16(frame + PFC_QUANTA_OFFSET + 2 * __builtin_ctz(bits), quanta);
	return priorities & (uint8_t)~before;
}

static struct rte_mbuf *
pfc_frame_make(struct node *n, const struct port *p)
{
	static const uint8_t address[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};
	struct rte_mbuf *m = packet_alloc(n->packets);
	uint8_t *frame;

	if (m == NULL)
		return NULL;
	packet_init_frame(m, 0, PACKET_FRAME_MIN);
	packet_meta(m)->in_port = p->index;
	packet_meta(m)->tenant = TENANT_NONE;
	frame = packet_data(m);
	memset(frame, 0, PACKET_FRAME_MIN);
	memcpy(frame, address, 6);
	memcpy(frame + 6, n->current->ports[p->index].mac, 6);
	put16(frame + 12, PFC_ETHERTYPE);
	put16(frame + 14, PFC_OPCODE);
	return m;
}

static void
pfc_wait(struct port *p, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	if (p->pfc_head == NULL)
		p->pfc_head = m;
	else
		packet_meta(p->pfc_tail)->next = m;
	p->pfc_tail = m;
}

struct rte_mbuf *
pfc_take_waiting(struct port *p)
{
	struct rte_mbuf *m = p->pfc_head;

	p->pfc_head = packet_meta(m)->next;
	return m;
}

// Notes what the far side is told, and counts each priority of a frame once.
static void
pfc_note(struct port *p, uint8_t priorities, uint8_t counted, uint16_t quanta, ps_t now)
{
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1) {
		unsigned int priority = (unsigned int)__builtin_ctz(bits);

		p->pfc_tx[priority] += counted >> priority & 1;
		if (quanta != 0)
			pause_clock_open(&p->tx_pause[priority], now);
		else
			pause_clock_close(&p->tx_pause[priority], now);
	}
}

// True when the frame made last may still be changed: nobody has seen it. Where the far side takes nothing
// at all (a device that is stuck) it waits, and tells the latest, so that frames do not pile up.
static bool
pfc_may_join(const struct port *p, ps_t now)
{
	if (p->pfc_last == NULL)
		return false;
	return p->pfc_last_at == now || (unlikely(wire_full(p->out)) && p->pfc_head != NULL);
}

// Returns those of the priorities that a frame already carried which nobody has seen: its word for them is
// replaced.
static uint8_t
pfc_send(struct node *n, struct port *p, uint8_t priorities, uint16_t quanta, ps_t now)
{
	struct rte_mbuf *m;

	if (priorities == 0 || p->out == NULL)
		return 0;
	if (pfc_may_join(p, now)) {
		uint8_t added = pfc_frame_set(p->pfc_last, priorities, quanta);

		pfc_note(p, priorities, added, quanta, now);
		return priorities & (uint8_t)~added;
	}
	m = pfc_frame_make(n, p);
	if (m == NULL)
		return 0; // no packet left at all: the refresh tries again
	pfc_note(p, priorities, pfc_frame_set(m, priorities, quanta), quanta, now);
	if (unlikely(p->pfc_last_left != 0))
		node_show_pfc(n, p); // the frame before can gain nothing more
	p->pfc_last = m;
	p->pfc_last_at = now;
	if (p->tx_free <= now && p->pfc_head == NULL && !wire_full(p->out)) {
		port_transmit_pfc(n, p, m, now);
		if (p->next_send <= now)
			node_arm_send(n, p, p->tx_free);
		return 0;
	}
	pfc_wait(p, m);
	node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
	return 0;
}

void
pfc_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	const struct pg_profile *profile = &p->profile->pg[pg];

	if (g->xoff || profile->pfc_priorities == 0)
		return;
	g->xoff = true;
	g->xoff_priorities = profile->pfc_priorities;
	g->xoff_sent++;
	p->refresh_at[pg] = now + p->profile->refresh;
	node_arm_timer(n, p->refresh_at[pg]);
	pfc_send(n, p, g->xoff_priorities, p->profile->quanta, now);
}

void
pfc_xon(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];

	g->xoff = false;
	p->refresh_at[pg] = PS_NEVER;
	if (pfc_send(n, p, g->xoff_priorities, 0, now) != 0)
		g->xoff_sent--; // an XOFF of this very instant that never went
}

// A group that holds nothing has no release to send XON at: its XOFF was for packets that all were dropped.
static bool
pfc_group_empty(const struct priority_group *g)
{
	return g->usage.own == 0 && g->usage.guaranteed == 0 && g->headroom == 0;
}

// Sends XOFF of a group again, or the XON that it would otherwise never send.
static void
pfc_refresh_group(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];

	if (pfc_group_empty(g)) {
		pfc_xon(n, p, pg, now);
		return;
	}
	g->xoff_sent++;
	p->refresh_at[pg] = now + p->profile->refresh;
	pfc_send(n, p, g->xoff_priorities, p->profile->quanta, now);
}

ps_t
pfc_refresh(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
			if (p->refresh_at[pg] <= now)
				pfc_refresh_group(n, p, pg, now);
			next = time_min(next, p->refresh_at[pg]);
		}
	}
	return next;
}

void
pfc_tell_again(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		if (!p->groups[pg].xoff)
			continue;
		p->refresh_at[pg] = now;
		node_arm_timer(n, now);
	}
}

void
pfc_adopt(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		struct priority_group *g = &p->groups[pg];
		const struct pg_profile *profile = &p->profile->pg[pg];
		uint8_t gone = g->xoff_priorities & (uint8_t)~profile->pfc_priorities;

		if (!g->xoff)
			continue;
		if (profile->pfc_priorities == 0 || charge_xon_due(n, p, pg)) {
			pfc_xon(n, p, pg, now);
			continue;
		}
		pfc_send(n, p, gone, 0, now);
		g->xoff_priorities = profile->pfc_priorities;
	}
}
