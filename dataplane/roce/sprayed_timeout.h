// SPDX-License-Identifier: BSD-3-Clause
// The retransmission timer of a sender whose packets are acknowledged singly: sprayed.c says how it
// works. Worker only.
#pragma once

#include "qp.h"

void sprayed_timeout(struct nic *nic, struct sender *s, ps_t now);
