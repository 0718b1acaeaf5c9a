// SPDX-License-Identifier: BSD-3-Clause
// Setting up exchanges, before the node runs.
#include "exchange_internal.h"

#include "dataplane/base/uet_headers.h"

#include <errno.h>

static bool
plan_holds(const struct nic *nic, const struct nic_exchange *settings)
{
	const struct nic_exchange_plan *plan = settings->plan;
	const struct nic_exchange_end *end;

	if (plan->ranks < 2 || plan->ranks > NIC_EXCHANGE_RANKS_MAX ||
	    settings->rank >= plan->ranks || plan->bytes < plan->ranks ||
	    plan->bytes / plan->ranks >= NIC_EXCHANGE_MESSAGE_MAX)
		return false;
	end = exchange_end(plan, settings->rank);
	return end->ports == nic->node->port_count && end->port < end->ports &&
	       settings->data.tc < PRIORITIES;
}

static int
add_generator(struct nic *nic, uint8_t port, uint8_t tc)
{
	struct exchanges *e = nic->cold->exchanges;
	struct generator *g;

	for (g = e->generators; g != NULL; g = g->following)
		if (g->port == port && g->tc == tc)
			return 0;
	g = nic_alloc(nic, sizeof(*g));
	if (g == NULL)
		return -ENOMEM;
	g->source.kind = SOURCE_GENERATOR;
	g->port = port;
	g->tc = tc;
	g->following = e->generators;
	e->generators = g;
	return 0;
}

static int
add_cursors(struct nic *nic, struct exchange *x)
{
	uint16_t ports = nic->node->port_count;
	int error = 0;

	x->cursor_count = (uint8_t)(ports + 1);
	for (uint16_t p = 0; error == 0 && p <= ports; p++) {
		struct exchange_cursor *c = &x->cursors[p];

		c->exchange = x;
		c->turn = 1;
		c->port = p == ports ? CURSOR_INSIDE : (uint8_t)p;
		error = timers_add(&nic->cold->timers, &c->timer, TIMER_EXCHANGE);
		if (error == 0 && p < ports)
			error = add_generator(nic, c->port, x->data.tc);
	}
	return error;
}

// Numbers for a queue pair to each rank and one from it.
static int
take_numbers(struct nic *nic, struct exchange *x)
{
	struct exchanges *e = nic->cold->exchanges;
	uint32_t count = 2 * x->plan->ranks, end = ROCE_PSN_MASK + 1;

	if (e == NULL) {
		e = nic_alloc(nic, sizeof(*e));
		if (e == NULL)
			return -ENOMEM;
		e->next_qpn = NIC_QPN_EXCHANGES;
		nic->cold->exchanges = e;
	}
	if (nic->cold->config.transport == NIC_TRANSPORT_UET)
		end = NIC_QPN_EXCHANGES + UET_PDCID_EXCHANGES; // PDCIDs have 16 bits
	if (count > end - e->next_qpn)
		return -ENOSPC;
	x->first_qpn = x->plan->first_qpns[x->rank] = e->next_qpn;
	e->next_qpn += count;
	x->following = e->first;
	e->first = x;
	return 0;
}

static int
add_inbox(struct nic *nic, struct exchange *x)
{
	uint32_t number;
	int error = nic_add_inbox(nic, x->program, x->part_index,
				  &(struct nic_inbox){.messages = 1}, &number);

	if (error != 0)
		return error;
	x->inbox = nic->cold->inboxes.entries[number];
	x->inbox->exchange = &x->base;
	x->inbox->pending = x->plan->ranks - 1;
	return 0;
}

int
nic_add_exchange(struct nic *nic, const struct nic_exchange *settings)
{
	const struct nic_table *programs = &nic->cold->programs;
	struct program *p =
		settings->program < programs->count ? programs->entries[settings->program] : NULL;
	size_t words = (settings->plan->ranks + 63) / 64;
	struct exchange *x;
	struct part *part;
	int error;

	if (p == NULL || settings->part >= p->parts.count || !plan_holds(nic, settings))
		return -EINVAL;
	part = p->parts.entries[settings->part];
	if (part->inbox_count != 0)
		return -EINVAL;
	x = nic_alloc(nic, sizeof(*x) + (nic->node->port_count + 1u) * sizeof(x->cursors[0]));
	if (x == NULL)
		return -ENOMEM;
	x->base.ops = &exchange_ops;
	x->plan = settings->plan;
	x->part = part;
	x->program = settings->program;
	x->part_index = settings->part;
	x->rank = settings->rank;
	x->peers = settings->peers != 0 ? settings->peers : UINT32_MAX;
	x->handover = settings->handover;
	x->forward = settings->forward;
	x->share = x->plan->bytes / x->plan->ranks;
	x->longer = (uint32_t)(x->plan->bytes % x->plan->ranks);
	x->data = settings->data;
	memcpy(x->answers, settings->answers, sizeof(x->answers));
	for (unsigned int i = 0; i < 2; i++) {
		x->missing[i] = x->plan->ranks - 1;
		x->arrived[i] = nic_alloc(nic, words * sizeof(uint64_t));
		if (x->arrived[i] == NULL)
			return -ENOMEM;
	}
	error = take_numbers(nic, x);
	if (error == 0)
		error = add_inbox(nic, x);
	if (error == 0)
		error = add_cursors(nic, x);
	if (error != 0)
		return error;
	part->exchange = &x->base;
	part->messages += x->plan->ranks - 1;
	p->sends_left += (uint64_t)p->settings.repeat * (x->plan->ranks - 1);
	return 0;
}

uint64_t
nic_part_acknowledged(const struct nic *nic, uint32_t program, uint32_t part)
{
	const struct nic_table *programs = &nic->cold->programs;
	const struct program *p = program < programs->count ? programs->entries[program] : NULL;

	return p != NULL && part < p->parts.count
		       ? ((const struct part *)p->parts.entries[part])->acked
		       : 0;
}
