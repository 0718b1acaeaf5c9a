// SPDX-License-Identifier: BSD-3-Clause
// At every multiple of `poll` the watchdog checks each queue that received pauses can hold: those
// of classes to which an obeyed priority maps, or all of them with 802.3x. It uses how long pauses
// have held the queue since the last check, which is known exactly (queue_cold.held), and whether a
// packet has left:
//
//   stuck    a queue that is held at a check is stuck since the present hold began;
//   still    it stays stuck while no packet leaves and pauses hold it: for any time if packets
//            wait, for more than 80 % of the time if none do (SONiC's watchdog, pfc_detect_*.lua)
//            or if transmission is off, for then the queue sends nothing whatever pauses do.
//            Gaps between pauses do not help another queue that sends nothing in them;
//   storm    it has been stuck for `detect`.
//
// A port has settings of its own, but for `poll`. In a storm the queue's pauses are ignored.
// Action DROP also drops packets that arrive for the queue and, with `flush`, packets that wait
// in it (without `flush` they are sent); with `ingress`, it drops packets that arrive by the
// port with one of the queue's priorities, which then causes no pause. FORWARD sends as if there
// were no pause. ALERT only logs. The storm ends at the first check at which no frame has paused
// the queue for `restore`, or when the user ends it.
//
// port->stormed has a bit for each queue in a storm that the watchdog acts on; packets are tested
// against it.
#include "watchdog.h"

#include "dataplane/base/node_log.h"
#include "port_tx_full.h"
#include "pause.h"
#include "pfc.h"

// The part of the time that an empty queue must have been held: 4 / 5.
#define WATCHDOG_SHARE_OF 5
#define WATCHDOG_SHARE 4

static uint8_t
watchdog_queues(const struct node *n, const struct port *p)
{
	uint8_t queues = 0;

	if (!p->profile->watchdog.on)
		return 0;
	if (p->profile->link_pause)
		return 0xff;
	for (unsigned int bits = p->profile->obeyed; bits != 0; bits &= bits - 1)
		queues |= (uint8_t)(1u << n->current->priority_to_tc[__builtin_ctz(bits)]);
	return queues;
}

static void
watchdog_log(struct node *n, const struct port *p, unsigned int tc, enum node_log_kind kind,
	     ps_t span, ps_t now)
{
	const struct watchdog_queue *w = &p->watchdog[tc];
	const struct node_log_entry entry = {
		.at = now,
		.span = span,
		.packets = w->dropped - w->dropped_before,
		.kind = (uint8_t)kind,
		.action = p->profile->watchdog.action,
		.port = p->index,
		.tc = (uint8_t)tc,
	};

	node_log_put(n->log, &entry);
}

static void
watchdog_flush(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	uint64_t before = p->queues[tc].dropped;

	port_drop_queue(n, p, tc, DROP_WATCHDOG, now);
	p->watchdog[tc].dropped += p->queues[tc].dropped - before;
}

// Has a queue in a storm treated as the tables say.
static void
watchdog_act(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	const struct watchdog_profile *profile = &p->profile->watchdog;
	uint8_t bit = (uint8_t)(1u << tc);

	p->stormed &= (uint8_t)~bit;
	if (profile->action != WATCHDOG_ALERT)
		p->stormed |= bit;
	pfc_adopt(n, p, now);
	if (profile->action == WATCHDOG_DROP && profile->flush)
		watchdog_flush(n, p, tc, now);
	pause_reconsider(n, p, tc, now);
}

static void
watchdog_begin(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	struct watchdog_queue *w = &p->watchdog[tc];

	w->storm = true;
	w->storms++;
	w->dropped_before = w->dropped;
	watchdog_log(n, p, tc, NODE_LOG_STORM, now - w->stuck_since, now);
	watchdog_act(n, p, tc, now);
}

static void
watchdog_end(struct node *n, struct port *p, unsigned int tc, enum node_log_kind kind, ps_t now)
{
	struct watchdog_queue *w = &p->watchdog[tc];

	w->storm = false;
	w->stuck_since = PS_NEVER;
	p->stormed &= (uint8_t) ~(1u << tc);
	pause_reconsider(n, p, tc, now); // what pauses it now, holds it from now on
	pfc_adopt(n, p, now);
	watchdog_log(n, p, tc, kind, now - p->queue_cold[tc].last_xoff, now);
}

// Checks one queue.
static void
watchdog_check_queue(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	const struct watchdog_profile *profile = &p->profile->watchdog;
	const struct queue_cold *cold = &p->queue_cold[tc];
	struct watchdog_queue *w = &p->watchdog[tc];
	ps_t held = pause_clock_total(&cold->held, now), gained = held - w->paused;
	bool still;

	if (w->storm) {
		if (now - cold->last_xoff >= profile->restore)
			watchdog_end(n, p, tc, NODE_LOG_RESTORE_QUIET, now);
		return;
	}
	still = w->stuck_since != PS_NEVER && p->queues[tc].packets == w->packets;
	if (*node_depth(n, p, tc) != 0 && !(p->tx_off & 1u << tc))
		still = still && gained != 0;
	else
		still = still &&
			gained * WATCHDOG_SHARE_OF > (now - n->watchdog_at) * WATCHDOG_SHARE;
	if (!still)
		w->stuck_since = cold->held.since;
	w->packets = p->queues[tc].packets;
	w->paused = held;
	if (w->stuck_since != PS_NEVER && now - w->stuck_since >= profile->detect)
		watchdog_begin(n, p, tc, now);
}

ps_t
watchdog_poll(struct node *n, ps_t now)
{
	ps_t poll = n->current->watchdog_poll;

	if (poll == 0 || now < n->watchdog_due)
		return n->watchdog_due;
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct port *p = &n->ports[i];

		if (p->paused != 0)
			pause_expire(n, p, now);
		for (unsigned int bits = watchdog_queues(n, p); bits != 0; bits &= bits - 1)
			watchdog_check_queue(n, p, (unsigned int)__builtin_ctz(bits), now);
	}
	n->watchdog_at = now;
	n->watchdog_due = (now / poll + 1) * poll;
	return n->watchdog_due;
}

void
watchdog_restore(struct node *n, struct port *p, unsigned int tc, ps_t now)
{
	if (port_watchdog(p, tc)->storm)
		watchdog_end(n, p, tc, NODE_LOG_RESTORE_BY_HAND, now);
}

static void
watchdog_adopt_port(struct node *n, struct port *p, ps_t now)
{
	uint8_t queues = watchdog_queues(n, p);

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		struct watchdog_queue *w = &p->watchdog[tc];

		if (queues & 1u << tc) {
			if (w->storm)
				watchdog_act(n, p, tc, now);
			continue;
		}
		if (w->storm)
			watchdog_end(n, p, tc, NODE_LOG_RESTORE_CHANGED, now);
		w->stuck_since = PS_NEVER;
	}
}

size_t
watchdog_bytes(const struct node *n, const struct tables *t)
{
	return t->watchdog_poll == 0 || n->role == NODE_NIC
		       ? 0
		       : PRIORITIES * n->port_count * sizeof(*n->watchdog);
}

static void
add_queues(struct node *n)
{
	const size_t bytes = watchdog_bytes(n, n->current);

	if (n->watchdog != NULL || bytes == 0)
		return;
	n->watchdog = spare_take(&n->spares, bytes);
	for (unsigned int i = 0; i < PRIORITIES * n->port_count; i++)
		n->watchdog[i].stuck_since = PS_NEVER;
	for (unsigned int i = 0; i < n->port_count; i++)
		n->ports[i].watchdog = &n->watchdog[PRIORITIES * i];
}

void
watchdog_adopt(struct node *n, ps_t now)
{
	ps_t poll = n->current->watchdog_poll;

	if (n->role == NODE_NIC)
		return;
	add_queues(n);
	if (n->watchdog == NULL)
		return;
	for (unsigned int i = 0; i < n->port_count; i++)
		watchdog_adopt_port(n, &n->ports[i], now);
	n->watchdog_due = poll != 0 ? (now + poll - 1) / poll * poll : PS_NEVER;
	node_arm_timer(n, n->watchdog_due);
}

bool
watchdog_refuses(struct node *n, struct port *in, struct port *out, struct rte_mbuf *m)
{
	const struct packet_meta *meta = packet_meta(m);
	unsigned int in_tc = n->current->priority_to_tc[meta->priority];
	struct priority_group *g = &in->groups[meta->pg];

	if (out->stormed & 1u << meta->tc && out->profile->watchdog.action == WATCHDOG_DROP) {
		out->queues[meta->tc].dropped++;
		out->queue_cold[meta->tc].dropped_bytes += meta->wire_bytes;
		out->watchdog[meta->tc].dropped++;
	} else if (in->stormed & 1u << in_tc && in->profile->watchdog.action == WATCHDOG_DROP &&
		   in->profile->watchdog.ingress) {
		g->dropped++;
		in->watchdog[in_tc].dropped++;
	} else {
		return false;
	}
	g->packets++;
	g->bytes += meta->wire_bytes;
	return true;
}
