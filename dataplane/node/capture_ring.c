// SPDX-License-Identifier: BSD-3-Clause
#include "capture_ring.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define NOTHING UINT32_MAX
#define PART_BYTES (1u << 20)   // that one call makes present
#define AHEAD_BYTES (16u << 20) // of memory that is present before the worker

int
capture_ring_create(struct capture_ring **out, uint32_t size)
{
	struct capture_ring *r = aligned_alloc(64, (sizeof(*r) + 63) / 64 * 64);
	void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (r == NULL || data == MAP_FAILED) {
		free(r);
		if (data != MAP_FAILED)
			munmap(data, size);
		return -ENOMEM;
	}
	*r = (struct capture_ring){.size = size, .data = data};
	*out = r;
	return 0;
}

void
capture_ring_destroy(struct capture_ring *r)
{
	if (r == NULL)
		return;
	munmap(r->data, r->size);
	free(r);
}

bool
capture_ring_populate(struct capture_ring *r)
{
	const uint64_t wanted = capture_ring_end(r) + AHEAD_BYTES;
	const uint32_t left = r->size - r->present;
	const uint32_t part = left < PART_BYTES ? left : PART_BYTES;

	if (part == 0 || r->present >= wanted)
		return false;
	// A kernel that does not know this makes pages when the worker first writes to them.
	(void)madvise(r->data + r->present, part, MADV_POPULATE_WRITE);
	r->present += part;
	return true;
}

static struct capture_slot *
slot_at(const struct capture_ring *r, uint64_t position)
{
	return (struct capture_slot *)(void *)(r->data + (position & (r->size - 1)));
}

struct capture_slot *
capture_ring_reserve(struct capture_ring *r, uint32_t data_len)
{
	const uint32_t bytes = (uint32_t)(offsetof(struct capture_slot, data) + data_len + 7) & ~7u;
	const uint32_t to_end = r->size - (uint32_t)(r->write & (r->size - 1));
	const uint32_t skipped = to_end < bytes ? to_end : 0;
	struct capture_slot *slot;

	if (r->write + skipped + bytes - r->head_seen > r->size) {
		r->head_seen = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);
		if (r->write + skipped + bytes - r->head_seen > r->size)
			return NULL;
	}
	if (skipped != 0) { // at least 8 bytes: every record is a multiple of that
		slot = slot_at(r, r->write);
		slot->bytes = skipped;
		slot->node = NOTHING;
		r->write += skipped;
	}
	slot = slot_at(r, r->write);
	slot->bytes = bytes;
	r->write += bytes;
	return slot;
}

void
capture_ring_publish(struct capture_ring *r)
{
	__atomic_store_n(&r->tail, r->write, __ATOMIC_RELEASE);
}

uint64_t
capture_ring_end(const struct capture_ring *r)
{
	return __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
}

const struct capture_slot *
capture_ring_peek(struct capture_ring *r, uint64_t *position)
{
	const uint64_t tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
	const struct capture_slot *slot;

	if (r->head == tail)
		return NULL;
	slot = slot_at(r, r->head);
	if (slot->node == NOTHING) {
		capture_ring_release(r);
		if (r->head == tail)
			return NULL;
		slot = slot_at(r, r->head);
	}
	*position = r->head;
	return slot;
}

void
capture_ring_release(struct capture_ring *r)
{
	__atomic_store_n(&r->head, r->head + slot_at(r, r->head)->bytes, __ATOMIC_RELEASE);
}
