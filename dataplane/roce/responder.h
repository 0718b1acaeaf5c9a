// SPDX-License-Identifier: BSD-3-Clause
// A sender that answers READ requests. responder.c says how. Worker only.
#pragma once

#include "qp.h"

#define RESPONDER_REQUESTS 4 // that wait behind the one under way

struct request {
	uint32_t begin, end; // packets
	uint16_t last_payload;
};

struct responder {
	uint64_t inverse; // of the path MTU, 2^-44
	uint32_t limit;   // behind the last packet that was ever asked for
	uint32_t tail;    // behind the last that is requested now
	uint32_t msn;
	uint32_t short_at; // a single packet that is to go again with less than the path MTU,
	uint16_t short_payload;
	uint8_t first; // of those that wait
	uint8_t count;
	bool nak_sent; // for packet `limit`
	struct request waiting[RESPONDER_REQUESTS];
};

// Before the node runs. `path_mtu`: 1 .. 4096.
void responder_init(struct responder *r, uint16_t path_mtu);

// A READ request arrived. Returns -1, or the reason to drop it. *taken becomes true if it changes
// what the sender has to send.
int responder_take(struct nic *nic, struct sender *s, uint32_t psn, uint32_t bytes, bool *taken);

// Goes on with the request that waits first, if there is one; the one under way has been sent.
void responder_next(struct sender *s);

// The single packet `index` that goes again, as a response of its own.
struct request responder_single(const struct sender *s, uint32_t index);
