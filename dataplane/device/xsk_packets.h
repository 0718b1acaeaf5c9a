// SPDX-License-Identifier: BSD-3-Clause
// The packets in the rings of an AF_XDP socket, which its driver forgets when it is closed. Private
// to device/. Control thread.
#pragma once

struct rte_mbuf;
struct rte_mempool;

struct xsk_packets {
	struct rte_mbuf **list;
	unsigned count;
};

// Lists the packets of `pool` in the rings of a socket that no worker uses, before its driver is
// closed. What the kernel moves from one ring to another meanwhile may be missed, but is never
// listed twice.
void xsk_packets_collect(struct xsk_packets *packets, int xsk_fd, struct rte_mempool *pool);

// Gives them back to the pool, when the driver is closed and the kernel writes to them no more.
void xsk_packets_free(struct xsk_packets *packets);
