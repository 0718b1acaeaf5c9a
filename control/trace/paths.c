// SPDX-License-Identifier: BSD-3-Clause
// All ways that routes allow: at every switch the packet is sent on by each
// member of its group in turn, whichever one the switch would choose, and whatever waits in the
// queues. Every port by which it may come to a switch is followed once: from there on, the ways
// are the same however it came there.
#include "trace_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>

#define HOPS_MAX 64

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

struct place {
	uint8_t mark; // enum mark
	uint64_t count, dropped;
};

struct all_paths {
	const struct trace_state *s;
	const struct trace_memory *memory;
	uint32_t *first; // by switch: the place of its first port
	struct place *places;
	bool *seen[HOPS_MAX]; // by hop and node; NULL: nothing gets there
	bool loops;
};

// More than anybody counts stays at the most.
static uint64_t
add(uint64_t a, uint64_t b)
{
	return a > (uint64_t)INT64_MAX - b ? (uint64_t)INT64_MAX : a + b;
}

static void
note_seen(struct all_paths *p, unsigned int hop, uint32_t node)
{
	if (p->seen[hop] == NULL)
		p->seen[hop] = memory_array(p->s->fabric->topology->node_count,
					    sizeof(*p->seen[hop]), "nodes");
	p->seen[hop][node] = true;
}

static void follow(struct all_paths *p, const struct topo_ref *at, struct rte_mbuf *m,
		   unsigned int hop, struct place *sum);

// Sends a copy of the packet on by one member. Returns false if the switch drops it.
static bool
go_by(struct all_paths *p, const struct topo_ref *at, struct rte_mbuf *m, int member,
      unsigned int hop, struct place *sum)
{
	const struct topology *t = p->s->fabric->topology;
	struct rte_mbuf *copy = trace_copy_packet(m, p->memory);
	struct switch_trace *c = trace_copy(p->s->nodes[at->node], p->memory);
	const struct topo_port *port;
	struct topo_ref next;
	int verdict;

	c->member = member;
	c->admit = false;
	verdict = switch_trace(c, &c->node.ports[at->port], copy, p->s->now);
	trace_copy_free(c);
	if (verdict == STAGE_NEXT) {
		port = &t->nodes[at->node].ports[packet_meta(copy)->out_port];
		next = (struct topo_ref){.node = port->peer_node, .port = port->peer_port};
		if (port->peer_node == TOPOLOGY_NONE || port->peer_node >= t->first_host ||
		    !fabric_is_here(p->s->fabric, port->peer_node)) {
			sum->count = add(sum->count, 1);
			if (port->peer_node != TOPOLOGY_NONE)
				note_seen(p, hop + 1, port->peer_node);
		} else {
			follow(p, &next, copy, hop + 1, sum);
		}
	}
	if (verdict != STAGE_CONSUMED)
		packet_free(p->memory->packets, copy);
	return verdict == STAGE_NEXT;
}

// The group that a switch sends the packet to, or NULL if it drops it.
static const struct next_hop_group *
find_group(struct all_paths *p, const struct topo_ref *at, struct rte_mbuf *m)
{
	const struct node *n = p->s->nodes[at->node];
	struct rte_mbuf *copy = trace_copy_packet(m, p->memory);
	struct switch_trace *c = trace_copy(n, p->memory);
	const struct next_hop_group *group = NULL;
	int verdict;

	c->admit = false;
	verdict = switch_trace(c, &c->node.ports[at->port], copy, p->s->now);
	if (verdict == STAGE_NEXT && c->has_route)
		group = &n->current->groups[c->routed.group];
	trace_copy_free(c);
	if (verdict != STAGE_CONSUMED)
		packet_free(p->memory->packets, copy);
	return group;
}

// Adds the ways from a place to `sum`.
static void
follow(struct all_paths *p, const struct topo_ref *at, struct rte_mbuf *m, unsigned int hop,
       struct place *sum)
{
	const struct node *n = p->s->nodes[at->node];
	struct place *place = &p->places[p->first[at->node] + at->port];
	const struct next_hop_group *group;
	bool taken[PORTS_MAX] = {false};

	if (place->mark == MARK_OPEN || hop + 1 >= HOPS_MAX) {
		p->loops = true;
		return;
	}
	note_seen(p, hop, at->node);
	if (place->mark == MARK_NEW) {
		place->mark = MARK_OPEN;
		group = find_group(p, at, m);
		for (int i = 0; group != NULL && i < group->count; i++) {
			uint16_t port = n->current->next_hops[group->first + (uint32_t)i].port;

			if (taken[port] || !n->ports[port].up)
				continue;
			taken[port] = true;
			if (!go_by(p, at, m, i, hop, place))
				place->dropped = add(place->dropped, 1);
		}
		if (group == NULL)
			place->dropped = 1;
		place->mark = MARK_DONE;
	}
	sum->count = add(sum->count, place->count);
	sum->dropped = add(sum->dropped, place->dropped);
}

static json_t *
hops_json(const struct all_paths *p)
{
	const struct topology *t = p->s->fabric->topology;
	json_t *out = json_array();

	for (unsigned int hop = 0; hop < HOPS_MAX && p->seen[hop] != NULL; hop++) {
		json_t *nodes = json_array();

		for (uint32_t n = 0; n < t->node_count; n++)
			if (p->seen[hop][n])
				json_array_append_new(nodes, json_string(t->nodes[n].name));
		json_array_append_new(out, nodes);
	}
	return out;
}

json_t *
trace_paths(const struct trace_state *s, const struct trace_flow *flow,
	    const struct trace_memory *memory)
{
	const struct topology *t = s->fabric->topology;
	const struct topo_port *nic = topology_host_port(t, flow->host, flow->port);
	const struct topo_ref leaf = {.node = nic->peer_node, .port = nic->peer_port};
	struct rte_mbuf *m = trace_flow_packet(s->fabric, flow, memory->packets);
	struct all_paths p = {.s = s, .memory = memory};
	struct place sum = {0};
	uint32_t ports = 0;
	json_t *out;

	p.first = memory_array(t->first_host, sizeof(*p.first), "switches");
	for (uint32_t n = 0; n < t->first_host; n++) {
		p.first[n] = ports;
		ports += t->nodes[n].port_count;
	}
	p.places = memory_array(ports, sizeof(*p.places), "ports");
	note_seen(&p, 0, t->first_host + flow->host);
	follow(&p, &leaf, m, 1, &sum);
	packet_free(memory->packets, m);
	out = json_pack("{s:I, s:I, s:b, s:o}", "count", (json_int_t)sum.count, "dropped",
			(json_int_t)sum.dropped, "loops", p.loops, "hops", hops_json(&p));
	for (unsigned int hop = 0; hop < HOPS_MAX; hop++)
		free(p.seen[hop]);
	free(p.places);
	free(p.first);
	return out;
}
