// SPDX-License-Identifier: BSD-3-Clause
// Changes of a node's ports between two turns.
#pragma once

#include "dataplane/base/node.h"

// Worker, between turns: freezes or frees queues (bit per queue) at `now`.
void node_set_tx_off(struct node *n, struct port *p, uint8_t queues, ps_t now);

// Worker, between turns: the port's link went down or came up at `now`, by an event of the file.
// Pauses received end with the link; packets that arrive by a dead link, and those still queued for
// it, are lost (the caller sets wire->down); XOFFs in force are sent again when the link comes up.
// A port whose device has no carrier stays down.
void node_set_link(struct node *n, struct port *p, bool up, ps_t now);

// The same when the device behind a port has lost its carrier or found it again; sets the wire's
// state too. A port that an event has taken down stays down.
void node_set_carrier(struct node *n, struct port *p, bool up, ps_t now);

// Worker, between turns: has a port send a frame of the control plane at `now`, as pause frames are
// sent: ahead of every queue, never paused, never charged. Returns 0; -ENETDOWN: nothing is
// connected or the link is down; -ENOBUFS: such frames wait already, or no packet is free.
int node_send_control(struct node *n, struct port *p, const uint8_t *frame, uint32_t length,
		      ps_t now);

// Worker, between turns: drops the packet that the port has kept until its last bit arrives, if
// any: its wire is about to be taken away.
void node_drop_partial(struct node *n, struct port *p, ps_t now);

// Packets in the node's queues, of an edge NIC those that wait for their turn, and of a cut-through
// switch those that are kept until their last bit arrives.
uint64_t node_queued(const struct node *n);
