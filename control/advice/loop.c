// SPDX-License-Identifier: BSD-3-Clause
// Finding a routing loop: links along which packets of one destination come round again. Depth
// first over the links that reach.c has seen the destination take.
#include "part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEW, ON_PATH, DONE };

struct walk {
	const struct reach *r;
	const struct tables *const *tables;
	const struct reach_destination *d;
	uint8_t *state;   // by link
	uint32_t *path;
	// By place on the path: the group that its packets go on by, NULL for none, and which
	// member is looked at next.
	const struct next_hop_group **groups;
	uint16_t *cursor;
};

static void
push(struct walk *w, uint32_t place, uint32_t link)
{
	const struct topo_port *port = reach_port(w->r, link);
	const struct tables *tables = w->tables[port->peer_node];
	uint32_t number = reach_look_up(
		tables, w->r->topology->nodes[port->peer_node].ports[port->peer_port].vrf, w->d);

	w->path[place] = link;
	w->groups[place] = number == LPM_NONE ? NULL : &tables->groups[number];
	w->cursor[place] = 0;
	w->state[link] = ON_PATH;
}

// The next link by which what has come to a place of the path may go on; the count of all links
// when there is none.
static uint32_t
next_onward(struct walk *w, uint32_t place)
{
	const struct topology *t = w->r->topology;
	uint32_t node = reach_port(w->r, w->path[place])->peer_node;
	const struct next_hop_group *group = w->groups[place];

	while (group != NULL && w->cursor[place] < group->count) {
		uint16_t out =
			w->tables[node]->next_hops[group->first + w->cursor[place]++].port;

		if (t->nodes[node].ports[out].peer_node < t->first_host)
			return reach_link(w->r, node, out);
	}
	return w->r->link_count;
}

// Returns the links of the loop, as the first of path, or 0.
static uint32_t
walk_from(struct walk *w, uint32_t start)
{
	uint32_t length = 0;

	push(w, length++, start);
	while (length > 0) {
		uint32_t next = next_onward(w, length - 1);

		if (next == w->r->link_count) {
			w->state[w->path[--length]] = DONE;
		} else if (w->state[next] == ON_PATH) {
			uint32_t begin = 0;

			while (w->path[begin] != next)
				begin++;
			memmove(w->path, &w->path[begin], (length - begin) * sizeof(*w->path));
			return length - begin;
		} else if (w->state[next] == NEW) {
			push(w, length++, next);
		}
	}
	return 0;
}

int
reach_find_loop(const struct reach *r, const struct tables *const *tables,
		const struct reach_destination *d, const uint32_t *links, uint32_t count,
		uint32_t *loop)
{
	struct walk w = {.r = r, .tables = tables, .d = d, .path = loop};
	int rc = 0;

	w.state = calloc(r->link_count + 1u, sizeof(*w.state));
	// A path has no link twice.
	w.groups = calloc(count + 1u, sizeof(*w.groups));
	w.cursor = calloc(count + 1u, sizeof(*w.cursor));
	if (w.state == NULL || w.groups == NULL || w.cursor == NULL)
		rc = -ENOMEM;
	for (uint32_t i = 0; i < count && rc == 0; i++)
		if (w.state[links[i]] == NEW)
			rc = (int)walk_from(&w, links[i]);
	free(w.state);
	free(w.groups);
	free(w.cursor);
	return rc;
}
