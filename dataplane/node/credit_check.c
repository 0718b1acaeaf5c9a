// SPDX-License-Identifier: BSD-3-Clause
// For each lane of a link, in one direction:
//
//   sent - received                 = blocks on the wire (more, where packets were lost)
//   held + advertised - received   <= the receive buffer (but for answers of the switch itself)
//   limit of the sender            <= advertised
//   sent                           <= limit
//
// So what the sender may still send, what is on its way and what is held never pass the buffer.
#include "credit_check.h"

#include "dataplane/queueing/credits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct far_end {
	const struct wire *wire;
	const struct node *node;
	const struct port *port;
};

static int
compare(const void *left, const void *right)
{
	const struct far_end *a = left, *b = right;

	return a->wire < b->wire ? -1 : a->wire > b->wire;
}

// Blocks of a lane on a wire.
static uint32_t
on_wire(const struct node *n, const struct wire *w, unsigned int lane)
{
	uint32_t blocks = 0;

	for (uint32_t i = w->head; i != w->tail; i++) {
		const struct packet_meta *meta = packet_meta(w->slots[i & w->mask].packet);

		if (meta->lane == PACKET_LANE_FIRST + lane)
			blocks += credits_blocks(n, meta->wire_bytes);
	}
	return blocks;
}

static bool
has_lost(const struct credit_lane *from, const struct credit_lane *to, const struct port *at)
{
	return from->lost != 0 || to->recovered != 0 || at->drops[DROP_BAD_FCS] != 0 ||
	       at->drops[DROP_LINK_DOWN] != 0;
}

static bool
has_answered(const struct port *p)
{
	for (unsigned int kind = 0; kind < ANSWER_PACKETS; kind++)
		if (p->answers[kind] != 0)
			return true;
	return false;
}

static const char *
find_violation(const struct node *n, const struct port *p, const struct far_end *far,
	       unsigned int lane)
{
	const struct credit_tables *t = n->current->credits;
	const struct credit_lane *from = &p->credits->lanes[lane],
				 *to = &far->port->credits->lanes[lane];
	const uint32_t between = from->sent - to->received, wire = on_wire(n, p->out, lane);
	const uint32_t held = credits_held(far->node, far->port, lane);
	const uint32_t size = far->port->credits->profile->granted[lane];

	if (has_lost(from, to, far->port) ? (int32_t)(between - wire) < 0 : between != wire)
		return "blocks sent and not received are not those on the wire";
	if (!has_answered(far->port) &&
	    (int32_t)(held + (to->advertised - to->received) - size) > 0)
		return "more is granted than the receive buffer has";
	// A link that came up knows no limit: that is half of what is counted, at most.
	if (((to->advertised - from->limit) & t->mask) > (t->mask + 1) / 2)
		return "the limit is beyond what was granted";
	if ((int32_t)(from->sent - from->limit) > 0)
		return "more was sent than was granted";
	return NULL;
}

static void
check_port(const struct node *n, const struct port *p, const struct far_end *far, ps_t now)
{
	for (unsigned int lane = 0; lane < PRIORITIES; lane++) {
		const char *what = find_violation(n, p, far, lane);

		if (what == NULL)
			continue;
		fprintf(stderr,
			"roost: %s, port %u, lane %u at %" PRIu64 " ps: %s (sent %u, limit %u, "
			"received %u, advertised %u)\n",
			n->name != NULL ? n->name : "a node", p->index + 1u, lane, now, what,
			p->credits->lanes[lane].sent, p->credits->lanes[lane].limit,
			far->port->credits->lanes[lane].received,
			far->port->credits->lanes[lane].advertised);
		abort();
	}
}

static uint32_t
list_ends(struct node *const *nodes, uint32_t count, struct far_end *ends)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++)
		for (unsigned int k = 0; nodes[i]->credits != NULL && k < nodes[i]->port_count;
		     k++) {
			const struct port *p = &nodes[i]->ports[k];

			if (p->in != NULL)
				ends[used++] = (struct far_end){p->in, nodes[i], p};
		}
	qsort(ends, used, sizeof(*ends), compare);
	return used;
}

void
credit_check(struct node *const *nodes, uint32_t count, ps_t now)
{
	uint32_t ports = 0, used;
	struct far_end *ends;

	for (uint32_t i = 0; i < count; i++)
		ports += nodes[i]->credits != NULL ? nodes[i]->port_count : 0u;
	ends = calloc(ports + 1u, sizeof(*ends));
	if (ends == NULL)
		abort();
	used = list_ends(nodes, count, ends);
	for (uint32_t i = 0; used != 0 && i < count; i++)
		for (unsigned int k = 0; nodes[i]->credits != NULL && k < nodes[i]->port_count;
		     k++) {
			const struct port *p = &nodes[i]->ports[k];
			const struct far_end key = {.wire = p->out};
			const struct far_end *far =
				p->out != NULL ? bsearch(&key, ends, used, sizeof(key), compare)
					       : NULL;

			if (far != NULL)
				check_port(nodes[i], p, far, now);
		}
	free(ends);
}
