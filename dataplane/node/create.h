// SPDX-License-Identifier: BSD-3-Clause
// Making a node and freeing it.
#pragma once

#include "dataplane/base/node.h"

// Makes a node of `ports` unconnected ports, without tables. `seed`: the fabric's; the random
// stream is the node's own by `index`. Returns 0, -EINVAL for more than PORTS_MAX ports, or
// -ENOMEM.
int node_create(struct node **out, enum node_role role, uint16_t ports, uint32_t index,
		uint64_t seed, struct packet_pool *packets);

// Frees the node and the packets that it holds. Its wires and tables are not its own. NULL is fine.
void node_destroy(struct node *n);
