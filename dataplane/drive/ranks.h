// SPDX-License-Identifier: BSD-3-Clause
// The processes (ranks) that run one fabric together, each a part of its nodes. What carries bytes
// between them is behind `ops`: Open MPI (control/run/ranks_mpi.c), or socket pairs in tests.
//
// All calls but send() and receive() are collective: every rank makes them, in the same order. A
// call that fails leaves the ranks of no use to each other: the caller ends the run.
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANKS_MAX 1024

enum ranks_reduction { RANKS_SUM, RANKS_LEAST, RANKS_MOST };

// Bytes that grow; the caller's, and freed by free(data). Zero is empty.
struct ranks_bytes {
	void *data;
	size_t count, room;
};

struct ranks;

struct ranks_ops {
	// Sends out[k] to rank k and replaces in[k] by what that rank sent. The entries of the
	// caller's own index are left alone. Returns 0, or -errno: a rank is gone, or no memory.
	int (*exchange)(struct ranks *r, const struct ranks_bytes *out, struct ranks_bytes *in);
	// Replaces values by their sums, minima or maxima over all ranks.
	int (*reduce)(struct ranks *r, enum ranks_reduction how, uint64_t *values, uint32_t count);
	// From one rank to another, in the order of the calls; send() may wait for the receiver.
	int (*send)(struct ranks *r, uint32_t to, const void *data, size_t count);
	int (*receive)(struct ranks *r, uint32_t from, struct ranks_bytes *in);
	// Ends all ranks with this exit status. Does not return.
	void (*abort)(struct ranks *r, int status);
	// Waits for the others to come as far, and frees r.
	void (*close)(struct ranks *r);
};

struct ranks {
	const struct ranks_ops *ops;
	uint32_t index; // of this process
	uint32_t count;
	uint32_t sharers; // of them that may run on one of this one's cores, this one included
};

// One process on its own has no ranks (NULL), or is the only one.
static inline bool
ranks_many(const struct ranks *r)
{
	return r != NULL && r->count > 1;
}

// The one that prints and writes.
static inline bool
ranks_first(const struct ranks *r)
{
	return r == NULL || r->index == 0;
}

// Makes room for `count` bytes. Returns 0 or -ENOMEM.
int ranks_bytes_reserve(struct ranks_bytes *b, size_t count);

// How many of these sets of cores have one of set number `own`, that one included.
uint32_t ranks_count_sharers(const cpu_set_t *sets, uint32_t count, uint32_t own);

// As ops->reduce; nothing to do for one process.
int ranks_reduce(struct ranks *r, enum ranks_reduction how, uint64_t *values, uint32_t count);

// Ends a step that can fail at some of the ranks only; all ranks call it. rc: 0, or -errno of this
// rank. Returns rc, or -ECANCELED where only other ranks have failed, or -errno if they could not
// be asked.
int ranks_agree(struct ranks *r, int rc);
