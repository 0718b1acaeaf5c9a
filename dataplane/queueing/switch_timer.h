// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataplane/base/node.h"

// The timer of a switch (node_timer_fn): everything that is due at `now` and is neither an arrival
// nor a departure. Returns when the next is due.
ps_t switch_timer(struct node *n, ps_t now);
