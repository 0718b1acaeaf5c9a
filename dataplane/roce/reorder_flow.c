// SPDX-License-Identifier: BSD-3-Clause
// When the packets of a flow pass; reorder.c says why.
#include "reorder_internal.h"

#include "dataplane/base/roce_headers.h"

// A PSN further from the expected one is that of a queue pair that has begun anew.
#define SPAN_MAX (1 << 16)

void
chain_pass(struct chain *chain, struct rte_mbuf *m)
{
	packet_meta(m)->next = NULL;
	if (chain->head == NULL)
		chain->head = m;
	else
		packet_meta(chain->tail)->next = m;
	chain->tail = m;
}

bool
flow_is_near(uint32_t psn, uint32_t other)
{
	int32_t distance = psn_diff(psn, other);

	return distance <= SPAN_MAX && distance >= -SPAN_MAX;
}

enum turn
flow_turn(const struct flow *f, const struct reorder_order *o)
{
	int32_t distance = psn_diff(o->psn, f->expected);

	if (f->is_new)
		return TURN_LATER;
	if (f->circle != NONE) {
		if (f->idle || distance < 0)
			return TURN_PAST;
		return distance == 0 && !o->ack ? TURN_NOW : TURN_LATER;
	}
	if (distance <= 0)
		return distance < 0 ? TURN_PAST : TURN_NOW;
	return o->kind == REORDER_RESPONSE && o->begins && f->coalesces && !f->inside ? TURN_NOW
										      : TURN_LATER;
}

// The requests that a flow of responses belongs to are not known any more.
void
flow_forget(struct reorder *r, uint32_t flow)
{
	struct flow *f = &r->flows[flow];

	f->circle = NONE;
	f->idle = f->inside = false;
}

void
flow_unbind(struct reorder *r, struct flow *f)
{
	if (f->circle == NONE)
		return;
	reads_release(&r->reads, f->circle);
	flow_forget(r, (uint32_t)(f - r->flows));
}

static void
advance_response(struct reorder *r, struct flow *f, const struct reorder_order *o)
{
	reads_passed(&r->reads, f->circle, o->psn);
	f->inside = o->continues;
	f->expected = psn_add(o->psn, 1);
	if (!f->inside)
		f->idle = !reads_next(&r->reads.circles[f->circle], &f->expected);
}

static void
advance_request(struct reorder *r, struct flow *f, const struct reorder_order *o)
{
	uint32_t fewest = reorder_responses(o->read_bytes, 4096);

	// Only one path MTU has so few responses.
	if (f->read_bytes != 0 && o->psn == f->expected &&
	    reorder_responses(f->read_bytes, 2048) != reorder_responses(f->read_bytes, 4096))
		f->path_mtu = 4096;
	if (o->payload != 0)
		f->path_mtu = o->payload;
	flow_doubt_no_more(r, f);
	f->after_read = o->read_bytes != 0;
	if (f->after_read && f->path_mtu != 0)
		fewest = reorder_responses(o->read_bytes, f->path_mtu);
	else if (f->after_read && reorder_responses(o->read_bytes, 256) != fewest)
		flow_doubt(r, f, o->psn, o->read_bytes);
	f->expected = psn_add(o->psn, (int32_t)fewest);
}

// The packet passes, and with it the expected PSN moves on.
void
flow_advance(struct reorder *r, struct flow *f, const struct reorder_order *o)
{
	if (f->circle != NONE) {
		advance_response(r, f, o);
		return;
	}
	f->inside = o->continues;
	advance_request(r, f, o);
	f->back = BACK_NOT;
	f->is_young = f->is_young && flow_is_near(f->expected, f->first);
	f->has_hole = f->has_hole && flow_is_near(f->expected, f->hole);
	f->has_doubtful = f->has_doubtful && flow_is_near(f->expected, f->doubtful);
}

// Passes held packets that are in order now, or before; the flow waits for what is missing then.
void
flow_pass_held(struct reorder *r, struct flow *f, struct chain *chain)
{
	if (!flow_holds(f))
		return;
	while (flow_holds(f)) {
		const struct reorder_order *o = flow_first(r, f);
		enum turn turn = flow_turn(f, o);

		if (turn == TURN_LATER)
			break;
		if (turn == TURN_NOW)
			flow_advance(r, f, o);
		chain_pass(chain, flow_take_first(r, f));
		r->counters.released++;
	}
	flow_wait_no_more(r, f);
	if (flow_holds(f))
		flow_wait(r, f);
}

// Whether some path MTU makes the PSN follow the READ request that was last.
static bool
may_follow_read(const struct flow *f, uint32_t psn)
{
	for (uint32_t mtu = 256; mtu <= 4096 && f->read_bytes != 0; mtu *= 2)
		if (psn_add(f->read_psn, (int32_t)reorder_responses(f->read_bytes, mtu)) == psn)
			return true;
	return false;
}

static void
note_hole(struct flow *f)
{
	// Missing for the second time, it may never have been there: its PSN was one of a READ's.
	if (f->back != BACK_NOT || f->after_read)
		f->path_mtu = 0;
	if (f->back == BACK_TO_HOLE) {
		f->doubtful = f->expected;
		f->has_doubtful = true;
	} else if (f->back == BACK_NOT && !f->has_hole) {
		f->hole = f->expected;
		f->has_hole = true;
	}
	// What the peer sends again from somewhere on begins with what the host wants.
	f->strayed = f->back != BACK_SOMEWHERE;
}

// Passes a packet, whether or not one before it is missing.
static void
pass_over(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
	  struct chain *chain)
{
	const enum turn turn = flow_turn(f, o);

	chain_pass(chain, m);
	if (turn == TURN_PAST)
		return;
	if (f->circle != NONE) {
		// The host knows what it lacks, and will ask for it.
		if (!o->ack && reads_cover(&r->reads.circles[f->circle], o->psn))
			flow_advance(r, f, o);
		else if (!o->ack || !r->reads.circles[f->circle].is_sure)
			flow_unbind(r, f);
		return;
	}
	if (turn == TURN_LATER && !may_follow_read(f, o->psn))
		note_hole(f);
	flow_advance(r, f, o);
}

// A new flow begins with a PSN.
void
flow_start(struct reorder *r, struct flow *f, uint32_t psn)
{
	if (flow_holds(f))
		flow_wait_no_more(r, f);
	f->is_new = false;
	f->expected = f->first = psn;
	if (flow_holds(f))
		flow_wait(r, f);
}

// Goes on without what is missing: all that is held passes, and in its place among them a packet
// that is not (NULL: none).
void
flow_skip(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o,
	  struct chain *chain)
{
	bool waits = flow_holds(f);

	if (f->is_new) {
		uint32_t psn = waits ? flow_first(r, f)->psn : f->expected;

		flow_start(r, f, m != NULL && psn_diff(o->psn, psn) < 0 ? o->psn : psn);
	}
	while (flow_holds(f)) {
		const struct reorder_order *first = flow_first(r, f);

		if (m != NULL && psn_diff(first->psn, o->psn) > 0) {
			pass_over(r, f, m, o, chain);
			m = NULL;
		}
		pass_over(r, f, flow_take_first(r, f), first, chain);
	}
	if (m != NULL)
		pass_over(r, f, m, o, chain);
	if (waits)
		flow_wait_no_more(r, f);
}
