// SPDX-License-Identifier: BSD-3-Clause
// New maps: waiting packets move to the queue that new packets of their kind will use.
#pragma once

#include "dataplane/base/node.h"

// New tables are in force (node->current, port->profile). Packets of a flow that still wait must
// leave before those to come, so each that the new maps give another queue goes to that queue's
// end, those of a flow in their order. Its priority stays the one that it came in with, and the
// ingress side of its charge with the group that admitted it. A trimmed packet follows the queue of
// those to come. Switches only. The node's worker, between turns, before the buffer is counted
// anew.
void requeue_adopt(struct node *n, struct port *p, ps_t now);
