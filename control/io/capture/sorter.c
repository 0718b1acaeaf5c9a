// SPDX-License-Identifier: BSD-3-Clause
#include "sorter.h"

#include "control/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_BYTES (sizeof(struct sorted_packet) + 40) // what a packet takes beside its data

static bool
is_before(const struct sorted_packet *a, const struct sorted_packet *b)
{
	return a->stamp_ns != b->stamp_ns ? a->stamp_ns < b->stamp_ns : a->number < b->number;
}

void
sorter_add(struct sorter *s, const struct sorted_packet *packet, const uint8_t *data)
{
	struct sorted_packet *copy =
		memory_new(sizeof(*copy) + packet->data_len, "packets to be sorted");
	size_t at = s->count;

	*copy = *packet;
	memcpy(copy->data, data, packet->data_len);
	s->heap = memory_grow(s->heap, s->count, sizeof(*s->heap), "packets to be sorted");
	s->heap[s->count++] = copy;
	s->bytes += PACKET_BYTES + packet->data_len;
	for (; at > 0 && is_before(copy, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap[at] = s->heap[(at - 1) / 2];
	s->heap[at] = copy;
}

struct sorted_packet *
sorter_take(struct sorter *s)
{
	struct sorted_packet *first, *last;
	size_t at = 0;

	if (s->count == 0)
		return NULL;
	first = s->heap[0];
	last = s->heap[--s->count];
	for (size_t child = 1; child < s->count; child = 2 * at + 1) {
		child += child + 1 < s->count && is_before(s->heap[child + 1], s->heap[child]);
		if (!is_before(s->heap[child], last))
			break;
		s->heap[at] = s->heap[child];
		at = child;
	}
	s->heap[at] = last;
	s->bytes -= PACKET_BYTES + first->data_len;
	return first;
}

void
sorter_clear(struct sorter *s)
{
	for (size_t i = 0; i < s->count; i++)
		free(s->heap[i]);
	free(s->heap);
	*s = (struct sorter){0};
}
