// SPDX-License-Identifier: BSD-3-Clause
//
// A node of the trie stands for the next six bits of an address, so it has 64 slots. A slot leads
// to a child where some prefix is longer than what the node decides; every other slot is a leaf and
// holds the value of the longest prefix that covers it. Neighbouring slots with one value share a
// leaf, slots of children between them notwithstanding, so a node costs 24 bytes and 4 for each
// change of value. The root begins behind the bits that all prefixes have in common, which are
// compared at once: the routes of a fabric share most of their first bits. The last level reaches
// past the address (36 bits for 32, 132 for 128): the bits missing are zeros in addresses and
// prefixes alike.
//
// Building rests on the order of the prefixes, by address and then by length:
// - a prefix comes before all that lie inside it, so writing values in that order leaves the
//   longest on top, and a child's slot holds the value its leaves inherit when its first prefix is
//   met;
// - the prefixes of one child are neighbours, so a node to build is a range of the sorted list.
// Nodes are built in the order of their depth, which puts a node's children side by side.
//
// Built by the control thread, read by workers, freed by the control thread when no worker can
// hold it any more.

#include "lpm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define SLOTS (1u << LPM_STRIDE_BITS)

// A node still to be built: the sorted prefixes [from, to) agree in their first `bit` bits and are
// all longer, but for the root, which may hold a prefix of length 0.
struct span {
	size_t from;
	size_t to;
	unsigned int bit;
	uint32_t inherited; // value where none of them applies
};

// Half of an address as a number: 0, the first eight bytes; 1, the others.
static uint64_t
half(const uint8_t addr[16], unsigned int which)
{
	uint64_t bytes;

	memcpy(&bytes, addr + which * sizeof(bytes), sizeof(bytes));
	return rte_be_to_cpu_64(bytes);
}

static int
compare_prefixes(const void *a, const void *b)
{
	const struct lpm_prefix *x = a, *y = b;

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t one = half(x->addr, i), other = half(y->addr, i);

		if (one != other)
			return one < other ? -1 : 1;
	}
	return (int)x->len - (int)y->len;
}

// Whether a bit of `addr` is set at or behind bit `len` of `addr_bits`.
static bool
has_host_bits(const uint8_t *addr, unsigned int len, unsigned int addr_bits)
{
	if (len % 8 != 0 && (addr[len / 8] & (0xffu >> len % 8)) != 0)
		return true;
	for (unsigned int byte = (len + 7) / 8; byte < addr_bits / 8; byte++) {
		if (addr[byte] != 0)
			return true;
	}
	return false;
}

// Copies `n` prefixes to `sorted`, with zeros behind the address, and puts them in order.
static int
sort_prefixes(struct lpm_prefix *sorted, const struct lpm_prefix *prefixes, size_t n,
	      unsigned int addr_bits)
{
	bool in_order = true; // as they often are: sorting is the most of it

	for (size_t i = 0; i < n; i++) {
		const struct lpm_prefix *p = &prefixes[i];

		if (p->len > addr_bits || p->value == LPM_NONE ||
		    has_host_bits(p->addr, p->len, addr_bits))
			return -EINVAL;
		memcpy(sorted[i].addr, p->addr, addr_bits / 8);
		sorted[i].len = p->len;
		sorted[i].value = p->value;
		in_order &= i == 0 || compare_prefixes(&sorted[i - 1], &sorted[i]) < 0;
	}
	if (in_order)
		return 0;
	qsort(sorted, n, sizeof(*sorted), compare_prefixes);
	for (size_t i = 1; i < n; i++) {
		if (compare_prefixes(&sorted[i - 1], &sorted[i]) == 0)
			return -EEXIST;
	}
	return 0;
}

// Number of leading bits in which two addresses agree.
static unsigned int
common_bits(const uint8_t *a, const uint8_t *b)
{
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t differ = half(a, i) ^ half(b, i);

		if (differ != 0)
			return 64 * i + (unsigned int)__builtin_clzll(differ);
	}
	return 128;
}

// Nodes below the root, which begins at bit `skip`, that a prefix passes: one for each depth that
// is shorter than it.
static unsigned int
nodes_on_path(const struct lpm_prefix *prefix, unsigned int skip)
{
	return prefix->len <= skip ? 0 : (prefix->len - 1u - skip) / LPM_STRIDE_BITS;
}

// The number of nodes, root included. A node that an earlier prefix of the list shares with this
// one is shared with its neighbour too, the prefixes of a node being neighbours.
static size_t
count_nodes(const struct lpm_prefix *sorted, size_t n, unsigned int skip)
{
	size_t nodes = 1;

	for (size_t i = 0; i < n; i++) {
		unsigned int path = nodes_on_path(&sorted[i], skip), shared = 0;

		if (i > 0) {
			unsigned int before = nodes_on_path(&sorted[i - 1], skip);

			shared = (common_bits(sorted[i - 1].addr, sorted[i].addr) - skip) /
				 LPM_STRIDE_BITS;
			if (shared > before)
				shared = before;
			if (shared > path)
				shared = path;
		}
		nodes += path - shared;
	}
	return nodes;
}

// The bits that all prefixes have in common: the first and the last in order decide, and the
// shortest. At most 127, so that a shift by them is one.
static unsigned int
shared_bits(const struct lpm_prefix *sorted, size_t n)
{
	unsigned int bits;

	if (n == 0)
		return 0;
	bits = common_bits(sorted[0].addr, sorted[n - 1].addr);
	for (size_t i = 0; i < n; i++)
		bits = sorted[i].len < bits ? sorted[i].len : bits;
	return bits < 127 ? bits : 127;
}

// Notes in the trie which bits lookups compare before they walk.
static void
set_common(struct lpm *lpm, const struct lpm_prefix *sorted, unsigned int skip)
{
	lpm->skip = (uint16_t)skip;
	if (skip == 0)
		return;
	lpm->mask_high = skip >= 64 ? UINT64_MAX : ~(UINT64_MAX >> skip);
	lpm->mask_low = skip <= 64 ? 0 : ~(UINT64_MAX >> (skip - 64));
	lpm->common_high = half(sorted[0].addr, 0) & lpm->mask_high;
	lpm->common_low = half(sorted[0].addr, 1) & lpm->mask_low;
}

// The six bits of an address from `bit`, zeros behind its end.
static unsigned int
slot_at(const uint8_t addr[16], unsigned int bit)
{
	unsigned int byte = bit / 8;
	unsigned int window =
		byte > 15 ? 0 : (unsigned int)addr[byte] << 8 | (byte < 15 ? addr[byte + 1] : 0);

	return window >> (16 - LPM_STRIDE_BITS - bit % 8) & (SLOTS - 1);
}

// Fills the value of each slot of `node` from the prefixes of `span`, marks the slots that need a
// child and appends those children to `spans`, which holds *n_spans. Returns the slots whose value
// may differ from that of the slot before, the first among them.
static uint64_t
spread_prefixes(struct lpm_node *node, uint32_t values[SLOTS], const struct lpm_prefix *sorted,
		const struct span *span, struct span *spans, size_t *n_spans)
{
	unsigned int end = span->bit + LPM_STRIDE_BITS;
	uint64_t starts = 1;

	for (unsigned int slot = 0; slot < SLOTS; slot++)
		values[slot] = span->inherited;
	for (size_t i = span->from; i < span->to; i++) {
		const struct lpm_prefix *p = &sorted[i];
		unsigned int slot = slot_at(p->addr, span->bit);

		if (p->len <= end) {
			unsigned int past = slot + (1u << (end - p->len));

			starts |= UINT64_C(1) << slot;
			starts |= past < SLOTS ? UINT64_C(1) << past : 0;
			while (slot < past)
				values[slot++] = p->value;
		} else if (node->children & UINT64_C(1) << slot) {
			spans[*n_spans - 1].to = i + 1;
		} else {
			node->children |= UINT64_C(1) << slot;
			spans[(*n_spans)++] = (struct span){
				.from = i, .to = i + 1, .bit = end, .inherited = values[slot]};
		}
	}
	return starts;
}

// Appends the node's leaves to `leaves`, which holds `n`; returns how many it then holds. starts:
// as from spread_prefixes().
static uint32_t
append_leaves(struct lpm_node *node, const uint32_t values[SLOTS], uint64_t starts,
	      uint32_t *leaves, uint32_t n)
{
	node->first_leaf = n;
	for (; starts != 0; starts &= starts - 1) {
		// The first leaf from there on.
		uint64_t rest = ~node->children & ~((starts & -starts) - 1);
		unsigned int slot;

		if (rest == 0)
			break;
		slot = (unsigned int)__builtin_ctzll(rest);
		if (node->leaf_starts == 0 || leaves[n - 1] != values[slot]) {
			node->leaf_starts |= UINT64_C(1) << slot;
			leaves[n++] = values[slot];
		}
	}
	return n;
}

int
lpm_build(struct lpm **out, const struct lpm_prefix *prefixes, size_t n, unsigned int addr_bits)
{
	struct lpm_prefix *sorted = NULL;
	struct span *spans = NULL;
	struct lpm *lpm;
	int rc;

	if (addr_bits != 32 && addr_bits != 128)
		return -EINVAL;
	sorted = calloc(n + 1, sizeof(*sorted));
	if (sorted == NULL)
		return -ENOMEM;
	rc = sort_prefixes(sorted, prefixes, n, addr_bits);
	if (rc != 0)
		goto out;

	// Each value a node spreads over its slots begins and ends at most one run.
	unsigned int skip = shared_bits(sorted, n);
	size_t n_nodes = count_nodes(sorted, n, skip), max_leaves = n_nodes + 2 * n, n_spans = 1;
	rc = -ENOMEM;
	if (max_leaves > UINT32_MAX)
		goto out;
	spans = calloc(n_nodes, sizeof(*spans));
	lpm = calloc(1, sizeof(*lpm) + n_nodes * sizeof(lpm->nodes[0]) +
				max_leaves * sizeof(lpm->leaves[0]));
	if (spans == NULL || lpm == NULL) {
		free(lpm);
		goto out;
	}
	lpm->addr_bits = (uint16_t)addr_bits;
	set_common(lpm, sorted, skip);
	lpm->n_nodes = n_nodes;
	uint32_t *leaves = (uint32_t *)&lpm->nodes[n_nodes];
	spans[0] = (struct span){.from = 0, .to = n, .bit = skip, .inherited = LPM_NONE};
	for (size_t i = 0; i < n_nodes; i++) {
		struct lpm_node *node = &lpm->nodes[i];
		uint32_t values[SLOTS];
		uint64_t starts;

		node->first_child = n_spans;
		starts = spread_prefixes(node, values, sorted, &spans[i], spans, &n_spans);
		lpm->n_leaves = append_leaves(node, values, starts, leaves, lpm->n_leaves);
	}

	// Give back the leaves that were not needed; should that fail, they stay.
	struct lpm *shrunk = realloc(lpm, lpm_bytes(lpm));
	if (shrunk != NULL)
		lpm = shrunk;
	lpm->leaves = (const uint32_t *)&lpm->nodes[n_nodes];
	*out = lpm;
	rc = 0;
out:
	free(spans);
	free(sorted);
	return rc;
}

struct lpm *
lpm_share(struct lpm *lpm)
{
	lpm->sharers++;
	return lpm;
}

void
lpm_destroy(struct lpm *lpm)
{
	if (lpm != NULL && lpm->sharers-- == 0)
		free(lpm);
}

size_t
lpm_bytes(const struct lpm *lpm)
{
	if (lpm == NULL)
		return 0;
	return sizeof(*lpm) + lpm->n_nodes * sizeof(lpm->nodes[0]) +
	       lpm->n_leaves * sizeof(lpm->leaves[0]);
}

lpm_address
lpm_address_of(const uint8_t *address, unsigned int bytes)
{
	lpm_address number = 0;

	for (unsigned int i = 0; i < bytes; i++)
		number |= (lpm_address)address[i] << (120 - 8 * i);
	return number;
}

// Behind the bits that all prefixes share, or before them.
static lpm_address
last_outside(const struct lpm *lpm, lpm_address address)
{
	lpm_address common = (lpm_address)lpm->common_high << 64 | lpm->common_low;

	return address < common ? common - 1 : ~(lpm_address)0;
}

static bool
is_outside(const struct lpm *lpm, lpm_address address)
{
	uint64_t high = (uint64_t)(address >> 64), low = (uint64_t)address;

	return (((high ^ lpm->common_high) & lpm->mask_high) |
		((low ^ lpm->common_low) & lpm->mask_low)) != 0;
}

uint32_t
lpm_lookup_to(const struct lpm *lpm, lpm_address address, lpm_address *last)
{
	const lpm_address all = ~(lpm_address)0;
	const struct lpm_node *node;
	unsigned int bit, slot, end;
	uint64_t behind;

	*last = all;
	if (lpm == NULL)
		return LPM_NONE;
	if (is_outside(lpm, address)) {
		*last = last_outside(lpm, address);
		return LPM_NONE;
	}
	node = lpm->nodes;
	bit = lpm->skip;
	for (slot = (unsigned int)(address << bit >> (128 - LPM_STRIDE_BITS));
	     node->children & UINT64_C(1) << slot;
	     slot = (unsigned int)(address << bit >> (128 - LPM_STRIDE_BITS))) {
		uint64_t before = (UINT64_C(1) << slot) - 1;

		node = &lpm->nodes[node->first_child +
				   (unsigned int)__builtin_popcountll(node->children & before)];
		bit += LPM_STRIDE_BITS;
	}
	behind = slot == SLOTS - 1 ? 0 : (node->children | node->leaf_starts) >> (slot + 1);
	end = behind == 0 ? SLOTS - 1 : slot + (unsigned int)__builtin_ctzll(behind);
	// The slots of the last level reach past the address.
	*last = bit == 0 ? 0 : address & ~(all >> bit);
	*last |= (lpm_address)end << (128 - LPM_STRIDE_BITS) >> bit;
	*last |= bit + LPM_STRIDE_BITS < 128 ? all >> (bit + LPM_STRIDE_BITS) : 0;
	behind = node->leaf_starts << (SLOTS - 1 - slot);
	return lpm->leaves[node->first_leaf + (unsigned int)__builtin_popcountll(behind) - 1];
}
