// SPDX-License-Identifier: BSD-3-Clause
#include "misbehaviour.h"

#include <errno.h>
#include <stdlib.h>

static bool
drain_holds(const struct drain_config *c)
{
	return c->buffer_bytes >= PACKET_FRAME_MAX && c->xon_bytes <= c->xoff_bytes &&
	       (c->stall_every == 0 || c->stall_for < c->stall_every);
}

int
misbehaviour_create(struct misbehaviour **out, uint16_t ports, const struct drain_config *drain,
		    const struct storm_config *storm)
{
	static const struct storm_config none;
	struct misbehaviour *b;

	if ((drain != NULL && !drain_holds(drain)) || (storm != NULL && storm->to <= storm->from))
		return -EINVAL;
	b = calloc(1, sizeof(*b) + ports * sizeof(b->ports[0]));
	if (b == NULL)
		return -ENOMEM;
	b->port_count = ports;
	b->drains = drain != NULL;
	if (drain != NULL)
		b->drain_config = *drain;
	storm_init(&b->storm, storm != NULL ? storm : &none);
	if (storm == NULL)
		b->storm.next_at = PS_NEVER;
	for (uint16_t i = 0; i < ports; i++) {
		drain_init(&b->ports[i].drain, &b->drain_config);
		xoff_init(&b->ports[i].xoff);
	}
	*out = b;
	return 0;
}

void
misbehaviour_destroy(struct misbehaviour *b, struct packet_pool *packets)
{
	if (b == NULL)
		return;
	for (uint16_t i = 0; i < b->port_count; i++)
		for (struct rte_mbuf *m = b->ports[i].drain.head, *next; m != NULL; m = next) {
			next = packet_meta(m)->next;
			packet_free(packets, m);
		}
	free(b);
}

int
misbehaviour_take(struct misbehaviour *b, struct node *n, struct port *p, struct rte_mbuf *m,
		  ps_t now)
{
	struct misbehaviour_port *port = &b->ports[p->index];

	if (!b->drains)
		return STAGE_NEXT;
	return drain_take(n, p, &port->drain, &port->xoff, m, now);
}

ps_t
misbehaviour_due(const struct misbehaviour *b)
{
	ps_t due = b->storm.next_at;

	for (uint16_t i = 0; i < b->port_count; i++) {
		due = time_min(due, b->ports[i].drain.done_at);
		due = time_min(due, b->ports[i].xoff.refresh_at);
	}
	return due;
}

void
misbehaviour_timer(struct misbehaviour *b, struct node *n, ps_t now, stage_fn *take)
{
	bool turns = b->storm.next_at <= now;
	uint8_t storm = turns ? storm_turn(&b->storm, now) : 0;

	for (uint16_t i = 0; i < b->port_count; i++) {
		struct misbehaviour_port *port = &b->ports[i];
		struct port *p = &n->ports[i];
		struct rte_mbuf *m;

		if (turns)
			xoff_want(n, p, &port->xoff, XOFF_STORM, storm, now);
		while ((m = drain_next(n, p, &port->drain, &port->xoff, now)) != NULL) {
			int verdict = take(n, p, m, now);

			if (verdict >= 0)
				node_drop(n, m, (enum drop_reason)verdict, now);
		}
		if (port->xoff.refresh_at <= now)
			xoff_refresh(n, p, &port->xoff, now);
	}
}

uint64_t
misbehaviour_held(const struct misbehaviour *b)
{
	uint64_t held = 0;

	for (uint16_t i = 0; i < b->port_count; i++)
		held += b->ports[i].drain.packets;
	return held;
}
