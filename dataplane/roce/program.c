// SPDX-License-Identifier: BSD-3-Clause
// What a rank does. Its program has parts, which it takes as often as it is to. A part is ready
// once the parts that it waits for are over in this time. It computes, if it is to: a rank computes
// for one part at a time, in the order in which they became ready. Then it begins, and lets its
// senders send their messages of this time: message k once the sender's gate, an inbox, has
// received k + lead messages of this time from each of its feeders, and so have the inboxes before
// it that it is not apart from. That is how the steps of a ring or a tree follow from one another:
// what a rank sends on holds all that it got in the steps before. A part ends when all its inboxes
// are full for this time, or, having none, when all that it sent has been acknowledged; at once if
// it sends nothing either. The next time begins when all parts are over.
//
// Ranks run ahead of one another: an inbox counts all messages that ever came, so that those of a
// time that has not begun here are not lost. What an inbox has is the least of what its feeders
// have brought; it is found anew only when the last of those that had the least has got one more.
//
// A queue pair sends its messages one behind the other without waiting for acknowledgements.
#include "program.h"

#include "sender_review.h"

static bool
gate_open(const struct program_sender *ps)
{
	const struct inbox *gate = ps->gate;

	return gate == NULL ||
	       gate->ready >= (uint64_t)ps->time * gate->messages + ps->k + ps->lead;
}

// One message more may be sent, which was to be since `start`.
static void
pass(struct program_sender *ps, ps_t start)
{
	struct sender *s = ps->sender;

	if (s != NULL && ps->sendable == 0)
		s->result.start = start;
	if (s != NULL && ps->sendable == ps->done)
		s->started = start > ps->idle_since ? start : ps->idle_since;
	ps->sendable++;
	if (++ps->k == ps->messages.count) {
		ps->k = 0;
		ps->time++;
	}
}

// Lets a sender send what may be sent by now. What stays inside the host goes by the timer even
// where it takes no time: one rank's messages make the next one's follow, and so on.
void
program_release(struct nic *nic, struct program_sender *ps, ps_t now)
{
	uint64_t before = ps->sendable;

	while (!ps->handing && ps->time < ps->times && gate_open(ps)) {
		if (ps->handover == 0 && ps->sender != NULL) {
			pass(ps, now);
			continue;
		}
		ps->handing = true;
		nic_set_timer(nic, &ps->timer, now + ps->handover);
	}
	if (ps->sendable != before)
		sender_review(nic, ps->sender, now);
}

static bool
inbox_full(const struct inbox *inbox)
{
	return inbox->complete >= (uint64_t)inbox->part->begun * inbox->messages;
}

static void
part_begin(struct nic *nic, struct program *p, struct part *part, ps_t now)
{
	part->times[p->time].start = now;
	part->begun = p->time + 1;
	part->full = 0;
	part->runs = true;
	for (const struct inbox *inbox = part->inboxes; inbox != NULL; inbox = inbox->next)
		part->full += inbox_full(inbox);
	for (struct program_sender *ps = part->senders; ps != NULL; ps = ps->next_of_part) {
		ps->times = part->begun;
		program_release(nic, ps, now);
	}
	if (part->exchange != NULL)
		part->exchange->ops->review(nic, part->exchange, now);
}

static bool
part_over(const struct part *part)
{
	return part->inbox_count != 0 ? part->full == part->inbox_count
				      : part->acked >= part->begun * part->messages;
}

static void
end_if_over(struct nic *nic, struct program *p)
{
	if (!p->over || p->sends_left != 0)
		return;
	nic->cold->open_flows--;
	p->sends_left = UINT64_MAX; // once
}

static void
queue_put(struct part_queue *queue, struct part *part)
{
	part->next = NULL;
	if (queue->first == NULL)
		queue->first = part;
	else
		queue->last->next = part;
	queue->last = part;
}

static struct part *
queue_take(struct part_queue *queue)
{
	struct part *part = queue->first;

	if (part != NULL)
		queue->first = part->next;
	return part;
}

// A time begins.
static void
time_begin(struct program *p)
{
	p->left = p->parts.count;
	for (uint32_t i = 0; i < p->parts.count; i++) {
		struct part *part = p->parts.entries[i];

		part->earlier_left = part->earlier_count;
		if (part->earlier_count == 0)
			queue_put(&p->ready, part);
	}
}

// All parts of a time are over: the next one begins, or the program is over.
static void
turn_to_next_time(struct nic *nic, struct program *p, ps_t now)
{
	if (++p->time == p->settings.repeat)
		p->over = true;
	else if (p->settings.gap != 0)
		nic_set_timer(nic, &p->timer, now + p->settings.gap);
	else
		time_begin(p);
}

static void
end_part_if_over(struct nic *nic, struct part *part, ps_t now)
{
	struct program *p = part->program;

	if (!part->runs || !part_over(part))
		return;
	part->runs = false;
	part->times[p->time].end = now;
	for (const struct part_order *o = part->orders; o != NULL; o = o->next)
		if (--o->later->earlier_left == 0)
			queue_put(&p->ready, o->later);
	if (--p->left == 0)
		turn_to_next_time(nic, p, now);
}

// Takes ready parts as far as they go now.
static void
run_ready(struct nic *nic, struct program *p, ps_t now)
{
	struct part *part;

	while ((part = queue_take(&p->ready)) != NULL) {
		if (part->compute != 0) {
			queue_put(&p->waiting, part);
			continue;
		}
		part_begin(nic, p, part, now);
		end_part_if_over(nic, part, now);
	}
	if (p->computing == NULL) {
		p->computing = queue_take(&p->waiting);
		if (p->computing != NULL)
			nic_set_timer(nic, &p->timer, now + p->computing->compute);
	}
	end_if_over(nic, p);
}

void
program_proceed(struct nic *nic, struct part *part, ps_t now)
{
	end_part_if_over(nic, part, now);
	run_ready(nic, part->program, now);
}

void
program_timeout(struct nic *nic, struct program *p, ps_t now)
{
	struct part *part = p->computing;

	if (p->parts.count == 0) {
		p->over = true;
	} else if (part == NULL) {
		time_begin(p);
	} else {
		p->computing = NULL;
		part_begin(nic, p, part, now);
		end_part_if_over(nic, part, now);
	}
	run_ready(nic, p, now);
}

// Releases senders that wait for this inbox, and for those behind it, which have no more messages.
static void
open_gates(struct nic *nic, struct inbox *inbox, ps_t now)
{
	for (; inbox != NULL; inbox = inbox->behind) {
		uint64_t ready = inbox->complete;

		if (inbox->before != NULL && inbox->before->ready < ready)
			ready = inbox->before->ready;
		if (ready == inbox->ready)
			return;
		inbox->ready = ready;
		for (struct program_sender *ps = inbox->gated; ps != NULL; ps = ps->next_of_gate)
			program_release(nic, ps, now);
	}
}

// All feeders of the inbox have brought one message more, or several.
void
program_inbox_advance(struct nic *nic, struct inbox *inbox, ps_t now)
{
	struct part *part = inbox->part;
	bool was_full = inbox_full(inbox);

	do {
		inbox->complete++;
		if (inbox->exchange != NULL)
			inbox->pending = inbox->exchange->ops->next_time(inbox->exchange);
		for (const struct feeder *f = inbox->feeders; f != NULL; f = f->next)
			inbox->pending += f->received == inbox->complete;
	} while (inbox->pending == 0);
	open_gates(nic, inbox, now);
	if (inbox->exchange != NULL)
		inbox->exchange->ops->review(nic, inbox->exchange, now);
	if (part->begun == 0 || was_full || !inbox_full(inbox))
		return;
	part->full++;
	program_proceed(nic, part, now);
}

void
program_received(struct nic *nic, struct feeder *feeder, ps_t now)
{
	struct inbox *inbox = feeder->inbox;

	if (inbox->exchange != NULL) {
		inbox->exchange->ops->arrived(nic, inbox->exchange, feeder->from,
					      feeder->received++, now);
		return;
	}
	if (feeder->received++ == inbox->complete && --inbox->pending == 0)
		program_inbox_advance(nic, inbox, now);
}

void
program_handed_over(struct nic *nic, struct program_sender *ps, ps_t now)
{
	struct part *part = ps->part;

	ps->handing = false;
	pass(ps, now - ps->handover);
	if (ps->sender != NULL)
		sender_review(nic, ps->sender, now);
	program_release(nic, ps, now);
	if (ps->sender != NULL)
		return;
	part->acked++;
	part->program->sends_left--;
	program_received(nic, &ps->feeder, now);
	program_proceed(nic, part, now);
}

void
program_acked(struct nic *nic, struct sender *s, ps_t now)
{
	struct program_sender *ps = s->cold->program;
	struct part *part = ps->part;
	struct program *p = part->program;
	uint64_t before = ps->done;

	// `next` was taken beyond the message that it was in.
	while ((int32_t)(s->next - s->end) > 0)
		message_place_next(s);
	while (ps->done < ps->begun && (int32_t)(s->acked - ps->oldest.end) >= 0) {
		ps->done++;
		ps->acked_bytes += (uint64_t)(ps->oldest.end - ps->oldest.begin - 1) * s->path_mtu +
				   ps->oldest.last_payload;
		message_place_advance(ps, &ps->oldest);
		s->result.repetitions++;
		part->acked++;
		p->sends_left--;
	}
	if (ps->done != before && ps->done == ps->sendable) {
		ps->idle_since = now;
		s->result.busy += now - s->started;
	}
	if (ps->done == (uint64_t)p->settings.repeat * ps->messages.count)
		s->result.completed = now;
	program_proceed(nic, part, now);
}
