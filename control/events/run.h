// SPDX-License-Identifier: BSD-3-Clause
// Drives a fabric in virtual time from its first event to its end: the file's events at their
// instants, input from outside (a replay's) in time, samples and snapshots, and the rules for when
// a run is over.
#pragma once

#include "control/fabric/log.h"
#include "control/fabric/samples.h"
#include "control/film/film.h"
#include "dataplane/drive/parallel.h"
#include "events.h"

enum run_end {
	RUN_DRAINED, // no flow open, no stream or input to come, no packet anywhere
	RUN_TIME,    // the time it was to run is over
	RUN_STALLED, // no packet has moved, or flows have only retransmitted, for too long
	RUN_INTERRUPTED,
};

// Where packets come from and go to beside NICs: a replay's files.
struct run_outside {
	// Puts what arrives before `until` on its wires. Returns when the next after that arrives,
	// PS_NEVER if none; errors are kept and reported by the owner.
	ps_t (*feed)(void *context, ps_t until);
	// Takes what has left.
	void (*drain)(void *context);
	void *context;
};

struct run {
	struct fabric *fabric;
	struct virtual_drive drive;
	uint32_t threads;           // that run the nodes; 0 counts as 1; the caller's
	bool threads_required;      // otherwise one does where so many cannot be started
	struct parallel *parallel;  // while run_all() runs with several
	struct parallel_work *work; // the caller's; by thread, written at the end; NULL: not wanted
	struct node **nodes;
	uint32_t node_count;
	struct events *events;
	struct run_outside outside; // feed NULL: none
	struct fabric_log *log;     // printed on stderr as it comes
	ps_t until;                 // PS_NEVER: until drained
	ps_t streams_until;         // before this a stream may send; the caller's
	ps_t stall;
	// Of flows, at the last check; and since when they have only retransmitted, 0: they have
	// not.
	uint64_t flow_progress;
	uint64_t retransmitted;
	ps_t retransmitting_since;
	ps_t next_check;
	ps_t patience;           // 0: not known yet
	struct samples *samples; // the caller's; NULL: none
	struct film *film;       // the same
	// Whether progress is to be shown, asked at every multiple of TIME_WINDOW_MAX that the run
	// passes. Where one rank says so, all of them call progress(). NULL: it is never shown.
	bool (*progress_due)(void *context);
	void (*progress)(void *context, ps_t now);
	void *progress_context;
	// Takes the snapshot of an event; all ranks call it. NULL: none is taken.
	void (*snapshot)(void *context, ps_t now);
	void *snapshot_context;
	bool (*interrupted)(void); // true ends the run; called as progress_due(); NULL: none
};

// window: 0 for the fabric's own, which is the longest there can be; visit_seed: 0 for nodes in
// order. Returns 0, or -EINVAL with errors in diag.
int run_create(struct run **out, struct fabric *f, ps_t window, uint64_t visit_seed,
	       struct diag *diag);
void run_destroy(struct run *r);

// Runs to the end. Returns 0 with *end, or with the reason in diag -EINVAL when an event could not
// be applied, or -ENOMEM when there was no memory for a packet. Afterwards r->drive.now is the
// end's time.
int run_all(struct run *r, enum run_end *end, struct diag *diag);

// When the last packet arrived somewhere.
ps_t run_last_arrival(const struct run *r);
