// SPDX-License-Identifier: BSD-3-Clause
// What a switch would do with a packet: its own stages, in their order, run on a copy of the switch
// up to the point where the packet would join its queue. Nothing is sent and the switch itself is
// not touched, so this is for one packet that never existed. Control thread.
#pragma once

#include "dataplane/base/node.h"

// How a member of the next-hop group was chosen.
enum trace_choice {
	TRACE_NONE,       // it was not: the packet was dropped before, or the group has no members
	TRACE_ONLY,       // there is only one
	TRACE_PIN,        // the flow is pinned
	TRACE_HASH,       // by a hash of the flow
	TRACE_STATE,      // by the state of the switch, as the group's mode says
	TRACE_PRESCRIBED, // by the caller
};

#define TRACE_AS_CHOSEN (-1)

struct switch_trace {
	// A copy whose ports, queues and counters are the caller's, and are written; first, because
	// stages are given only this. Its wires take what it would send meanwhile, such as pause
	// frames, and its `packets` are where these come from.
	struct node node;
	struct tables tables;          // in force at the copy: node.current points here
	struct next_hop_group *groups; // of these tables, written
	int member;                    // the one to take, or TRACE_AS_CHOSEN
	bool admit;                    // false: whatever the MTU and the buffer say
	// The outcome.
	uint64_t begun;           // flowlets, before a next hop is chosen
	struct packet_meta class; // with VRF, tenant, priority, priority group and traffic class
	bool has_class;
	struct packet_meta routed; // the same, with the next-hop group
	bool has_route;
	uint8_t destination[16]; // that was looked up
	enum trace_choice choice;
	bool new_flowlet; // with TRACE_STATE: it begins one
	uint32_t hash;    // with TRACE_HASH
	bool with_qp;     // the hash covers the destination queue pair
};

// Runs the stages for a packet that arrives by a port of the copy. Returns STAGE_NEXT if it would
// be queued or sent, with the next hop and the port in its metadata and the headers as they leave;
// STAGE_CONSUMED if it goes no further; or the reason to drop it. It stays the caller's unless it
// was consumed.
int switch_trace(struct switch_trace *t, struct port *in, struct rte_mbuf *m, ps_t now);

// The same at a NIC, as far as its transport: whether the frame is for it.
int nic_trace(struct node *copy, struct port *in, struct rte_mbuf *m, ps_t now);
