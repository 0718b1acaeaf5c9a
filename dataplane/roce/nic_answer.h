// SPDX-License-Identifier: BSD-3-Clause
// Answers of a simulated host: echo replies, ARP replies and neighbour advertisements for the
// addresses of its NIC's ports. It ignores other ICMP.
#pragma once

#include "dataplane/stages/stage.h"

// Cold: a packet that the NIC has no use for, for the reason `verdict`. Returns the reason to drop
// it for, or STAGE_CONSUMED: it has been freed. The NIC's worker.
int nic_answer(struct node *n, struct port *in, struct rte_mbuf *m, int verdict, ps_t now);
