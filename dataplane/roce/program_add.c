// SPDX-License-Identifier: BSD-3-Clause
// Setting up programs, before the node runs.
#include "program.h"

#include <errno.h>

int
nic_add_program(struct nic *nic, const struct nic_program *program, uint32_t *out)
{
	struct program *p;
	int error;

	if (program->repeat == 0 || program->repeat > NIC_PROGRAM_TIMES_MAX)
		return -EINVAL;
	p = nic_alloc(nic, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	p->settings = *program;
	error = timers_add(&nic->cold->timers, &p->timer, TIMER_PROGRAM);
	if (error == 0)
		error = nic_table_add(nic, &nic->cold->programs, p);
	if (error != 0)
		return error;
	*out = nic->cold->programs.count - 1;
	nic->cold->open_flows++;
	nic_set_timer(nic, &p->timer, program->start);
	return 0;
}

static struct program *
find_program(const struct nic *nic, uint32_t program)
{
	const struct nic_table *programs = &nic->cold->programs;

	return program < programs->count ? programs->entries[program] : NULL;
}

static struct part *
find_part(const struct program *p, uint32_t part)
{
	return p != NULL && part < p->parts.count ? p->parts.entries[part] : NULL;
}

int
nic_add_part(struct nic *nic, uint32_t program, const struct nic_part *part, uint32_t *out)
{
	struct program *p = find_program(nic, program);
	struct part *made;
	int error;

	if (p == NULL ||
	    (uint64_t)(p->parts.count + 1) * p->settings.repeat > NIC_PROGRAM_TIMES_MAX)
		return -EINVAL;
	made = nic_alloc(nic, sizeof(*made) + p->settings.repeat * sizeof(made->times[0]));
	if (made == NULL)
		return -ENOMEM;
	made->program = p;
	made->compute = part->compute;
	made->senders_end = &made->senders;
	made->orders_end = &made->orders;
	for (uint32_t i = 0; i < p->settings.repeat; i++)
		made->times[i] = (struct nic_time){.start = PS_NEVER, .end = PS_NEVER};
	error = nic_table_add(nic, &p->parts, made);
	if (error != 0)
		return error;
	*out = p->parts.count - 1;
	return 0;
}

int
nic_add_order(struct nic *nic, uint32_t program, uint32_t earlier, uint32_t later)
{
	const struct program *p = find_program(nic, program);
	struct part *before = find_part(p, earlier), *behind = find_part(p, later);
	struct part_order *order;

	if (before == NULL || behind == NULL)
		return -EINVAL;
	order = nic_alloc(nic, sizeof(*order));
	if (order == NULL)
		return -ENOMEM;
	order->later = behind;
	behind->earlier_count++;
	*before->orders_end = order;
	before->orders_end = &order->next;
	return 0;
}

int
nic_add_inbox(struct nic *nic, uint32_t program, uint32_t part, const struct nic_inbox *settings,
	      uint32_t *out)
{
	struct part *of = find_part(find_program(nic, program), part);
	struct inbox *inbox;
	int error;

	if (of == NULL || settings->messages == 0)
		return -EINVAL;
	inbox = nic_alloc(nic, sizeof(*inbox));
	if (inbox == NULL)
		return -ENOMEM;
	error = nic_table_add(nic, &nic->cold->inboxes, inbox);
	if (error != 0)
		return error;
	inbox->part = of;
	inbox->gated_end = &inbox->gated;
	inbox->messages = settings->messages;
	if (of->last_inbox != NULL)
		of->last_inbox->next = inbox;
	else
		of->inboxes = inbox;
	if (of->last_inbox != NULL && !settings->apart) {
		inbox->before = of->last_inbox;
		inbox->before->behind = inbox;
	}
	of->last_inbox = inbox;
	of->inbox_count++;
	*out = nic->cold->inboxes.count - 1;
	return 0;
}

void
program_enter(struct program *p, uint32_t part, struct program_sender *ps, struct inbox *gate)
{
	ps->part = p->parts.entries[part];
	ps->gate = gate;
	// Both lists in the order that flows are made in, which is that of their turns.
	*ps->part->senders_end = ps;
	ps->part->senders_end = &ps->next_of_part;
	if (gate != NULL) {
		*gate->gated_end = ps;
		gate->gated_end = &ps->next_of_gate;
	}
	ps->part->messages += ps->messages.count;
	p->sends_left += (uint64_t)p->settings.repeat * ps->messages.count;
}

void
program_enter_feeder(struct inbox *inbox, struct feeder *feeder)
{
	feeder->inbox = inbox;
	feeder->next = inbox->feeders;
	inbox->feeders = feeder;
	inbox->pending++;
}
