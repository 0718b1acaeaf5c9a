// SPDX-License-Identifier: BSD-3-Clause
// The pipelines: the order of stages, nothing else. A node gets the ops of its role when it is
// made.
#pragma once

#include "dataplane/base/node.h"

extern const struct node_ops pipeline_leaf;
extern const struct node_ops pipeline_spine;
extern const struct node_ops pipeline_nic;
extern const struct node_ops pipeline_adapter; // InfiniBand
extern const struct node_ops pipeline_edge;
