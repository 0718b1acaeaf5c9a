// SPDX-License-Identifier: BSD-3-Clause
// Virtual time on several threads: the windows of virtual.h, whose nodes any thread may run. The
// outcome is the same for any number of threads. See parallel.c.
#pragma once

#include "virtual.h"

#include <stdint.h>

#define PARALLEL_THREADS_MAX 256

struct parallel;

// The cores that this process may use.
uint32_t parallel_cores(void);

// Makes `threads` threads, the caller's among them, run the nodes of a drive that has not run yet
// or stands still. v->nodes[i] is of thread places[i]: thread t first runs what is its own, then
// helps others. NULL: all are divided evenly, in order. v->nodes is put in the order of threads.
// `packets`: the pool of all nodes, which they use only through this until parallel_destroy().
//
// Returns 0, -EINVAL for a number of threads outside 1 .. PARALLEL_THREADS_MAX or a place of none
// of them, -ENOMEM, or -EAGAIN when the system refuses a thread.
int parallel_create(struct parallel **out, struct virtual_drive *v, uint32_t threads,
		    const uint16_t *places, struct packet_pool *packets);

// As virtual_run(), by the thread that made it. Between calls the nodes are the caller's.
void parallel_run(struct parallel *p, ps_t until);

// What a thread has done so far.
struct parallel_work {
	uint64_t units;  // shares of a window that it has run
	uint64_t helped; // of them, those of other threads
	double busy_s;   // of the CPU, in which it ran nodes; 0: not measured
	double cpu_s; // of the CPU, waiting included; of the caller's thread all that it ever had
};

// Measures busy_s from now on, which takes two system calls a phase. Between runs.
void parallel_measure(struct parallel *p);
// Of thread 0 .. threads - 1; 0 is the caller's. Between runs.
void parallel_read_work(const struct parallel *p, uint32_t thread, struct parallel_work *out);

// Ends the threads; nodes and packets are as virtual_run() would have left them. NULL is fine.
void parallel_destroy(struct parallel *p);
