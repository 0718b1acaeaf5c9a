// SPDX-License-Identifier: BSD-3-Clause
// What the files of this folder share.
#pragma once

#include "pipelines/trace.h"
#include "trace.h"

#include "control/base/diag.h"

// The packet that is traced.
struct trace_flow {
	uint32_t host; // that sends it, and by which of its ports
	uint8_t port;
	uint32_t to_host; // TOPOLOGY_NONE: no host has the address
	uint8_t to_port;
	bool ip6;
	bool infiniband;
	uint8_t priority;         // InfiniBand: the service level
	uint8_t from[16], to[16]; // an IPv4 address in the first 4; a LID in the first 2
	uint16_t sport, dport;
	uint8_t dscp, ttl;
	uint32_t bytes; // the frame without FCS
	uint32_t queue_pair;
};

// ---- flow.c: which packet -----------------------------------------------------------------------

int trace_flow_read(const struct fabric *f, const json_t *params, struct trace_flow *out,
		    struct diag *diag);
// The packet, as the host's NIC would send it.
struct rte_mbuf *trace_flow_packet(const struct fabric *f, const struct trace_flow *flow,
				   struct packet_pool *packets);
json_t *trace_flow_json(const struct fabric *f, const struct trace_flow *flow);

// ---- walk.c: where it goes ----------------------------------------------------------------------

// What trace_answer() answers of a packet.
json_t *trace_walk(const struct trace_state *s, const struct trace_flow *flow);

// ---- probe_packet.c: the packet that is really sent ---------------------------------------------

// Returns 0, or -EINVAL if the frame is too short for the number that it is found by.
int trace_probe_make(const struct fabric *f, const struct trace_flow *flow, uint64_t number,
		     struct probe *out, struct diag *diag);

// ---- copy.c: switches that packets may be tried at ----------------------------------------------

// Copies have what they send on one wire, and their packets from one pool.
struct trace_memory {
	struct packet_pool *packets;
	struct wire *wire;
};

void trace_memory_create(struct trace_memory *memory);
void trace_memory_destroy(struct trace_memory *memory);
// A copy of a switch, or of a NIC, as it stands, for switch_trace() or nic_trace().
struct switch_trace *trace_copy(const struct node *n, const struct trace_memory *memory);
void trace_copy_free(struct switch_trace *t);
// A copy of a packet.
struct rte_mbuf *trace_copy_packet(struct rte_mbuf *m, const struct trace_memory *memory);

// ---- paths.c: all ways that the packet could take -----------------------------------------------

// {"count": how many, "dropped": how many more end before the destination, "loops": whether some
// come back to where they were, "hops": for each hop the nodes that it may be at}.
json_t *trace_paths(const struct trace_state *s, const struct trace_flow *flow,
		    const struct trace_memory *memory);
