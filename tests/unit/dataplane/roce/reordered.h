// SPDX-License-Identifier: BSD-3-Clause
// A struct reorder that tests give packets, and the PSNs of those that have passed, with time set
// by hand.
#pragma once

#include "reorder_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TIMEOUT (100 * PS_PER_US)
#define FIRST (20 * PS_PER_US)

static struct reorder *reorder;
static char passed[4096]; // PSNs, in order
static uint32_t given;

static inline void
note(struct rte_mbuf *m)
{
	while (m != NULL) {
		struct rte_mbuf *next = packet_meta(m)->next;
		size_t length = strlen(passed);

		snprintf(passed + length, sizeof(passed) - length, "%s%x", length == 0 ? "" : " ",
			 reorder_frame_psn(m));
		free(m);
		given++;
		m = next;
	}
}

static inline void
begin_new(uint32_t packets, ps_t first)
{
	const struct reorder_settings settings = {packets, TIMEOUT, first};

	for (unsigned int i = 0; reorder != NULL && i < 2; i++)
		note(reorder_expire(reorder, PS_NEVER / 2 * (1 + i)));
	reorder_destroy(reorder);
	assert_int_equal(reorder_create(&reorder, &settings), 0);
	passed[0] = '\0';
	given = 0;
}

// The first packet of a queue pair passes.
static inline void
begin(uint32_t packets)
{
	begin_new(packets, 0);
}

static inline void
put(const struct reorder_frame *frame, ps_t now)
{
	note(reorder_take(reorder, reorder_frame_make(frame), true, now));
}

// A SEND of one packet to queue pair 17.
static inline void
send_one(uint32_t psn, ps_t now)
{
	put(&(struct reorder_frame){.opcode = ROCE_OP_SEND_ONLY, .qp = 17, .psn = psn}, now);
}

static inline void
expect(const char *psns)
{
	assert_string_equal(passed, psns);
	passed[0] = '\0';
}
