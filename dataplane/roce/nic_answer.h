// SPDX-License-Identifier: BSD-3-Clause
// What the host of a NIC says of its own: echo replies, ARP and neighbour advertisements for the
// addresses of its ports. Other ICMP it hears and says nothing.
#pragma once

#include "dataplane/stages/stage.h"

// Cold: a packet that the NIC has no use for, for the reason `verdict`. Returns the reason to drop
// it for, or STAGE_CONSUMED: it has been freed. The NIC's worker.
int nic_answer(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now);
