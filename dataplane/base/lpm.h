// SPDX-License-Identifier: BSD-3-Clause
//
// Longest-prefix match for one VRF and one address family: an immutable trie with a stride of six
// bits, whose nodes find children and leaves by counting bits (Asai and Ohara, "Poptrie", SIGCOMM
// 2015). lpm.c says how it is built.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

// What a lookup gives when no prefix covers the address.
#define LPM_NONE UINT32_MAX

#define LPM_STRIDE_BITS 6

// One route: `addr` in network byte order (IPv4 in the first 4 bytes, the rest is not looked at),
// `len` in bits, `value` anything but LPM_NONE.
struct lpm_prefix {
	uint8_t addr[16];
	uint8_t len;
	uint32_t value;
};

struct lpm_node {
	uint64_t children;    // bit s: slot s leads to another node
	uint64_t leaf_starts; // bit s: a run of slots with one value begins at slot s
	uint32_t first_child; // children of a node are neighbours in lpm.nodes
	uint32_t first_leaf;  // and so are its leaves in lpm.leaves
};

// What lookups read is never written after lpm_build(): any number of threads may read it.
struct lpm {
	const uint32_t *leaves; // behind the last node
	uint64_t common_high;   // the first `skip` bits, which all prefixes share: the root begins
	uint64_t common_low;    // behind them
	uint64_t mask_high;
	uint64_t mask_low;
	uint16_t skip;
	uint16_t addr_bits;
	uint32_t n_nodes;
	uint32_t n_leaves;
	uint32_t sharers;        // control thread: rw; users but one
	struct lpm_node nodes[]; // the root first
};

// Builds the trie of `n` prefixes, in any order, of addresses of `addr_bits` (32 or 128).
// 0 and *out; -EINVAL: addr_bits, a length past it, a set host bit or a value of LPM_NONE;
// -EEXIST: a prefix given twice; -ENOMEM. *out is untouched on error. Control thread.
int lpm_build(struct lpm **out, const struct lpm_prefix *prefixes, size_t n,
	      unsigned int addr_bits);

// The trie, for one more user. Control thread.
struct lpm *lpm_share(struct lpm *lpm);

// Ends one user's hold; the last one's frees the trie, when no reader can still hold it; NULL is
// fine. Control thread.
void lpm_destroy(struct lpm *lpm);

// Bytes of memory the trie takes; 0 for NULL. Any thread.
size_t lpm_bytes(const struct lpm *lpm);

// An address as a number: left-aligned, and followed by zeros.
__extension__ typedef unsigned __int128 lpm_address;

// The address of `bytes` (4 or 16) bytes in network order.
lpm_address lpm_address_of(const uint8_t *address, unsigned int bytes);

// What a lookup of this address gives. *last: all addresses from this one to that one give the same
// (and those behind it may). A NULL trie holds no prefix. Slower than a lookup: it is for going
// over many addresses in order. Any thread.
uint32_t lpm_lookup_to(const struct lpm *lpm, lpm_address address, lpm_address *last);

// Walks down from the root: the address stands left-aligned in high:low, behind the bits that all
// prefixes share, and is followed by zeros.
static inline uint32_t
lpm_walk(const struct lpm *lpm, uint64_t high, uint64_t low)
{
	const struct lpm_node *node = lpm->nodes;
	uint64_t slot = UINT64_C(1) << (high >> (64 - LPM_STRIDE_BITS));
	unsigned int runs;

	while (node->children & slot) {
		unsigned int rank = (unsigned int)__builtin_popcountll(node->children & (slot - 1));

		node = &lpm->nodes[node->first_child + rank];
		high = high << LPM_STRIDE_BITS | low >> (64 - LPM_STRIDE_BITS);
		low <<= LPM_STRIDE_BITS;
		slot = UINT64_C(1) << (high >> (64 - LPM_STRIDE_BITS));
	}
	runs = (unsigned int)__builtin_popcountll(node->leaf_starts & (slot | (slot - 1)));
	return lpm->leaves[node->first_leaf + runs - 1];
}

// The value of the longest prefix that covers an IPv4 address (4 bytes in network order, any
// alignment), or LPM_NONE; a NULL trie holds no prefix. The trie was built for 32 bits. Any thread.
static inline uint32_t
lpm_lookup4(const struct lpm *lpm, const uint8_t *addr)
{
	uint32_t word;
	uint64_t high;

	if (lpm == NULL)
		return LPM_NONE;
	memcpy(&word, addr, sizeof(word));
	high = (uint64_t)rte_be_to_cpu_32(word) << 32;
	if (((high ^ lpm->common_high) & lpm->mask_high) != 0)
		return LPM_NONE;
	return lpm_walk(lpm, high << lpm->skip, 0);
}

// The same for an IPv6 address (16 bytes) in a trie built for 128 bits.
static inline uint32_t
lpm_lookup6(const struct lpm *lpm, const uint8_t *addr)
{
	uint64_t high, low;

	if (lpm == NULL)
		return LPM_NONE;
	memcpy(&high, addr, sizeof(high));
	memcpy(&low, addr + sizeof(high), sizeof(low));
	high = rte_be_to_cpu_64(high);
	low = rte_be_to_cpu_64(low);
	if ((((high ^ lpm->common_high) & lpm->mask_high) |
	     ((low ^ lpm->common_low) & lpm->mask_low)) != 0)
		return LPM_NONE;
	if (lpm->skip >= 64) {
		high = low << (lpm->skip - 64);
		low = 0;
	} else if (lpm->skip != 0) {
		high = high << lpm->skip | low >> (64 - lpm->skip);
		low <<= lpm->skip;
	}
	return lpm_walk(lpm, high, low);
}
