// SPDX-License-Identifier: BSD-3-Clause
// The requesting end of a READ. reader.c says how. Worker only.
#pragma once

#include "qp.h"

// A response arrived; `ce`: it was marked.
void reader_take(struct nic *nic, struct reader *r, uint32_t psn, bool ce, ps_t now);

// A NAK arrived: the responder misses the request that `psn` belongs to.
void reader_take_nak(struct nic *nic, struct reader *r, uint32_t psn, ps_t now);

// Its timer fired: a repetition starts, or what is missing is requested again.
void reader_timeout(struct nic *nic, struct reader *r, ps_t now);
