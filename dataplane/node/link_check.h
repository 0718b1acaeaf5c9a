// SPDX-License-Identifier: BSD-3-Clause
// Invariants of links with credits or link-level retry between two windows, of which a single node
// sees only one end. In a build with sanitizers the virtual driver checks them after every window.
#pragma once

#include "dataplane/base/node.h"

#ifdef NODE_CHECK
// Aborts on a violation and prints it to stderr. None of the nodes runs.
void link_check(struct node *const *nodes, uint32_t count, ps_t now);
#else
static inline void
link_check(struct node *const *nodes, uint32_t count, ps_t now)
{
	(void)nodes;
	(void)count;
	(void)now;
}
#endif
