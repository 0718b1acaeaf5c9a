// SPDX-License-Identifier: BSD-3-Clause
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

void
flow_hold(struct reorder *r, struct flow *f, struct rte_mbuf *m, const struct reorder_order *o)
{
	const uint32_t index = r->free;
	struct held *h = &r->held[index];
	uint32_t behind = NONE, before = f->tail;

	r->free = h->behind;
	if (f->head == NONE)
		flow_wait(r, f);
	while (before != NONE && psn_diff(r->held[before].order.psn, o->psn) > 0) {
		behind = before;
		before = r->held[before].before;
	}
	*h = (struct held){.m = m, .order = *o, .before = before, .behind = behind};
	if (before == NONE)
		f->head = index;
	else
		r->held[before].behind = index;
	if (behind == NONE)
		f->tail = index;
	else
		r->held[behind].before = index;
	r->counters.held++;
	r->counters.waiting++;
}

struct rte_mbuf *
flow_take_first(struct reorder *r, struct flow *f)
{
	const uint32_t index = f->head;
	struct held *h = &r->held[index];

	f->head = h->behind;
	if (f->head == NONE)
		f->tail = NONE;
	else
		r->held[f->head].before = NONE;
	h->behind = r->free;
	r->free = index;
	r->counters.waiting--;
	return h->m;
}
