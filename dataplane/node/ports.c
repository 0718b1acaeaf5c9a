// SPDX-License-Identifier: BSD-3-Clause
#include "ports.h"

#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/llr.h"
#include "dataplane/queueing/pause.h"
#include "dataplane/queueing/pause_frame.h"
#include "dataplane/queueing/pfc.h"
#include "dataplane/roce/reorder.h"

#include <errno.h>
#include <string.h>

// Frames that may wait for a transmitter, pauses included: where the far side takes nothing.
#define CONTROL_FRAMES_MAX 8

void
node_set_tx_off(struct node *n, struct port *p, uint8_t queues, ps_t now)
{
	p->tx_off = queues;
	pause_update_held(n, p);
	if (p->nonempty != 0)
		p->next_send = p->tx_free > now ? p->tx_free : now;
}

static void
set_up(struct node *n, struct port *p, bool up, ps_t now)
{
	p->up = up;
	p->rx_faults = (uint8_t)(up ? p->rx_faults & ~PORT_RX_DOWN : p->rx_faults | PORT_RX_DOWN);
	if (up) {
		pfc_resend_xoffs(n, p, now);
		if (p->credits != NULL)
			credits_restart(n, p, now);
		if (p->llr != NULL)
			llr_restart(n, p, now);
	} else {
		pause_clear(n, p, now);
		pfc_close_pauses(p, now);
		if (p->credits != NULL)
			credits_stop(n, p, now);
		if (p->llr != NULL)
			llr_stop(n, p, now);
	}
	pause_update_held(n, p);
}

void
node_set_link(struct node *n, struct port *p, bool up, ps_t now)
{
	p->link_off = !up;
	set_up(n, p, up && !p->no_carrier, now);
}

void
node_set_carrier(struct node *n, struct port *p, bool up, ps_t now)
{
	p->no_carrier = !up;
	if (p->out != NULL) {
		p->out->down = !up || p->link_off;
		wire_update_special(p->out);
	}
	set_up(n, p, up && !p->link_off, now);
}

int
node_send_control(struct node *n, struct port *p, const uint8_t *frame, uint32_t length, ps_t now)
{
	const uint32_t padded = length < PACKET_FRAME_MIN ? PACKET_FRAME_MIN : length;
	unsigned int waiting = 0;
	struct rte_mbuf *m;

	if (p->out == NULL || !p->up)
		return -ENETDOWN;
	for (m = p->pfc_head; m != NULL; m = packet_meta(m)->next)
		if (++waiting == CONTROL_FRAMES_MAX)
			return -ENOBUFS;
	m = packet_alloc_bytes(n->packets, padded);
	if (m == NULL)
		return -ENOBUFS;
	packet_init_frame(m, 0, (uint16_t)padded);
	packet_meta(m)->in_port = p->index;
	packet_meta(m)->tenant = TENANT_NONE;
	memcpy(packet_data(m), frame, length);
	memset(packet_data(m) + length, 0, padded - length);
	pause_frame_send_other(n, p, m, now);
	return 0;
}

void
node_drop_partial(struct node *n, struct port *p, ps_t now)
{
	struct rte_mbuf *m = p->partial;

	p->partial = NULL;
	if (m != NULL)
		node_drop(n, m, DROP_LINK_DOWN, now);
}

uint64_t
node_queued(const struct node *n)
{
	uint64_t count = 0;

	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *p = &n->ports[i];

		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			for (struct rte_mbuf *m = p->queues[tc].head; m != NULL;
			     m = fair_next(p, tc, m))
				count++;
		if (p->reorder != NULL)
			count += p->reorder->waiting;
		count += p->partial != NULL;
		count += llr_held(p);
	}
	return count;
}
