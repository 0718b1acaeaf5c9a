// SPDX-License-Identifier: BSD-3-Clause
// Credits of the receiver: it grants its senders in turn what its line carries. uet_credit.c says
// how. Worker only.
#pragma once

#include "sprayed_qp.h"

// At each port of a NIC that grants.
struct uet_granter {
	struct timer timer; // of the next grant; PS_NEVER: nobody waits
	ps_t next_at;       // none before
	uint8_t port;
	struct sprayed_receiver *first, *last; // that wait, in turn
};

// A packet said what its sender needs.
void uet_credit_need(struct nic *nic, struct sprayed_receiver *sr, const struct sprayed_data *d,
		     ps_t now);

// A packet was trimmed: its credit is used, and its sender needs it once more.
void uet_credit_trimmed(struct nic *nic, struct sprayed_receiver *sr, ps_t now);

// A sender without credit asks, or asks again.
void uet_credit_ask(struct nic *nic, struct sender *s);
void uet_credit_asked(struct nic *nic, struct sprayed_receiver *sr, uint32_t target, ps_t now);

// A grant arrived.
void uet_credit_take(struct nic *nic, struct sender *s, uint32_t granted, ps_t now);

// The timer fired: the next in turn gets a grant. Returns whose it is.
struct sprayed_receiver *uet_credit_grant(struct nic *nic, struct uet_granter *g, ps_t now);
