// SPDX-License-Identifier: BSD-3-Clause
// Packets of a pool whose memory ends, for the sanitizer, where their frame does.
#pragma once

#include "dataplane/base/packet.h"

#include <sanitizer/asan_interface.h>

#include <stdlib.h>
#include <string.h>

#define POISON_FRAME_MAX 1600u

// A packet with these bytes; poison_end() before anything is put behind them.
static inline struct rte_mbuf *
poison_packet(struct packet_pool *pool, const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = packet_alloc(pool);

	if (m == NULL || bytes > POISON_FRAME_MAX)
		abort();
	memset(packet_meta(m), 0xa5, PACKET_META_BYTES);
	packet_init_frame(m, 0, (uint16_t)bytes);
	memcpy(packet_data(m), frame, bytes);
	ASAN_POISON_MEMORY_REGION(packet_data(m) + bytes, POISON_FRAME_MAX - bytes);
	return m;
}

static inline void
poison_end(struct rte_mbuf *m, uint32_t bytes)
{
	ASAN_UNPOISON_MEMORY_REGION(packet_data(m) + bytes, POISON_FRAME_MAX - bytes);
}

// A packet with these bytes, for the wire.
static inline struct rte_mbuf *
plain_packet(struct packet_pool *pool, const uint8_t *frame, uint32_t bytes)
{
	struct rte_mbuf *m = packet_alloc(pool);

	if (m == NULL)
		abort();
	packet_init_frame(m, 0, (uint16_t)bytes);
	memcpy(packet_data(m), frame, bytes);
	return m;
}
