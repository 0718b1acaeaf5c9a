// SPDX-License-Identifier: BSD-3-Clause
// Captured packets on their way from a worker to the control thread: a ring of records of any
// length, one producer and one consumer. Neither waits for the other: what finds no room is lost,
// and counted by the tap.
//
// A position counts all bytes since the ring was made, so it also says what came before what.
#pragma once

#include "dataplane/base/time.h"

#include <stdbool.h>
#include <stdint.h>

enum capture_kind {
	CAPTURE_RECEIVED,
	CAPTURE_SENT,
	CAPTURE_DROPPED, // what was not captured as received, or was lost after that
	CAPTURE_KINDS,
};

#define CAPTURE_NO_REASON 0xff

struct capture_slot {
	uint32_t bytes; // of the record, with its data, a multiple of 8
	uint32_t node;  // in the fabric; UINT32_MAX: nothing, up to the end of the ring
	ps_t at;
	uint32_t wire_bytes;
	uint32_t depth_bytes; // drops: in the queue; 0: it had none yet
	uint16_t data_len;
	uint16_t port;     // where it passed; of a dropped packet, where it came in
	uint16_t out_port; // drops, if `placed`: whose queue it was for
	uint8_t kind;      // enum capture_kind
	uint8_t reason;    // enum drop_reason, or CAPTURE_NO_REASON
	uint8_t priority;
	uint8_t tc; // the same, and of a packet that was sent: the queue it was in
	bool placed;
	bool matched; // by the tap's function
	uint8_t data[];
};

struct capture_ring {
	uint64_t head;                              // control: rw (release), worker: ro (acquire)
	uint32_t present;                           // control: bytes of data populated so far
	uint64_t tail __attribute__((aligned(64))); // worker: rw (release), control: ro (acquire)
	uint64_t write;     // worker: what is written up to here is not all published yet
	uint64_t head_seen; // worker: head when it last mattered
	uint32_t size;      // a power of 2
	uint8_t *data;
};

// Takes as long for a large ring as for a small one: its memory comes by capture_ring_populate().
// Returns 0 or -ENOMEM. Control thread.
int capture_ring_create(struct capture_ring **out, uint32_t size);

// Makes a part of the ring's memory present, before the worker gets there: a page that is not costs
// the worker a page fault when it first writes to it. To be called now and then while the worker
// runs. Returns whether there was something to do. Control thread.
bool capture_ring_populate(struct capture_ring *r);

// NULL is fine.
void capture_ring_destroy(struct capture_ring *r);

// Room for a record with so many bytes of data, whose `bytes` are filled in; NULL: there is none.
// The worker.
struct capture_slot *capture_ring_reserve(struct capture_ring *r, uint32_t data_len);

// Lets the control thread see all records that were reserved. The worker.
void capture_ring_publish(struct capture_ring *r);

// The position behind the last record that the worker has published. Control thread.
uint64_t capture_ring_end(const struct capture_ring *r);

// The oldest record and its position; NULL: there is none. It stays until the ring is released.
// Control thread.
const struct capture_slot *capture_ring_peek(struct capture_ring *r, uint64_t *position);
void capture_ring_release(struct capture_ring *r);
