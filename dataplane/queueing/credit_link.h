// SPDX-License-Identifier: BSD-3-Clause
// Frames of credits as they leave a port (transmit.h) and come in by one.
#pragma once

#include "dataplane/base/node.h"

// A frame of credits came in by a port that has some. Returns false when it contradicts itself or
// the port's kind of credits.
bool credit_link_receive(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);
