// SPDX-License-Identifier: BSD-3-Clause
// A flow holds a run and a heap. A packet whose PSN is not before the run's last one joins the run
// at its end, as most do. Any other is a stray and joins the heap. The next to pass is the first of
// either.
//
// The heap is a pairing heap: adding a packet takes constant time, and taking the first one a time
// that grows with the logarithm of their number, averaged over any sequence of both. A sorted list
// would do for a few strays, but a peer may send its window in any order.
#include "reorder_internal.h"

#include "dataplane/base/roce_headers.h"

static struct link *
link_of(struct flow *f, bool waits)
{
	return waits ? &f->waits : &f->doubts;
}

static void
append(struct reorder *r, struct list *list, bool waits, struct flow *f)
{
	uint32_t index = (uint32_t)(f - r->flows);

	*link_of(f, waits) = (struct link){.before = list->last, .behind = NONE};
	if (list->last == NONE)
		list->first = index;
	else
		link_of(&r->flows[list->last], waits)->behind = index;
	list->last = index;
}

static void
take_out(struct reorder *r, struct list *list, bool waits, struct flow *f)
{
	const struct link *l = link_of(f, waits);

	if (l->before == NONE)
		list->first = l->behind;
	else
		link_of(&r->flows[l->before], waits)->behind = l->behind;
	if (l->behind == NONE)
		list->last = l->before;
	else
		link_of(&r->flows[l->behind], waits)->before = l->before;
}

void
flow_wait(struct reorder *r, struct flow *f)
{
	f->since = f->used_at;
	append(r, f->is_new ? &r->new : &r->waiting, true, f);
}

void
flow_wait_no_more(struct reorder *r, struct flow *f)
{
	take_out(r, f->is_new ? &r->new : &r->waiting, true, f);
}

void
flow_doubt(struct reorder *r, struct flow *f, uint32_t psn, uint32_t bytes)
{
	f->read_psn = psn;
	f->read_bytes = bytes;
	append(r, &r->in_doubt, false, f);
}

void
flow_doubt_no_more(struct reorder *r, struct flow *f)
{
	if (f->read_bytes != 0)
		take_out(r, &r->in_doubt, false, f);
	f->read_bytes = 0;
}

// ---- strays -------------------------------------------------------------------------------------

static bool
is_before(const struct reorder *r, uint32_t one, uint32_t other)
{
	return psn_diff(r->held[one].order.psn, r->held[other].order.psn) < 0;
}

// The heap of both; either may be NONE.
static uint32_t
meld(struct reorder *r, uint32_t one, uint32_t other)
{
	uint32_t top = one, under = other;

	if (one == NONE || other == NONE)
		return one == NONE ? other : one;
	if (is_before(r, other, one)) {
		top = other;
		under = one;
	}
	r->held[under].behind = r->held[top].below;
	r->held[top].below = under;
	return top;
}

// The heap of those below one that is taken: melded by pairs, then the pairs from the last to the
// first.
static uint32_t
meld_below(struct reorder *r, uint32_t top)
{
	uint32_t next = r->held[top].below, pairs = NONE, heap = NONE;

	while (next != NONE) {
		uint32_t one = next, other = r->held[one].behind, pair;

		next = other != NONE ? r->held[other].behind : NONE;
		pair = meld(r, one, other);
		r->held[pair].behind = pairs;
		pairs = pair;
	}
	while (pairs != NONE) {
		uint32_t pair = pairs;

		pairs = r->held[pair].behind;
		heap = meld(r, heap, pair);
	}
	return heap;
}

// ---- all that is held ---------------------------------------------------------------------------

static bool
first_is_stray(const struct reorder *r, const struct flow *f)
{
	return f->strays != NONE && (f->head == NONE || is_before(r, f->strays, f->head));
}

void
flow_hold(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o)
{
	const uint32_t index = r->free;
	struct held *h = &r->held[index];

	r->free = h->behind;
	if (!flow_holds(f))
		flow_wait(r, f);
	*h = (struct held){.m = m, .order = *o, .behind = NONE, .below = NONE};
	if (f->head == NONE) {
		f->head = f->tail = index;
	} else if (is_before(r, index, f->tail)) {
		f->strays = meld(r, f->strays, index);
	} else {
		r->held[f->tail].behind = index;
		f->tail = index;
	}
	r->counters.held++;
	r->counters.waiting++;
}

const struct reorder_order *
flow_first(const struct reorder *r, const struct flow *f)
{
	return &r->held[first_is_stray(r, f) ? f->strays : f->head].order;
}

struct rte_mbuf *
flow_take_first(struct reorder *r, struct flow *f)
{
	const bool stray = first_is_stray(r, f);
	const uint32_t index = stray ? f->strays : f->head;
	struct held *h = &r->held[index];

	if (stray)
		f->strays = meld_below(r, index);
	else
		f->head = h->behind;
	h->behind = r->free;
	r->free = index;
	r->counters.waiting--;
	return h->m;
}
