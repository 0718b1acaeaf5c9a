// SPDX-License-Identifier: BSD-3-Clause
// What a driver has taken from a mempool, so that it can be taken back from one that fails and
// forgets it: net_af_xdp of DPDK 22.11 fills its ring with 2048 packets before it makes the socket,
// and keeps them when there is none. See pool_loan.c.
#pragma once

#include <stdbool.h>

struct rte_mempool;

// Gives an empty mempool the operations that loans are recorded by. They are DPDK's usual ones
// otherwise. Returns 0 or a negative error number. Control thread.
int pool_loan_prepare(struct rte_mempool *pool);

// Begins to record what this thread takes from the mempool and gives back. One loan at a time.
// Returns 0 or -ENOMEM. Control thread.
int pool_loan_begin(struct rte_mempool *pool);

// Ends it. `recall`: what was taken and not given back goes back to the mempool; the driver is
// gone. Returns how many packets those are. Control thread.
unsigned pool_loan_end(bool recall);
