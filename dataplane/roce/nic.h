// SPDX-License-Identifier: BSD-3-Clause
// A NIC: a host's RoCEv2 endpoint. It hangs off a node of role NIC that has one port, and speaks
// the reliable connection's WRITE, with one queue pair at either end of a flow. nic.c tells how it
// works.
//
// What is here is the control side's: everything is added before the node runs (or between two
// turns of its worker), results are read between turns. The worker's side is transport.h.
#pragma once

#include "../node.h"

// The first number of a queue pair; those of a NIC best follow one another from here, because they
// index a table. (0 and 1 are management's.)
#define NIC_QPN_FIRST 16

// The UDP port that streams go to: the discard protocol's (RFC 863).
#define NIC_STREAM_UDP_PORT 9

// Packets of one WRITE at most; a longer flow is several, back to back. The largest message of
// InfiniBand is 2^31 bytes.
#define NIC_WRITE_PACKETS (UINT32_C(1) << 18)

enum nic_placement { NIC_PLACEMENT_IN_ORDER, NIC_PLACEMENT_OUT_OF_ORDER };

struct nic_config {
	uint8_t ip4[4];
	uint32_t ack_every;      // packets per ACK, 1 or more; a message's last always has one
	ps_t rto;                // no progress for so long: what is not acknowledged is sent again
	int32_t header_bytes;    // FRAME_SIZE_REAL (-1), or what a data frame is beside its payload
	int32_t ack_bytes;       // FRAME_SIZE_REAL, or what an acknowledgement is
	ps_t reorder_timeout;    // of out-of-order placement
	uint32_t reorder_window; // likewise; packets, 1 .. 2^20
	enum nic_placement placement;
	ps_t cnp_interval; // least time between two CNPs of a queue pair
	uint8_t cnp_dscp;
	uint8_t cnp_priority;
	uint8_t cnp_tc;
	uint8_t mac[6];
	uint8_t gateway_mac[6]; // where all packets go first
	uint8_t ip6[16];
	ps_t start_jitter; // each flow starts later by a random time below this
};

// One end of a flow. What both ends have in common is the control side's to keep so.
struct nic_endpoint {
	uint32_t qpn;        // this end's, NIC_QPN_FIRST .. 2^24 - 1
	uint32_t peer_qpn;   // the other end's
	uint32_t first_psn;  // of the data, below 2^24
	uint16_t udp_sport;  // this end's
	uint8_t ip_version;  // 4 or 6
	uint8_t peer_ip[16]; // the other end's; IPv4 in the first 4
	uint8_t dscp;        // of what this end sends: data, or acknowledgements
	uint8_t priority;
	uint8_t tc; // the queue that the priority maps to
};

struct nic_flow {
	struct nic_endpoint endpoint;
	uint16_t path_mtu; // payload of a packet
	uint64_t bytes;    // of each repetition, 1 or more
	uint32_t repeat;   // 1 or more
	ps_t start;
	ps_t gap; // from a repetition's completion to the next one's start
};

enum nic_arrivals { NIC_ARRIVALS_CBR, NIC_ARRIVALS_POISSON };

// Packets without a transport.
struct nic_stream {
	uint16_t udp_sport;
	uint8_t ip_version;
	uint8_t peer_ip[16];
	uint8_t dscp;
	uint8_t priority;
	uint8_t tc;
	uint8_t ttl;
	uint32_t packet_bytes; // the frame without FCS
	uint64_t interval;     // mean, in units of 2^-20 ps: time_byte_time(rate) x bytes
	enum nic_arrivals arrivals;
	ps_t start;
	ps_t until; // none arrives then or later; PS_NEVER
};

// A flow as its sender saw it.
struct nic_flow_result {
	ps_t start;             // with jitter
	ps_t completed;         // when its last byte was acknowledged; PS_NEVER while it is open
	ps_t busy;              // sum over the completed repetitions of the time each took
	uint32_t repetitions;   // completed
	uint64_t retransmitted; // packets
	uint64_t naks;
	uint64_t timeouts;
	uint64_t cnps; // received
};

// And as its receiver did.
struct nic_receiver_result {
	uint64_t packets;
	uint64_t duplicates;
	uint64_t out_of_order; // arrived ahead of one that was still missing
	uint32_t reorder_max;  // how far ahead at most, in packets
	uint64_t naks;         // sent
	uint64_t cnps;         // sent
};

// Sums over a NIC's queue pairs and streams.
struct nic_totals {
	struct nic_flow_result sent; // times are 0
	struct nic_receiver_result received;
	uint64_t stream_sent;
	uint64_t stream_received;
};

// Makes the NIC of a node that has one port and sets node->nic. Returns 0, -EINVAL for a
// configuration outside the ranges above, or -ENOMEM.
int nic_create(struct nic **out, struct node *node, const struct nic_config *config);

// To be called before node_destroy(). NULL is fine.
void nic_destroy(struct nic *nic);

// The lowest number that no queue pair of the NIC has and none above.
uint32_t nic_next_qpn(const struct nic *nic);

// Adds the queue pair that sends a flow, or the one that receives it. Returns 0, -EINVAL for values
// outside the ranges above, -EEXIST when the number is taken, or -ENOMEM.
int nic_add_sender(struct nic *nic, const struct nic_flow *flow);
int nic_add_receiver(struct nic *nic, const struct nic_endpoint *endpoint);

// Adds a stream. Returns 0, -EINVAL (headers do not fit packet_bytes, or an interval of 0), or
// -ENOMEM.
int nic_add_stream(struct nic *nic, const struct nic_stream *stream);

// Flows that are not complete.
uint32_t nic_open_flows(const struct nic *nic);

// What became of the flow that a queue pair sends or receives. Returns 0, or -ENOENT when there is
// none of that number and role.
int nic_flow_result(const struct nic *nic, uint32_t qpn, struct nic_flow_result *out);
int nic_receiver_result(const struct nic *nic, uint32_t qpn, struct nic_receiver_result *out);

void nic_totals(const struct nic *nic, struct nic_totals *out);

// Bytes of memory that the NIC takes.
size_t nic_bytes(const struct nic *nic);
