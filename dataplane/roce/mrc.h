// SPDX-License-Identifier: BSD-3-Clause
// Multipath Reliable Connection at a NIC: what comes in. mrc.c says how. Worker only.
#pragma once

#include "qp.h"

// A packet with RoCEv2's UDP port that came in by the NIC's port `port`. Returns STAGE_CONSUMED, or
// the reason to drop it.
int mrc_take(struct nic *nic, struct rte_mbuf *m, uint8_t port, ps_t now);
