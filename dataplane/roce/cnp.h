// SPDX-License-Identifier: BSD-3-Clause
// DCQCN's notification point: a packet that was marked makes a CNP, at most one per cnp_interval
// and queue pair (Zhu et al.: Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015,
// section 3.1). Worker only.
#pragma once

#include "qp.h"

// A marked packet arrived: sends a CNP, unless one was sent not long ago.
void cnp_send(struct nic *nic, struct receiver *r, ps_t now);
