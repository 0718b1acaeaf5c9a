// SPDX-License-Identifier: BSD-3-Clause
// What a rank sends to another at a window's end: when its next thing may happen, then for each
// wire with packets a head and the packets, each with its arrival, its metadata, and the bytes that
// it holds. All ranks have the same byte order and the same build.
#include "cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 8

struct cut_head {
	ps_t next;
};

struct cut_wire_head {
	uint32_t number;
	uint32_t count;
};

struct cut_packet {
	ps_t arrival;
	struct packet_meta meta;
	// data_len bytes, padded to ALIGN
};

static inline size_t
aligned(size_t bytes)
{
	return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

// ---- setting up ---------------------------------------------------------------------------------

int
cut_create(struct cut **out, struct ranks *ranks, uint32_t node_count, uint32_t wire_count,
	   struct packet_pool *packets)
{
	struct cut *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return -ENOMEM;
	c->ranks = ranks;
	c->packets = packets;
	c->wire_count = wire_count;
	c->of_node = calloc(node_count + 1u, sizeof(*c->of_node));
	c->in = calloc(wire_count + 1u, sizeof(struct wire *));
	c->received = calloc(ranks->count, sizeof(*c->received));
	if (c->of_node == NULL || c->in == NULL || c->received == NULL ||
	    cut_set_threads(c, 1) != 0) {
		cut_destroy(c);
		return -ENOMEM;
	}
	*out = c;
	return 0;
}

static void
free_collected(struct cut *c)
{
	for (uint32_t i = 0; i < c->threads * c->ranks->count; i++)
		free(c->collected[i].data);
	free(c->collected);
}

void
cut_destroy(struct cut *c)
{
	if (c == NULL)
		return;
	free_collected(c);
	for (uint32_t k = 0; c->received != NULL && k < c->ranks->count; k++)
		free(c->received[k].data);
	free(c->received);
	free(c->in);
	free(c->out);
	free(c->of_node);
	free(c);
}

int
cut_add_out(struct cut *c, uint32_t node, const struct cut_wire *wire)
{
	struct cut_wire *larger = realloc(c->out, (c->out_count + 1u) * sizeof(*larger));

	if (larger == NULL)
		return -ENOMEM;
	c->out = larger;
	c->out[c->out_count++] = *wire;
	if (c->of_node[node].count++ == 0)
		c->of_node[node].first = c->out_count - 1;
	return 0;
}

void
cut_add_in(struct cut *c, uint32_t number, struct wire *wire)
{
	c->in[number] = wire;
}

// Each first collection has room for the head.
static int
begin_collections(struct cut *c, struct ranks_bytes *collected)
{
	for (uint32_t k = 0; k < c->ranks->count; k++) {
		int rc = ranks_bytes_reserve(&collected[k], sizeof(struct cut_head));

		if (rc != 0)
			return rc;
		collected[k].count = sizeof(struct cut_head);
	}
	return 0;
}

int
cut_set_threads(struct cut *c, uint32_t threads)
{
	struct ranks_bytes *collected =
		calloc((size_t)threads * c->ranks->count, sizeof(*collected));

	if (collected == NULL)
		return -ENOMEM;
	free_collected(c);
	c->collected = collected;
	c->threads = threads;
	return begin_collections(c, collected);
}

// ---- collecting ---------------------------------------------------------------------------------

// Appends a packet to what has room for it.
static void
pack(struct ranks_bytes *to, struct rte_mbuf *m, ps_t arrival)
{
	const struct packet_meta *meta = packet_meta(m);
	struct cut_packet *record = (struct cut_packet *)((char *)to->data + to->count);

	record->arrival = arrival;
	record->meta = *meta;
	memcpy(record + 1, packet_data(m), meta->data_len);
	to->count += sizeof(*record) + aligned(meta->data_len);
}

static void
collect_wire(struct cut *c, const struct cut_wire *cut, struct packet_pool *packets,
	     struct ranks_bytes *to)
{
	struct wire *w = cut->wire;
	uint32_t count = w->tail - w->head;
	size_t most = sizeof(struct cut_packet) + aligned(c->packets->data_room);

	if (ranks_bytes_reserve(to, to->count + sizeof(struct cut_wire_head) + count * most) != 0) {
		packet_memory_note_lack(); // the run ends
		return;
	}
	*(struct cut_wire_head *)((char *)to->data + to->count) =
		(struct cut_wire_head){.number = cut->number, .count = count};
	to->count += sizeof(struct cut_wire_head);
	for (uint32_t i = w->head; i != w->tail; i++) {
		const struct wire_slot *slot = &w->slots[i & w->mask];

		if (i + 2 != w->tail)
			packet_prefetch(w->slots[(i + 2) & w->mask].packet);
		pack(to, slot->packet, slot->arrival);
		packet_free(packets, slot->packet);
	}
	w->head = w->tail;
}

void
cut_collect_wires(struct cut *c, struct node *n, uint32_t thread)
{
	const struct cut_wire *first = &c->out[c->of_node[n->index].first];
	const struct cut_wire *end = first + c->of_node[n->index].count;

	for (const struct cut_wire *cut = first; cut < end; cut++)
		if (cut->wire->head != cut->wire->tail)
			collect_wire(c, cut, n->packets,
				     &c->collected[thread * c->ranks->count + cut->peer]);
}

// ---- exchanging ---------------------------------------------------------------------------------

// Puts what came for a wire on it. Returns the bytes that it took, or 0: it makes no sense.
static size_t
unpack_wire(struct cut *c, struct packet_pool *packets, const char *from, size_t left)
{
	const struct cut_wire_head *head = (const struct cut_wire_head *)from;
	size_t at = sizeof(*head);
	struct wire *w;

	if (left < sizeof(*head) || head->number >= c->wire_count || c->in[head->number] == NULL)
		return 0;
	w = c->in[head->number];
	for (uint32_t i = 0; i < head->count; i++) {
		const struct cut_packet *record = (const struct cut_packet *)(from + at);
		const struct packet_meta *meta = &record->meta;
		struct rte_mbuf *m;

		if (left - at < sizeof(*record) ||
		    left - at - sizeof(*record) < aligned(meta->data_len) ||
		    (uint32_t)meta->data_off + meta->data_len > packets->data_room)
			return 0;
		at += sizeof(*record) + aligned(meta->data_len);
		m = packet_alloc(packets);
		if (m == NULL)
			continue; // which the pool has noted: the run ends
		*packet_meta(m) = *meta;
		memcpy(packet_data(m), record + 1, meta->data_len);
		if (wire_put(w, m, record->arrival) != 0)
			packet_free(packets, m);
	}
	return at;
}

static int
unpack(struct cut *c, struct packet_pool *packets, const struct ranks_bytes *from, ps_t *next)
{
	size_t at = sizeof(struct cut_head);

	if (from->count < sizeof(struct cut_head))
		return -EPROTO;
	*next = time_min(*next, ((const struct cut_head *)from->data)->next);
	while (at < from->count) {
		size_t took =
			unpack_wire(c, packets, (const char *)from->data + at, from->count - at);

		if (took == 0)
			return -EPROTO;
		at += took;
	}
	return 0;
}

// What the threads have collected, all of it with thread 0's.
static int
gather(struct cut *c, uint32_t peer)
{
	struct ranks_bytes *all = &c->collected[peer];

	for (uint32_t t = 1; t < c->threads; t++) {
		struct ranks_bytes *one = &c->collected[t * c->ranks->count + peer];
		int rc = ranks_bytes_reserve(all, all->count + one->count);

		if (rc != 0)
			return rc;
		if (one->count != 0)
			memcpy((char *)all->data + all->count, one->data, one->count);
		all->count += one->count;
		one->count = 0;
	}
	return 0;
}

int
cut_exchange(struct cut *c, ps_t *next, struct packet_pool *packets)
{
	uint32_t own = c->ranks->index;
	int rc = 0;

	for (uint32_t k = 0; rc == 0 && k < c->ranks->count; k++) {
		rc = gather(c, k);
		((struct cut_head *)c->collected[k].data)->next = *next;
	}
	if (rc == 0)
		rc = c->ranks->ops->exchange(c->ranks, c->collected, c->received);
	for (uint32_t k = 0; rc == 0 && k < c->ranks->count; k++) {
		if (k != own)
			rc = unpack(c, packets, &c->received[k], next);
		c->collected[k].count = sizeof(struct cut_head);
	}
	return rc;
}
