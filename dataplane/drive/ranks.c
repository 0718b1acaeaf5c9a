// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.h"

#include <errno.h>
#include <stdlib.h>

int
ranks_bytes_reserve(struct ranks_bytes *b, size_t count)
{
	size_t room = b->room < 256 ? 256 : b->room;
	void *data;

	if (count <= b->room)
		return 0;
	while (room < count)
		room *= 2;
	data = realloc(b->data, room);
	if (data == NULL)
		return -ENOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

uint32_t
ranks_count_sharers(const cpu_set_t *sets, uint32_t count, uint32_t own)
{
	uint32_t sharers = 1;

	for (uint32_t i = 0; i < count; i++) {
		cpu_set_t common;

		CPU_AND(&common, &sets[i], &sets[own]);
		sharers += i != own && CPU_COUNT(&common) != 0;
	}
	return sharers;
}

int
ranks_reduce(struct ranks *r, enum ranks_reduction how, uint64_t *values, uint32_t count)
{
	return ranks_many(r) ? r->ops->reduce(r, how, values, count) : 0;
}

int
ranks_agree(struct ranks *r, int rc)
{
	uint64_t failed = rc != 0;
	int lost = ranks_reduce(r, RANKS_MOST, &failed, 1);

	if (rc != 0)
		return rc;
	return lost == 0 && failed ? -ECANCELED : lost;
}
