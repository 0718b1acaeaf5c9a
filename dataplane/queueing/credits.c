// SPDX-License-Identifier: BSD-3-Clause
// A link has up to eight lanes (InfiniBand: virtual lanes of data; CBFC: virtual channels), each
// with a receive buffer of its own at the far end. Both ends count blocks: 64 B with InfiniBand,
// 128 B with CBFC. A packet takes as many as it needs, rounded up.
//
// The sender keeps the total of blocks that it has sent (FCTBS, or credits consumed). The receiver
// keeps the total that has arrived, and says up to which total the sender may go: what has arrived
// and what is free (FCCL), or, with CBFC, the total that it has freed, to which the sender adds the
// size of the buffer. A packet starts if the sender's total does not pass the limit with it. All
// values are totals, so that the next one heals the loss of one. What is lost of the data heals as
// well: the sender's total comes with every flow control packet of InfiniBand, and with CC_Update
// of CBFC, and the receiver takes it for its own. (InfiniBand Architecture Specification, volume 1,
// section 7.9; Ultra Ethernet Specification 1.0, section 5.2.)
//
// What is free is computed from what the buffer holds, never by adding and subtracting. A lane's
// receive buffer is a priority group of the switch, whose reserved cells are the lane's blocks; the
// lane's number is the group's. At the sender a lane is the traffic class of the same number.
//
// Frames of the port itself (pauses, LLDP, credits) take no credit.
#include "credits.h"

#include "credit_frame.h"
#include "lane_arbiter.h"
#include "pause.h"
#include "pause_frame.h"

#include <string.h>

// ---- sending ------------------------------------------------------------------------------------

// The queues that lack credit for their first packet are these from now on.
static void
set_starved(struct node *n, struct port *p, unsigned int queues, ps_t now)
{
	struct credits *c = p->credits;
	unsigned int lanes = 0;

	if (queues == c->starved)
		return;
	c->starved = (uint8_t)queues;
	for (unsigned int bits = queues; bits != 0; bits &= bits - 1)
		lanes |= 1u << n->current->credits->queue_to_lane[__builtin_ctz(bits)];
	for (unsigned int i = 0; i < PRIORITIES; i++) {
		if (lanes >> i & 1)
			pause_clock_open(&c->lanes[i].wait, now);
		else
			pause_clock_close(&c->lanes[i].wait, now);
	}
	pause_update_held(n, p);
}

// A link that is down takes everything, and loses it.
static bool
lacks(const struct node *n, const struct port *p, unsigned int tc, uint32_t blocks)
{
	return p->up && credit_available(credits_lane_of_queue(n, p, tc)) < (int32_t)blocks;
}

static bool
first_lacks(const struct node *n, const struct port *p, unsigned int tc)
{
	struct rte_mbuf *m = p->queues[tc].head;

	return lacks(n, p, tc, m != NULL ? credits_blocks(n, packet_meta(m)->wire_bytes) : 1);
}

unsigned int
credits_eligible(struct node *n, struct port *p, unsigned int queues, ps_t now)
{
	unsigned int starved = p->credits->starved;

	for (unsigned int bits = queues & ~starved; bits != 0; bits &= bits - 1) {
		const unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (first_lacks(n, p, tc))
			starved |= 1u << tc;
	}
	set_starved(n, p, starved, now);
	return queues & ~starved;
}

bool
credits_cover(struct node *n, struct port *p, unsigned int tc, struct rte_mbuf *m, ps_t now)
{
	if (!lacks(n, p, tc, credits_blocks(n, packet_meta(m)->wire_bytes)))
		return true;
	set_starved(n, p, p->credits->starved | 1u << tc, now);
	return false;
}

// What a link that is down loses takes none: the total sent would pass what was granted, and the
// difference of the two on the wire would then be anything.
uint32_t
credits_take(struct node *n, struct port *p, unsigned int tc, struct rte_mbuf *m)
{
	const unsigned int lane = n->current->credits->queue_to_lane[tc];
	const uint32_t blocks = p->up ? credits_blocks(n, packet_meta(m)->wire_bytes) : 0;

	p->credits->lanes[lane].sent += blocks;
	packet_meta(m)->lane = (uint8_t)(PACKET_LANE_FIRST + lane);
	return blocks;
}

// Finds anew which of the queues that lacked credit still do.
static void
reconsider(struct node *n, struct port *p, ps_t now)
{
	unsigned int starved = 0;

	for (unsigned int bits = p->credits->starved; bits != 0; bits &= bits - 1) {
		const unsigned int tc = (unsigned int)__builtin_ctz(bits);

		if (p->nonempty >> tc & 1 && first_lacks(n, p, tc))
			starved |= 1u << tc;
	}
	if (starved == p->credits->starved)
		return;
	set_starved(n, p, starved, now);
	// Among this instant's departures.
	if (p->nonempty != 0)
		node_arm_send(n, p, p->tx_free > now ? p->tx_free : now);
}

void
credits_reconsider(struct node *n, struct port *p, ps_t now)
{
	if (p->credits->starved != 0)
		reconsider(n, p, now);
}

static void
set_limit(struct node *n, struct port *p, unsigned int lane, uint32_t limit, ps_t now)
{
	p->credits->lanes[lane].limit = limit;
	p->credits->lanes[lane].updates_rx++;
	credits_reconsider(n, p, now);
}

// At most `most` blocks are free at the far end; what is more is a limit that has been passed.
void
credits_take_limit(struct node *n, struct port *p, unsigned int lane, uint32_t limit, ps_t now)
{
	const struct credit_tables *t = n->current->credits;
	const uint32_t sent = p->credits->lanes[lane].sent, ahead = (limit - sent) & t->mask;

	set_limit(n, p, lane, sent + (ahead <= t->most ? ahead : 0), now);
}

void
credits_take_freed(struct node *n, struct port *p, unsigned int lane, uint32_t freed, ps_t now)
{
	const struct credit_tables *t = n->current->credits;
	const uint32_t sent = p->credits->lanes[lane].sent, in_use = (sent - freed) & t->mask;
	const uint32_t size = p->credits->profile->peer[lane];

	set_limit(n, p, lane, sent + (in_use <= size ? size - in_use : 0), now);
}

// ---- receiving ----------------------------------------------------------------------------------

uint32_t
credits_held(const struct node *n, const struct port *p, unsigned int lane)
{
	const struct priority_group *g = &p->groups[lane];
	uint32_t partial = 0;

	if (n->role == NODE_NIC)
		return p->credits->lanes[lane].held;
	// What is stored until its last bit arrives is charged nowhere yet (stages/cut_through.h).
	if (p->partial != NULL && packet_meta(p->partial)->lane == PACKET_LANE_FIRST + lane)
		partial = credits_blocks(n, packet_meta(p->partial)->wire_bytes);
	return g->usage.own + g->usage.guaranteed + g->headroom + partial;
}

// What was granted once is never taken back, even if an answer of the switch itself is charged to
// the lane's group meanwhile.
uint32_t
credits_limit(const struct node *n, const struct port *p, unsigned int lane)
{
	const struct credit_lane *l = &p->credits->lanes[lane];
	const uint32_t size = p->credits->profile->granted[lane], held = credits_held(n, p, lane);
	const uint32_t unused = size > held ? size - held : 0;
	const uint32_t most = n->current->credits->most;
	const uint32_t limit = l->received + (unused < most ? unused : most);

	return (int32_t)(limit - l->advertised) > 0 ? limit : l->advertised;
}

static void
note_due(struct node *n, ps_t at)
{
	n->credits_due = time_min(n->credits_due, at);
	node_arm_timer(n, at);
}

// Has an update leave as soon as the transmitter is free; one that waits says the latest.
static void
send_update(struct node *n, struct port *p, unsigned int lane, ps_t now)
{
	struct credits *c = p->credits;
	struct rte_mbuf *m;

	if (c->waiting >> lane & 1)
		return;
	m = credit_frame_make(n, p, PACKET_LANE_UPDATE);
	if (m == NULL)
		return; // no packet left at all: sent again later
	packet_meta(m)->pg = (uint8_t)lane;
	c->waiting |= (uint8_t)(1u << lane);
	pause_frame_send_other(n, p, m, now);
}

static void
request_update(struct node *n, struct port *p, unsigned int lane, ps_t now)
{
	struct credits *c = p->credits;

	c->lanes[lane].resend_at = now + c->profile->resend;
	if (p->out == NULL || !p->up)
		return;
	if (c->profile->spacing != 0 && (c->waiting != 0 || now < c->spaced_until)) {
		c->deferred |= (uint8_t)(1u << lane) & (uint8_t)~c->waiting;
		if (c->waiting == 0)
			note_due(n, c->spaced_until);
		return;
	}
	send_update(n, p, lane, now);
}

// The least spacing counts from here, not from the request: the update may have waited for the
// transmitter.
void
credits_update_leaves(struct node *n, struct credits *c, unsigned int lane, ps_t now)
{
	c->waiting &= (uint8_t) ~(1u << lane);
	c->spaced_until = now + c->profile->spacing;
	if (c->deferred != 0)
		note_due(n, c->spaced_until);
}

void
credits_offer(struct node *n, struct port *p, unsigned int lane, ps_t now)
{
	const struct credit_lane *l = &p->credits->lanes[lane];
	const uint32_t more = credits_limit(n, p, lane) - l->advertised;

	if (more != 0 && more >= p->credits->profile->update)
		request_update(n, p, lane, now);
}

void
credits_offer_all(struct node *n, struct port *p, ps_t now)
{
	for (unsigned int bits = n->current->credits->lanes; bits != 0; bits &= bits - 1)
		credits_offer(n, p, (unsigned int)__builtin_ctz(bits), now);
}

void
credits_arrive(struct node *n, struct port *in, struct rte_mbuf *m)
{
	const unsigned int lane = packet_meta(m)->lane - (unsigned int)PACKET_LANE_FIRST;
	uint32_t blocks;

	if (lane >= PRIORITIES)
		return;
	blocks = credits_blocks(n, packet_meta(m)->wire_bytes);
	in->credits->lanes[lane].received += blocks;
	if (n->role != NODE_NIC)
		return;
	in->credits->lanes[lane].held += blocks;
	in->credits->arriving_lane = (uint8_t)lane;
	in->credits->arriving = blocks;
}

void
credits_end_arrival(struct node *n, struct port *in, ps_t now)
{
	const uint32_t blocks = in->credits->arriving;

	in->credits->arriving = 0;
	if (blocks != 0)
		credits_release(n, in, in->credits->arriving_lane, blocks, now);
}

uint8_t
credits_classify(struct node *n, struct port *in, struct rte_mbuf *m, unsigned int tc)
{
	struct packet_meta *meta = packet_meta(m);

	if (meta->lane == PACKET_LANE_NONE) {
		meta->lane = (uint8_t)(PACKET_LANE_FIRST + n->current->credits->queue_to_lane[tc]);
		credits_arrive(n, in, m);
	}
	return (uint8_t)(meta->lane - PACKET_LANE_FIRST);
}

void
credits_release(struct node *n, struct port *p, unsigned int lane, uint32_t blocks, ps_t now)
{
	p->credits->lanes[lane].held -= blocks;
	credits_offer(n, p, lane, now);
}

// A wire keeps the order, so what has not arrived was lost. That is never more than was granted.
void
credits_take_sent(struct node *n, struct port *p, unsigned int lane, uint32_t sent, ps_t now)
{
	struct credit_lane *l = &p->credits->lanes[lane];
	const uint32_t lost = (sent - l->received) & n->current->credits->mask;

	if (lost == 0)
		return;
	l->received += lost;
	l->recovered += lost;
	credits_offer(n, p, lane, now);
}

// ---- time ---------------------------------------------------------------------------------------

void
credits_stop(struct node *n, struct port *p, ps_t now)
{
	p->credits->deferred = 0;
	credits_reconsider(n, p, now);
}

void
credits_restart(struct node *n, struct port *p, ps_t now)
{
	struct credits *c = p->credits;

	for (unsigned int bits = n->current->credits->lanes; bits != 0; bits &= bits - 1) {
		const unsigned int lane = (unsigned int)__builtin_ctz(bits);

		c->lanes[lane].limit = c->lanes[lane].sent;
		request_update(n, p, lane, now);
	}
	if (c->profile->sync != 0) {
		c->sync_at = now;
		note_due(n, now);
	}
}

// Of the updates that wait for the least spacing the next in turn.
static void
send_deferred(struct node *n, struct port *p, ps_t now)
{
	struct credits *c = p->credits;
	const unsigned int after = c->deferred & ~((1u << c->next) - 1);
	const unsigned int lane = (unsigned int)__builtin_ctz(after != 0 ? after : c->deferred);

	c->deferred &= (uint8_t) ~(1u << lane);
	c->next = (uint8_t)((lane + 1) % PRIORITIES);
	send_update(n, p, lane, now);
}

static void
send_sync(struct node *n, struct port *p, ps_t now)
{
	struct rte_mbuf *m;

	p->credits->sync_at = now + p->credits->profile->sync;
	if (p->out == NULL || !p->up)
		return;
	m = credit_frame_make(n, p, PACKET_LANE_SYNC);
	if (m != NULL)
		pause_frame_send_other(n, p, m, now);
}

static ps_t
poll_port(struct node *n, struct port *p, ps_t now)
{
	struct credits *c = p->credits;
	ps_t next;

	if (c->sync_at <= now)
		send_sync(n, p, now);
	next = c->sync_at;
	if (c->deferred != 0 && c->waiting == 0 && c->spaced_until <= now)
		send_deferred(n, p, now);
	for (unsigned int bits = n->current->credits->lanes; bits != 0; bits &= bits - 1) {
		const unsigned int lane = (unsigned int)__builtin_ctz(bits);

		if (c->lanes[lane].resend_at <= now)
			request_update(n, p, lane, now);
		next = time_min(next, c->lanes[lane].resend_at);
	}
	return c->deferred != 0 && c->waiting == 0 ? time_min(next, c->spaced_until) : next;
}

ps_t
credits_poll(struct node *n, ps_t now)
{
	ps_t next = PS_NEVER;

	if (now < n->credits_due)
		return n->credits_due;
	n->credits_due = PS_NEVER; // what is due sooner on the way notes it
	for (unsigned int i = 0; i < n->port_count; i++)
		next = time_min(next, poll_port(n, &n->ports[i], now));
	n->credits_due = time_min(n->credits_due, next);
	return n->credits_due;
}

// ---- tables -------------------------------------------------------------------------------------

size_t
credits_bytes(const struct node *n, const struct tables *t)
{
	return t->credits != NULL ? n->port_count * sizeof(struct credits) : 0;
}

// Both ends begin as after the initialisation of the link: each knows what the other grants.
static void
begin(struct node *n, struct credits *c, const struct credit_port *profile)
{
	const struct pause_clock closed = {
		.since = PS_NEVER, .last_start = PS_NEVER, .last_end = PS_NEVER};
	const uint32_t most = n->current->credits->most;

	for (unsigned int i = 0; i < PRIORITIES; i++) {
		const uint32_t granted = profile->granted[i], peer = profile->peer[i];

		c->lanes[i] = (struct credit_lane){
			.limit = peer < most ? peer : most,
			.advertised = granted < most ? granted : most,
			.resend_at = n->start + profile->resend,
			.wait = closed,
		};
	}
	c->sync_at = profile->sync != 0 ? n->start + profile->sync : PS_NEVER;
	lane_arbiter_begin(&n->current->credits->arbitration, c);
}

static bool
same_arbitration(const struct tables *before, const struct credit_tables *t)
{
	return before != NULL && before->credits != NULL &&
	       memcmp(&before->credits->arbitration, &t->arbitration, sizeof(t->arbitration)) == 0;
}

void
credits_adopt(struct node *n, const struct tables *before, ps_t now)
{
	const struct credit_tables *t = n->current->credits;
	const size_t bytes = credits_bytes(n, n->current);
	const bool first = n->credits == NULL;
	bool arbitrates_anew;

	if (bytes == 0)
		return;
	arbitrates_anew = !first && !same_arbitration(before, t);
	if (first)
		n->credits = spare_take(&n->spares, bytes);
	for (unsigned int i = 0; i < n->port_count; i++) {
		struct credits *c = &n->credits[i];

		c->profile = &t->ports[i];
		if (first)
			begin(n, c, c->profile);
		else if (arbitrates_anew)
			lane_arbiter_begin(&t->arbitration, c);
		n->ports[i].credits = c;
		n->ports[i].gated = true;
		credits_reconsider(n, &n->ports[i], now);
		credits_offer_all(n, &n->ports[i], now);
		note_due(n, now + c->profile->resend);
		if (c->sync_at != PS_NEVER)
			note_due(n, c->sync_at);
	}
}
