// SPDX-License-Identifier: BSD-3-Clause
// A probe: one packet that is put into a running fabric as if a host had sent it, and that taps
// tell from all others by PACKET_PROBE. It has the headers of a flow, so it goes where the flow's
// packets go, and counts wherever they count. No host takes it for one of theirs: its ICRC is wrong
// (PACKET_BAD_PAYLOAD), and so is its UDP checksum for a Linux host.
#pragma once

#include "dataplane/base/node.h"

#define PROBE_BYTES_MAX 128

struct probe {
	struct packet_meta meta;       // data_len: of the bytes here
	uint8_t data[PROBE_BYTES_MAX]; // headers, and what is to be found again behind them
};

// Has a simulated NIC send the probe by a port, as it sends acknowledgements; into any other port
// it comes as if the host there had sent it. Returns 0; -ENETDOWN if nothing is connected there or
// the host's link is down; -ENOBUFS if no packet is free. The node's worker, between two turns.
int probe_send(struct node *n, struct port *p, const struct probe *probe, ps_t now);
