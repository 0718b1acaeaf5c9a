// SPDX-License-Identifier: BSD-3-Clause
// Bytes that wait until a browser reads them. Who adds to it bounds it.
#pragma once

#include <stddef.h>

struct send_queue {
	char *bytes;
	size_t room, length;
	size_t sent; // of the length
};

size_t send_queue_waiting(const struct send_queue *q);
void send_queue_add(struct send_queue *q, const void *bytes, size_t count);
// Moves the first bytes that wait to `to`; returns how many.
size_t send_queue_take(struct send_queue *q, char *to, size_t room);
void send_queue_free(struct send_queue *q);
