// SPDX-License-Identifier: BSD-3-Clause
// Cycles in what reach.c has followed, found depth first: links that wait for each other, and steps
// that the packets of one destination take again and again (a routing loop).
#include "advice_internal.h"

#include "control/base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct search {
	const struct reach *r;
	// The next node of the graph behind the last of the path, or NONE. Keeps at cursor[last]
	// how far it has come; this is 0 at first.
	uint32_t (*next)(struct search *s, uint32_t last);
	enum { NEW, ON_PATH, DONE } * states; // by node of the graph
	uint32_t *path;                       // no node twice
	uint32_t *cursor;                     // by place on the path
	const bool *members;                  // by link: whether to search it
	uint32_t *links; // steps: by place on the path; the link on which packets leave it
};

// Searches from one node. Returns the length of the path if its end leads back to the node at
// *begin of the path, or 0.
static uint32_t
search_from(struct search *s, uint32_t start, uint32_t *begin)
{
	uint32_t length = 1;

	s->path[0] = start;
	s->cursor[0] = 0;
	s->states[start] = ON_PATH;
	while (length > 0) {
		uint32_t next = s->next(s, length - 1);

		if (next == NONE) {
			s->states[s->path[--length]] = DONE;
		} else if (s->states[next] == ON_PATH) {
			for (*begin = 0; s->path[*begin] != next;)
				++*begin;
			return length;
		} else if (s->states[next] == NEW) {
			s->states[next] = ON_PATH;
			s->cursor[length] = 0;
			s->path[length++] = next;
		}
	}
	return 0;
}

// ---- links --------------------------------------------------------------------------------------

static uint32_t
next_link(struct search *s, uint32_t last)
{
	const struct reach *r = s->r;
	const struct topo_port *port = reach_port(r, s->path[last]);
	uint32_t *from = &s->cursor[last];

	for (; *from < PORTS_MAX; ++*from) {
		uint64_t rest = r->onward[s->path[last]].bits[*from / 64] >> *from % 64;
		uint32_t link;

		if (rest == 0) {
			*from |= 63;
			continue;
		}
		*from += (uint32_t)__builtin_ctzll(rest);
		link = reach_link(r, port->peer_node, (uint16_t)*from);
		if (s->members[link]) {
			++*from;
			return link;
		}
	}
	return NONE;
}

uint32_t
reach_find_cycle(const struct reach *r, const bool *members, uint32_t *cycle)
{
	struct search s = {.r = r, .next = next_link, .members = members, .path = cycle};
	uint32_t length = 0, begin = 0;

	s.states = memory_array(r->link_count, sizeof(*s.states), "states of links");
	s.cursor = memory_array(r->link_count, sizeof(*s.cursor), "links of a path");
	for (uint32_t link = 0; link < r->link_count && length == 0; link++) {
		if (s.states[link] == NEW && members[link] &&
		    reach_port(r, link)->peer_node < r->topology->first_host)
			length = search_from(&s, link, &begin);
	}
	memmove(cycle, &cycle[begin], (length - begin) * sizeof(*cycle));
	free(s.states);
	free(s.cursor);
	return length - begin;
}

// ---- steps --------------------------------------------------------------------------------------

static uint32_t
next_step(struct search *s, uint32_t last)
{
	const struct reach *r = s->r;
	const struct reach_hop *hop = &r->steps[s->path[last]].hop;
	uint32_t node = r->arrivals[s->path[last] % r->arrival_count].node;

	while (hop->group != NULL && s->cursor[last] < hop->group->count) {
		uint32_t member = hop->group->first + s->cursor[last]++;
		uint32_t link = reach_link(r, node, r->tables[node]->next_hops[member].port);

		s->links[last] = link;
		if (r->end[link] != TOPOLOGY_NONE)
			return hop->encap * r->arrival_count + r->end[link];
	}
	return NONE;
}

void
reach_find_loop(struct reach *r, uint32_t count)
{
	struct search s = {.r = r, .next = next_step};
	uint32_t length = 0, begin = 0;

	s.states = memory_array((size_t)r->encap_count * r->arrival_count, sizeof(*s.states),
				"states of steps");
	s.path = memory_array(count, sizeof(*s.path), "steps of a path");
	s.cursor = memory_array(count, sizeof(*s.cursor), "steps of a path");
	s.links = memory_array(count, sizeof(*s.links), "steps of a path");
	for (uint32_t i = 0; i < count && length == 0; i++)
		if (s.states[r->queue[i]] == NEW)
			length = search_from(&s, r->queue[i], &begin);
	// The encapsulation may change on the way, so a loop may pass a link twice.
	for (r->loop_length = 0; begin < length && r->loop_length < r->link_count; begin++)
		r->loop[r->loop_length++] = s.links[begin];
	free(s.states);
	free(s.path);
	free(s.cursor);
	free(s.links);
}
