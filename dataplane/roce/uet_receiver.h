// SPDX-License-Identifier: BSD-3-Clause
// The receiving end of a flow over Ultra Ethernet Transport. uet_receiver.c says how. Worker only,
// but for renewing it.
#pragma once

#include "uet_qp.h"

// Before its first packet.
void uet_receiver_renew(struct uet_receiver *u);

void uet_receiver_take(struct nic *nic, struct uet_receiver *u, const struct uet_data *d, ps_t now);
