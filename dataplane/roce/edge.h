// SPDX-License-Identifier: BSD-3-Clause
// An edge NIC: the node between an attached host's device and its leaf. edge.c says how it works.
//
// The node's first `links` ports are the host's links into the fabric (eth1, ...). Behind each of
// them stands a port for the host's side (host1, ...), whose wires end at the device. Worker, but
// for what says otherwise.
#pragma once

#include "dataplane/stages/stage.h"
#include "reorder.h"
#include "xoff.h"

#define EDGE_LINKS_MAX 8

// How much a link's queues hold, in cells of the node's tables. Each priority has that for itself,
// in either direction.
struct edge_buffer {
	uint32_t limit; // of one priority
	uint32_t xoff;  // towards the host: above them the leaf must pause the priority,
	uint32_t xon;   // down to them no longer; at most xoff
};

struct edge_link {
	struct edge_buffer buffer;
	struct xoff pauses;      // sent to the leaf
	uint8_t full;            // bit per priority that the leaf is to pause
	struct reorder *reorder; // of what goes to the host; NULL: as it comes
};

struct edge {
	uint16_t links;
	struct edge_link link[EDGE_LINKS_MAX];
};

// Makes the edge NIC of a node of role NIC with 2 * links ports, and sets node->edge. Returns 0,
// -EINVAL for another number of ports or a buffer whose xon and xoff do not fit, or -ENOMEM. Before
// the node runs; control thread.
int edge_create(struct edge **out, struct node *node, uint16_t links,
		const struct edge_buffer buffers[]);

// Has a link's packets put in order for the host, of queue pairs of RoCEv2. Once at most, before
// the node runs. Returns 0, -EINVAL or -ENOMEM. Control thread.
int edge_set_reorder(struct edge *edge, struct node *node, uint16_t link,
		     const struct reorder_settings *settings);

// Gives a link another buffer, whose xon and xoff fit, and has its packets put in order, or not
// (NULL). Drops what waits there, in either direction, and forgets its pauses; both of its ports
// are down. Returns what put packets in order until now, or NULL, for reorder_destroy(). Worker,
// between turns, or while the node does not run.
struct reorder *edge_set_link(struct node *n, uint16_t link, const struct edge_buffer *buffer,
			      struct reorder *reorder, ps_t now);

// To be called before node_destroy(). NULL is fine. Control thread.
void edge_destroy(struct edge *edge);

// The port on the other side: that of the host for a link, that of the fabric for a host's.
static inline struct port *
edge_other_port(const struct node *n, const struct port *p)
{
	const uint16_t links = n->edge->links;

	return &n->ports[p->index < links ? p->index + links : p->index - links];
}

static inline bool
edge_is_host_side(const struct node *n, const struct port *p)
{
	return p->index >= n->edge->links;
}

// How many packets, at most `most` (64 or less), may be read from the device of a host's port such
// that none of them can be refused for want of room, whatever their priority. `waiting`: packets
// that have been read but have not come in yet.
uint16_t edge_room(const struct node *n, const struct port *host, uint32_t waiting, uint16_t most);

// Frames that end at a MAC: the leaf's pauses are obeyed, the host's go on to the leaf, ahead of
// all that waits.
int stage_edge_control(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// Finds the priority that the leaf gives, or gave, the packet.
int stage_edge_classify(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// Queues the packet at the other port, or has it leave; one that comes to the host before its turn
// may have to wait.
int stage_edge_queue(struct node *n, struct port *in, struct rte_mbuf *m, ps_t now);

// A departure.
void edge_send(struct node *n, struct port *p, ps_t now);

// Does what is due at `now` and returns when the next thing is.
ps_t edge_timer(struct node *n, ps_t now);
