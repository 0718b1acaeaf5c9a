// SPDX-License-Identifier: BSD-3-Clause
// The receiving end of a flow over Ultra Ethernet Transport. uet_receiver.c says how. Worker only,
// but for renewing it.
#pragma once

#include "uet_qp.h"

// Before its first packet.
void uet_receiver_renew(struct uet_receiver *u);

struct uet_answer;

// A probe of Multipath Reliable Connection came, to be answered so.
void uet_receiver_probed(struct nic *nic, struct uet_receiver *u, const struct uet_answer *answer,
			 uint16_t number);

void uet_receiver_take(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now);
