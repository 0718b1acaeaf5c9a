// SPDX-License-Identifier: BSD-3-Clause
// Invariants of a switch between two windows, checked against the packets that it holds. In a build
// with sanitizers the virtual driver calls node_check() for every node after every window; other
// builds leave this out.
#pragma once

#include "dataplane/base/node.h"

#define NODE_CHECK_TEXT_BYTES 160

// Checks a switch that does not run; walks through all packets that it holds. Returns true if all
// is well or the node is a NIC, else false with the first violation in `what`.
bool node_check_find(const struct node *n, char what[static NODE_CHECK_TEXT_BYTES]);

#ifdef NODE_CHECK
// Aborts on a violation and prints it to stderr. Checks at every one of a thread's first 20,000
// calls, then at one in eight. `now`: the node's time.
void node_check(const struct node *n, ps_t now);
#else
static inline void
node_check(const struct node *n, ps_t now)
{
	(void)n;
	(void)now;
}
#endif
