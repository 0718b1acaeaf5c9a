// SPDX-License-Identifier: BSD-3-Clause
#include "send_queue.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

size_t
send_queue_waiting(const struct send_queue *q)
{
	return q->length - q->sent;
}

void
send_queue_add(struct send_queue *q, const void *bytes, size_t count)
{
	if (q->sent != 0) {
		q->length -= q->sent;
		memmove(q->bytes, q->bytes + q->sent, q->length);
		q->sent = 0;
	}
	if (q->length + count > q->room) {
		q->room = q->length + count;
		q->bytes = memory_resize(q->bytes, q->room, 1, "bytes for a browser");
	}
	memcpy(q->bytes + q->length, bytes, count);
	q->length += count;
}

size_t
send_queue_take(struct send_queue *q, char *to, size_t room)
{
	size_t count = send_queue_waiting(q);

	if (count > room)
		count = room;
	if (count != 0)
		memcpy(to, q->bytes + q->sent, count);
	q->sent += count;
	return count;
}

void
send_queue_free(struct send_queue *q)
{
	free(q->bytes);
	*q = (struct send_queue){0};
}
