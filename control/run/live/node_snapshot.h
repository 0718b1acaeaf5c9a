// SPDX-License-Identifier: BSD-3-Clause
// A copy of what a live fabric's nodes count, each node as it stood between two turns of its
// worker. The worker copies; the control thread reads.
#pragma once

#include "live_fabric.h"

struct node_snapshot;

// Makes room for one. Control thread.
struct node_snapshot *node_snapshot_create(const struct live_fabric *live);
void node_snapshot_destroy(struct node_snapshot *c);

// Has the workers fill it. Control thread.
void node_snapshot_take(struct node_snapshot *c, struct live_fabric *live);

// The nodes of the last copy, by node of the topology; the names are the fabric's.
const struct report_node *node_snapshot_nodes(const struct node_snapshot *c);

// The latest instant at which one of its nodes stood.
ps_t node_snapshot_time(const struct node_snapshot *c);
