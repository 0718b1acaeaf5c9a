// SPDX-License-Identifier: BSD-3-Clause
// The sending end of a flow. sender.c says how. Worker only.
#pragma once

#include "qp.h"

// The next packet of a sender that is ready; it leaves the ring when that was the last it may send
// now. NULL when memory has run out: then the packet counts as sent, and lost.
struct rte_mbuf *sender_make(struct nic *nic, struct sender *s, ps_t now);

// All before packet `index` have arrived, which is more than was known before.
void sender_arrived(struct nic *nic, struct sender *s, uint32_t index, ps_t now);

// An acknowledgement of everything up to `psn` arrived.
void sender_acknowledge(struct nic *nic, struct sender *s, uint32_t psn, ps_t now);

// A NAK arrived: `psn` is missing. But for selective recovery, all before it arrived.
void sender_take_nak(struct nic *nic, struct sender *s, uint32_t psn, ps_t now);

// A CNP arrived.
void sender_take_cnp(struct nic *nic, struct sender *s, ps_t now);

// Its timer fired: a repetition starts, or what is not acknowledged is sent again.
void sender_timeout(struct nic *nic, struct sender *s, ps_t now);

// The timer of its congestion control fired.
void sender_pacing_timeout(struct nic *nic, struct pacing *p, ps_t now);

// A READ request arrived for a sender that answers them. Returns -1, or the reason to drop it.
int sender_take_request(struct nic *nic, struct sender *s, uint32_t psn, uint32_t bytes, ps_t now);
