// SPDX-License-Identifier: BSD-3-Clause
// A frame starts at the instant it is made for if the transmitter is free, else as soon as it is,
// ahead of every queue; it is never paused and never charged to the buffer. What else changes at
// the same instant joins the frame: nothing of it can have been seen by the far side, which is at
// least a wire away.
#include "pause_frame.h"

#include "transmit.h"
#include "dataplane/base/headers.h"

#include <string.h>

#define PAUSE_FRAME_OPCODE_OFFSET 14
#define PAUSE_FRAME_LINK_OFFSET 16   // quanta of an 802.3x frame
#define PAUSE_FRAME_VECTOR_OFFSET 16 // PFC: which priorities
#define PAUSE_FRAME_QUANTA_OFFSET 18 // PFC: of each priority

enum pause_frame_opcode { PAUSE_FRAME_LINK = 0x0001, PAUSE_FRAME_PFC = 0x0101 };

// Puts priorities into the frame and returns those that were not in it.
static uint8_t
pause_frame_set(struct rte_mbuf *m, uint8_t priorities, uint16_t quanta)
{
	uint8_t *frame = packet_data(m);
	uint8_t before = frame[PAUSE_FRAME_VECTOR_OFFSET + 1];

	frame[PAUSE_FRAME_VECTOR_OFFSET + 1] |= priorities;
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1)
		header_put16(frame + PAUSE_FRAME_QUANTA_OFFSET + 2 * __builtin_ctz(bits), quanta);
	return priorities & (uint8_t)~before;
}

struct rte_mbuf *
pause_frame_make(struct node *n, const struct port *p, uint16_t opcode)
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
	header_put16(frame + 12, HEADER_TYPE_MAC_CONTROL);
	header_put16(frame + PAUSE_FRAME_OPCODE_OFFSET, opcode);
	return m;
}

static void
pause_frame_wait(struct port *p, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	if (p->pfc_head == NULL)
		p->pfc_head = m;
	else
		packet_meta(p->pfc_tail)->next = m;
	p->pfc_tail = m;
}

struct rte_mbuf *
pause_frame_take(struct port *p)
{
	struct rte_mbuf *m = p->pfc_head;

	p->pfc_head = packet_meta(m)->next;
	return m;
}

static void
pause_frame_note(struct port *p, unsigned int which, uint16_t quanta, ps_t now)
{
	p->pauses_met |= (uint16_t)(1u << which);
	if (quanta != 0)
		pause_clock_open(&p->tx_pause[which], now);
	else
		pause_clock_close(&p->tx_pause[which], now);
}

// Notes what is sent to the far side, and counts each priority of a frame once.
static void
pause_frame_note_pfc(struct port *p, uint8_t priorities, uint8_t counted, uint16_t quanta, ps_t now)
{
	for (unsigned int bits = priorities; bits != 0; bits &= bits - 1) {
		unsigned int priority = (unsigned int)__builtin_ctz(bits);

		p->pfc_tx[priority] += counted >> priority & 1;
		pause_frame_note(p, priority, quanta, now);
	}
}

// True when the frame made last is of this kind and may still be changed: nobody has seen it. Where
// the far side takes nothing at all (a device that is stuck) it waits, and tells the latest, so
// that frames do not pile up.
static bool
pause_frame_may_join(const struct port *p, enum pause_frame_opcode opcode, ps_t now)
{
	if (p->pfc_last == NULL)
		return false;
	if (p->pfc_last_at != now && (likely(!wire_full(p->out)) || p->pfc_head == NULL))
		return false;
	return packet_data(p->pfc_last)[PAUSE_FRAME_OPCODE_OFFSET] == (uint8_t)(opcode >> 8);
}

// Sends a new frame, or has it wait.
static void
pause_frame_start(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	if (unlikely(p->pfc_last_left != 0))
		node_show_pfc(n, p); // the frame before can gain nothing more
	p->pfc_last = m;
	p->pfc_last_at = now;
	if (p->tx_free <= now && p->pfc_head == NULL && !wire_full(p->out)) {
		port_transmit_pfc(n, p, m, now);
		if (p->next_send <= now)
			node_arm_send(n, p, p->tx_free);
		return;
	}
	pause_frame_wait(p, m);
	node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
}

void
pause_frame_send_other(struct node *n, struct port *p, struct rte_mbuf *m, ps_t now)
{
	pause_frame_start(n, p, m, now);
	if (p->pfc_last_left != 0)
		node_show_pfc(n, p);
	p->pfc_last = NULL; // nothing joins it
}

uint8_t
pause_frame_send_pfc(struct node *n, struct port *p, uint8_t priorities, uint16_t quanta, ps_t now)
{
	struct rte_mbuf *m;

	if (priorities == 0 || p->out == NULL || !p->up)
		return 0;
	if (pause_frame_may_join(p, PAUSE_FRAME_PFC, now)) {
		uint8_t added = pause_frame_set(p->pfc_last, priorities, quanta);

		pause_frame_note_pfc(p, priorities, added, quanta, now);
		return priorities & (uint8_t)~added;
	}
	m = pause_frame_make(n, p, PAUSE_FRAME_PFC);
	if (m == NULL)
		return 0; // no packet left at all: the refresh tries again
	pause_frame_note_pfc(p, priorities, pause_frame_set(m, priorities, quanta), quanta, now);
	pause_frame_start(n, p, m, now);
	return 0;
}

bool
pause_frame_send_link(struct node *n, struct port *p, uint16_t quanta, ps_t now)
{
	bool joins;
	struct rte_mbuf *m;

	if (p->out == NULL || !p->up)
		return false;
	joins = pause_frame_may_join(p, PAUSE_FRAME_LINK, now);
	m = joins ? p->pfc_last : pause_frame_make(n, p, PAUSE_FRAME_LINK);
	if (m == NULL)
		return false; // as above
	header_put16(packet_data(m) + PAUSE_FRAME_LINK_OFFSET, quanta);
	pause_frame_note(p, PAUSE_LINK, quanta, now);
	if (!joins) {
		p->pause_tx++;
		pause_frame_start(n, p, m, now);
	}
	return joins;
}
