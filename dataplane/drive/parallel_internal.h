// SPDX-License-Identifier: BSD-3-Clause
// What running (parallel.c) and setting up (parallel_create.c) threads of virtual time share.
#pragma once

#include "parallel.h"

#include <pthread.h>
#include <time.h>

#define PARALLEL_LINE 128 // adjacent cache lines are fetched in pairs

enum phase_kind { PHASE_SWITCHES, PHASE_NICS, PHASE_KINDS };

// Phases are numbered; even ones are of switches.
static inline enum phase_kind
parallel_phase_kind(uint64_t phase)
{
	return phase & 1 ? PHASE_NICS : PHASE_SWITCHES;
}

struct parallel_segment {
	uint32_t first; // of v->nodes
	uint32_t end;
	uint32_t units;
};

struct parallel_thread {
	// Number of the phase (32 bits), then of the next unit of this thread's own to be claimed.
	// All threads: rw.
	uint64_t claims __attribute__((aligned(PARALLEL_LINE)));
	struct parallel_segment segments[PHASE_KINDS]; // set-up: wo
	// The thread's own.
	struct parallel *parallel __attribute__((aligned(PARALLEL_LINE)));
	struct packet_pool *packets;
	pthread_t id;
	uint32_t index;
	uint32_t seen; // the phase that it has last worked for
	bool alone;    // others had not begun most of their units when it came to help
	uint64_t units;
	uint64_t helped;
	uint64_t busy_ns;
};

struct parallel {
	struct virtual_drive *v;
	struct packet_shares *shares;
	struct packet_pool *packets;
	uint32_t thread_count;
	uint32_t started; // threads, the caller's among them
	uint32_t cores;
	uint64_t spin_tsc;
	bool measured;
	uint32_t unit_nodes[PHASE_KINDS];
	uint32_t units[PHASE_KINDS];
	// The thread that opens a phase: wo; all: ro.
	ps_t start __attribute__((aligned(PARALLEL_LINE)));
	ps_t until;
	ps_t stop;
	uint32_t phase;
	bool running;       // a call of parallel_run() is not over
	bool over;          // threads are to end
	bool caller_sleeps; // caller: wo, under `lock`
	// All threads: rw, once a phase.
	ps_t next __attribute__((aligned(PARALLEL_LINE)));
	uint32_t remaining; // units that are not complete
	uint32_t sleepers;
	struct wire *grown; // to be settled; under `lock`
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct parallel_thread threads[];
};

static inline uint64_t
parallel_clock_ns(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (uint64_t)at.tv_sec * 1000000000 + (uint64_t)at.tv_nsec;
}

// The life of a thread: a struct parallel_thread's.
void *parallel_thread_main(void *arg);
// Wakes all threads that sleep.
void parallel_wake_all(struct parallel *p);
