// SPDX-License-Identifier: BSD-3-Clause
// A NIC: a host's RoCEv2 endpoint. It hangs off a node of role NIC, has an address at each of the
// node's ports, and speaks the reliable connection's WRITE, SEND and READ, with one queue pair at
// either end of a flow. nic_create.c says how it works.
//
// A flow stands on its own (it starts at a time), or belongs to a program, which is what a rank of
// a collective does: parts in turn, each of them messages that are sent when others have arrived.
//
// What is here is the control side's: everything is added before the node runs (or between two
// turns of its worker), results are read between turns. The worker's side is transport.h.
#pragma once

#include "dataplane/base/node.h"
#include "nic_transport.h"

// The first number of a queue pair; those of a NIC best follow one another from here, because they
// index a table. (0 and 1 are management's.)
#define NIC_QPN_FIRST 16

// The UDP port that streams go to: the discard protocol's (RFC 863).
#define NIC_STREAM_UDP_PORT 9

// Packets of one WRITE, SEND or READ at most; a longer flow is several, back to back. The largest
// message of InfiniBand is 2^31 bytes.
#define NIC_WRITE_PACKETS (UINT32_C(1) << 18)

#define NIC_PORTS_MAX 8
#define NIC_PROGRAM_TIMES_MAX 65536 // parts x repeat
#define NIC_NONE UINT32_MAX

struct congestion_algorithm;
struct congestion_reading;
struct drain_config;
struct storm_config;

enum nic_recovery { NIC_RECOVERY_GO_BACK_N, NIC_RECOVERY_SELECTIVE, NIC_RECOVERY_GO_BACK_0 };
enum nic_op { NIC_OP_WRITE, NIC_OP_SEND, NIC_OP_READ };
enum nic_placement { NIC_PLACEMENT_IN_ORDER, NIC_PLACEMENT_OUT_OF_ORDER };

struct nic_port_config {
	uint8_t mac[6];
	uint8_t gateway_mac[6]; // where all packets go first
	uint8_t ip4[4];
	uint8_t ip6[16];
	uint16_t lid;  // InfiniBand, where the addresses above do not count; else 0
	uint16_t pkey; // of all packets, with the membership bit
};

struct nic_config {
	enum nic_transport transport;
	struct sprayed_config sprayed; // of both below
	struct uet_config uet;         // of NIC_TRANSPORT_UET
	struct mrc_config mrc;         // of NIC_TRANSPORT_MRC
	uint32_t ack_every;      // packets per ACK, 1 or more; a message's last always has one
	ps_t rto;                // no progress for so long: what is not acknowledged is sent again
	int32_t header_bytes;    // FRAME_SIZE_REAL (-1), or what a data frame is beside its payload
	int32_t ack_bytes;       // FRAME_SIZE_REAL, or what an acknowledgement is
	ps_t reorder_timeout;    // of out-of-order placement
	uint32_t reorder_window; // the same, and of selective recovery; packets, 1 .. 2^20
	enum nic_placement placement;
	enum nic_recovery recovery; // both ends of a queue pair need the same
	ps_t cnp_interval;          // least time between two CNPs of a queue pair
	uint8_t cnp_dscp;
	uint8_t cnp_priority;
	uint8_t cnp_tc;
	ps_t start_jitter; // each flow of its own starts later by a random time below this
	const struct congestion_algorithm *congestion; // NULL: none
	const void *congestion_parameters;             // copied
	uint16_t port_count;                           // of the node: 1 .. NIC_PORTS_MAX
	struct nic_port_config ports[NIC_PORTS_MAX];
};

// A way between two NICs with a port each in several networks that are not joined.
struct nic_plane {
	uint8_t port;        // of this end
	uint8_t peer_ip[16]; // of the other end's port in it
};

// One end of a flow. What both ends have in common is the control side's to keep so.
struct nic_endpoint {
	uint32_t qpn;        // this end's, NIC_QPN_FIRST .. 2^24 - 1
	uint32_t peer_qpn;   // the other end's
	uint32_t first_psn;  // of the data, below 2^24
	uint16_t udp_sport;  // this end's
	uint8_t ip_version;  // 4 or 6; 0: InfiniBand
	uint8_t peer_ip[16]; // the other end's; IPv4 in the first 4, a LID in the first 2
	uint8_t dscp;        // of what this end sends: data, or acknowledgements
	uint8_t priority;
	uint8_t tc;   // the queue that the priority maps to
	uint8_t port; // of the NIC's
	// Of NIC_TRANSPORT_MRC: the planes it takes, which both ends have in one order; none: that
	// of `port` and `peer_ip` alone. Read while it is added.
	const struct nic_plane *planes;
	uint8_t plane_count;
};

// The messages of a flow of a program. Message k of a time has base bytes and one more if (first +
// k * step) mod `of` is below `extra`. One of 0 bytes is a packet without payload.
struct nic_messages {
	uint32_t count; // a time, 1 or more
	uint64_t base;
	uint32_t extra, first, step;
	uint32_t of; // 0 counts as 1
};

struct nic_flow {
	struct nic_endpoint endpoint;
	uint16_t path_mtu; // payload of a packet
	enum nic_op op;
	// Each time the first packet goes so much later than its start; of a program's flow each
	// message, one after another, than its gate opens.
	ps_t handover;
	// A round trip and what fills it, for congestion control; 0: unknown.
	ps_t base_rtt;
	uint64_t bdp_bytes;
	// Of transports whose packets are acknowledged singly: the receiver's reorder window, if it
	// is smaller than this NIC's. 0: it is not.
	uint32_t window;
	// Of a flow of its own. The responder of a READ has none of these.
	uint64_t bytes;  // of each repetition, 1 or more
	uint32_t repeat; // 1 or more
	ps_t start;
	ps_t gap; // from a repetition's completion to the next one's start
	// Of a program's: what it is part of (NIC_NONE: of none), and which message may start when.
	// Message k of a time may, once `gate` and the inboxes of its part that were made before it
	// have received k + gate_lead messages of this time from each of their senders.
	uint32_t program, part;
	struct nic_messages messages;
	uint32_t gate; // NIC_NONE: all at once
	uint32_t gate_lead;
};

// All its parts are taken `repeat` times.
struct nic_program {
	ps_t start;
	ps_t gap; // from the end of the last part to the next time's start
	uint32_t repeat;
};

struct nic_part {
	ps_t compute; // before it; a program computes for one part at a time
};

struct nic_inbox {
	uint32_t messages; // of each of its receivers, a time
	bool apart;        // its gates do not wait for the inboxes made before it
};

// PS_NEVER while it has not begun, or ended. It begins after the compute gap.
struct nic_time {
	ps_t start, end;
};

enum nic_arrivals { NIC_ARRIVALS_CBR, NIC_ARRIVALS_POISSON };

// Packets without a transport.
struct nic_stream {
	uint8_t port; // of the NIC's
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

// A flow as its sender saw it, or the reader of a READ. What a READ sends again, and the CNPs it
// gets, are its responder's, of which there is nothing else.
struct nic_flow_result {
	ps_t start;     // with jitter; of a program's flow, its first message's
	ps_t completed; // when its last byte was acknowledged; PS_NEVER while it is open
	// Sum over the completed repetitions of the time each took; of a program's flow, the time
	// in which at least one message was open.
	ps_t busy;
	uint32_t repetitions;   // completed; of a program's flow, messages
	uint64_t retransmitted; // packets
	uint64_t naks;          // received; of a reader, requests for what was missing
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

// What a port has counted whose NIC speaks another transport than RoCEv2. Written by the worker.
struct nic_path_counts {
	uint64_t probes;      // of paths that were assumed bad, sent
	uint64_t assumed_bad; // entropy values that became so
	uint64_t grants;      // of credit, sent
};

// Of a port of a NIC; NULL: RoCEv2.
const struct nic_path_counts *nic_path_counts(const struct nic *nic, unsigned int port);

// Sums over a NIC's queue pairs and streams.
struct nic_totals {
	struct nic_flow_result sent; // times are 0
	struct nic_receiver_result received;
	uint64_t probes;      // of paths that were assumed bad, sent
	uint64_t assumed_bad; // entropy values that became so
	uint64_t stream_sent;
	uint64_t stream_received;
};

// Makes the NIC of a node and sets node->nic. Returns 0, -EINVAL for a configuration outside the
// ranges above or with another number of ports than the node, or -ENOMEM.
int nic_create(struct nic **out, struct node *node, const struct nic_config *config);

// To be called before node_destroy(). NULL is fine.
void nic_destroy(struct nic *nic);

// Makes the host misbehave (misbehaviour.h); NULL: not in that way. Once at most. Returns 0,
// -EINVAL, -EEXIST, or -ENOMEM.
int nic_misbehave(struct nic *nic, const struct drain_config *drain,
		  const struct storm_config *storm);

// Packets that wait in the receive buffers of a host that is slow.
uint64_t nic_held(const struct nic *nic);

// The lowest number that no queue pair of the NIC has and none above.
uint32_t nic_next_qpn(const struct nic *nic);

// What a program is made of, before its flows. Each writes its number to *out: programs and inboxes
// count in the NIC, parts in their program. nic_add_order(): the part `later` waits each time until
// `earlier` is over; parts that wait for one another in a circle never begin. Return 0, -EINVAL for
// a repeat or messages of 0, numbers that do not exist, or more than NIC_PROGRAM_TIMES_MAX, or
// -ENOMEM.
int nic_add_program(struct nic *nic, const struct nic_program *program, uint32_t *out);
int nic_add_part(struct nic *nic, uint32_t program, const struct nic_part *part, uint32_t *out);
int nic_add_order(struct nic *nic, uint32_t program, uint32_t earlier, uint32_t later);
int nic_add_inbox(struct nic *nic, uint32_t program, uint32_t part, const struct nic_inbox *inbox,
		  uint32_t *out);

// Adds the queue pair that sends a flow (of a READ the one that responds), the one that receives it
// (`inbox`: which its messages count for, or NIC_NONE), or for a READ the one that requests it: the
// endpoint is then where the data go, and start, repeat, gap and bytes are this one's. Returns 0,
// -EINVAL for values outside the ranges above, -EEXIST when the number is taken, -ENOSPC when it is
// kept for exchanges (nic_exchange.h), or -ENOMEM.
int nic_add_sender(struct nic *nic, const struct nic_flow *flow);
int nic_add_receiver(struct nic *nic, const struct nic_endpoint *endpoint, uint32_t inbox);
int nic_add_reader(struct nic *nic, const struct nic_flow *flow);

// Adds a flow of a program whose messages stay inside the host, on their way from one of its ports'
// ranks to another's: each is there when its handover is over. Returns as nic_add_sender().
int nic_add_local(struct nic *nic, const struct nic_flow *flow, uint32_t inbox);

// Adds a stream. Returns 0, -EINVAL (headers do not fit packet_bytes, or an interval of 0), or
// -ENOMEM.
int nic_add_stream(struct nic *nic, const struct nic_stream *stream);

// Flows and programs that are not complete.
uint32_t nic_open_flows(const struct nic *nic);

// What became of the flow that a queue pair sends (or reads), or receives (or reads). Returns 0, or
// -ENOENT when there is none of that number and role.
int nic_flow_result(const struct nic *nic, uint32_t qpn, struct nic_flow_result *out);
int nic_receiver_result(const struct nic *nic, uint32_t qpn, struct nic_receiver_result *out);

// When a part began and ended at this rank. Returns 0, or -ENOENT.
int nic_part_time(const struct nic *nic, uint32_t program, uint32_t part, uint32_t time,
		  struct nic_time *out);

// What congestion control makes of a queue pair that sends, at the node's time. Returns 0, or
// -ENOENT when there is none of that number, or no congestion control.
int nic_congestion_read(const struct nic *nic, uint32_t qpn, struct congestion_reading *out);

void nic_totals(const struct nic *nic, struct nic_totals *out);

// Bytes of memory that the NIC takes.
size_t nic_bytes(const struct nic *nic);
