// SPDX-License-Identifier: BSD-3-Clause
// Empties the rings of workers into which taps copy packets, and passes the records on in order of
// time, a bounded amount at a time. Control thread.
#pragma once

#include "dataplane/drive/live.h"
#include "dataplane/node/capture_ring.h"

// What one turn may cost, in bytes that are copied: about 2 ms of the control thread.
#define CAPTURE_TURN_BYTES (4u << 20)
#define CAPTURE_RECORD_COST 256u      // of a record, beside its bytes
#define CAPTURE_KEPT_BYTES (8u << 20) // that may wait for a worker that is behind

// What the records are for. A bit each stands for one that may take them.
struct capture_drain_use {
	// Those that take a record of a worker's ring at a position; 0: nobody. *cost is 0, and
	// becomes what they do with it beyond copying, in bytes that could be copied meanwhile.
	uint32_t (*takers)(void *context, const struct capture_slot *slot, uint32_t ring,
			   uint64_t position, uint32_t *cost);
	// Passes it on to all of them. The record is gone afterwards.
	void (*deliver)(void *context, const struct capture_slot *slot, uint32_t takers);
	void *context;
};

struct capture_drain;

struct capture_drain *capture_drain_create(const struct capture_drain_use *use);
// The rings stay. NULL is fine.
void capture_drain_destroy(struct capture_drain *d);

// Adds the ring of a worker, of which all records before *published have been published. Both stay
// until the drain is destroyed.
void capture_drain_add(struct capture_drain *d, uint32_t index, struct capture_ring *ring,
		       const ps_t *published);

// Takes records that have been published, no more than a turn's worth, and passes on those before
// which no other can come any more.
void capture_drain_turn(struct capture_drain *d);
// Whether records are left for the next turn.
bool capture_drain_waits(const struct capture_drain *d);
// Whether all records before a position of a ring have been taken. Of a ring that was not added,
// there are none.
bool capture_drain_is_past(const struct capture_drain *d, uint32_t index, uint64_t position);

// Passes on to some takers (a bit each) what has been taken for them, whatever its time.
void capture_drain_flush(struct capture_drain *d, uint32_t takers);
// Forgets what has been taken for them.
void capture_drain_forget(struct capture_drain *d, uint32_t takers);
