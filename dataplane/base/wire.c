// SPDX-License-Identifier: BSD-3-Clause
#include "wire.h"

#include <errno.h>
#include <stdlib.h>

#define WIRE_SLOTS_FIRST 4 // 64 B: a quiet wire stays within one cache line
#define WIRE_SLOTS_MAX (UINT32_C(1) << 24)

int
wire_create(struct wire **out, ps_t delay, bool shared, uint32_t slots)
{
	struct wire *w;
	uint32_t capacity = WIRE_SLOTS_FIRST;

	if (delay == 0 || slots > WIRE_SLOTS_MAX)
		return -EINVAL;
	while (shared && capacity < slots)
		capacity *= 2;
	w = aligned_alloc(64, sizeof(*w));
	if (w == NULL)
		return -ENOMEM;
	*w = (struct wire){
		.delay = delay,
		.mask = capacity - 1,
		.limit = shared ? capacity : UINT32_MAX,
		.drop_ip_id_low = -1,
	};
	w->put_mask = w->mask;
	w->visible = shared ? &w->published : &w->tail;
	w->slots = aligned_alloc(64, capacity * sizeof(*w->slots));
	if (w->slots == NULL) {
		free(w);
		return -ENOMEM;
	}
	w->put_slots = w->slots;
	*out = w;
	return 0;
}

void
wire_destroy(struct wire *w)
{
	if (w == NULL)
		return;
	free(w->slots);
	free(w);
}

int
wire_grow(struct wire *w)
{
	uint32_t capacity = (w->mask + 1) * 2;
	struct wire_slot *slots;

	if (w->visible == &w->published)
		return -ENOBUFS; // another worker may be reading the slots
	slots = aligned_alloc(64, capacity * sizeof(*slots));
	if (slots == NULL) {
		packet_memory_note_lack();
		return -ENOMEM;
	}
	for (uint32_t i = w->head; i != w->tail; i++)
		slots[i & (capacity - 1)] = w->slots[i & w->mask];
	free(w->slots);
	w->slots = w->put_slots = slots;
	w->mask = w->put_mask = capacity - 1;
	return 0;
}
