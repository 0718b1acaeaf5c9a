// SPDX-License-Identifier: BSD-3-Clause
// Pauses as they come in by a port, and packets that they hold.
#pragma once

#include "../harness.h"

#define QUANTUM UINT64_C(5120) // 512 bit times at 100 Gb/s

static inline void
put(struct harness *h, unsigned int from, unsigned int to, unsigned int priority, ps_t at)
{
	harness_put(h, from,
		    harness_frame(h, &(struct frame){.to = to, .dscp = (uint8_t)(priority * 8)}),
		    at);
}

static inline void
put_pfc(struct harness *h, unsigned int port, uint8_t vector, uint16_t quanta, ps_t at)
{
	uint16_t each[PRIORITIES];

	for (unsigned int i = 0; i < PRIORITIES; i++)
		each[i] = quanta;
	harness_put(h, port, harness_pfc(h, vector, each), at);
}

// An 802.3x pause of the link.
static inline void
put_link_pause(struct harness *h, unsigned int port, uint16_t quanta, ps_t at)
{
	struct rte_mbuf *m = harness_pfc(h, 0, (const uint16_t[PRIORITIES]){0});

	packet_data(m)[14] = 0x00;
	packet_data(m)[15] = 0x01; // opcode PAUSE
	packet_data(m)[16] = (uint8_t)(quanta >> 8);
	packet_data(m)[17] = (uint8_t)quanta;
	harness_put(h, port, m, at);
}

// The next packet that left by a port, of 300 bytes, began at `at`.
static inline void
expect_started(struct harness *h, unsigned int port, ps_t at)
{
	ps_t left;
	struct rte_mbuf *m = harness_take(h, port, &left);

	assert_non_null(m);
	assert_int_equal(left, at + harness_frame_time(300));
	packet_free(h->pool, m);
}
