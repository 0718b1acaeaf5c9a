// SPDX-License-Identifier: BSD-3-Clause
// An edge NIC with one link, on the wires of a harness: port 0 is the link's, port 1 the host's. A
// cell is a byte.
#pragma once

#include "dataplane/roce/edge.h"

#include "../harness.h"
#include "../queueing/pauses.h"
#include "dataplane/node/adopt.h"
#include "dataplane/node/create.h"
#include "dataplane/node/ports.h"

enum { LINK, HOST };

#define START (2 * PS_PER_US)
#define LIMIT 3000
#define XOFF_AT 1500
#define XON_AT 600

// What harness_open() makes, with an edge NIC in the leaf's place.
static inline void
edge_open(struct harness *h, struct tables *t)
{
	const struct edge_buffer buffer = {.limit = LIMIT, .xoff = XOFF_AT, .xon = XON_AT};
	struct edge *edge;

	harness_own_profile(t, HOST)->byte_time = 0;
	harness_open(h, t);
	node_destroy(h->node);
	assert_int_equal(node_create(&h->node, NODE_NIC, 2, 0, 1, h->pool), 0);
	h->node->ops = &pipeline_edge;
	for (unsigned int i = 0; i < 2; i++) {
		h->node->ports[i].in = h->in[i];
		h->node->ports[i].out = h->out[i];
	}
	assert_null(node_set_tables(h->node, t));
	node_adopt_tables(h->node, t);
	assert_int_equal(edge_create(&edge, h->node, 1, &buffer), 0);
}

// Fails unless received = sent + dropped + queued.
static inline void
edge_check(const struct harness *h)
{
	uint64_t received = 0, gone = node_queued(h->node);

	for (unsigned int i = 0; i < 2; i++) {
		const struct port *p = &h->node->ports[i];

		received += p->rx_packets - p->control_rx + p->control_tx + p->control_lost;
		gone += p->tx_packets;
		for (unsigned int k = 0; k < DROP_COUNT; k++)
			gone += p->drops[k];
	}
	assert_int_equal(received, gone);
}

static inline void
edge_close(struct harness *h)
{
	edge_check(h);
	edge_destroy(h->node->edge);
	harness_close(h);
}

static inline void
put_many(struct harness *h, unsigned int from, unsigned int count, unsigned int priority, ps_t at)
{
	for (unsigned int i = 0; i < count; i++)
		put(h, from, 0, priority, at);
}

static inline uint32_t
depth(const struct harness *h, unsigned int port, unsigned int priority)
{
	return h->node->depth[priority * 2 + port];
}
