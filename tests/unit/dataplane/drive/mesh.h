// SPDX-License-Identifier: BSD-3-Clause
// Nodes that pass packets around, to be driven in different ways: included by the tests of drives.
#pragma once

#include "dataplane/base/random.h"
#include "dataplane/drive/virtual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

// Switches that are all joined to one another, and NICs with one switch each. A packet goes where
// the hash of what it has met says, until its hops are used up. Now and then one sets off a burst,
// which makes wires grow.
#define SWITCHES 6
#define NICS 14
#define NODES (SWITCHES + NICS)
#define PORTS (SWITCHES + 1 + NICS / SWITCHES)
#define WIRES (2 * (SWITCHES * SWITCHES + NICS))
#define DELAY PS_PER_US
#define HOST_DELAY (20 * PS_PER_NS)
#define PACKETS 20 // of each NIC
#define HOPS 60
#define BURST 50
#define CALLS_MAX 4096

struct content {
	uint64_t id;
	uint32_t hops;
};

struct relay {
	struct node node;
	struct port ports[PORTS];
	uint64_t digest;
	uint64_t met;
	struct {
		ps_t start, until;
	} calls[CALLS_MAX];
	uint32_t call_count;
};

struct mesh {
	struct packet_pool *pool;
	struct relay relays[NODES];
	struct node *nodes[NODES];
	struct wire *wires[WIRES];
	uint32_t from[WIRES], to[WIRES]; // of each wire: nodes
	uint32_t wire_count;
	struct virtual_drive v;
};

static struct content *
content_of(struct rte_mbuf *m)
{
	return (struct content *)packet_data(m);
}

static struct rte_mbuf *
make_packet(struct node *n, uint64_t id, uint32_t hops)
{
	struct rte_mbuf *m = packet_alloc(n->packets);

	assert_non_null(m);
	packet_meta(m)->data_off = 0;
	packet_meta(m)->data_len = sizeof(struct content);
	*content_of(m) = (struct content){id, hops};
	return m;
}

static ps_t
send(struct relay *r, struct rte_mbuf *m, ps_t now, uint64_t hash)
{
	struct wire *w = r->ports[hash % r->node.port_count].out;
	ps_t arrival = now + w->delay + hash % 1000;

	if (wire_put(w, m, arrival) != 0)
		abort(); // in a thread that cmocka does not know
	return w->last;
}

// Takes a packet and returns when the next thing happens where it sends something.
static ps_t
meet(struct relay *r, uint32_t port, ps_t now)
{
	struct rte_mbuf *m = wire_take(r->ports[port].in);
	struct content c = *content_of(m);
	ps_t next = PS_NEVER;

	r->met++;
	r->digest = random_mix(r->digest ^ c.id ^ now << 8 ^ port);
	packet_free(r->node.packets, m);
	if (c.hops == 0)
		return PS_NEVER;
	c.id = random_mix(c.id + now);
	next = send(r, make_packet(&r->node, c.id, c.hops - 1), now, c.id >> 8);
	for (unsigned int i = 0; c.id % 97 == 0 && i < BURST; i++)
		next = time_min(next, send(r, make_packet(&r->node, c.id + i, 0), now, c.id >> 16));
	return next;
}

static ps_t
relay_advance(struct node *n, ps_t start, ps_t until)
{
	struct relay *r = (struct relay *)n;
	ps_t next = PS_NEVER;

	r->calls[r->call_count % CALLS_MAX].start = start;
	r->calls[r->call_count++ % CALLS_MAX].until = until;
	for (;;) {
		ps_t first = PS_NEVER;
		uint32_t port = 0;

		for (uint32_t k = 0; k < n->port_count; k++)
			if (wire_next(r->ports[k].in) < first)
				first = wire_next(r->ports[port = k].in);
		if (first >= until)
			return time_min(next, first);
		if (first < start)
			abort();
		next = time_min(next, meet(r, port, first));
	}
}

static const struct node_ops relay_ops = {.advance = relay_advance};

static void
join(struct mesh *m, uint32_t a, uint32_t b, ps_t delay)
{
	struct node *from = &m->relays[a].node, *to = &m->relays[b].node;
	struct wire *w;

	assert_int_equal(wire_create(&w, delay, false, 0), 0);
	m->from[m->wire_count] = a;
	m->to[m->wire_count] = b;
	m->wires[m->wire_count++] = w;
	// Both ends of a link are joined in the same order, so ports of one number are one link's.
	for (uint32_t k = 0; k < PORTS; k++)
		if (m->relays[a].ports[k].out == NULL) {
			m->relays[a].ports[k].out = w;
			from->port_count =
				(uint16_t)(k + 1 > from->port_count ? k + 1 : from->port_count);
			break;
		}
	for (uint32_t k = 0; k < PORTS; k++)
		if (m->relays[b].ports[k].in == NULL) {
			m->relays[b].ports[k].in = w;
			to->port_count =
				(uint16_t)(k + 1 > to->port_count ? k + 1 : to->port_count);
			break;
		}
}

static void
open_mesh(struct mesh *m)
{
	memset(m, 0, sizeof(*m));
	assert_int_equal(packet_pool_create(&m->pool, 128), 0);
	for (uint32_t i = 0; i < NODES; i++) {
		m->relays[i].node = (struct node){
			.ops = &relay_ops,
			.ports = m->relays[i].ports,
			.packets = m->pool,
			.role = i < SWITCHES ? NODE_LEAF : NODE_NIC,
			.index = i,
		};
		m->nodes[i] = &m->relays[i].node;
	}
	for (uint32_t i = 0; i < SWITCHES; i++)
		for (uint32_t k = 0; k < i; k++) {
			join(m, i, k, DELAY);
			join(m, k, i, DELAY);
		}
	for (uint32_t i = 0; i < NICS; i++) {
		join(m, SWITCHES + i, i % SWITCHES, DELAY);
		join(m, i % SWITCHES, SWITCHES + i, HOST_DELAY);
	}
	for (uint32_t i = SWITCHES; i < NODES; i++)
		for (uint32_t k = 0; k < PACKETS; k++)
			assert_int_equal(
				wire_put(m->relays[i].ports[0].out,
					 make_packet(m->nodes[i], random_mix(i * 1000 + k), HOPS),
					 k * 10000),
				0);
	assert_int_equal(virtual_init(&m->v, m->nodes, NODES, DELAY), 0);
}

static void
close_mesh(struct mesh *m)
{
	for (uint32_t i = 0; i < m->wire_count; i++) {
		while (wire_count(m->wires[i]) != 0)
			packet_free(m->pool, wire_take(m->wires[i]));
		assert_false(m->wires[i]->grown);
		assert_ptr_equal(m->wires[i]->visible, &m->wires[i]->tail);
		wire_destroy(m->wires[i]);
	}
	for (uint32_t i = 0; i < NODES; i++)
		assert_ptr_equal(m->relays[i].node.packets, m->pool);
	assert_int_equal(m->pool->count, packet_pool_size(m->pool)); // none has gone astray
	packet_pool_destroy(m->pool);
}
