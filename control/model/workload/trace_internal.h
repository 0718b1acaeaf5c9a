// SPDX-License-Identifier: BSD-3-Clause
// How the readers of traces build a graph; private to control/model/workload/. Functions that
// return an int return 0, or -EINVAL with the errors in the builder's diag.
#pragma once

#include "control/base/arena.h"
#include "graph.h"
#include "trace.h"
#include "words_file.h"

#define TRACE_NONE UINT32_MAX
#define TRACE_NAME_MAX 96
#define TRACE_HOUR_NS UINT64_C(3600000000000) // the longest that a rank computes at a time

struct trace_builder {
	const struct trace_text *texts;
	uint32_t text_count;
	struct diag *diag;
	struct trace *trace;
	uint32_t member_count, after_count;
	uint64_t pair_count;
	char *copy; // of a text file: words are cut from it
};

// Begins the graph. ranks: how many, as the text says at pos.
int trace_begin(struct trace_builder *b, uint64_t ranks, struct diag_pos pos);
// Add an operation, and a member to the one added last, as graph.h does, within the limits. The
// name's characters that a terminal or JSON would not take become '?'.
int trace_add(struct trace_builder *b, const struct graph_operation *operation);
int trace_add_member(struct trace_builder *b, uint32_t rank, const uint32_t *after, uint32_t count);
// What was measured of the operation added last.
void trace_add_measured(struct trace_builder *b, const struct trace_measured *measured);

// An error in a text file, which has one text.
int trace_error(const struct trace_builder *b, struct diag_pos pos, const char *key,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

// The words of a text file.
struct words_reader trace_words(const struct trace_builder *b);
// The value behind a word such as "comm", or NULL.
const struct config_name *trace_value(const struct config_name *words, unsigned count,
				      const char *key);

// The lines of a text file as they are.
struct trace_lines {
	char *at, *end;
	uint32_t line;
};

struct trace_lines trace_lines(const struct trace_builder *b);
// The next line without its newline, or NULL.
char *trace_next_line(struct trace_lines *lines);

// ---- ranks that all do the same (trace_chain.c) -------------------------------------------------

// A rank is t + T * (e + E * (d + D / E * p)): its place in its tensor (t), expert, data and
// pipeline group, as Megatron-LM numbers ranks. The expert groups are parts of the data groups.
struct trace_sizes {
	uint32_t tensor, expert, data, pipeline;
};

enum trace_grouping {
	TRACE_ALL,
	TRACE_TENSOR,
	TRACE_EXPERT,
	TRACE_DATA,
	TRACE_EXPERT_DATA,   // the ranks of a data group that have the same experts
	TRACE_TENSOR_EXPERT, // the ranks of an expert group, with their tensor groups
	TRACE_PIPELINE,
	TRACE_GROUPINGS,
};

// A program that all ranks run, one operation after the other.
struct trace_chain {
	struct trace_builder *b;
	struct trace_sizes sizes;
	uint32_t first, count; // the ranks whose program it is; others only join them
	uint32_t *last;        // by rank: the operation that its next waits for, or TRACE_NONE
	uint32_t *aside;       // by rank: the operation that it began aside last
	ps_t compute_ps;       // of every rank, before its next operation
};

// Begins the graph too. stage: the one whose program it is, or TRACE_NONE: of all.
int trace_chain_begin(struct trace_chain *chain, struct trace_builder *b,
		      const struct trace_sizes *sizes, uint32_t stage, struct diag_pos pos);
// Adds an operation of every group. Its `group` and `compute_ps` are the chain's. aside: nothing
// waits for it. A group of one rank, or no bytes, sends nothing.
int trace_chain_add(struct trace_chain *chain, const struct graph_operation *operation,
		    enum trace_grouping grouping, bool aside);
// Adds a message from every rank to the one `by` ranks further (back: from that one to it), where
// there is one.
int trace_chain_send(struct trace_chain *chain, const struct graph_operation *operation, int64_t by,
		     bool back);
// Adds computing after what was begun aside last; nothing waits for it.
int trace_chain_follow(struct trace_chain *chain, const char *name, ps_t compute_ps);
// All ranks compute so long before what they do next; or as an operation of its own.
int trace_chain_compute(struct trace_chain *chain, ps_t compute_ps, struct diag_pos pos);
int trace_chain_end_compute(struct trace_chain *chain, const char *name);
void trace_chain_free(struct trace_chain *chain);

// ---- ranks that each have a list of their own (trace_calls.c, trace_match.c) --------------------

enum trace_does { TRACE_COMPUTES, TRACE_SENDS, TRACE_RECEIVES, TRACE_JOINS };

// What a rank does: its part of an operation.
struct trace_call {
	enum trace_does does;
	enum config_work_kind kind; // JOINS: of the collective
	const char *name;           // lives as long as the calls
	uint32_t rank;
	uint32_t group; // JOINS, SENDS, RECEIVES: in trace_calls.groups
	uint32_t place; // JOINS: of the rank in the group, as the trace numbers them
	uint32_t
		peer; // SENDS, RECEIVES: the other rank. BROADCAST: the root's place, or TRACE_NONE
	uint64_t tag; // SENDS, RECEIVES
	uint64_t bytes;
	ps_t compute_ps;
	uint32_t first_after, after_count; // in trace_calls.after
	uint32_t text;                     // where it stands:
	uint64_t at;                       // a line, or a byte of a binary file
	uint32_t operation;                // of the graph; filled by trace_match()
};

struct trace_group {
	const char *name;  // in messages
	uint32_t expected; // ranks; 0: those that have calls
};

struct trace_calls {
	struct trace_builder *b;
	bool binary;
	bool gathers_parts; // bytes of an ALL_GATHER are of one rank's part
	struct arena arena; // of names
	struct trace_call *calls;
	uint32_t count;
	uint32_t *after; // calls
	uint32_t after_count;
	struct trace_group *groups;
	uint32_t group_count;
};

int trace_call_error(const struct trace_calls *calls, const struct trace_call *call,
		     const char *format, ...) __attribute__((format(printf, 3, 4)));
// Adds a call. Returns its number, or TRACE_NONE with the error in diag.
uint32_t trace_add_call(struct trace_calls *calls, const struct trace_call *call);
// Adds what a call waits for; all that one call waits for is added before that of another.
int trace_add_after(struct trace_calls *calls, uint32_t call, uint32_t after);
// Finds which calls are of one operation, and adds the operations to the graph, which has begun.
// The k-th collective of a group at each of its ranks is one operation; so are the k-th SEND and
// RECEIVE of two ranks with the same group and tag.
int trace_match(struct trace_calls *calls);
void trace_calls_free(struct trace_calls *calls);

// Numbers for texts, in the order in which they first appear.
struct trace_names {
	void *tree;
	uint32_t count;
};

uint32_t trace_number(struct trace_names *names, const char *text);
// The number that a text has, or TRACE_NONE.
uint32_t trace_find_number(const struct trace_names *names, const char *text);
void trace_names_free(struct trace_names *names);

// ---- formats ------------------------------------------------------------------------------------

int trace_read_aicb(struct trace_builder *b);
int trace_read_chakra(struct trace_builder *b);
int trace_read_htsim(struct trace_builder *b);
int trace_read_nccl(struct trace_builder *b);
int trace_read_nccl_tests(struct trace_builder *b);
int trace_read_simai(struct trace_builder *b);
