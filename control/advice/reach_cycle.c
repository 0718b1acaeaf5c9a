// SPDX-License-Identifier: BSD-3-Clause
// Finding links that wait for each other in a cycle: depth first over what reach.c has followed.
#include "advice_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEW, ON_PATH, DONE };

// The next link behind `link` after its port `from` - 1, or link_count.
static uint32_t
next_onward(const struct reach *r, uint32_t link, const bool *members, uint32_t *from)
{
	const struct topo_port *port = reach_port(r, link);

	for (; *from < PORTS_MAX; ++*from) {
		uint64_t rest = r->onward[link].bits[*from / 64] >> *from % 64;
		uint32_t end;

		if (rest == 0) {
			*from |= 63;
			continue;
		}
		*from += (uint32_t)__builtin_ctzll(rest);
		end = r->topology->nodes[port->peer_node].ports[*from].peer_node;
		if (members[port->peer_node] && members[end])
			return reach_link(r, port->peer_node, (uint16_t)(*from)++);
	}
	return r->link_count;
}

// Depth first, on a path of its own: `cycle` holds it, `queue` how far each of its links has been
// looked at.
static int
walk(const struct reach *r, const bool *members, uint8_t *state, uint32_t *cycle, uint32_t start)
{
	uint32_t length = 0;

	cycle[0] = start;
	r->queue[length++] = 0;
	state[start] = ON_PATH;
	while (length > 0) {
		uint32_t link = cycle[length - 1];
		uint32_t next = next_onward(r, link, members, &r->queue[length - 1]);

		if (next == r->link_count) {
			state[link] = DONE;
			length--;
		} else if (state[next] == ON_PATH) {
			uint32_t begin = 0;

			while (cycle[begin] != next)
				begin++;
			memmove(cycle, &cycle[begin], (length - begin) * sizeof(*cycle));
			return (int)(length - begin);
		} else if (state[next] == NEW) {
			state[next] = ON_PATH;
			r->queue[length] = 0;
			cycle[length++] = next;
		}
	}
	return 0;
}

int
reach_find_cycle(const struct reach *r, const bool *members, uint32_t *cycle)
{
	uint8_t *state = calloc(r->link_count + 1u, sizeof(*state));
	int found = 0;

	if (state == NULL)
		return -ENOMEM;
	for (uint32_t link = 0; link < r->link_count && found == 0; link++) {
		uint32_t end = reach_port(r, link)->peer_node;

		if (state[link] == NEW && members[r->owner[link]] &&
		    end < r->topology->first_host && members[end])
			found = walk(r, members, state, cycle, link);
	}
	free(state);
	return found;
}
