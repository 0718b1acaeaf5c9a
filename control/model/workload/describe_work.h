// SPDX-License-Identifier: BSD-3-Clause
// What a workload sends, in sums: by kind of operation and by group, and between which hosts. Bytes
// are those that senders pass to receivers, of all repetitions. Control thread.
#pragma once

#include "workload.h"

#define DESCRIBE_PAIRS_MAX (1u << 22) // of generated flows; those of later ones are not listed

// Of one item, kind and group.
struct work_sum {
	uint32_t item;     // in config.workload
	const char *kind;  // "all-reduce"; of flows the item's
	const char *group; // "tp"; NULL: all ranks, or no ranks
	uint64_t count;    // operations, or flows
	uint64_t bytes;
	uint64_t inside_bytes; // of them, those between NICs of one host
};

struct work_program {
	uint32_t item;
	uint32_t ranks;
	ps_t compute_ps; // of the rank that computes most
};

struct work_pair {
	uint32_t src, dst; // hosts, not the same
	uint64_t bytes;
};

// Names are the workload's.
struct work_description {
	struct work_sum *sums; // by item, in the order in which they first appear
	uint32_t sum_count;
	struct work_program *programs;
	uint32_t program_count;
	struct work_pair *pairs; // those that send most first
	uint32_t pair_count;
	uint64_t generated_left_out; // flows that are not in pairs
};

void work_describe(struct work_description *out, const struct workload *w,
		   const struct config *config);
void work_description_free(struct work_description *description);
