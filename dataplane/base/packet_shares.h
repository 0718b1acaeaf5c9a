// SPDX-License-Identifier: BSD-3-Clause
// A packet pool of virtual time shared by threads: each has a LIFO of its own, which takes packets
// from the pool and gives them back by the thousand. One thread may free what another has taken.
#pragma once

#include "packet.h"

struct packet_shares;

// Makes `count` LIFOs, 1 or more, on a pool of packet_pool_create(), which only they use from now
// on. Returns 0 or -ENOMEM.
int packet_shares_create(struct packet_shares **out, struct packet_pool *from, uint32_t count);

// The LIFO of a thread, from 0.
struct packet_pool *packet_shares_get(struct packet_shares *s, uint32_t thread);

// Gives all packets back to the pool. No thread uses the LIFOs any more. NULL is fine.
void packet_shares_destroy(struct packet_shares *s);
