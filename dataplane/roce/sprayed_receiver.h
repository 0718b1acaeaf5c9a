// SPDX-License-Identifier: BSD-3-Clause
// Receives packets that take many paths and are acknowledged one by one: see sprayed_receiver.c.
// Worker only, except for renewing it.
#pragma once

#include "sprayed_qp.h"

// Before its first packet.
void sprayed_receiver_renew(struct sprayed_receiver *sr);

// A probe of Multipath Reliable Connection came, to be answered so.
void sprayed_receiver_probed(struct nic *nic, struct sprayed_receiver *sr,
			     const struct sprayed_answer *answer, uint16_t number);

void sprayed_receiver_take(struct nic *nic, struct sprayed_receiver *sr,
			   const struct sprayed_data *d, ps_t now);
