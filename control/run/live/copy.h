// SPDX-License-Identifier: BSD-3-Clause
// A copy of what a live fabric's nodes count, each node as it stood between two turns of its
// worker. The worker copies; the control thread reads.
#pragma once

#include "lab.h"

struct copy;

// Makes room for one. Returns 0 or -ENOMEM. Control thread.
int copy_create(struct copy **out, const struct lab *lab);
void copy_destroy(struct copy *c);

// Has the workers fill it. Control thread.
void copy_take(struct copy *c, struct lab *lab);

// The nodes of the last copy, by node of the topology; the names are the fabric's.
const struct report_node *copy_nodes(const struct copy *c);

// The latest instant at which one of its nodes stood.
ps_t copy_time(const struct copy *c);
