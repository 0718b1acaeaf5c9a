// SPDX-License-Identifier: BSD-3-Clause
// Ultra Ethernet Transport at a NIC: what comes in. uet.c says how. Worker only.
#pragma once

#include "qp.h"

// A UDP packet to UET's port that came in by the NIC's port `port`. Returns STAGE_CONSUMED, or the
// reason to drop it.
int uet_take(struct nic *nic, struct rte_mbuf *m, uint8_t port, ps_t now);
