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

static void
pfc_frame_set(struct rte_mbuf *m, uint8_t priorities, uint16_t quanta)
{
	uint8_t *frame = packet_data(m);

	frame[PFC_VECTOR_OFFSET + 1] |= priorities;
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1)
		put16(frame + PFC_QUANTA_OFFSET + 2 * __builtin_ctz(bits), quanta);
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

static void
pfc_send(struct node *n, struct port *p, uint8_t priorities, uint16_t quanta, ps_t now)
{
	struct rte_mbuf *m = p->pfc_last;
	bool joins = m != NULL && p->pfc_last_at == now;

	if (priorities == 0)
		return;
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1) {
		unsigned int priority = (unsigned int)__builtin_ctz(bits);

		p->pfc_tx[priority]++;
		if (quanta != 0)
			pause_clock_open(&p->tx_pause[priority], now);
		else
			pause_clock_close(&p->tx_pause[priority], now);
	}
	if (joins) {
		pfc_frame_set(m, priorities, quanta);
		return;
	}
	m = pfc_frame_make(n, p);
	if (m == NULL)
		return; // no packet left at all: the refresh tries again
	pfc_frame_set(m, priorities, quanta);
	p->control_tx++;
	p->pfc_last = m;
	p->pfc_last_at = now;
	if (p->tx_free <= now && p->pfc_head == NULL && !wire_full(p->out)) {
		port_transmit(n, p, m, now);
		if (p->next_send <= now)
			node_arm_send(n, p, p->tx_free);
		return;
	}
	pfc_wait(p, m);
	node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
}

void
pfc_xoff(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	struct priority_group *g = &p->groups[pg];
	const struct pg_profile *profile = &p->profile->pg[pg];

	if (g->xoff || profile->pfc_priorities == 0)
		return;
	g->xoff = true;
	g->xoff_sent++;
	p->refresh_at[pg] = now + p->profile->refresh;
	node_arm_timer(n, p->refresh_at[pg]);
	pfc_send(n, p, profile->pfc_priorities, p->profile->quanta, now);
}

void
pfc_xon(struct node *n, struct port *p, unsigned int pg, ps_t now)
{
	p->groups[pg].xoff = false;
	p->refresh_at[pg] = PS_NEVER;
	pfc_send(n, p, p->profile->pg[pg].pfc_priorities, 0, now);
}

ps_t
pfc_refresh(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];
		uint8_t due = 0;

		for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
			if (p->refresh_at[pg] <= now) {
				due |= p->profile->pg[pg].pfc_priorities;
				p->groups[pg].xoff_sent++;
				p->refresh_at[pg] = now + p->profile->refresh;
			}
			next = time_min(next, p->refresh_at[pg]);
		}
		pfc_send(n, p, due, p->profile->quanta, now);
	}
	return next;
}
