// SPDX-License-Identifier: BSD-3-Clause
// The driver of the live pace: worker lcores run their nodes by a clock that is the TSC divided by
// the dilation. See live.c.
#pragma once

#include "dataplane/device/device.h"
#include "dataplane/device/pool.h"
#include "dataplane/node/loop.h"

#include <rte_rcu_qsbr.h>

#include <stdbool.h>
#include <stdint.h>

#define LIVE_WORKERS_MAX 64

// A port whose far side is a device. The driver carries packets between the device and the port's
// two wires, which both end here, while the port is in the list of its worker.
struct live_port {
	struct device *device; // NULL: closed
	struct node *node;
	struct port *port;
	struct wire *to_node;   // what the device received
	struct wire *from_node; // what it is to send
	bool paced;             // read no faster than the edge NIC has room for
	uint64_t oversized;     // worker: rw; frames too large for the device
	uint64_t unsendable;    // worker: rw; frames that could not be made into bytes
	uint64_t cut_off;       // worker: rw; frames that waited for a device whose link went down
};

struct live_worker;

// Something was put on a wire to a node of another worker.
struct live_note {
	struct wire *wire;
	ps_t arrival;
};

// What one worker has put on wires to another. If there is no room, the other visits all its nodes.
struct live_notes {
	uint32_t tail __attribute__((aligned(128))); // putter: rw (release), taker: ro (acquire)
	uint32_t mask;                               // of the ring
	uint32_t head_seen;                          // putter: rw
	uint32_t head __attribute__((aligned(128))); // taker: rw (release), putter: ro (acquire)
	uint32_t lost __attribute__((aligned(128))); // putter: sets it, taker: clears it (atomic)
	struct live_note ring[] __attribute__((aligned(128)));
};

// A wire to another worker.
struct live_cross {
	struct wire *wire;
	uint16_t to; // the worker
};

// A request of the control thread to a worker, to be done between two turns, when its nodes all
// stand at one instant: `run` for each of its nodes, or `change` once. Afterwards the worker visits
// all its nodes, so requests are for rare changes.
struct live_request {
	void (*run)(void *context, struct node *node, ps_t now);
	void (*change)(void *context, struct live_worker *worker);
	void *context;
};

struct live_worker {
	struct live_drive *drive;
	struct node **nodes; // switches, then NICs
	uint32_t node_count;
	uint32_t switch_count;
	ps_t *due;                // worker: rw; by node: nothing happens there before
	uint32_t *places;         // worker: room to list nodes that are due in a window
	struct live_port **ports; // control: rw while it does not run; then only by a request
	uint32_t port_count;
	struct live_cross *shared_out;
	ps_t *shared_due; // worker: rw; of each: the arrival of what was put and not yet published
	uint32_t shared_out_count;
	struct live_notes *notes[LIVE_WORKERS_MAX]; // to each worker that has such wires, by worker
	uint16_t *upstream;                         // workers whose wires end here
	uint32_t upstream_count;
	struct packet_pool *packets;
	unsigned int lcore;
	unsigned int index;
	ps_t next;    // worker: rw; nothing happens here before this
	ps_t nap_end; // worker: rw; when it meant to wake up, 0 if it did not nap

	// worker: wo (release), other workers and control: ro (acquire): all nodes have taken
	// everything before.
	ps_t published __attribute__((aligned(64)));
	// worker: wo, control: ro (relaxed)
	uint64_t lag_wall_ps; // how far behind the last turn began, in wall time
	uint64_t lag_wall_max_ps;
	uint64_t slips;
	// control: wo (release), worker: rw; NULL when done
	struct live_request *request __attribute__((aligned(64)));
};

struct live_drive {
	struct live_worker workers[LIVE_WORKERS_MAX];
	uint32_t worker_count;
	// control: wo (relaxed), workers: ro (relaxed)
	ps_t window; // steps of a worker: at most the least delay of wires into switches
	ps_t reach;  // at most the least delay of wires between workers
	uint32_t dilation;
	bool sleep_when_idle;
	ps_t max_lag_wall;
	uint64_t nap_wall; // longest nap; as window
	uint64_t turn_tsc; // what a turn may take before it ends early
	uint64_t tsc_start;
	uint64_t ps_per_tsc; // wall, 32 fraction bits
	ps_t slip;           // workers: rw (atomic); fabric time by which the clock has slipped
	bool stop;           // control: wo (release), workers: ro (acquire)
	struct rte_rcu_qsbr *rcu;
};

// Prepares the drive: clock at 0, no worker started. `window` as for virtual time; `dilation` at
// least 1. Before live_start(), the caller fills the workers, and sets `reach` if it is not the
// window: at most TIME_WINDOW_MAX. EAL must run. Returns 0, -EINVAL or -ENOMEM. Control thread.
int live_init(struct live_drive *d, uint32_t workers, ps_t window, uint32_t dilation,
	      ps_t max_lag_wall, bool sleep_when_idle);

// Starts the clock and all workers on their lcores. Returns 0 or -errno (some may run:
// live_stop()). After it, the drive's own lists are freed by live_destroy().
int live_start(struct live_drive *d);

// Stops the workers and waits for them. Control thread.
void live_stop(struct live_drive *d);

void live_destroy(struct live_drive *d);

// The fabric's time now. Any thread.
ps_t live_clock(const struct live_drive *d);

// Has every worker run `run` on each of its nodes between two turns and waits until all have.
// Control thread. While the workers are stopped it runs them itself.
void live_call(struct live_drive *d, void (*run)(void *context, struct node *node, ps_t now),
	       void *context);

// Calls `run` while all workers stand still between two turns: briefly, for what two workers share.
// Control thread.
void live_halt(struct live_drive *d, void (*run)(void *context), void *context);

// Gives a worker a request and does not wait, for callers that a hanging worker must not block.
// The request is the worker's until live_is_served(). Returns false while it has another one.
// Control thread, workers run.
bool live_submit(struct live_drive *d, uint32_t worker, struct live_request *request);
bool live_is_served(const struct live_drive *d, uint32_t worker,
		    const struct live_request *request);

// Puts a port whose device is open into the list of a worker, the one that runs its node, and takes
// its link up: from then on the worker receives from the device and sends to it. Nothing if it is
// there already. Returns 0 or -ENOMEM. Control thread, workers run.
int live_add_port(struct live_drive *d, uint32_t worker, struct live_port *port);

// Takes a port out of the list and its link down, so that the node drops what is sent there or has
// arrived from it as `link-down`; what waited for the device is lost and counted (cut_off). When it
// returns the worker does not touch the device any more. Nothing if it is not in the list. Control
// thread, workers run.
void live_remove_port(struct live_drive *d, uint32_t worker, struct live_port *port);

// Has a worker run another node from now on, a NIC, which has tables. Nodes of two workers may be
// joined only by wires that were made for that. Returns 0 or -ENOMEM. Control thread, workers run.
int live_add_node(struct live_drive *d, uint32_t worker, struct node *node);

// Has it run the node no longer. When this returns the worker does not touch it any more. Control
// thread, workers run.
void live_remove_node(struct live_drive *d, uint32_t worker, struct node *node);

// Workers step, and run ahead of each other, no further than this from its return on: before a wire
// has a shorter delay, or after the last one had it. Control thread, workers run.
void live_set_window(struct live_drive *d, ps_t window, ps_t reach);

// Waits until no worker can hold what was unpublished before the call (RCU). Control thread.
void live_synchronize(struct live_drive *d);
