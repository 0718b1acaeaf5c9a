// SPDX-License-Identifier: BSD-3-Clause
#include "probe_limiter.h"

#include "hash.h"

bool
probe_limiter_allow(struct probe_limiter *a, uint32_t device, const struct learn_address *address,
		    int64_t now_ms)
{
	uint64_t key = hash_bytes(device, address, sizeof(*address)) | 1;
	unsigned int at = key >> 32 & (PROBE_SLOTS - 1);

	if (now_ms - a->since_ms >= PROBE_INTERVAL_MS) {
		a->since_ms = now_ms;
		a->count = 0;
	}
	if (a->count == PROBE_MAX ||
	    (a->last[at].key == key && now_ms - a->last[at].at_ms < PROBE_INTERVAL_MS))
		return false;
	a->count++;
	a->last[at].key = key;
	a->last[at].at_ms = now_ms;
	return true;
}
