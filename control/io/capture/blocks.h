// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a capture that is still running, in: what pcapng.c makes, and what a fabric sends. The
// bytes come from another process, so nothing in them is believed.
#pragma once

#include "pcapng.h"

#include <stdbool.h>
#include <stddef.h>

#define BLOCKS_INTERFACES_MAX 65536

struct blocks;

// What one block is.
struct block {
	enum { BLOCK_OTHER, BLOCK_PACKET, BLOCK_STATISTICS } kind;
	const char *interface; // its name, or "?"
	// Of a packet:
	uint64_t at_ns;
	enum capture_direction direction;
	const uint8_t *data;
	uint32_t data_len;
	uint32_t orig_len;
	bool infiniband; // from the LRH to the VCRC; else an Ethernet frame
	// Of statistics:
	uint64_t seen, lost;
	// Of both:
	char comment[512]; // "": none; longer ones are cut
};

struct blocks *blocks_create(void);
void blocks_destroy(struct blocks *b); // NULL is fine

// Takes the first block from *bytes and moves *bytes behind it. The block refers to those bytes.
// Returns 1; 0 if there is none; or -EINVAL.
int blocks_next(struct blocks *b, const uint8_t **bytes, size_t *count, struct block *out);
