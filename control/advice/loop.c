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
	uint16_t *cursor; // by place on the path: the next member of its group to look at
	uint32_t *path;
};

// The link by which what came along `link` may go on, after *member members of the group; the
// count of all links when there is none.
static uint32_t
next_onward(const struct walk *w, uint32_t link, uint16_t *member)
{
	const struct topo_port *port = reach_port(w->r, link);
	const struct topology *t = w->r->topology;
	const struct tables *tables = w->tables[port->peer_node];
	uint32_t number = reach_look_up(
		tables, t->nodes[port->peer_node].ports[port->peer_port].vrf, w->d);
	const struct next_hop_group *group;

	if (number == LPM_NONE)
		return w->r->link_count;
	group = &tables->groups[number];
	while (*member < group->count) {
		uint16_t out = tables->next_hops[group->first + (*member)++].port;

		if (t->nodes[port->peer_node].ports[out].peer_node < t->first_host)
			return reach_link(w->r, port->peer_node, out);
	}
	return w->r->link_count;
}

// Returns the links of the loop, as the first of path, or 0.
static uint32_t
walk_from(struct walk *w, uint32_t start)
{
	uint32_t length = 0;

	w->path[length] = start;
	w->cursor[length++] = 0;
	w->state[start] = ON_PATH;
	while (length > 0) {
		uint32_t next = next_onward(w, w->path[length - 1], &w->cursor[length - 1]);

		if (next == w->r->link_count) {
			w->state[w->path[--length]] = DONE;
		} else if (w->state[next] == ON_PATH) {
			uint32_t begin = 0;

			while (w->path[begin] != next)
				begin++;
			memmove(w->path, &w->path[begin], (length - begin) * sizeof(*w->path));
			return length - begin;
		} else if (w->state[next] == NEW) {
			w->state[next] = ON_PATH;
			w->path[length] = next;
			w->cursor[length++] = 0;
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
	uint32_t found = 0;

	w.state = calloc(r->link_count + 1u, sizeof(*w.state));
	w.cursor = calloc(r->link_count + 1u, sizeof(*w.cursor));
	if (w.state == NULL || w.cursor == NULL) {
		free(w.state);
		free(w.cursor);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count && found == 0; i++)
		if (w.state[links[i]] == NEW)
			found = walk_from(&w, links[i]);
	free(w.state);
	free(w.cursor);
	return (int)found;
}
