// SPDX-License-Identifier: BSD-3-Clause
// For each lane of a link, in one direction:
//
//   sent - received                 = blocks on the wire (more, where packets were lost)
//   held + advertised - received   <= the receive buffer (but for answers of the switch itself)
//   limit of the sender            <= advertised
//   sent                           <= limit
//
// So what the sender may still send, what is on its way and what is held never pass the buffer.
//
// With link-level retry, in one direction:
//
//   outstanding             = the bytes of the frames that are not acknowledged
//   held                    = exactly those that the far end does not have
//   accepted - expected     = frames with a number on the wire, once the link has begun
#include "link_check.h"

#include "dataplane/base/llr.h"
#include "dataplane/queueing/credits.h"
#include "dataplane/queueing/llr.h"

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
	const uint32_t between = from->sent - to->received,
		       wire = on_wire(n, p->out, lane) + llr_held_blocks(n, p, lane);
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

static uint32_t
numbered_on_wire(const struct wire *w)
{
	uint32_t count = 0;

	for (uint32_t i = w->head; i != w->tail; i++)
		count += !!(packet_meta(w->slots[i & w->mask].packet)->flags & PACKET_RETRIED);
	return count;
}

static const char *
find_llr_violation(const struct port *p, const struct far_end *far)
{
	const struct llr *l = p->llr, *to = far->port->llr;
	uint64_t bytes = 0;

	if (l->accepted - l->first > l->next - l->first)
		return "the far end accepts a frame that was not sent";
	for (uint32_t i = l->first; i != l->next; i++) {
		const struct llr_frame *frame = &l->frames[i & l->mask];

		bytes += frame->bytes;
		if ((frame->held != NULL) != ((int32_t)(i - l->accepted) >= 0))
			return "a frame is held that the far end has, or is not that it lacks";
	}
	if (bytes != l->outstanding)
		return "the outstanding bytes are not those of the frames";
	if (l->tx_state != LLR_TX_INIT && to->rx_state != LLR_RX_OFF &&
	    l->accepted - to->expected != numbered_on_wire(p->out))
		return "frames accepted and not received are not those on the wire";
	return NULL;
}

static void
check_llr(const struct node *n, const struct port *p, const struct far_end *far, ps_t now)
{
	const char *what = find_llr_violation(p, far);

	if (what == NULL)
		return;
	fprintf(stderr,
		"roost: %s, port %u at %" PRIu64 " ps: %s (first %u, accepted %u, next %u, far "
		"end expects %u)\n",
		n->name != NULL ? n->name : "a node", p->index + 1u, now, what, p->llr->first,
		p->llr->accepted, p->llr->next, far->port->llr->expected);
	abort();
}

static void
check_credits(const struct node *n, const struct port *p, const struct far_end *far, ps_t now)
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

// The ports of a node that may be of such links.
static unsigned int
ports_of(const struct node *n)
{
	return n->credits != NULL || n->llr != NULL ? n->port_count : 0;
}

static uint32_t
list_ends(struct node *const *nodes, uint32_t count, struct far_end *ends)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++)
		for (unsigned int k = 0; k < ports_of(nodes[i]); k++) {
			const struct port *p = &nodes[i]->ports[k];

			if (p->in != NULL)
				ends[used++] = (struct far_end){p->in, nodes[i], p};
		}
	qsort(ends, used, sizeof(*ends), compare);
	return used;
}

void
link_check(struct node *const *nodes, uint32_t count, ps_t now)
{
	uint32_t ports = 0, used;
	struct far_end *ends;

	for (uint32_t i = 0; i < count; i++)
		ports += ports_of(nodes[i]);
	ends = calloc(ports + 1u, sizeof(*ends));
	if (ends == NULL)
		abort();
	used = list_ends(nodes, count, ends);
	for (uint32_t i = 0; used != 0 && i < count; i++)
		for (unsigned int k = 0; k < ports_of(nodes[i]); k++) {
			const struct port *p = &nodes[i]->ports[k];
			const struct far_end key = {.wire = p->out};
			const struct far_end *far =
				p->out != NULL ? bsearch(&key, ends, used, sizeof(key), compare)
					       : NULL;

			if (far != NULL && p->credits != NULL)
				check_credits(nodes[i], p, far, now);
			if (far != NULL && p->llr != NULL)
				check_llr(nodes[i], p, far, now);
		}
	free(ends);
}
