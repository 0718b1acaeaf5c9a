// SPDX-License-Identifier: BSD-3-Clause
// Credits on a link: a packet starts only if the receive buffer at the far end has room for all of
// it. credits.c says how; credit_frame.c has the frames that carry them.
#pragma once

#include "dataplane/base/credit.h"
#include "dataplane/base/node.h"

// Blocks that a packet takes on a link, by its length there.
static inline uint32_t
credits_blocks(const struct node *n, uint32_t wire_bytes)
{
	const uint8_t shift = n->current->credits->block_shift;

	return (wire_bytes + (1u << shift) - 1) >> shift;
}

static inline struct credit_lane *
credits_lane_of_queue(const struct node *n, const struct port *p, unsigned int tc)
{
	return &p->credits->lanes[n->current->credits->queue_to_lane[tc]];
}

// Sending. Of some queues that could go, those whose first packet has credit; of a NIC's queue that
// has no packet yet, one block is enough. Port with credits.
unsigned int credits_eligible(struct node *n, struct port *p, unsigned int queues, ps_t now);
// Whether this packet of a queue has credit. A queue of which it becomes the first packet is held
// otherwise.
bool credits_cover(struct node *n, struct port *p, unsigned int tc, struct rte_mbuf *m, ps_t now);
// A packet of a queue begins to leave: it takes its credit. Returns the blocks.
uint32_t credits_take(struct node *n, struct port *p, unsigned int tc, struct rte_mbuf *m);
// Cold: which of the queues lack credit is to be found anew: packets have left them by other ways.
void credits_reconsider(struct node *n, struct port *p, ps_t now);

// Receiving. A packet came in whole, before anything else is made of it.
void credits_arrive(struct node *n, struct port *in, struct rte_mbuf *m);
// A NIC is done with the packet: it holds nothing any more, unless it waits for the host.
void credits_end_arrival(struct node *n, struct port *in, ps_t now);
// The group, of a switch, that a packet is charged to: that of its lane. What came from outside, on
// no lane, is on that of its queue, and arrives now.
uint8_t credits_classify(struct node *n, struct port *in, struct rte_mbuf *m, unsigned int tc);
// Something of a lane's receive buffer has become free: says so to the far end if it is worth it.
void credits_offer(struct node *n, struct port *p, unsigned int lane, ps_t now);
// The same of all lanes.
void credits_offer_all(struct node *n, struct port *p, ps_t now);
// Of a lane's update that begins to leave: the next one may not before the least spacing is over.
void credits_update_leaves(struct node *n, struct credits *c, unsigned int lane, ps_t now);
// A NIC has taken a packet from its receive buffer.
void credits_release(struct node *n, struct port *p, unsigned int lane, uint32_t blocks, ps_t now);

// What the far end has said: up to which it grants, or by CBFC what it has freed; and how many
// blocks it has sent. As on the wire.
void credits_take_limit(struct node *n, struct port *p, unsigned int lane, uint32_t limit,
			ps_t now);
void credits_take_freed(struct node *n, struct port *p, unsigned int lane, uint32_t freed,
			ps_t now);
void credits_take_sent(struct node *n, struct port *p, unsigned int lane, uint32_t sent, ps_t now);

// Blocks of a lane's receive buffer that are in use.
uint32_t credits_held(const struct node *n, const struct port *p, unsigned int lane);
// Up to which the far end may send now.
uint32_t credits_limit(const struct node *n, const struct port *p, unsigned int lane);

// Cold: the link went down: what waits for credit is sent, and lost.
void credits_stop(struct node *n, struct port *p, ps_t now);
// Cold: the link came up. What the far end grants is not known until it says so.
void credits_restart(struct node *n, struct port *p, ps_t now);
// Sends what is due at `now`, and returns when the next is.
ps_t credits_poll(struct node *n, ps_t now);

// Bytes that credits_adopt() takes of the node's spares if it has none yet; 0: no port has credits.
size_t credits_bytes(const struct node *n, const struct tables *t);
// Cold: new tables are in force instead of these (NULL: there were none).
void credits_adopt(struct node *n, const struct tables *before, ps_t now);
