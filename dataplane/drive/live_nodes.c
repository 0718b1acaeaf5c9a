// SPDX-License-Identifier: BSD-3-Clause
// The nodes of a worker: which of them are visited, and how workers notify each other of what they
// put on wires.
//
// For each node a worker keeps the instant before which nothing happens there: what the node itself
// knew when it ran last, lowered by each wire to it when something is put there (wire.h). So what a
// window costs follows from what happens in it; a node that is idle costs reading that instant.
//
// A wire to another worker's node lowers an instant of its own instead. At the end of a window the
// putting worker publishes such wires and notes them in a ring to the other worker, which reads the
// ring when it has seen how far the putting worker has come. Neither reads wires that carry
// nothing.
#include "live_internal.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// By wire: within what a worker may run ahead there are few windows, unless the clock ends them.
#define NOTES_PER_WIRE 8
#define NOTES_MIN 64

void
live_make_all_due(struct live_worker *w)
{
	for (uint32_t i = 0; i < w->node_count; i++)
		w->due[i] = w->published;
	w->next = w->published;
}

void
live_bind_wires(struct live_worker *w)
{
	for (uint32_t i = 0; i < w->node_count; i++) {
		const struct node *n = w->nodes[i];

		for (unsigned int k = 0; k < n->port_count; k++) {
			struct wire *in = n->ports[k].in;

			if (in == NULL)
				continue;
			in->due = &w->due[i];
			if (in->visible == &in->tail)
				in->wake = in->due;
		}
	}
}

// Lets another worker see what was put on a wire to it, and notifies it.
static void
live_publish_wire(struct live_worker *w, uint32_t i)
{
	const struct live_cross *cross = &w->shared_out[i];
	struct live_notes *notes = w->notes[cross->to];

	wire_publish(cross->wire);
	if (unlikely(notes->tail - notes->head_seen > notes->mask))
		notes->head_seen = __atomic_load_n(&notes->head, __ATOMIC_ACQUIRE);
	if (unlikely(notes->tail - notes->head_seen > notes->mask)) {
		__atomic_store_n(&notes->lost, 1, __ATOMIC_RELEASE);
	} else {
		notes->ring[notes->tail & notes->mask] =
			(struct live_note){.wire = cross->wire, .arrival = w->shared_due[i]};
		__atomic_store_n(&notes->tail, notes->tail + 1, __ATOMIC_RELEASE);
	}
	w->shared_due[i] = PS_NEVER;
}

void
live_take_notes(struct live_worker *w)
{
	for (uint32_t i = 0; i < w->upstream_count; i++) {
		struct live_notes *notes = w->drive->workers[w->upstream[i]].notes[w->index];
		uint32_t head = notes->head;
		const uint32_t tail = __atomic_load_n(&notes->tail, __ATOMIC_ACQUIRE);

		if (unlikely(__atomic_load_n(&notes->lost, __ATOMIC_ACQUIRE)) &&
		    __atomic_exchange_n(&notes->lost, 0, __ATOMIC_ACQ_REL))
			live_make_all_due(w);
		if (head == tail)
			continue;
		for (; head != tail; head++) {
			const struct live_note *note = &notes->ring[head & notes->mask];

			if (note->arrival >= *note->wire->due)
				continue;
			*note->wire->due = note->arrival;
			w->next = time_min(w->next, note->arrival);
		}
		__atomic_store_n(&notes->head, head, __ATOMIC_RELEASE);
	}
}

ps_t
live_next_due(const struct live_worker *w)
{
	ps_t next = PS_NEVER;

	for (uint32_t i = 0; i < w->node_count; i++)
		next = time_min(next, w->due[i]);
	return next;
}

struct live_range {
	uint32_t first;
	uint32_t end;
};

// Runs those nodes of a range at which something may happen before `end`.
static void
live_visit(struct live_worker *w, struct live_range range, ps_t start, ps_t end)
{
	uint32_t count = 0;

	for (uint32_t i = range.first; i < range.end; i++) {
		w->places[count] = i;
		count += w->due[i] < end;
	}
	for (uint32_t i = 0; i < count; i++) {
		ps_t *due = &w->due[w->places[i]];
		struct node *n = w->nodes[w->places[i]];

		*due = PS_NEVER;
		n->ops->advance(n, start, end);
		*due = time_min(*due, n->later);
	}
}

void
live_advance_nodes(struct live_worker *w, ps_t start, ps_t end)
{
	const struct live_range switches = {0, w->switch_count},
				nics = {w->switch_count, w->node_count};

	live_visit(w, switches, start, end);
	live_visit(w, nics, start, end);
	for (uint32_t i = 0; i < w->shared_out_count; i++)
		if (w->shared_due[i] != PS_NEVER)
			live_publish_wire(w, i);
	__atomic_store_n(&w->published, end, __ATOMIC_RELEASE);
}

// The ring to another worker. Returns 0 or -ENOMEM.
static int
make_notes(struct live_worker *w, uint16_t to)
{
	uint32_t wires = 0, room = NOTES_MIN;
	struct live_notes *notes;
	size_t bytes;

	for (uint32_t i = 0; i < w->shared_out_count; i++)
		wires += w->shared_out[i].to == to;
	while (room < NOTES_PER_WIRE * wires)
		room *= 2;
	bytes = offsetof(struct live_notes, ring) + room * sizeof(notes->ring[0]);
	notes = aligned_alloc(_Alignof(struct live_notes), bytes);
	if (notes == NULL)
		return -ENOMEM;
	memset(notes, 0, bytes);
	notes->mask = room - 1;
	w->notes[to] = notes;
	return 0;
}

int
live_prepare_nodes(struct live_worker *w)
{
	w->due = calloc(w->node_count + 1, sizeof(*w->due));
	w->places = calloc(w->node_count + 1, sizeof(*w->places));
	w->shared_due = calloc(w->shared_out_count + 1, sizeof(*w->shared_due));
	if (w->due == NULL || w->places == NULL || w->shared_due == NULL)
		return -ENOMEM;
	while (w->switch_count < w->node_count && w->nodes[w->switch_count]->role != NODE_NIC)
		w->switch_count++;
	for (uint32_t i = 0; i < w->shared_out_count; i++) {
		const uint16_t to = w->shared_out[i].to;

		w->shared_due[i] = PS_NEVER;
		w->shared_out[i].wire->wake = &w->shared_due[i];
		if (w->notes[to] == NULL && make_notes(w, to) != 0)
			return -ENOMEM;
	}
	live_bind_wires(w);
	return 0;
}

void
live_forget_nodes(struct live_worker *w)
{
	free(w->due);
	free(w->places);
	free(w->shared_due);
	for (uint32_t i = 0; i < LIVE_WORKERS_MAX; i++)
		free(w->notes[i]);
}
