// SPDX-License-Identifier: BSD-3-Clause
// What happens in a fabric, what is kept of it, and when it ends: workload, events, record, stop.
#pragma once

#include "config_values.h"

enum config_work_kind {
	CONFIG_WORK_FLOW,
	CONFIG_WORK_FLOWS,
	CONFIG_WORK_STREAM,
	CONFIG_WORK_INCAST,
	CONFIG_WORK_PERMUTATION,
	CONFIG_WORK_SHIFT,
	CONFIG_WORK_POISSON,
	CONFIG_WORK_ALL_REDUCE,
	CONFIG_WORK_ALL_GATHER,
	CONFIG_WORK_REDUCE_SCATTER,
	CONFIG_WORK_ALL_TO_ALL,
	CONFIG_WORK_BROADCAST,
	CONFIG_WORK_STEP,
	CONFIG_WORK_TRACE,
	CONFIG_WORK_MODEL,
	// Only as operations of a step.
	CONFIG_WORK_SEND,
	CONFIG_WORK_DISPATCH,
	CONFIG_WORK_COMBINE,
	CONFIG_WORK_COMPUTE,
};

enum config_op { CONFIG_OP_WRITE, CONFIG_OP_SEND, CONFIG_OP_READ };
enum config_file_format {
	CONFIG_FLOW_FORMAT_ROOST,
	CONFIG_FLOW_FORMAT_HPCC,
	CONFIG_FLOW_FORMAT_CONWEAVE,
	CONFIG_TRACE_CHAKRA,
	CONFIG_TRACE_SIMAI,
	CONFIG_TRACE_AICB,
	CONFIG_TRACE_NCCL,
	CONFIG_TRACE_NCCL_TESTS,
	CONFIG_TRACE_HTSIM,
};
enum config_arrivals { CONFIG_ARRIVALS_CBR, CONFIG_ARRIVALS_POISSON };
enum config_algorithm {
	CONFIG_ALGORITHM_AUTO, // only before the item is checked
	CONFIG_ALGORITHM_RING,
	CONFIG_ALGORITHM_TREE,
	CONFIG_ALGORITHM_HALVING_DOUBLING,
	CONFIG_ALGORITHM_DIRECT,
	CONFIG_ALGORITHM_SHIFT,
};

enum config_pairs { CONFIG_PAIRS_AUTO, CONFIG_PAIRS_LISTED, CONFIG_PAIRS_GENERATED };

// A way to divide a step's ranks into groups of equal size: the ranks of a group are `stride`
// apart.
struct config_rank_group {
	struct config_name name;
	struct diag_pos pos;
	uint32_t size, stride;
};

// The positions in their group of the ranks that an operation is for.
struct config_place {
	struct config_name group;
	uint32_t first, last;
};

// How tokens choose experts, of DISPATCH and COMBINE.
struct config_experts {
	uint32_t tokens; // of each rank
	uint64_t token_bytes;
	uint32_t count; // of experts, as many at every rank of the group
	uint32_t top_k; // of them each token goes to
	uint32_t nodes; // that a token goes to at most; 0: any
	bool forward;   // inside the node
};

enum config_precision { CONFIG_PRECISION_FP8, CONFIG_PRECISION_BF16, CONFIG_PRECISION_FP32 };
enum config_schedule { CONFIG_SCHEDULE_1F1B, CONFIG_SCHEDULE_GPIPE };

// Multi-head latent attention: what queries, keys and values are compressed to.
struct config_latent {
	uint32_t query, key_value; // 0: not compressed
	uint32_t rope;             // dimensions of a head that carry positions
};

// Layers whose feed-forward network is a mixture of experts.
struct config_model_experts {
	uint32_t count; // 0: none
	uint32_t top_k;
	uint32_t ffn; // of an expert
	uint32_t shared;
	uint32_t dense_layers; // the first so many have none
	uint32_t nodes;        // as in struct config_experts
	bool forward;
};

struct config_transformer {
	uint32_t layers, hidden, heads;
	uint32_t kv_heads; // 0: as many as heads
	uint32_t head;     // dimensions of one; 0: hidden / heads
	uint32_t ffn;
	bool gated;
	uint32_t vocabulary; // 0: neither embedding nor output layer
	struct config_latent latent;
	struct config_model_experts experts;
};

struct config_batch {
	uint32_t sequence;      // tokens
	uint32_t micro_batch;   // sequences
	uint32_t micro_batches; // of each pipeline, a step
};

struct config_parallel {
	uint32_t tp, pp, ep;
	bool sequence;          // the tensor-parallel ranks share the tokens between blocks
	bool sharded_optimizer; // ZeRO-1
	bool overlap;           // gradients are reduced while earlier layers are computed
	enum config_schedule schedule;
};

struct config_precisions {
	enum config_precision activations, dispatch, gradients, parameters;
};

struct config_gpu {
	uint32_t tflops; // 10^12 operations a second
	uint32_t efficiency_ppm;
	bool recompute; // the forward pass of a layer again before its backward pass
};

// What a run takes of a step; 0: all.
struct config_slice {
	uint32_t layers; // of each stage, the last ones
	uint32_t micro_batches;
	uint32_t share_ppm; // of the bytes of each message and of each computing time
};

// A training step of a transformer.
struct config_model {
	struct config_transformer transformer;
	struct config_batch batch;
	struct config_parallel parallel;
	struct config_precisions precision;
	struct config_gpu gpu;
	struct config_slice simulate;
};

struct config_work {
	enum config_work_kind kind;
	struct diag_pos pos;
	struct config_name name;   // text NULL: none
	struct config_name tenant; // text NULL: none
	int8_t priority;           // -1: the hosts'
	uint64_t at_ps;
	uint32_t qps; // 0: the hosts'
	uint32_t repeat;
	uint64_t gap_ps;          // between repeats
	struct config_names from; // flow, stream: one; incast: the senders
	struct config_name to;    // flow, stream, incast
	// permutation, shift, poisson, collectives, step, trace: these only; empty: all (of the
	// tenant)
	struct config_names hosts;
	struct config_names receivers; // poisson; empty: as hosts
	uint64_t size_bytes;     // flow; incast, permutation, shift: of each; collectives: per rank
	uint32_t by;             // shift: places in the list of hosts
	enum config_op op;       // flows between two hosts, of all kinds
	struct config_name file; // flows, trace
	enum config_file_format format;
	uint32_t packet_bytes; // stream: the frame without FCS
	uint64_t rate_bps;     // stream
	enum config_arrivals arrivals;
	uint8_t ttl;              // stream
	uint64_t until_ps;        // stream; 0: the end of the run; poisson
	uint32_t load_ppm;        // poisson
	struct config_name sizes; // poisson: a file
	bool mixed;               // poisson, flows: priorities are drawn
	uint32_t mix_ppm[CONFIG_PRIORITIES];
	enum config_algorithm algorithm;  // collectives
	uint64_t chunk_bytes;             // tree
	uint32_t channels;                // ring; 0: as many as a host's NICs that take part
	enum config_pairs pairs;          // all-to-all
	uint32_t peers;                   // all-to-all; 0: all
	uint64_t compute_ps;              // collectives, step: before it, each time
	struct config_rank_group *groups; // step
	unsigned group_count;
	struct config_work *operations; // step
	unsigned operation_count;
	struct config_model model;
	// Operations of a step.
	struct config_name group; // text NULL: all ranks are one
	struct config_place *on;  // which ranks
	unsigned on_count;
	bool ordered;              // `after` is written; else after the one before
	struct config_names after; // names of operations
	int32_t hop;               // SEND: to the how many next of the group
	uint32_t root;             // BROADCAST: its position in the group
	uint32_t *shares;          // ALL_TO_ALL: of each rank's buffer, by receiver
	unsigned share_count;      // 0: equal ones
	struct config_experts experts;
};

enum config_event_kind {
	CONFIG_EVENT_LINK,
	CONFIG_EVENT_ROUTE,
	CONFIG_EVENT_SET,
	CONFIG_EVENT_SNAPSHOT,
	CONFIG_EVENT_PORT_TX,
	CONFIG_EVENT_PORT_PFC,
	CONFIG_EVENT_CLEAR,
	CONFIG_EVENT_RESTORE,
	CONFIG_EVENT_UNSET,
};

// What a link event changes; the fields whose bit is set in `changes`.
enum config_link_change {
	CONFIG_LINK_STATE = 1 << 0,
	CONFIG_LINK_RATE = 1 << 1,
	CONFIG_LINK_DELAY = 1 << 2,
	CONFIG_LINK_LOSS = 1 << 3,
	CONFIG_LINK_CORRUPT = 1 << 4,
	CONFIG_LINK_DROP = 1 << 5, // packets whose IPv4 ID ends in ip_id_low_byte
	CONFIG_LINK_CORRUPT_PAYLOAD = 1 << 6,
	CONFIG_LINK_BIT_ERRORS = 1 << 7,
};

struct config_event {
	enum config_event_kind kind;
	struct diag_pos pos;
	uint64_t at_ps;
	// LINK
	struct config_name link;
	uint32_t changes;
	bool up;
	uint64_t rate_bps, delay_ps;
	uint32_t loss_ppm;
	uint32_t corrupt_ppm;         // a wrong FCS: the next port drops it
	uint32_t corrupt_payload_ppm; // a wrong ICRC: the NIC drops it
	uint64_t bit_error_rate;      // in units of 1e-18: each bit may be wrong, FCS included
	uint8_t ip_id_low_byte;
	uint64_t for_ps; // undone after this; 0: stays
	// ROUTE; CLEAR
	struct config_name node; // text NULL: the only switch; CLEAR: all
	struct config_route route;
	// SET; UNSET
	struct config_name key; // "switch.qos.tc.3.ecn.min"
	struct config_name to;  // its new value, as text: lists and maps in flow style
	// PORT_TX, PORT_PFC, CLEAR
	struct config_name port; // "swp2", or "leaf1.swp2" in a fabric; CLEAR: text NULL: all
	bool tx_on;
	int8_t queue;       // -1: all
	uint8_t priorities; // PORT_PFC: bit n is priority n
	uint16_t quanta;
	// CLEAR
	bool persistent; // the persistent watermarks, not the user's
	int8_t pg;       // -1: all
	int8_t pool;     // as in the tables, enum pool_id; -1: all
	// RESTORE: the queue whose watchdog storm ends
	struct config_name restore; // "swp2.3", or "leaf1.swp2.3" in a fabric
};

struct yaml_node;

// Decodes the keys of a link event, such as {link: leaf1-spine1, loss: 0.1%}, whose texts stay the
// tree's. Returns 0, or -EINVAL with errors in diag.
int config_read_link_event(struct config_event *out, struct arena *arena,
			   const struct yaml_node *map, struct diag *diag);

// An event in the order of time, or its undoing.
struct config_step {
	uint64_t at_ps;
	unsigned order; // within one instant
	bool undo;      // `for:` has passed
	const struct config_event *event;
};

struct config_record {
	struct diag_pos pos;          // of the section
	struct diag_pos interval_pos; // of the interval, if there is one
	uint64_t interval_ps;         // between samples; 0: nothing is sampled
	// These may be the one name `all`.
	struct config_names queues;
	struct config_names flows;  // names of workload items, or ids
	struct config_names links;  // or ports
	struct config_names pauses; // ports
	struct config_names pools;  // switches
	bool film;
	uint64_t film_limit_bytes;
	struct config_names pcap;
	bool snaplen_full;
	uint32_t snaplen_bytes;
};

struct config_stop {
	bool idle;
	uint64_t time_ps; // when not idle
	struct diag_pos pos;
};
