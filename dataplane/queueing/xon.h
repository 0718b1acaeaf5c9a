// SPDX-License-Identifier: BSD-3-Clause
// When a group in XOFF may send XON: once all that it holds would fit its own space with room to
// spare, headroom included, which then counts as its own. That depends on what the group holds, and
// on what others leave of its pool. So each pool keeps the shared use below which one of its groups
// in XOFF may send XON, and a release that does not reach that costs one comparison.
//
// Where tenants have parts of the buffer, headroom must be empty: packets in it may be there
// because their tenant has used up its share, which a group does not know of.
#pragma once

#include "dataplane/base/node.h"

// The shared use of its pool below which a group may send XON; 0: never as long as it holds what it
// holds.
uint32_t xon_below(const struct node *n, const struct port *p, unsigned int pg);

// True when a group may send XON now.
bool xon_due(const struct node *n, const struct port *p, unsigned int pg);

// Some groups of a port, bit by bit, all in XOFF, may be able to send XON earlier than was known.
void xon_expect(struct node *n, const struct port *p, unsigned int groups);
