// SPDX-License-Identifier: BSD-3-Clause
// The rings are memory that the kernel shares with the driver's library. Where they are is in
// /proc/self/maps, by the inode of the socket; the offset in its file says which one it is. An
// entry holds the address of a packet within the UMEM, which begins with the page that the pool's
// memory begins in (af_xdp driver of DPDK 22.11), at the header of a pool's element.
//
// The ring that a packet goes to is read before the one that it comes from.
#include "xsk_packets.h"

#include <rte_mbuf.h>

#include <inttypes.h>
#include <linux/if_xdp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAPS_LINE_MAX 512
#define XSK_ADDRESS_BITS 48 // above it: where data begins in the packet

struct xsk_ring {
	uint64_t file_offset;
	size_t entry_bytes;
	const uint8_t *memory; // NULL: not found
	size_t bytes;
};

struct xsk_pool {
	struct rte_mempool *pool;
	uintptr_t umem;  // address 0
	uintptr_t first; // of the elements
	size_t element_bytes;
	bool *seen; // by element
};

static void
find_rings(struct xsk_ring *rings, unsigned count, uint64_t inode)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[MAPS_LINE_MAX];

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		uint64_t begin, end, offset, found;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64, &begin,
			   &end, &offset, &found) != 4 ||
		    found != inode)
			continue;
		for (unsigned i = 0; i < count; i++) {
			if (rings[i].file_offset != offset)
				continue;
			rings[i].memory = (const uint8_t *)(uintptr_t)begin;
			rings[i].bytes = (size_t)(end - begin);
		}
	}
	if (maps != NULL)
		fclose(maps);
}

// The packet at an address, or NULL if there is none or it is listed already.
static struct rte_mbuf *
take_packet(const struct xsk_pool *p, uint64_t address)
{
	uintptr_t at = p->umem + (uintptr_t)(address & ((UINT64_C(1) << XSK_ADDRESS_BITS) - 1));
	size_t index;

	if (at < p->first || (at - p->first) % p->element_bytes != 0)
		return NULL;
	index = (at - p->first) / p->element_bytes;
	if (index >= p->pool->populated_size || p->seen[index])
		return NULL;
	p->seen[index] = true;
	return (struct rte_mbuf *)(at + p->pool->header_size);
}

// Entries from the consumer's to the producer's.
static void
take_ring(struct xsk_packets *packets, const struct xsk_pool *pool, const struct xsk_ring *ring,
	  const struct xdp_ring_offset *offsets)
{
	uint32_t from, to, size = 1;

	if (ring->memory == NULL || ring->bytes <= offsets->desc)
		return;
	// A mapping is whole pages, the ring in it a power of two.
	while (2 * size * ring->entry_bytes <= ring->bytes - offsets->desc)
		size *= 2;
	from = __atomic_load_n((const uint32_t *)(ring->memory + offsets->consumer),
			       __ATOMIC_ACQUIRE);
	to = __atomic_load_n((const uint32_t *)(ring->memory + offsets->producer),
			     __ATOMIC_ACQUIRE);
	if (to - from > size)
		return;
	for (; from != to; from++) {
		// Both kinds of entries begin with the address.
		const uint8_t *entry = ring->memory + offsets->desc +
				       (from & (size - 1)) * ring->entry_bytes;
		struct rte_mbuf *m = take_packet(pool, *(const uint64_t *)entry);

		if (m != NULL)
			packets->list[packets->count++] = m;
	}
}

static bool
describe_pool(struct xsk_pool *p, struct rte_mempool *pool)
{
	const struct rte_mempool_memhdr *memory = STAILQ_FIRST(&pool->mem_list);
	const struct rte_mempool_objhdr *first = STAILQ_FIRST(&pool->elt_list);

	if (memory == NULL || first == NULL)
		return false;
	*p = (struct xsk_pool){
		.pool = pool,
		.umem = (uintptr_t)memory->addr & ~(uintptr_t)(getpagesize() - 1),
		.first = (uintptr_t)first + sizeof(*first) - pool->header_size,
		.element_bytes = pool->header_size + pool->elt_size + pool->trailer_size,
		.seen = calloc(pool->populated_size, sizeof(bool)),
	};
	return p->seen != NULL;
}

void
xsk_packets_collect(struct xsk_packets *packets, int xsk_fd, struct rte_mempool *pool)
{
	struct xsk_ring rings[] = {
		{XDP_PGOFF_RX_RING, sizeof(struct xdp_desc), NULL, 0},
		{XDP_UMEM_PGOFF_FILL_RING, sizeof(uint64_t), NULL, 0},
		{XDP_UMEM_PGOFF_COMPLETION_RING, sizeof(uint64_t), NULL, 0},
		{XDP_PGOFF_TX_RING, sizeof(struct xdp_desc), NULL, 0},
	};
	struct xdp_mmap_offsets offsets;
	socklen_t bytes = sizeof(offsets);
	struct xsk_pool p = {.seen = NULL};
	struct stat file;

	*packets = (struct xsk_packets){.list = NULL};
	if (fstat(xsk_fd, &file) != 0 ||
	    getsockopt(xsk_fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &bytes) != 0 ||
	    bytes != sizeof(offsets) || !describe_pool(&p, pool))
		return;
	packets->list = calloc(pool->populated_size, sizeof(struct rte_mbuf *));
	find_rings(rings, sizeof(rings) / sizeof(rings[0]), file.st_ino);
	if (packets->list != NULL) {
		take_ring(packets, &p, &rings[0], &offsets.rx);
		take_ring(packets, &p, &rings[1], &offsets.fr);
		take_ring(packets, &p, &rings[2], &offsets.cr);
		take_ring(packets, &p, &rings[3], &offsets.tx);
	}
	free(p.seen);
}

void
xsk_packets_free(struct xsk_packets *packets)
{
	for (unsigned i = 0; i < packets->count; i++)
		rte_pktmbuf_free(packets->list[i]);
	free(packets->list);
	*packets = (struct xsk_packets){.list = NULL};
}
