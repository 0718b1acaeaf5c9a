// SPDX-License-Identifier: BSD-3-Clause
// The requests of a reader, two under way at most. Worker only.
#pragma once

#include "qp.h"

// Keeps two requests under way, as long as there is something to request.
void read_requests_more(struct nic *nic, struct reader *r);

// Requests everything from packet `offset` on. Requests for what lies before it and is missing are
// under way.
void read_requests_again(struct nic *nic, struct reader *r, uint32_t offset);

// Go-back-0: the part of the message that is here does not count any more. Requests begin at
// multiples of NIC_WRITE_PACKETS there.
void read_requests_forget(struct reader *r);

// A packet counts as lost: requests it and, unless recovery is selective, all behind it.
void read_requests_ask(struct nic *nic, struct reader *r, uint32_t psn);
