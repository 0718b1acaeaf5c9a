// SPDX-License-Identifier: BSD-3-Clause
// A flow is what one address sends to one queue pair of the host. It has two circles of PSNs, each
// a flow here: requests (WRITE, SEND, READ requests, atomics), numbered by their sender, and
// responses to the host's own requests, which carry the numbers of these. What has no such order
// passes at once: acknowledgements that no READ response precedes, NAKs, CNPs, UD, what was
// trimmed, fragments, and what is not RoCEv2.
//
// Flows are learned from packets, in a table of buckets. A new flow in a full bucket takes the
// place of the one that has been idle for longest. The first packet to come need not be the first
// that was sent. So a new flow holds all its packets for a time (`first`), and then begins with the
// smallest PSN. Then the next PSN is the expected one. A packet ahead of it is held. When the
// expected packet comes, it passes together with those behind it that are now in order. A flow that
// comes back, because there were too many in the table, begins with what comes.
//
// Nothing is lost here. If the expected packet has not come when the timeout is over since it
// became the first that is missing, or if there is no room to hold another, the held packets pass
// in order, and the flow goes on behind them. For a host that goes back N they are worth only this:
// it learns that something is missing and asks for it. Then its peer sends everything again from
// there on, over the same paths, so from there on order counts again. The flow remembers the first
// PSN that it has skipped, its hole: a packet from there on makes that PSN the expected one. Where
// no hole is known but the host has been given packets out of order, a packet from before the
// expected one shows that the peer has gone back (after its own timeout), but not where to: the
// first to come need not be the first that was sent. Such packets are held until the timeout is
// over, and then pass in order. Any other packet from before the expected one is a duplicate, and
// passes at once.
//
// What the host itself sends tells the rest of the order.
// - Its READ requests and atomics have the PSNs of the responses that it gets (reorder_reads.c). So
//   a flow of responses whose requests are known begins with the first of them, goes on behind the
//   last response of one READ with the first of the next, and lets an acknowledgement pass that has
//   none of them before it. When the host asks again, the flow goes back to what it asks for.
// - Behind a READ request to the host the next PSN depends on the number of its responses, so on
//   the path MTU. The flow learns it from data packets, or from the host's responses. Until then
//   only the smallest PSN that can be the next is known to be it, and any other waits.
//
// Where the host's requests are not known, as those of many queue pairs with the same PSNs, a
// response that begins a message may follow any other's end once a plain acknowledgement was seen:
// between two READs lie the PSNs of WRITEs and SENDs, whose acknowledgements are coalesced.
//
// A queue pair that starts anew has a PSN that is far from the expected one: then the flow is new.
#include "reorder_internal.h"

#include "dataplane/base/roce_headers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// How far the first packet that comes may be from where the peer has gone back to.
#define BACK_MAX 4096
// Flows behind a READ request of unknown length that are looked at for one packet.
#define DOUBTS_MAX 64

int
reorder_create(struct reorder **out, const struct reorder_settings *settings)
{
	const uint32_t packets = settings->packets;
	struct reorder *r;

	if (packets == 0 || packets > REORDER_PACKETS_MAX || settings->timeout == 0)
		return -EINVAL;
	r = calloc(1, sizeof(*r) + packets * sizeof(*r->held));
	if (r == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < packets; i++)
		r->held[i].behind = i + 1 < packets ? i + 1 : NONE;
	r->settings = *settings;
	r->waiting = r->new = r->in_doubt = (struct list){NONE, NONE};
	reads_init(&r->reads);
	*out = r;
	return 0;
}

void
reorder_destroy(struct reorder *r)
{
	free(r);
}

const struct reorder_counters *
reorder_counters(const struct reorder *r)
{
	return &r->counters;
}

static ps_t
next_new(const struct reorder *r)
{
	return r->new.first == NONE ? PS_NEVER : r->flows[r->new.first].since + r->settings.first;
}

static ps_t
next_waiting(const struct reorder *r)
{
	return r->waiting.first == NONE ? PS_NEVER
					: r->flows[r->waiting.first].since + r->settings.timeout;
}

ps_t
reorder_next(const struct reorder *r)
{
	return time_min(next_new(r), next_waiting(r));
}

// ---- the table ----------------------------------------------------------------------------------

static struct flow *
find(struct reorder *r, const struct reorder_key *key, struct flow **bucket)
{
	*bucket = &r->flows[(reorder_key_hash(key) & (BUCKETS - 1)) * WAYS];
	for (uint32_t i = 0; i < WAYS; i++)
		if (reorder_key_equal(&(*bucket)[i].key, key))
			return &(*bucket)[i];
	return NULL;
}

// A place for a new flow: empty, or of the one that has been idle for longest. If all hold packets,
// those of that one pass.
static struct flow *
make(struct reorder *r, struct flow *bucket, const struct reorder_key *key, ps_t now,
     struct chain *chain)
{
	struct flow *oldest = bucket;
	bool waits = r->settings.first != 0;

	for (uint32_t i = 0; i < WAYS && oldest->key.qp != 0; i++) {
		struct flow *f = &bucket[i];
		bool holds = flow_holds(f), oldest_holds = flow_holds(oldest);

		if (f->key.qp == 0 || (!holds && oldest_holds) ||
		    (holds == oldest_holds && f->used_at < oldest->used_at))
			oldest = f;
	}
	if (oldest->key.qp != 0) {
		// With more flows than there is room for, one that comes back is not new.
		waits = waits && now - oldest->used_at > r->settings.timeout;
		if (flow_holds(oldest)) {
			r->counters.overflows++;
			flow_skip(r, oldest, NULL, NULL, chain);
		}
		flow_unbind(r, oldest);
		flow_doubt_no_more(r, oldest);
	}
	*oldest = (struct flow){
		.key = *key,
		.is_young = true,
		.is_new = waits,
		.head = NONE,
		.tail = NONE,
		.strays = NONE,
		.circle = NONE,
	};
	return oldest;
}

// ---- packets ------------------------------------------------------------------------------------

// A packet from before the expected one. Returns false if it is a duplicate.
static bool
go_back(struct reorder *r, struct flow *f, uint32_t psn)
{
	if (f->circle != NONE) {
		return false; // the host would have asked for it
	} else if (f->has_doubtful && psn == f->doubtful) {
		f->expected = psn;
		f->back = BACK_NOT;
	} else if (f->has_hole && psn_diff(psn, f->hole) >= 0) {
		f->expected = f->hole;
		f->back = BACK_TO_HOLE;
	} else if (f->strayed) {
		f->expected = psn_add(psn, -BACK_MAX);
		f->back = BACK_SOMEWHERE;
	} else if (f->is_young && psn_diff(psn, f->first) < 0) {
		f->expected = f->first = psn;
		f->back = BACK_NOT;
	} else {
		return false;
	}
	f->has_hole = f->has_doubtful = f->strayed = f->inside = false;
	flow_doubt_no_more(r, f);
	if (flow_holds(f)) {
		flow_wait_no_more(r, f);
		flow_wait(r, f);
	}
	return true;
}

// The queue pair has begun anew, as far as its PSNs tell.
static void
begin_anew(struct reorder *r, struct flow *f, uint32_t psn, struct chain *chain)
{
	flow_skip(r, f, NULL, NULL, chain);
	flow_doubt_no_more(r, f);
	f->expected = f->first = psn;
	f->is_young = true;
	f->is_new = r->settings.first != 0;
	f->has_hole = f->has_doubtful = f->strayed = f->inside = false;
	f->back = BACK_NOT;
}

// The flow of responses belongs to these requests of the host.
static void
bind(struct reorder *r, struct flow *f, uint32_t circle, struct chain *chain)
{
	uint32_t lost = reads_bind(&r->reads, circle, (uint32_t)(f - r->flows));

	if (lost != NONE)
		flow_forget(r, lost);
	if (f->is_new)
		flow_start(r, f, f->expected);
	f->circle = circle;
	f->inside = false;
	f->idle = !reads_next(&r->reads.circles[circle], &f->expected);
	flow_pass_held(r, f, chain);
}

static void
take_in_flow(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
	     bool has_room, struct chain *chain)
{
	const bool is_far = f->circle == NONE && !f->is_new && !flow_is_near(o->psn, f->expected);
	enum turn turn;

	if (is_far && !o->ack)
		begin_anew(r, f, o->psn, chain);
	turn = flow_turn(f, o);
	if ((is_far && o->ack) || (turn == TURN_PAST && (o->ack || !go_back(r, f, o->psn)))) {
		chain_pass(chain, m);
		return;
	}
	if (turn == TURN_PAST)
		turn = flow_turn(f, o);
	if (turn == TURN_NOW) {
		flow_advance(r, f, o);
		chain_pass(chain, m);
		flow_pass_held(r, f, chain);
	} else if (has_room && r->free != NONE) {
		flow_hold(r, f, m, o);
	} else {
		r->counters.overflows++;
		flow_skip(r, f, m, o, chain);
	}
}

// The flow of a packet; NULL if it needs none.
static struct flow *
flow_of(struct reorder *r, const struct reorder_key *key, const struct reorder_order *o, ps_t now,
	struct chain *chain)
{
	struct flow *bucket, *f = find(r, key, &bucket);
	uint32_t circle = NONE;

	if (o->kind == REORDER_RESPONSE && (f == NULL || f->circle == NONE))
		circle = reads_find(&r->reads, key, o);
	// Acknowledgements alone need no order.
	if (f == NULL && o->ack && circle == NONE)
		return NULL;
	if (f == NULL) {
		f = make(r, bucket, key, now, chain);
		f->expected = f->first = o->psn;
	}
	f->used_at = now;
	if (circle != NONE)
		bind(r, f, circle, chain);
	return f;
}

struct rte_mbuf *
reorder_take(struct reorder *r, struct rte_mbuf *m, bool has_room, ps_t now)
{
	struct chain chain = {NULL, NULL};
	struct reorder_key key;
	struct reorder_order o = reorder_read(m, false, &key);
	struct flow *f = NULL;

	if (o.kind != REORDER_NONE)
		f = flow_of(r, &key, &o, now, &chain);
	if (f == NULL) {
		chain_pass(&chain, m);
		return chain.head;
	}
	f->coalesces |= o.ack;
	take_in_flow(r, f, m, &o, has_room, &chain);
	return chain.head;
}

struct rte_mbuf *
reorder_expire(struct reorder *r, ps_t now)
{
	struct chain chain = {NULL, NULL};

	while (next_new(r) <= now) {
		struct flow *f = &r->flows[r->new.first];

		f->used_at = now;
		flow_start(r, f, flow_first(r, f)->psn);
		flow_pass_held(r, f, &chain);
	}
	while (next_waiting(r) <= now) {
		r->counters.timeouts++;
		flow_skip(r, &r->flows[r->waiting.first], NULL, NULL, &chain);
	}
	return chain.head;
}

// ---- what the host sends ------------------------------------------------------------------------

// A response of the host shows the path MTU of the queue pair whose READ request it answers.
static void
learn_path_mtu(struct reorder *r, const struct reorder_key *key, const struct reorder_order *o,
	       ps_t now, struct chain *chain)
{
	uint32_t looked_at = 0, before;

	for (uint32_t i = r->in_doubt.last; i != NONE && looked_at < DOUBTS_MAX; i = before) {
		struct flow *f = &r->flows[i];
		uint32_t most = reorder_responses(f->read_bytes, 256), psn = f->read_psn;

		looked_at++;
		before = f->doubts.before;
		if (!reorder_key_same_peer(&f->key, key) || psn_diff(o->psn, psn) < 0 ||
		    psn_diff(o->psn, psn) >= (int32_t)most)
			continue;
		f->used_at = now;
		f->path_mtu = o->payload;
		f->expected = psn_add(psn, (int32_t)reorder_responses(f->read_bytes, o->payload));
		flow_doubt_no_more(r, f);
		flow_pass_held(r, f, chain);
	}
}

// The host waits for responses from a PSN on.
static void
expect_response(struct reorder *r, uint32_t circle, uint32_t psn)
{
	uint32_t flow = r->reads.circles[circle].flow;
	struct flow *f;

	if (flow == NONE)
		return;
	f = &r->flows[flow];
	if (!f->idle && psn_diff(psn, f->expected) >= 0)
		return;
	f->expected = psn;
	f->idle = f->inside = false;
}

struct rte_mbuf *
reorder_note_sent(struct reorder *r, struct rte_mbuf *m, ps_t now)
{
	struct chain chain = {NULL, NULL};
	uint32_t circle, lost;
	struct reorder_key key;
	struct reorder_order o = reorder_read(m, true, &key);

	if (o.kind == REORDER_RESPONSE && o.payload != 0)
		learn_path_mtu(r, &key, &o, now, &chain);
	if (o.kind != REORDER_REQUEST)
		return chain.head;
	circle = reads_note(&r->reads, &key, &o, now, &lost);
	if (lost != NONE)
		flow_forget(r, lost);
	if (circle != NONE)
		expect_response(r, circle, o.psn);
	return chain.head;
}
