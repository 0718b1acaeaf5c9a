// SPDX-License-Identifier: BSD-3-Clause
// Events of a node so rare and important that they are reported at once: a ring from
// the node's worker to the control side, which prints it. When nobody reads, what comes is counted
// and lost.
#pragma once

#include "time.h"

#include <stdbool.h>
#include <stdint.h>

enum node_log_kind {
	NODE_LOG_STORM,           // the watchdog found a queue stuck
	NODE_LOG_RESTORE_QUIET,   // it let it go: nobody has paused it for a while
	NODE_LOG_RESTORE_BY_HAND, // because somebody said so
	NODE_LOG_RESTORE_CHANGED, // because it does not watch it any more
};

struct node_log_entry {
	ps_t at;
	ps_t span;        // STORM: how long it was stuck; QUIET: nobody had paused it
	uint64_t packets; // RESTORE: dropped by the storm
	uint8_t kind;     // enum node_log_kind
	uint8_t action;   // STORM: enum watchdog_action
	uint8_t port;
	uint8_t tc;
};

struct node_log {
	uint32_t mask;
	uint32_t head;                              // control: rw (release), worker: ro (acquire)
	uint32_t tail __attribute__((aligned(64))); // worker: rw (release), control: ro (acquire)
	uint64_t lost;                              // worker: wo (relaxed), control: ro
	struct node_log_entry entries[];
};

// Makes a ring for all that the watchdog of a node of `ports` ports can say between two looks.
// Returns 0 or -ENOMEM. Control thread.
int node_log_create(struct node_log **out, uint16_t ports);

// NULL is fine.
void node_log_destroy(struct node_log *log);

// Adds an entry, or counts it as lost when the ring is full. The node's worker.
void node_log_put(struct node_log *log, const struct node_log_entry *entry);

// Takes the oldest entry. Returns false when there is none. Control thread.
bool node_log_take(struct node_log *log, struct node_log_entry *entry);

// Entries lost so far. Any thread.
uint64_t node_log_lost(const struct node_log *log);
