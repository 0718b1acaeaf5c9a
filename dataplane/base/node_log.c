// SPDX-License-Identifier: BSD-3-Clause
#include "node_log.h"

#include <errno.h>
#include <stdlib.h>

#define NODE_LOG_PER_PORT 16 // of each of its eight queues a storm and its end

int
node_log_create(struct node_log **out, uint16_t ports)
{
	uint32_t count = NODE_LOG_PER_PORT;
	struct node_log *log;

	while (count < NODE_LOG_PER_PORT * (uint32_t)ports)
		count *= 2;
	log = aligned_alloc(64, (sizeof(*log) + count * sizeof(log->entries[0]) + 63) / 64 * 64);
	if (log == NULL)
		return -ENOMEM;
	*log = (struct node_log){.mask = count - 1};
	*out = log;
	return 0;
}

void
node_log_destroy(struct node_log *log)
{
	free(log);
}

void
node_log_put(struct node_log *log, const struct node_log_entry *entry)
{
	uint32_t head = __atomic_load_n(&log->head, __ATOMIC_ACQUIRE);

	if (log->tail - head > log->mask) {
		__atomic_store_n(&log->lost, log->lost + 1, __ATOMIC_RELAXED);
		return;
	}
	log->entries[log->tail & log->mask] = *entry;
	__atomic_store_n(&log->tail, log->tail + 1, __ATOMIC_RELEASE);
}

bool
node_log_take(struct node_log *log, struct node_log_entry *entry)
{
	if (log->head == __atomic_load_n(&log->tail, __ATOMIC_ACQUIRE))
		return false;
	*entry = log->entries[log->head & log->mask];
	__atomic_store_n(&log->head, log->head + 1, __ATOMIC_RELEASE);
	return true;
}

uint64_t
node_log_lost(const struct node_log *log)
{
	return __atomic_load_n(&log->lost, __ATOMIC_RELAXED);
}
