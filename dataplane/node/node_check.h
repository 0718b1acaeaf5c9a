// SPDX-License-Identifier: BSD-3-Clause
// What must hold of a switch between any two windows, looked at from the packets it holds. Built
// with a sanitizer the virtual driver looks after every window of every node; in any other build
// there is nothing of this.
#pragma once

#include "dataplane/base/node.h"

#define NODE_CHECK_TEXT_BYTES 160

// Writes into `what` the first thing that does not hold of a switch that stands still, and returns
// false; true when all does, or the node is a NIC. It walks through all packets held.
bool node_check_find(const struct node *n, char what[static NODE_CHECK_TEXT_BYTES]);

#ifdef NODE_CHECK
// Aborts with what does not hold on stderr. `now`: where the node stands.
void node_check(const struct node *n, ps_t now);
#else
static inline void
node_check(const struct node *n, ps_t now)
{
	(void)n;
	(void)now;
}
#endif
