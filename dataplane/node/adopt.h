// SPDX-License-Identifier: BSD-3-Clause
// New tables: how they reach a node, and how they affect the packets that it holds.
#pragma once

#include "dataplane/base/node.h"

// Leaves a snapshot for the node and returns the one before. A node that shares no generation
// adopts it in its next turn. Nodes that share a generation do so when that has moved, however many
// of them have new tables by then: no turn that begins after node_publish() uses older tables, and
// none that begins before uses newer ones. Between a publication and the next time that snapshots
// are left, each node must have taken over its own (node_take_tables()). Control thread.
const struct tables *node_set_tables(struct node *n, const struct tables *t);

// Makes a node check for tables when `generation`, which outlives it, moves. Before it first runs.
void node_share_generation(struct node *n, const uint32_t *generation);

// Puts the tables left for the nodes of a generation in force, at all of them at once. Control
// thread.
void node_publish(uint32_t *generation);

// Worker, between turns: takes over tables that have been put in force since its last turn. What
// they make due begins at `now`.
void node_take_tables(struct node *n, ps_t now);

// Worker: takes over a snapshot that node_set_tables() left, at the instant node->start. Packets
// stay or go to the queues that new maps give their like; what they count for follows the new
// thresholds, pauses the new maps, and groups that may send XON by them do. Cold.
void node_adopt_tables(struct node *n, const struct tables *t);
