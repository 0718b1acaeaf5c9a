// SPDX-License-Identifier: BSD-3-Clause
// What a run gives: sums, statistics of flows, loads of links; and the files that `roost sim`
// writes about it: result.json, and a table each of flows, links and counters. Control thread.
#pragma once

#include "control/base/output.h"
#include "control/config/yaml_tree.h"
#include "counters.h"
#include "dataplane/base/credit.h"
#include "dataplane/base/llr.h"
#include "dataplane/base/time.h"

#include <jansson.h>
#include <stdint.h>

// ---- totals.c: sums over the nodes of a fabric --------------------------------------------------

struct report_totals {
	uint64_t packets;        // sent by NICs
	uint64_t packet_hops;    // packets of any kind that began to cross a link
	uint64_t drops;          // for any reason
	uint64_t drops_lossless; // of packets that were in a lossless group or queue
	uint64_t pfc_tx;         // enable bits sent
	uint64_t credit_tx;      // grants sent
	uint64_t llr_ports;      // with link-level retry
	uint64_t llr_replays;    // completed by them
	uint64_t llr_again;      // frames sent again
	uint64_t llr_flushes;    // times that one gave up
	uint64_t ecn_marked;
	uint64_t trimmed; // by queues
	uint64_t by_reason[DROP_COUNT];
};

// Adds up the nodes that this process has.
void report_totals_compute(const struct report_node *nodes, unsigned int count,
			   struct report_totals *out);
void report_totals_add(const struct report_node *n, struct report_totals *out);

// What a port's group and queue of this number refused though they are lossless.
uint64_t report_lossless_drops(const struct report_node *n, unsigned int port, unsigned int index);

// How unevenly a leaf loads its uplinks: (max - min) / mean of the bytes that they have sent. -1
// without two uplinks, or if they sent nothing.
double report_leaf_imbalance(const struct report_node *n);

// ---- result_flows.c -----------------------------------------------------------------------------

// The results of flows, and the order statistics of their completion times. Percentiles are by
// nearest rank (the value at place ceil(p * n) of the sorted ones), found by integer comparison, so
// that the result is the same on every machine.

struct report_flow {
	uint32_t id;
	const char *item; // the workload item that it belongs to
	const char *src;  // host names
	const char *dst;
	const char *tenant; // NULL: none
	uint64_t bytes;     // of one time
	ps_t start;         // of the first time
	// From start until its last byte was acknowledged, of several times the mean; PS_NEVER
	// while open.
	ps_t fct;
	ps_t end;               // of the last time; 0: start + fct
	uint32_t repeat;        // how many times it was to be sent; 0: once
	ps_t ideal;             // its completion alone on one shortest path; 0: not known
	uint64_t retransmitted; // packets
	uint32_t reorder_max;   // packets
};

// Of completed flows. All 0 without any; slowdown (fct / ideal) of those whose ideal is known.
struct flow_statistics {
	uint32_t flows; // all, completed or not
	uint32_t completed;
	uint32_t with_ideal;
	uint64_t bytes; // of all flows, one time of each
	ps_t fct_mean, fct_p50, fct_p99, fct_max;
	double slowdown_mean, slowdown_p50, slowdown_p99, slowdown_max;
};

void flow_statistics_compute(const struct report_flow *flows, uint32_t count,
			     struct flow_statistics *out);

// Flows of one workload item, or of one tenant.
struct flow_group {
	const char *name;
	struct flow_statistics statistics;
};

enum flow_grouping { FLOWS_BY_ITEM, FLOWS_BY_TENANT };

// Statistics of each group, in the order of their first flows; for free(). Flows without a tenant
// are in no group of tenants.
struct flow_group *flow_groups_compute(const struct report_flow *flows, uint32_t count,
				       enum flow_grouping by, uint32_t *groups);

// What all completed flows carried, every time of each, in Gb/s of payload, between the first start
// and the last completion; 0 without any.
double flow_goodput_gbps(const struct report_flow *flows, uint32_t count);

// Pairs of ranks whose flows are generated while the run goes on: of all collectives together, over
// all their executions.
struct report_pairs {
	uint64_t pairs;         // 0: none are generated
	uint64_t messages;      // to be sent, also inside hosts
	uint64_t arrived;       // and acknowledged, whole
	double bytes;           // to be sent between hosts
	double arrived_bytes;   // of them, about
	uint64_t retransmitted; // packets
};

// ---- result_links.c -----------------------------------------------------------------------------

// The load of links over a run, by direction. A load is the share of the time in which the
// transmitter was busy, preamble, FCS and gap included: 1 is line rate.

#define REPORT_TIER_MAX 24

// Writes the tier of a direction of a link, "leaf-spine" for a leaf's uplink. False if nothing is
// behind the port.
bool report_tier(const struct report_node *n, unsigned int port, char text[static REPORT_TIER_MAX]);

// Bytes that a port has sent, framing included: by a profile, and by the one in force.
static inline uint64_t
report_framed_bytes(const struct port *p, const struct port_profile *profile)
{
	return p->tx_bytes +
	       (p->tx_packets - credit_updates_sent(p)) *
		       (profile->preamble + profile->fcs + profile->gap) +
	       (p->llr != NULL ? p->llr->extra_bytes : 0);
}

uint64_t report_wire_bytes(const struct report_node *n, unsigned int port);

// How long packets of its lanes waited at the port only for credit: of all of them together.
ps_t report_credit_wait(const struct report_node *n, unsigned int port, ps_t now);

// The load of a port's transmitter over the first `time` of the run, at its present rate; 0 without
// a rate or time.
double report_load(const struct report_node *n, unsigned int port, ps_t time);

// The loads of one tier.
struct report_tier_loads {
	char name[REPORT_TIER_MAX];
	unsigned int links;
	double sum, min, max;
	const struct report_node *min_node, *max_node;
	unsigned int min_port, max_port;
};

#define REPORT_TIERS_MAX 16

struct report_tiers {
	struct report_tier_loads tiers[REPORT_TIERS_MAX]; // in the order in which they came
	unsigned int count;
};

// Adds the load of a port that has a tier; others do not count, nor do more tiers than there is
// room for. Node after node, and port after port: sums of reals depend on their order.
void report_tiers_add(struct report_tiers *t, const struct report_node *n, unsigned int port,
		      double load);

// ---- result_figures.c ---------------------------------------------------------------------------

// What a result says of a run's nodes together, from one pass over them.

// The place with the most of something; of several the first one.
struct report_worst {
	const struct report_node *node; // NULL: there was none of it anywhere
	unsigned int port, priority;
	uint64_t most;
};

struct report_peak {
	const struct report_node *node; // NULL: the pool was never used
	uint64_t bytes;
	uint64_t size_bytes; // 0: unlimited
};

struct report_figures {
	struct report_totals totals;
	// The mean of report_leaf_imbalance() over the leaves that have one (the throughput
	// imbalance of Alizadeh et al.: CONGA, SIGCOMM 2014, section 5.2.3, over the whole run). 0:
	// evenly.
	double uplink_imbalance;
	struct report_tiers tiers;
	struct report_worst paused;         // for the longest time, in ps
	struct report_worst lossless_drops; // packets
	struct report_worst credit_wait;    // of a port and lane for credit, in ps
	struct report_worst llr_again;      // of a port, in frames
	struct report_peak pools[POOL_COUNT];
	json_t *histograms; // an array of counters_histograms(), each with its node; NULL: not kept
	// Until the pass is complete.
	double imbalance_sum;
	uint32_t imbalanced_leaves;
};

// ---- result.c -----------------------------------------------------------------------------------

enum report_kind {
	REPORT_ALL_TO_ALL,
	REPORT_ALL_REDUCE,
	REPORT_ALL_GATHER,
	REPORT_REDUCE_SCATTER,
	REPORT_BROADCAST,
	REPORT_SEND,
	REPORT_COMPUTE,
	REPORT_STEP, // of a training step: its compute gaps and collectives together
};

// One execution of a collective, or of a step.
struct report_collective {
	const char *name;    // the same for all its executions
	const char *label;   // under which tables sum it up; NULL: its name
	const char *id;      // the same for all its executions, and unique in the run
	const char *step_id; // the id of the step that it belongs to, or is; NULL: none
	const char *group;   // of ranks, as "tp"; NULL: all
	enum report_kind kind;
	uint32_t iteration; // from 0
	uint32_t ranks;
	uint64_t bytes; // the per-rank buffer, as nccl-tests counts it; STEP: a rank's sum
	ps_t start;     // of its first rank; PS_NEVER before
	ps_t step;      // from then until the last rank had everything; PS_NEVER while open
};

static inline const char *
report_label(const struct report_collective *c)
{
	return c->label != NULL ? c->label : c->name;
}

// "all-reduce" ...
const char *report_kind_name(enum report_kind kind);

// Algorithm and bus bandwidth in Gb/s: bytes over time, and what each rank's link must carry of
// it (nccl-tests, doc/PERFORMANCE.md). 0 while it is open; a step and computing have none: 0.
void report_collective_bandwidth(const struct report_collective *c, double *algorithm, double *bus);

// What one operation adds to the critical path of a step: its data, or of kind COMPUTE the
// computing before them, each time that the path leads over it.
struct report_path {
	const char *name;
	enum report_kind kind;
	uint32_t ranks;
	uint32_t times;
	uint64_t bytes;   // of all times; of computing 0
	ps_t time;        // the sum
	ps_t longest;     // of one time
	const char *host; // where that was; of a collective the last rank to join
};

// In Gb/s, as of a collective with these bytes in this time; of computing 0.
double report_path_bandwidth(const struct report_path *path);

// One complete execution of a step.
struct report_step {
	const char *id; // as of its report_collective
	uint32_t iteration;
	ps_t start, step;
	// Means over its ranks, of `step`: computing; sending or waiting for data while not
	// computing. The rest is idle.
	ps_t computing, exposed;
	const char *slowest;      // the host of the rank that was done last
	struct report_path *path; // from its end to its beginning
	uint32_t path_count;
};

struct report_steps {
	struct report_step *items;
	uint32_t count;
};

void report_steps_free(struct report_steps *steps);

struct report_result {
	const char *file;                 // the input
	const struct yaml_node *settings; // what it says; NULL: not known
	uint64_t seed;
	const struct report_flow *flows; // in the order of their ids
	uint32_t flow_count;
	struct report_pairs pairs;
	const struct report_collective *collectives; // executions of one name by iteration
	uint32_t collective_count;
	struct report_steps steps;
	const struct report_node *nodes; // those of other ranks have names alone
	uint32_t node_count;
	struct report_figures figures; // of the nodes, from result_collect()
	const json_t *snapshots;       // snapshots_taken(); NULL: none
	json_t *log;                   // fabric_log_entries(), the caller's; NULL: none
	uint64_t log_lost;             // entries missing from it
	ps_t now;                      // when the run ended
	ps_t last_event;               // when the last packet or flow did
	uint64_t cnps;                 // sent
	uint64_t out_of_order;
	uint64_t assumed_bad; // entropy values of transport mrc that became so
	uint64_t probes;      // of these, sent
	double setup_s;
	double wall_s;
	uint64_t memory_bytes; // that the processes had at their peaks, together
	uint32_t ranks;        // processes that ran it
	uint32_t threads;      // of each of them
	bool interrupted;      // a signal ended the run
	bool stalled;          // nothing moved any more
	bool out_of_memory;
};

// The figures of a run as a whole.
struct report_summary {
	struct report_totals totals;
	struct flow_statistics flows;
	uint64_t retransmitted; // packets, over all flows
	double goodput_gbps;
	double uplink_imbalance;
};

void report_summary_compute(const struct report_result *r, struct report_summary *out);

// Packets sent again, over all flows and generated pairs.
uint64_t report_retransmitted(const struct report_result *r);

// What to examine after the run (result_hints.c): a new array of texts, each with its place; empty
// if nothing is wrong.
json_t *report_hints(const struct report_result *r);

// ---- result_collect.c ---------------------------------------------------------------------------

// What is made of the nodes in the pass over them. The same at all ranks; of the streams only those
// of the first one are written to.
struct result_wanted {
	struct ranks *ranks; // NULL: this process alone
	char *digest;        // RESULT_DIGEST_MAX bytes; NULL: it is not wanted
	bool histograms;     // for result_write()
	bool tables;         // links and counters
	FILE *links, *counters;
};

// Goes through all nodes once and completes the result: its figures, the digest and the tables of
// links and counters; from other ranks it fetches what their nodes give. At ranks other than the
// first the result stays their part. Returns 0, or -errno if a rank is gone. result_free() in any
// case.
int result_collect(struct report_result *r, const struct result_wanted *wanted);
void result_free(struct report_result *r);

// The SHA-256 of what a run gave (digest.c), without what may differ between runs of one file:
// version, file, times of the machine, numbers of ranks and threads, whether it was interrupted,
// ids of collectives.
#define RESULT_DIGEST_MAX 65 // SHA-256 in hexadecimal and its NUL

// Writes result.json piece by piece: a line for each member of a list or object of the top level.
// digest: of result_collect(), or NULL to leave it out. The stream's error indicator tells whether
// all was written.
void result_write(const struct report_result *r, const char *digest, FILE *to);

// Writes a report as JSON, indented by one blank for each level and with a newline at its end; path
// "-" is stdout. Returns 0 or -errno.
int report_write(const json_t *document, const char *path);

// ---- result_tables.c ----------------------------------------------------------------------------

// The tables beside result.json: a row for each flow; for each direction of a link; and for each
// counter that differs from counter_initial(), at the end and in each snapshot (snapshots.h).
enum result_table { RESULT_FLOWS, RESULT_LINKS, RESULT_COUNTERS, RESULT_SNAPSHOTS, RESULT_TABLES };

// "flows.csv" ...
const char *result_table_name(enum result_table table);

// Writes the table of flows, with the names of its columns as the first row. Links and counters are
// written by result_collect(), snapshots when they are taken.
void result_flows_write(const struct report_result *r, FILE *to);

// Prints the columns of all as the Markdown tables of doc/results.md, each with its heading.
void result_tables_print_markdown(FILE *to);

// ---- statistics ---------------------------------------------------------------------------------

// The executions of a collective together.
struct collective_statistics {
	const char *name;
	enum report_kind kind;
	uint32_t ranks;
	uint64_t bytes;
	uint32_t executions; // completed or not
	uint32_t completed;
	ps_t mean, min, max; // of the completed ones; 0 without any
	double algbw_gbps;   // of the mean time
	double busbw_gbps;
};

// One for each name, kind, number of ranks and size, in the order of their first executions; for
// free().
struct collective_statistics *collective_statistics_compute(const struct report_collective *c,
							    uint32_t count, uint32_t *groups);
