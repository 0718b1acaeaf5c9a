// SPDX-License-Identifier: BSD-3-Clause
#include "live_fabric.h"

#include "control/base/memory.h"
#include "control/film/film.h"
#include "dataplane/queueing/watermarks.h"

#include <stdlib.h>
#include <string.h>

struct node_copy {
	struct node node;
	struct port *ports;
	uint32_t *depth;
	uint8_t *held;
	uint8_t *port_penalty;
	struct flowlet *flowlets;
	struct utilisation *utilisation;
	bool *has_peers;
	struct path_notice *notices;
	ps_t *noticed;
	uint32_t notice_room;
	uint16_t *turns;
	uint32_t turn_room;
	struct queue_cold *queue_cold;
	struct group_cold *group_cold;
	struct watchdog_queue *watchdog;
	struct tenant_use *tenants;
	uint32_t tenant_room;
	uint64_t (*histograms)[HISTOGRAM_BINS_MAX];
	uint32_t histogram_room;
	ps_t at;
	uint32_t swaps; // as the fabric had it when there was room made
};

static void
free_room(struct node_copy *c)
{
	free(c->ports);
	free(c->depth);
	free(c->held);
	free(c->port_penalty);
	free(c->flowlets);
	free(c->utilisation);
	free(c->has_peers);
	free(c->notices);
	free(c->noticed);
	free(c->turns);
	free(c->queue_cold);
	free(c->group_cold);
	free(c->watchdog);
	free(c->tenants);
	free(c->histograms);
	*c = (struct node_copy){0};
}

static void
make_room(struct node_copy *c, const struct node *n)
{
	const size_t queues = (size_t)PRIORITIES * n->port_count;
	const size_t bytes = n->port_count * sizeof(*c->ports);

	c->ports = aligned_alloc(_Alignof(struct port), bytes);
	if (c->ports == NULL)
		memory_exhausted(n->port_count, sizeof(*c->ports), "ports");
	c->depth = memory_array(queues, sizeof(*c->depth), "queue depths");
	c->held = memory_array(n->port_count, sizeof(*c->held), "ports");
	c->port_penalty = memory_array(n->port_count, sizeof(*c->port_penalty), "ports");
	c->utilisation = memory_array(n->port_count, sizeof(*c->utilisation), "ports");
	c->has_peers = memory_array(n->port_count, sizeof(*c->has_peers), "ports");
	c->queue_cold = memory_array(queues, sizeof(*c->queue_cold), "queues");
	c->group_cold = memory_array(queues, sizeof(*c->group_cold), "priority groups");
	c->watchdog = memory_array(queues, sizeof(*c->watchdog), "queues");
}

static uint32_t
swaps_of(const struct fabric *f, uint32_t i)
{
	return i < f->topology->first_host ? 0 : f->swaps[topology_host_of(f->topology, i)];
}

struct node_snapshot *
node_snapshot_create(const struct live_fabric *live)
{
	uint32_t count = live->topology->node_count;
	struct node_snapshot *c = memory_new(sizeof(*c), "snapshot of nodes");

	c->count = count;
	c->in_force = live->fabric->nodes;
	c->nodes = memory_array(count, sizeof(*c->nodes), "nodes");
	c->times = memory_array(count, sizeof(*c->times), "nodes");
	c->reports = memory_copy(live->fabric->names, count, sizeof(*c->reports), "node names");
	for (uint32_t i = 0; i < count; i++) {
		if (live->fabric->nodes[i] == NULL)
			continue;
		make_room(&c->nodes[i], live->fabric->nodes[i]);
		c->nodes[i].swaps = swaps_of(live->fabric, i);
		c->reports[i].node = &c->nodes[i].node;
	}
	return c;
}

void
node_snapshot_destroy(struct node_snapshot *c)
{
	if (c == NULL)
		return;
	for (uint32_t i = 0; i < c->count; i++)
		free_room(&c->nodes[i]);
	free(c->reports);
	free(c->nodes);
	free(c->times);
	free(c);
}

// A node with more histograms than there is room for has adopted its tables after grow_room(). None
// is shown then.
static void
copy_histograms(struct node_copy *c, const struct node *n)
{
	uint32_t count = n->current->histogram_count;

	c->node.histograms = NULL;
	if (n->histograms == NULL || count > c->histogram_room)
		return;
	memcpy(c->histograms, n->histograms, count * sizeof(*c->histograms));
	c->node.histograms = c->histograms;
}

// The same for whose turn it is.
static void
copy_turns(struct node_copy *c, const struct node *n)
{
	c->node.turns = c->turns;
	if (n->turn_count > c->turn_room)
		c->node.turn_count = 0;
	else if (n->turn_count != 0)
		memcpy(c->turns, n->turns, n->turn_count * sizeof(*c->turns));
}

static size_t
noticed_count(uint32_t next_hops)
{
	return next_hops / NOTICED_TOGETHER + 1;
}

// The same for flowlets and notices.
static void
copy_paths(struct node_copy *c, const struct node *n)
{
	const struct paths *p = &n->paths;

	memcpy(c->port_penalty, n->port_penalty, n->port_count);
	c->node.port_penalty = c->port_penalty;
	c->node.paths.flowlets = p->flowlets != NULL ? c->flowlets : NULL;
	if (c->node.paths.flowlets != NULL)
		memcpy(c->flowlets, p->flowlets, FLOWLETS * sizeof(*c->flowlets));
	c->node.paths.utilisation = p->utilisation != NULL ? c->utilisation : NULL;
	if (p->utilisation != NULL)
		memcpy(c->utilisation, p->utilisation, n->port_count * sizeof(*c->utilisation));
	c->node.paths.has_peers = p->has_peers != NULL ? c->has_peers : NULL;
	if (p->has_peers != NULL)
		memcpy(c->has_peers, p->has_peers, n->port_count * sizeof(*c->has_peers));
	c->node.paths.notices = NULL;
	c->node.paths.noticed = NULL;
	if (p->notices != NULL && n->current->next_hop_count <= c->notice_room) {
		memcpy(c->notices, p->notices, n->current->next_hop_count * sizeof(*c->notices));
		memcpy(c->noticed, p->noticed,
		       noticed_count(n->current->next_hop_count) * sizeof(*c->noticed));
		c->node.paths.notices = c->notices;
		c->node.paths.noticed = c->noticed;
	} else {
		c->node.path_inputs &= (uint8_t)~PATH_INPUT_NOTICES;
	}
	c->node.paths.notice_due = NULL; // the worker's, which nobody reads
}

// On the worker that owns the node.
static void
copy_node(void *context, struct node *n, ps_t now)
{
	struct node_snapshot *copy = context;
	struct node_copy *c = &copy->nodes[n->index];

	if (copy->in_force[n->index] != n)
		return; // a simulated NIC whose host is attached
	c->node = *n;
	memcpy(c->ports, n->ports, n->port_count * sizeof(*c->ports));
	memcpy(c->depth, n->depth, PRIORITIES * n->port_count * sizeof(*c->depth));
	memcpy(c->held, n->held, n->port_count);
	memcpy(c->queue_cold, n->queue_cold, PRIORITIES * n->port_count * sizeof(*c->queue_cold));
	memcpy(c->group_cold, n->group_cold, PRIORITIES * n->port_count * sizeof(*c->group_cold));
	if (n->buffer.tenants != NULL && n->current->tenant_count <= c->tenant_room)
		memcpy(c->tenants, n->buffer.tenants,
		       n->current->tenant_count * sizeof(*c->tenants));
	c->node.watchdog = n->watchdog != NULL ? c->watchdog : NULL;
	if (c->node.watchdog != NULL)
		memcpy(c->watchdog, n->watchdog, PRIORITIES * n->port_count * sizeof(*c->watchdog));
	for (unsigned int i = 0; i < n->port_count; i++) {
		c->ports[i].queue_cold = &c->queue_cold[PRIORITIES * i];
		c->ports[i].group_cold = &c->group_cold[PRIORITIES * i];
		c->ports[i].watchdog = c->node.watchdog != NULL ? &c->watchdog[PRIORITIES * i]
								: NULL;
	}
	c->node.ports = c->ports;
	c->node.depth = c->depth;
	c->node.held = c->held;
	c->node.buffer.tenants =
		n->buffer.tenants == NULL || n->current->tenant_count > c->tenant_room ? NULL
										       : c->tenants;
	copy_histograms(c, n);
	copy_turns(c, n);
	copy_paths(c, n);
	c->at = now;
	copy->times[n->index] = now;
	for (unsigned int i = 0; copy->restarts_peaks && n->role != NODE_NIC && i < n->port_count;
	     i++)
		film_restart_peaks(n, i);
	if (copy->clears != NULL &&
	    (copy->clears_of == TOPOLOGY_NONE || copy->clears_of == n->index))
		watermarks_clear(n, copy->clears);
}

// Makes room for what the present tables have, as settings may have changed.
static void
grow_room(struct node_copy *c, const struct tables *t)
{
	if (t->histogram_count > c->histogram_room) {
		c->histograms = memory_resize(c->histograms, t->histogram_count,
					      sizeof(*c->histograms), "histograms");
		c->histogram_room = t->histogram_count;
	}
	if (t->tenant_count > c->tenant_room) {
		c->tenants =
			memory_resize(c->tenants, t->tenant_count, sizeof(*c->tenants), "tenants");
		c->tenant_room = t->tenant_count;
	}
	if (t->group_count > c->turn_room) {
		c->turns = memory_resize(c->turns, t->group_count, sizeof(*c->turns), "groups");
		c->turn_room = t->group_count;
	}
	if (t->flowlets && c->flowlets == NULL)
		c->flowlets = memory_array(FLOWLETS, sizeof(*c->flowlets), "flowlets");
	if (t->notices.on && t->next_hop_count > c->notice_room) {
		c->notices = memory_resize(c->notices, t->next_hop_count, sizeof(*c->notices),
					   "next hops");
		c->noticed = memory_resize(c->noticed, noticed_count(t->next_hop_count),
					   sizeof(*c->noticed), "next hops");
		c->notice_room = t->next_hop_count;
	}
}

// Another node has come to stand for a host.
static void
renew(struct node_snapshot *c, const struct fabric *f, uint32_t i)
{
	uint32_t swaps = swaps_of(f, i);

	if (c->nodes[i].swaps == swaps)
		return;
	free_room(&c->nodes[i]);
	make_room(&c->nodes[i], f->nodes[i]);
	c->nodes[i].swaps = swaps;
	c->reports[i] = f->names[i];
	c->reports[i].node = &c->nodes[i].node;
}

void
node_snapshot_take(struct node_snapshot *c, struct live_fabric *live)
{
	for (uint32_t i = 0; i < c->count; i++) {
		renew(c, live->fabric, i);
		if (live->fabric->nodes[i] != NULL)
			grow_room(&c->nodes[i], live->fabric->tables[i]);
		c->reports[i].vrfs = live->fabric->names[i].vrfs;
		c->reports[i].tenants = live->fabric->names[i].tenants;
	}
	live_call(&live->drive, copy_node, c);
	for (uint32_t i = 0; i < c->count; i++)
		c->at = c->nodes[i].at > c->at ? c->nodes[i].at : c->at;
}

void
node_snapshot_clear(struct node_snapshot *c, struct live_fabric *live, uint32_t node,
		    const struct watermark_choice *which)
{
	c->clears = which;
	c->clears_of = node;
	node_snapshot_take(c, live);
	c->clears = NULL;
}

ps_t
node_snapshot_at(const struct node_snapshot *c, uint32_t node)
{
	return c->nodes[node].at;
}
