// SPDX-License-Identifier: BSD-3-Clause
// The receiving end of a flow. receiver.c says how. Worker only.
#pragma once

#include "qp.h"

// A packet of a WRITE or SEND arrived. `opcode`: its BTH's; `ack_req`: the BTH's bit; `ce`: it was
// marked.
void receiver_take(struct nic *nic, struct receiver *r, uint32_t psn, uint8_t opcode, bool ack_req,
		   bool ce, ps_t now);
