// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a program's messages follow from their numbers. So nothing is kept of a message but
// where the one lies that is being sent, and the oldest that is not acknowledged, to which the
// sender goes back.
#include "message_place.h"

void
message_place_advance(const struct program_sender *ps, struct message_place *place)
{
	const struct nic_messages *m = &ps->messages;
	unsigned int large = place->turn < m->extra;

	place->begin = place->end;
	place->end += ps->packets[large];
	place->last_payload = ps->last_payload[large];
	place->turn += m->step;
	if (place->turn >= m->of)
		place->turn -= m->of;
	if (++place->next == m->count) {
		place->next = 0;
		place->turn = m->first;
	}
}

void
message_place_init(struct program_sender *ps)
{
	ps->at = (struct message_place){.turn = ps->messages.first};
	ps->oldest = ps->at;
	message_place_advance(ps, &ps->oldest);
	ps->found = ps->oldest;
}

static void
take_place(struct sender *s, const struct message_place *at)
{
	s->begin = at->begin;
	s->end = at->end;
	s->last_payload = at->last_payload;
}

void
message_place_next(struct sender *s)
{
	struct program_sender *ps = s->cold->program;

	if (ps->begun == ps->sendable)
		return;
	message_place_advance(ps, &ps->at);
	ps->begun++;
	take_place(s, &ps->at);
}

void
message_place_rewind(struct sender *s)
{
	struct program_sender *ps = s->cold->program;

	if (ps->begun == ps->done)
		return;
	ps->at = ps->oldest;
	ps->begun = ps->done + 1;
	take_place(s, &ps->at);
}

struct message_place
message_place_find(struct sender *s, uint32_t index)
{
	struct program_sender *ps = s->cold->program;

	// Packets are mostly looked for in their order.
	if ((int32_t)(ps->found.begin - ps->oldest.begin) < 0 ||
	    (int32_t)(index - ps->found.begin) < 0)
		ps->found = ps->oldest;
	while ((int32_t)(index - ps->found.end) >= 0)
		message_place_advance(ps, &ps->found);
	return ps->found;
}
