// SPDX-License-Identifier: BSD-3-Clause
// A copy of a node in which a packet can be tried. Whatever the pipeline may write is the copy's
// own: ports, queues' and groups' counters, pools, tenants, the state that paths are chosen by, the
// random stream. Its tables are those of the node, apart from the groups. The packets in its queues
// are not copied, only how many cells they hold, so nothing can be taken from a queue.
#include "trace_internal.h"

#include "control/base/memory.h"
#include "dataplane/base/wire.h"

#include <stdlib.h>
#include <string.h>

#define DATA_ROOM 512u // of headers, with those of a tunnel
#define COPY_DELAY PS_PER_US

void
trace_memory_create(struct trace_memory *memory)
{
	if (packet_pool_create(&memory->packets, DATA_ROOM) != 0 ||
	    wire_create(&memory->wire, COPY_DELAY, false, 0) != 0)
		memory_exhausted(1, sizeof(struct wire), "packets");
}

void
trace_memory_destroy(struct trace_memory *memory)
{
	wire_destroy(memory->wire);
	packet_pool_destroy(memory->packets);
}

// Zeroed, and aligned as the dataplane wants it.
static void *
lines_new(size_t count, size_t size, const char *what)
{
	size_t bytes = (count * size + 63) / 64 * 64;
	void *lines = aligned_alloc(64, bytes != 0 ? bytes : 64);

	if (lines == NULL)
		memory_exhausted(count, size, what);
	memset(lines, 0, bytes);
	return lines;
}

static void *
lines_copy(const void *from, size_t count, size_t size, const char *what)
{
	void *lines;

	if (from == NULL)
		return NULL;
	lines = lines_new(count, size, what);
	if (count != 0)
		memcpy(lines, from, count * size);
	return lines;
}

// A pause frame that waits goes first; which one does not matter.
static void
copy_waiting_frame(struct port *p, const struct trace_memory *memory)
{
	p->pfc_last = NULL;
	p->pfc_last_at = PS_NEVER;
	p->pfc_last_left = 0;
	if (p->pfc_head == NULL)
		return;
	p->pfc_head = packet_alloc(memory->packets);
	if (p->pfc_head == NULL)
		memory_exhausted(1, DATA_ROOM, "packets");
	packet_init_frame(p->pfc_head, 0, PACKET_FRAME_MIN);
	packet_meta(p->pfc_head)->next = NULL;
	p->pfc_tail = p->pfc_head;
}

static void
copy_ports(struct node *c, const struct node *n, const struct trace_memory *memory)
{
	const size_t queues = (size_t)PRIORITIES * n->port_count;

	c->ports = lines_copy(n->ports, n->port_count, sizeof(*c->ports), "ports");
	c->depth = lines_copy(n->depth, queues, sizeof(*c->depth), "queues");
	c->held = lines_copy(n->held, n->port_count, sizeof(*c->held), "ports");
	c->queue_cold = lines_new(queues, sizeof(*c->queue_cold), "queues");
	c->group_cold = lines_new(queues, sizeof(*c->group_cold), "priority groups");
	c->watchdog = n->watchdog != NULL ? lines_new(queues, sizeof(*c->watchdog), "queues")
					  : NULL;
	for (unsigned int i = 0; i < n->port_count; i++) {
		const struct port *from = &n->ports[i];
		struct port *p = &c->ports[i];
		const size_t first = (size_t)PRIORITIES * i;

		memcpy(&c->queue_cold[first], from->queue_cold,
		       PRIORITIES * sizeof(*from->queue_cold));
		memcpy(&c->group_cold[first], from->group_cold,
		       PRIORITIES * sizeof(*from->group_cold));
		p->queue_cold = &c->queue_cold[first];
		p->group_cold = &c->group_cold[first];
		if (c->watchdog != NULL && from->watchdog != NULL)
			memcpy(&c->watchdog[first], from->watchdog,
			       PRIORITIES * sizeof(*from->watchdog));
		p->watchdog = c->watchdog != NULL ? &c->watchdog[first] : NULL;
		p->out = from->out != NULL ? memory->wire : NULL;
		p->in = NULL;
		p->partial = NULL;
		p->tapped = false;
		for (unsigned int tc = 0; tc < PRIORITIES; tc++)
			p->queues[tc].head = p->queues[tc].tail = NULL;
		copy_waiting_frame(p, memory);
	}
}

static void
copy_paths(struct node *c, const struct node *n, const struct tables *t)
{
	const size_t pairs = (size_t)n->port_count * n->port_count;
	const struct paths *from = &n->paths;
	struct paths *to = &c->paths;

	c->port_penalty = lines_copy(n->port_penalty, n->port_count, 1, "ports");
	c->turns = lines_new(t->group_count, sizeof(*c->turns), "groups");
	if (n->turns != NULL)
		memcpy(c->turns, n->turns,
		       (n->turn_count < t->group_count ? n->turn_count : t->group_count) *
			       sizeof(*c->turns));
	c->turn_count = t->group_count;
	to->flowlets = lines_copy(from->flowlets, FLOWLETS, sizeof(*to->flowlets), "flowlets");
	to->utilisation =
		lines_copy(from->utilisation, n->port_count, sizeof(*to->utilisation), "ports");
	to->has_peers = lines_copy(from->has_peers, n->port_count, sizeof(*to->has_peers), "ports");
	to->notices =
		lines_copy(from->notices, t->next_hop_count, sizeof(*to->notices), "next hops");
	to->noticed = lines_copy(from->noticed, t->next_hop_count / NOTICED_TOGETHER + 1u,
				 sizeof(*to->noticed), "next hops");
	to->notice_due = lines_new(pairs, sizeof(*to->notice_due), "ports");
	memset(to->notice_due, 0xff, pairs * sizeof(*to->notice_due)); // PS_NEVER: none is sent
}

static void
copy_tables(struct switch_trace *c, const struct tables *t)
{
	c->tables = *t;
	c->groups = lines_copy(t->groups, t->group_count, sizeof(*c->groups), "groups");
	c->tables.groups = c->groups;
	c->node.current = &c->tables;
	c->node.tables = &c->tables;
}

struct switch_trace *
trace_copy(const struct node *n, const struct trace_memory *memory)
{
	struct switch_trace *c = lines_new(1, sizeof(*c), "switch");
	uint32_t keys = n->key_count + n->key_count / 4;

	c->node = *n;
	c->member = TRACE_AS_CHOSEN;
	c->admit = true;
	copy_tables(c, n->current);
	copy_ports(&c->node, n, memory);
	copy_paths(&c->node, n, n->current);
	c->node.buffer.tenants = lines_copy(n->buffer.tenants, n->current->tenant_count,
					    sizeof(*n->buffer.tenants), "tenants");
	c->node.keys = lines_new(keys, sizeof(*c->node.keys), "events");
	memset(c->node.keys, 0xff, keys * sizeof(*c->node.keys));
	c->node.packets = memory->packets;
	c->node.generation = &c->node.own_generation;
	c->node.log = NULL;
	c->node.glean = NULL;
	c->node.tap = NULL;
	c->node.nic = NULL;
	c->node.edge = NULL;
	c->node.punt = NULL;
	c->node.bfd_punt = NULL;
	c->node.histograms = NULL;
	c->node.histogram_due = NULL;
	c->node.spares = (struct spares){0};
	return c;
}

void
trace_copy_free(struct switch_trace *c)
{
	free(c->node.keys);
	free(c->node.buffer.tenants);
	free(c->node.paths.notice_due);
	free(c->node.paths.noticed);
	free(c->node.paths.notices);
	free(c->node.paths.has_peers);
	free(c->node.paths.utilisation);
	free(c->node.paths.flowlets);
	free(c->node.turns);
	free(c->node.port_penalty);
	free(c->node.watchdog);
	free(c->node.group_cold);
	free(c->node.queue_cold);
	free(c->node.held);
	free(c->node.depth);
	free(c->node.ports);
	free(c->groups);
	free(c);
}

struct rte_mbuf *
trace_copy_packet(struct rte_mbuf *m, const struct trace_memory *memory)
{
	struct rte_mbuf *copy = packet_alloc(memory->packets);

	if (copy == NULL)
		memory_exhausted(1, DATA_ROOM, "packets");
	*packet_meta(copy) = *packet_meta(m);
	memcpy(packet_data(copy), packet_data(m), packet_meta(m)->data_len);
	return copy;
}
