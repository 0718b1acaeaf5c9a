// SPDX-License-Identifier: BSD-3-Clause
#include "ports.h"

#include "dataplane/queueing/fair.h"
#include "dataplane/queueing/pause.h"
#include "dataplane/queueing/pfc.h"
#include "dataplane/roce/reorder.h"

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
	} else {
		pause_clear(n, p, now);
		pfc_close_pauses(p, now);
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
		wire_update_faulty(p->out);
	}
	set_up(n, p, up && !p->link_off, now);
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
	}
	return count;
}
