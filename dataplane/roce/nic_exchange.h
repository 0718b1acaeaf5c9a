// SPDX-License-Identifier: BSD-3-Clause
// An exchange: an all-to-all of so many ranks that not all of its queue pairs exist at once. Each
// rank has one part of it. A queue pair is made when its message's turn comes, and closed when the
// message is complete; exchange.c says how. Control thread, before the node runs.
//
// What queue pairs are made from is one plan, which all ranks share. The plan and what it points to
// belong to the caller, must outlive the NICs, and are not written once the nodes run.
#pragma once

#include "dataplane/base/random.h"
#include "nic.h"

#define NIC_EXCHANGE_RANKS_MAX 32768u
#define NIC_EXCHANGE_MESSAGE_MAX (UINT64_C(1) << 35) // bytes, that packets of 256 can number

// Queue pairs of exchanges have numbers from here on, all others lower ones.
#define NIC_QPN_EXCHANGES (UINT32_C(1) << 23)

// A port of a host. Those of one host follow one another by port.
struct nic_exchange_end {
	uint8_t ip4[4];
	uint8_t ip6[16];
	uint8_t ip_version; // of what its host sends
	uint8_t priority;   // of the host's data
	uint8_t port;
	uint8_t ports;       // of its host
	bool crosses_inside; // bytes for another NIC's number do, wherever that is possible
	uint16_t component;  // which ports the network joins; in plan.components
	uint16_t place;      // of the component
};

// From one place of a component to another.
struct nic_exchange_path {
	uint32_t path_mtu;
	ps_t base_rtt; // for congestion control; 0: not known
	uint64_t bdp_bytes;
	uint32_t window; // as in struct nic_flow
};

// Ends of one place are alike for all paths.
struct nic_exchange_component {
	uint32_t places;
	struct nic_exchange_path *paths; // [from * places + to]
};

struct nic_exchange_plan {
	uint32_t ranks;
	// Of a rank's buffer: 1 to NIC_EXCHANGE_MESSAGE_MAX for each rank, which is sent its share.
	uint64_t bytes;
	int8_t priority; // of all data; -1: that of the sender's end
	bool in_turns;   // turn k waits for the messages of all turns before it
	uint64_t seed;   // of the queue pairs' random numbers: from rank i in turn k, from 1 on,
	uint64_t first_stream;               // stream first_stream + (k - 1) * ranks + i
	const struct nic_exchange_end *ends; // of all hosts
	const uint32_t *rank_ends;           // by rank: in ends
	const struct nic_exchange_component *components;
	uint32_t *first_qpns; // by rank: nic_add_exchange() writes its own
};

struct nic_exchange_marking {
	uint8_t dscp, priority, tc;
};

struct nic_exchange {
	const struct nic_exchange_plan *plan;
	uint32_t program, part; // has no inbox yet
	uint32_t rank;
	uint32_t peers; // to so many it sends at a time; 0: all
	ps_t handover;  // of a message to another rank of the host
	ps_t forward;   // of one that goes out by another NIC, until it may begin
	struct nic_exchange_marking data;
	struct nic_exchange_marking answers[PRIORITIES]; // by priority of the data
};

// Adds a rank's part. Returns 0, -EINVAL for values outside the ranges above or a part that has an
// inbox, -ENOSPC when numbers of queue pairs have run out, or -ENOMEM.
int nic_add_exchange(struct nic *nic, const struct nic_exchange *exchange);

// Messages that the rank has sent and knows to have arrived, of all times.
uint64_t nic_part_acknowledged(const struct nic *nic, uint32_t program, uint32_t part);

// What the queue pairs of exchanges have sent again, in packets; and how many bytes of messages
// that are under way are known to have arrived.
uint64_t nic_exchange_retransmitted(const struct nic *nic);
uint64_t nic_exchange_acknowledged(const struct nic *nic);

// The UDP source port of a queue pair: a dynamic port (RFC 6335).
static inline uint16_t
nic_draw_source_port(struct random *random)
{
	return (uint16_t)(0xc000u | random_below(random, 0x4000));
}
