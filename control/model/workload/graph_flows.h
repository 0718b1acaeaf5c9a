// SPDX-License-Identifier: BSD-3-Clause
// From a graph of operations to a workload's programs and flows; private to
// control/model/workload/.
#pragma once

#include "graph.h"
#include "workload_internal.h"

#define GRAPH_CHUNK_BYTES 512000 // of trees and broadcasts, where no key says it

// The item's name, or its kind.
const char *graph_item_name(const struct config_work *work);

// Adds a program of the graph's operations: rank i is members->ends[i]. All numbers of operations
// are below graph.count. Returns 0, or -EINVAL with the errors in diag.
int item_add_graph(struct item *item, const struct item_members *members, const struct graph *g);
