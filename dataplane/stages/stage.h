// SPDX-License-Identifier: BSD-3-Clause
// A stage handles one packet and returns a verdict. A pipeline calls its stages one after the
// other; they are composed at compile time, so that the compiler sees them as one function. A stage
// that does more in some variants of a switch takes the variant (enum node_variant) as its last
// argument, a constant.
#pragma once

#include "dataplane/base/node.h"

// A verdict: on to the next stage, consumed (the stage has freed or kept it), or a drop_reason to
// drop it for.
enum stage_verdict { STAGE_NEXT = -1, STAGE_CONSUMED = -2 };

typedef int stage_fn(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);
