// SPDX-License-Identifier: BSD-3-Clause
// A flow's packets come in by one port with the same marks, so they all wait in one queue of the
// way out, in their order: that holds before a change, and this file makes it hold after it. Each
// queue that has packets to give is emptied in the order in which they would leave, and those that
// stay are put back; then those that move are appended to their queues. The order between flows may
// differ from that of their arrival.
#include "requeue.h"

#include "port_tx_full.h"
#include "scheduler.h"
#include "dataplane/base/ib_headers.h"
#include "dataplane/base/priority.h"

struct packet_list {
	struct rte_mbuf *head;
	struct rte_mbuf *tail;
};

static void
append(struct packet_list *list, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	if (list->head == NULL)
		list->head = m;
	else
		packet_meta(list->tail)->next = m;
	list->tail = m;
}

// The queue for a packet by the tables in force.
static unsigned int
queue_of(const struct node *n, const struct packet_meta *meta)
{
	const struct tables *t = n->current;

	if (meta->flags & PACKET_TRIMMED)
		return t->trim.size != 0 ? t->trim.tc : meta->tc;
	if (meta->flags & PACKET_INFINIBAND)
		return t->priority_to_tc[meta->priority];
	return t->priority_to_tc[priority_with_ipip(t, t->ports[meta->in_port].profile, meta)];
}

static bool
has_to_give(const struct node *n, const struct port *p, unsigned int tc)
{
	for (struct rte_mbuf *m = p->queues[tc].head; m != NULL; m = fair_next(p, tc, m))
		if (queue_of(n, packet_meta(m)) != tc)
			return true;
	return false;
}

// What the packet holds on the egress side counts for the other queue.
static void
move_charge(struct node *n, struct port *p, struct packet_meta *meta, unsigned int to)
{
	struct usage *from_usage = &p->queues[meta->tc].usage, *to_usage = &p->queues[to].usage;

	if (meta->flags & PACKET_OUT_GUARANTEE) {
		from_usage->guaranteed -= meta->cells;
		to_usage->guaranteed += meta->cells;
	} else {
		from_usage->own -= meta->cells;
		to_usage->own += meta->cells;
	}
	*node_depth(n, p, meta->tc) -= meta->cells;
	*node_depth(n, p, to) += meta->cells;
	meta->tc = (uint8_t)to;
	node_meet(n, meta->pg, to);
}

// Takes the packets that must move out of a queue and appends them to the list of their new queue.
static void
give(struct node *n, struct port *p, unsigned int tc, struct packet_list moved[PRIORITIES])
{
	struct packet_list kept = {0};
	struct rte_mbuf *m, *next;

	while (p->queues[tc].head != NULL) {
		unsigned int to;

		m = p->queue_cold[tc].tenants != NULL ? fair_pop(p, tc) : queue_pop(p, tc);
		to = queue_of(n, packet_meta(m));
		append(to == tc ? &kept : &moved[to], m);
	}
	for (m = kept.head; m != NULL; m = next) {
		next = packet_meta(m)->next;
		port_push_full(p, m);
	}
	if (p->queues[tc].head == NULL)
		scheduler_emptied(&p->queues[tc]);
}

static void
take_in(struct node *n, struct port *p, unsigned int tc, struct packet_list *moved)
{
	struct rte_mbuf *m, *next;

	for (m = moved->head; m != NULL; m = next) {
		next = packet_meta(m)->next;
		move_charge(n, p, packet_meta(m), tc);
		if (packet_meta(m)->flags & PACKET_INFINIBAND)
			ib_lrh_set_vl((struct ib_lrh *)packet_data(m), tc);
		port_push_full(p, m);
	}
}

void
requeue_adopt(struct node *n, struct port *p, ps_t now)
{
	struct packet_list moved[PRIORITIES] = {0};
	bool any = false;

	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		if (has_to_give(n, p, tc)) {
			give(n, p, tc, moved);
			any = true;
		}
	if (!any)
		return;
	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		take_in(n, p, tc, &moved[tc]);
	for (unsigned int tc = 0; tc < PRIORITIES; tc++)
		p->queues[tc].depth_max =
			watermark_greater(p->queues[tc].depth_max, *node_depth(n, p, tc));
	p->next_send = time_min(p->next_send, p->tx_free > now ? p->tx_free : now);
}
