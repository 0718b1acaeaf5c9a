// SPDX-License-Identifier: BSD-3-Clause
// The queue pairs of a live fabric's NICs, each NIC's as they stood between two turns of its
// worker. Control thread.
#pragma once

#include "control/show/show.h"
#include "live_fabric.h"

struct qp_snapshot;

// Copies all of them, on their workers.
struct qp_snapshot *qp_snapshot_take(struct live_fabric *live);

// *count of them; NULL of NULL.
const struct show_nic *qp_snapshot_nics(const struct qp_snapshot *l, unsigned int *count);

// NULL is fine.
void qp_snapshot_destroy(struct qp_snapshot *l);
