// SPDX-License-Identifier: BSD-3-Clause
// Destinations on a connected network whose neighbour nobody knows: a ring from a node's worker to
// the control side, which has the kernel ask for them. A destination that finds the ring full asks
// again with its next packet.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GLEAN_ENTRIES 64 // a power of 2

struct glean_entry {
	uint16_t vrf;
	uint8_t version;     // 4 or 6
	uint8_t address[16]; // an IPv4 address in the first 4 bytes
};

struct glean {
	uint32_t head;                              // control: rw (release), worker: ro (acquire)
	uint32_t tail __attribute__((aligned(64))); // worker: rw (release), control: ro (acquire)
	struct glean_entry entries[GLEAN_ENTRIES];
};

// Returns 0 or -ENOMEM. Control thread.
int glean_create(struct glean **out);

// NULL is fine.
void glean_destroy(struct glean *g);

// Adds an entry, unless the last that waits is the same or there is no room. The node's worker.
void glean_put(struct glean *g, const struct glean_entry *entry);

// Takes the oldest entry. Returns false when there is none. Control thread.
bool glean_take(struct glean *g, struct glean_entry *entry);
