// SPDX-License-Identifier: BSD-3-Clause
// Operations of ranks, and what each waits for: the form that a collective, a training step and a
// trace of one take before they become flows (graph_flows.c). An operation is a collective of some
// ranks, a message from one to another, or computing. At each rank it begins when the operations
// that it waits for are over at that rank; ranks run ahead of one another. Control thread.
#pragma once

#include "dataplane/base/time.h"
#include "control/config/config.h"

#define GRAPH_NONE UINT32_MAX

struct graph_operation {
	const char *name;           // shown in the results; copied; NULL: its kind
	const char *label;          // under which results sum it up; copied; NULL: its name
	const char *group;          // of ranks, as "tp"; copied; NULL: all
	enum config_work_kind kind; // a collective, SEND, or COMPUTE
	ps_t compute_ps;            // a rank computes so long before; of COMPUTE all there is
	// Of one rank's buffer, as nccl-tests counts it; of SEND, the message.
	uint64_t bytes;
	enum config_algorithm algorithm; // AUTO: the kind's first
	int8_t priority;                 // -1: the item's
	const struct config_work *work;  // further settings; NULL: the item's
	// In the item's list, from 0: operations of one number differ in their ranks alone.
	uint32_t number;
};

struct graph_member {
	uint32_t rank;
	uint32_t first_after, after_count; // in graph.afters
};

struct graph_node {
	struct graph_operation operation;
	uint64_t *pair_bytes; // member_count x member_count, row: the sender; NULL: equal parts
	uint32_t first_member, member_count;
};

struct graph {
	uint32_t rank_count;
	struct graph_node *nodes; // by number
	uint32_t count;
	struct graph_member *members; // by operation
	uint32_t member_count;
	uint32_t *afters; // numbers of operations
	uint32_t after_count;
};

struct graph *graph_create(uint32_t rank_count);
// Adds an operation without members. Returns its number, from 0.
uint32_t graph_add(struct graph *g, const struct graph_operation *operation);
// Adds a member to the operation that was added last: in the order of ranks in a collective; of
// SEND the sender, then the receiver; of BROADCAST the root first. It waits for the operations of
// `after` (numbers, later ones too) of which this rank is a member.
void graph_add_member(struct graph *g, uint32_t rank, const uint32_t *after, uint32_t count);
// Gives the all-to-all that was added last, with all its members, unequal parts: see
// graph_node.pair_bytes. Copies them.
void graph_add_parts(struct graph *g, const uint64_t *pair_bytes);
// Looks for operations that wait for one another in a circle, at one rank or over several. Returns
// GRAPH_NONE, or the number of one of them.
uint32_t graph_find_circle(const struct graph *g);
void graph_destroy(struct graph *g); // NULL is fine
