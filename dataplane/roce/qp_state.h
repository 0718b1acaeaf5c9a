// SPDX-License-Identifier: BSD-3-Clause
// What a queue pair of a NIC is and what became of it, for readers outside.
#pragma once

#include "congestion.h"
#include "nic.h"

// A READ has a responder, which sends the data, and a reader, which asks for them; a WRITE and a
// SEND have a sender and a receiver.
enum nic_role { NIC_ROLE_SENDER, NIC_ROLE_RESPONDER, NIC_ROLE_RECEIVER, NIC_ROLE_READER };

// A queue pair that answers is always ready; one whose flow it is waits for a start, is open, or
// has completed all its repetitions. One that is a program's waits while nothing of it is under
// way.
enum nic_state { NIC_STATE_READY, NIC_STATE_WAITING, NIC_STATE_OPEN, NIC_STATE_COMPLETE };

struct qp_state {
	uint32_t qpn;
	uint32_t peer_qpn;
	enum nic_role role;
	enum nic_state state;
	uint8_t port; // of the NIC's
	uint8_t ip_version;
	uint8_t peer_ip[16]; // IPv4 in the first 4
	// Of a sender or responder the next to be sent, of a receiver or reader the expected one.
	uint32_t psn;
	uint32_t msn; // of a receiver or responder: messages, or requests, taken; below 2^24
	struct nic_flow_result sent;         // all but a receiver's
	struct nic_receiver_result received; // a receiver's and a reader's
	bool paced;                          // congestion control has a say:
	struct congestion_reading reading;
	// Of a sender of Multipath Reliable Connection; no planes: of another.
	uint8_t planes;        // that its flow takes
	uint16_t usable_paths; // entropy values of all of them
	uint16_t bad_paths;    // that are assumed bad
};

// Reads a queue pair as of `now`. Returns 0, or -ENOENT when there is none of that number. The
// thread that runs the node, or any while it does not run.
int nic_read_qp(const struct nic *nic, uint32_t qpn, ps_t now, struct qp_state *out);
