// SPDX-License-Identifier: BSD-3-Clause
// How long a flow takes alone: on one path, in order, without loss, marks or pauses.
#pragma once

#include "frame.h"
#include "nic.h"

#define IDEAL_HOPS_MAX 16

// One link of a path, as port_transmit() uses it.
struct ideal_hop {
	uint64_t byte_time; // time.h
	uint32_t preamble;
	uint32_t fcs;
	uint32_t gap;
	uint32_t encap_bytes; // of a tunnel's headers or of a VLAN's tag around every packet
	uint32_t header;      // bytes of a frame that the far node needs to forward it; 0: all
	ps_t delay;           // propagation + the far node's pipeline latency
};

struct ideal_flow {
	enum nic_op op;
	bool immediate;           // the last packet of a WRITE carries immediate data
	ps_t handover;            // before the first packet, or the request, goes
	uint32_t every_extra;     // bytes behind the BTH of every WRITE's packet; 0: as RoCEv2 has
	struct frame_sizes sizes; // header_bytes of the sender's host, ack_bytes of the receiver's
	uint64_t bytes;
	uint32_t path_mtu;
	uint32_t ack_every;           // of the receiver's host
	const struct ideal_hop *data; // from the sender's NIC on
	const struct ideal_hop *acks; // from the receiver's NIC on
	unsigned int data_hops;
	unsigned int ack_hops;
};

// From the flow's start to the arrival of its last acknowledgement, of a READ of its last response,
// to the picosecond. Takes time
// for some ack_every packets, not for all: see ideal.c. Returns 0, or -EINVAL for 0 or more than
// IDEAL_HOPS_MAX hops, bytes, path_mtu or ack_every of 0. Any thread.
int ideal_completion(const struct ideal_flow *flow, ps_t *out);
