// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a run have of a list, brought to the first rank in the order of the list. Each
// rank has some of its entries (the nodes that it runs, say) and sends what it has of them with
// ascending index; the first rank goes through the list, adds its own entries and takes those of
// the others between them. So a list of any length passes in bounded memory, and nobody has to know
// who has what.
//
//     for (index = 0; index < count; index++) {
//         if (g has no others, or the entry is here) use it, or gather_put() it
//         gather_take(g, index, ...);
//     }
//     gather_finish(g, ...);
//
// Control thread. Every rank goes through the same lists in the same order.
#pragma once

#include "dataplane/drive/ranks.h"

#include <stdio.h>

struct gather;

// Returns NULL for one process, which all calls accept. chunk: bytes that are sent at once, and
// that the first rank keeps of each other one; 0: chosen.
struct gather *gather_create(struct ranks *ranks, size_t chunk);
void gather_destroy(struct gather *g);

// Whether this process sends what it has, because another rank prints and writes.
bool gather_sends(const struct gather *g);

// ---- ranks that send ----------------------------------------------------------------------------

// The entry to which the next pieces belong: never one before the last.
void gather_at(struct gather *g, uint32_t index);
// Sends a piece of the entry; kind: any number by which the receiver knows what it is.
void gather_put(struct gather *g, uint32_t kind, const void *data, size_t count);
// A stream whose text becomes pieces of the entry that it is flushed at; for fclose().
FILE *gather_open(struct gather *g, uint32_t kind);

// ---- the first rank -----------------------------------------------------------------------------

struct gather_piece {
	uint32_t index;
	uint32_t kind;
	const void *data; // not aligned; only valid during the call
	size_t count;
};
typedef void gather_use(void *context, const struct gather_piece *piece);

// Hands over what others have sent of entries up to `index`. Nothing where this process sends.
void gather_take(struct gather *g, uint32_t index, gather_use *use, void *context);

// ---- all ----------------------------------------------------------------------------------------

// Ends a list, handing over the rest; then the next one may begin. Returns 0, or -errno if a rank
// is gone.
int gather_finish(struct gather *g, gather_use *use, void *context);
