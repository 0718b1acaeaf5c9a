// SPDX-License-Identifier: BSD-3-Clause
// What a file's `workload:` sends, as plain lists: flows (messages of the NICs' transport), streams
// (packets without a transport), and the programs that the ranks of collectives run. workload.c
// says how the lists are made, collectives.c what a program's flows wait for.
//
// Hosts are given by their index among the hosts (topology.first_host + index is the node), NIC
// ports by their index at the host. Control thread.
#pragma once

#include "dataplane/base/time.h"
#include "control/base/arena.h"
#include "control/config/config.h"
#include "control/model/routes/routes.h"
#include "control/model/topology/topology.h"

#define WORKLOAD_FLOWS_MAX (1u << 24)
#define WORKLOAD_PAIRS_LISTED (1u << 18)       // of an all-to-all, unless the file says otherwise
#define WORKLOAD_PAIRS_MAX (UINT64_C(1) << 30) // generated, of all together
#define WORKLOAD_MESSAGES_MAX 65536u           // of a flow of a collective, each time
#define WORKLOAD_TIMES_MAX 65536u              // repetitions of a program times its collectives
#define WORKLOAD_NONE UINT32_MAX

// Sizes of a collective's messages: message k has base + (((first + k * step) mod of) < extra)
// bytes, which may be none.
struct flow_messages {
	uint32_t count;
	uint64_t base;
	uint32_t extra, first, step, of;
};

// Part `part` of `count` equal ones; where it does not divide, the first are a byte longer.
static inline uint64_t
workload_share(uint64_t bytes, uint32_t part, uint32_t count)
{
	return bytes / count + (part < bytes % count);
}

// Bytes that go from src to dst, whatever the operation: with READ dst requests them.
// The network joins src_port and dst_port, but for a flow `inside` a host.
struct flow_spec {
	uint32_t src, dst; // hosts; the same one only if `inside`
	uint64_t bytes;    // at least 1; of a collective's messages the sum, which may be 0
	ps_t start_ps;     // the first time, start-jitter included; of a collective: its rank's
	ps_t gap_ps;       // between the end of one time and the start of the next
	// Inside src, before it goes: each time, or each message of a collective, one after the
	// other and from the moment that its gate is open.
	ps_t handover_ps;
	uint32_t repeat;     // how many times, at least 1
	uint32_t qps;        // queue pairs that share the bytes
	uint32_t item;       // in config.workload
	uint32_t collective; // in workload.collectives, or WORKLOAD_NONE; with it what follows
	uint32_t from_rank, to_rank; // from 0
	uint32_t inbox;              // of the receiving rank
	// Inbox of the sending rank, or WORKLOAD_NONE. Message k waits until each sender to the
	// rank's inboxes 0 .. gate has delivered k + gate_lead messages of this time.
	uint32_t gate, gate_lead;
	struct flow_messages messages;
	bool inside;     // between NICs of one host: never on a wire, there after handover_ps
	uint16_t tenant; // in topology.tenants, or TENANT_NONE
	uint8_t src_port, dst_port;
	uint8_t priority;
	uint8_t op; // enum config_op
};

struct stream_spec {
	uint32_t src, dst;
	uint32_t packet_bytes; // the frame without FCS
	uint64_t rate_bps;
	ps_t start_ps;
	ps_t until_ps; // PS_NEVER: the end of the run
	uint32_t item;
	uint16_t tenant;
	uint8_t src_port, dst_port;
	uint8_t priority;
	uint8_t ttl;
	uint8_t arrivals; // enum config_arrivals
};

// One end of a collective: a NIC port. All flows into its inboxes have the same number of messages.
struct rank_spec {
	uint32_t host;
	uint8_t port;
	uint32_t member;                   // of the program, from 0
	uint32_t first_after, after_count; // in workload.afters: what this one waits for
	uint32_t inbox_count;
	bool inboxes_apart; // a gate waits for its inbox alone, not for those before it too
	// Of generated pairs, as of flows: to another rank of the host, and out by another NIC.
	ps_t handover_ps, forward_ps;
};

// A collective of some members of a program, a message from one to another, or computing: a part of
// the program of each.
struct collective_spec {
	const char *name;      // the item's or the operation's, or its kind
	const char *label;     // under which results sum it up; NULL: its name
	const char *kind;      // "all-reduce"
	const char *algorithm; // "ring"
	const char *group;     // of ranks, as "tp"; NULL: all
	uint32_t operation;    // of the item, from 0
	uint32_t group_index;  // of those of the same operation, from 0
	uint32_t group_count;
	uint32_t item;
	uint64_t bytes;                  // the buffer of one rank, as nccl-tests counts it
	uint32_t first_rank, rank_count; // in workload.ranks
	uint32_t first_flow, flow_count;
	uint32_t program;
	ps_t compute_ps; // before it, each time
	// An all-to-all whose flows, one for each pair of ranks, are generated while it runs: none
	// is listed. They come before the flow first_flow, in the order in which they would be.
	bool generated;
	bool in_turns;                       // `shift`
	uint64_t pair_count;                 // 0: not generated
	uint64_t inside_count, inside_bytes; // of them, and of their bytes, those inside a host
	uint32_t peers;                      // 0: all
	int8_t priority;                     // -1: the sending host's
};

// What its members run: their operations, each when those that it waits for are over, all of them
// `repeat` times. An item of a collective kind is a program of one operation.
struct program_spec {
	const char *name; // the item's, or its kind
	const char *kind; // "step", or that of its one collective
	uint32_t item;
	uint32_t first_collective, collective_count;
	uint32_t first_member, member_count; // in workload.members
	uint32_t repeat;                     // at least 1
	ps_t gap_ps; // at a member, between the end of a time and the start of the next
};

// Who runs a program.
struct member_spec {
	uint32_t host;
	ps_t start_ps; // when it begins the first time
};

struct workload {
	struct flow_spec *flows; // in the order of their ids: by item
	uint32_t flow_count;
	struct stream_spec *streams;
	uint32_t stream_count;
	struct program_spec *programs;
	uint32_t program_count;
	struct collective_spec *collectives; // by program
	uint32_t collective_count;
	struct rank_spec *ranks; // by collective
	uint32_t rank_count;
	uint32_t *afters; // in ranks, of the same member
	uint32_t after_count;
	struct member_spec *members; // by program
	uint32_t member_count;
	struct arena names; // of collectives and groups
};

// Pairs that collectives before this one generate.
uint64_t workload_generated_before(const struct workload *w, uint32_t collective);

// What generated pairs send between hosts, one time.
static inline uint64_t
collective_wire_bytes(const struct collective_spec *c)
{
	return c->bytes * (c->rank_count - 1) - c->inside_bytes;
}

// Makes the lists. hosts: settings by host; routes: those at the start, which say who can reach
// whom. The same file and seed give the same lists. Of what a fabric ran (config->restored) items
// that its tenants have come to refuse are left out, with a warning. Returns 0, or -EINVAL with the
// errors in diag.
int workload_create(struct workload **out, const struct topology *topology,
		    const struct routes *routes, const struct host_config *hosts,
		    struct diag *diag);
// Flows that leave their host, listed or generated, and their bytes; `bytes` NULL: not asked for.
uint64_t workload_count_flows(const struct workload *workload, uint64_t *bytes);

// NULL is fine.
void workload_destroy(struct workload *workload);

// The bytes of message k.
static inline uint64_t
flow_message_bytes(const struct flow_messages *m, uint32_t k)
{
	return m->base + (m->extra != 0 && (m->first + (uint64_t)k * m->step) % m->of < m->extra);
}
