// SPDX-License-Identifier: BSD-3-Clause
// Memory that a node needs for new tables. A worker does not allocate: with the tables, the control
// thread leaves zeroed blocks (adopt.c says which). The worker takes them when it adopts the
// tables, and hands back blocks that it no longer needs. Both lists change owners as a whole, by
// one exchange.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spare;

struct spares {
	struct spare *left;     // control: adds; worker: takes all of them
	struct spare *returned; // worker: adds; control: takes all of them
	struct spare *taken;    // worker's
	uint32_t missed;        // worker: blocks that it had to allocate by itself
	// control's: what it has left memory for, which the node has by the time it adopts the
	// tables
	uint32_t turns, tenants, notices, vrfs;
	bool flowlets, utilisation, notice_due, histograms, watchdog, credits, llr;
	uint8_t *fair; // by port: bit per queue that has FIFOs of tenants; NULL: none has
	uint32_t fair_tenants;
};

// Control thread: appends a zeroed block to those left for the worker.
void spare_leave(struct spares *s, size_t bytes);
// Control thread: frees what the node has handed back.
void spare_free_returned(struct spares *s);

// Worker: takes over what was left. Before the blocks are taken one by one.
void spare_begin(struct spares *s);
// Worker: takes a zeroed block of at least so many bytes.
void *spare_take(struct spares *s, size_t bytes);
// Worker: hands memory of spare_take() back; NULL is fine.
void spare_return(struct spares *s, void *memory);
// Worker: hands back what was left and not needed.
void spare_end(struct spares *s);

// Frees memory of spare_take() at once. The node does not run; NULL is fine.
void spare_free(void *memory);
// Frees everything but blocks that are in use. The node does not run.
void spare_destroy(struct spares *s);
