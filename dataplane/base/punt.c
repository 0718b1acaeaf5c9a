// SPDX-License-Identifier: BSD-3-Clause
#include "punt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
punt_create(struct punt **out)
{
	struct punt *p = aligned_alloc(64, (sizeof(*p) + 63) / 64 * 64);

	if (p == NULL)
		return -ENOMEM;
	memset(p, 0, sizeof(*p));
	*out = p;
	return 0;
}

void
punt_destroy(struct punt *p)
{
	free(p);
}

bool
punt_put(struct punt *p, uint16_t port, const uint8_t *data, uint32_t length)
{
	uint32_t head = __atomic_load_n(&p->head, __ATOMIC_ACQUIRE);
	struct punt_frame *frame = &p->frames[p->tail % PUNT_FRAMES];
	unsigned int of_port = 0;

	if (length > PUNT_FRAME_MAX || p->tail - head == PUNT_FRAMES)
		return false;
	for (uint32_t i = head; i != p->tail; i++)
		of_port += p->frames[i % PUNT_FRAMES].port == port;
	if (of_port >= PUNT_PORT_FRAMES)
		return false;
	frame->port = port;
	frame->length = (uint16_t)length;
	memcpy(frame->data, data, length);
	__atomic_store_n(&p->tail, p->tail + 1, __ATOMIC_RELEASE);
	return true;
}

const struct punt_frame *
punt_peek(const struct punt *p)
{
	if (p->head == __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE))
		return NULL;
	return &p->frames[p->head % PUNT_FRAMES];
}

void
punt_release(struct punt *p)
{
	__atomic_store_n(&p->head, p->head + 1, __ATOMIC_RELEASE);
}
