// SPDX-License-Identifier: BSD-3-Clause
// Finding a routing loop: steps in which packets of one destination come round again. Depth first
// over the steps that reach.c has seen the destination take.
#include "advice_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEW, ON_PATH, DONE };

struct walk {
	struct reach *r;
	const struct tables *const *tables;
	const struct reach_destination *d;
	uint8_t *state; // by step
	uint32_t *path; // steps
	// By place on the path: the group that its packets go on by, NULL for none, what they wear
	// then, and which member is looked at next.
	const struct next_hop_group **groups;
	uint32_t *encaps;
	uint16_t *cursor;
};

static int
push(struct walk *w, uint32_t place, uint32_t step)
{
	w->path[place] = step;
	w->cursor[place] = 0;
	w->state[step] = ON_PATH;
	return reach_next_hop(w->r, w->tables, step, w->d, &w->groups[place], &w->encaps[place]);
}

// The next step by which what has come to a place of the path may go on; UINT32_MAX when there is
// none.
static uint32_t
next_onward(struct walk *w, uint32_t place)
{
	const struct topology *t = w->r->topology;
	uint32_t node = reach_port(w->r, w->path[place] % w->r->link_count)->peer_node;
	const struct next_hop_group *group = w->groups[place];

	while (group != NULL && w->cursor[place] < group->count) {
		uint16_t out = w->tables[node]->next_hops[group->first + w->cursor[place]++].port;

		if (t->nodes[node].ports[out].peer_node < t->first_host)
			return w->encaps[place] * w->r->link_count + reach_link(w->r, node, out);
	}
	return UINT32_MAX;
}

// The links of a loop, up to where the first comes again: what is worn may have changed on the way,
// so that a loop may pass one twice.
static int
keep_links(const struct walk *w, uint32_t begin, uint32_t length, uint32_t *loop)
{
	uint32_t kept = 0;

	for (uint32_t i = begin; i < length && kept < w->r->link_count; i++)
		loop[kept++] = w->path[i] % w->r->link_count;
	return (int)kept;
}

// Returns how many links the loop has, or 0, or -ENOMEM.
static int
walk_from(struct walk *w, uint32_t start, uint32_t *loop)
{
	uint32_t length = 1;
	int rc = push(w, 0, start);

	while (rc == 0 && length > 0) {
		uint32_t next = next_onward(w, length - 1);

		if (next == UINT32_MAX) {
			w->state[w->path[--length]] = DONE;
		} else if (w->state[next] == ON_PATH) {
			uint32_t begin = 0;

			while (w->path[begin] != next)
				begin++;
			return keep_links(w, begin, length, loop);
		} else if (w->state[next] == NEW) {
			rc = push(w, length++, next);
		}
	}
	return rc;
}

int
reach_find_loop(struct reach *r, const struct tables *const *tables,
		const struct reach_destination *d, const uint32_t *steps, uint32_t count,
		uint32_t *loop)
{
	struct walk w = {.r = r, .tables = tables, .d = d};
	int rc = 0;

	w.state = calloc((size_t)r->encap_count * r->link_count + 1u, sizeof(*w.state));
	// A path has no step twice.
	w.path = calloc(count + 1u, sizeof(*w.path));
	w.groups = calloc(count + 1u, sizeof(*w.groups));
	w.encaps = calloc(count + 1u, sizeof(*w.encaps));
	w.cursor = calloc(count + 1u, sizeof(*w.cursor));
	if (w.state == NULL || w.path == NULL || w.groups == NULL || w.encaps == NULL ||
	    w.cursor == NULL)
		rc = -ENOMEM;
	for (uint32_t i = 0; i < count && rc == 0; i++)
		if (w.state[steps[i]] == NEW)
			rc = walk_from(&w, steps[i], loop);
	free(w.state);
	free(w.path);
	free(w.groups);
	free(w.encaps);
	free(w.cursor);
	return rc;
}
