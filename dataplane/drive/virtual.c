// SPDX-License-Identifier: BSD-3-Clause
// A packet put on a wire changes nothing at the far node before the wire's delay has passed (it
// holds the propagation delay and the far node's pipeline latency). The least such delay of the
// wires into switches is the window: within it each switch runs alone to the window's end, events
// strictly before it, in its own time order; what is put on a switch's wire during a window arrives
// after it. Then the NICs run to the same end. What switches have sent them may arrive within the
// window, and is there; what they send has a switch as its next stop. So the wires to hosts, which
// are the shortest and end where there is no pipeline to pass, do not shorten the window.
//
// Windows in which nothing happens anywhere are skipped, and none crosses a multiple of
// TIME_WINDOW_MAX, so that keys fit (node.h).
//
// The outcome depends on neither the window's length nor the order in which nodes are visited.
#include "virtual.h"

#include "dataplane/node/link_check.h"
#include "dataplane/node/node_check.h"
#include "dataplane/base/random.h"

#include <errno.h>

int
virtual_init(struct virtual_drive *v, struct node **nodes, uint32_t count, ps_t window)
{
	uint32_t switches = 0;

	while (switches < count && nodes[switches]->role != NODE_NIC)
		switches++;
	for (uint32_t i = switches; i < count; i++)
		if (nodes[i]->role != NODE_NIC)
			return -EINVAL;
	if (window == 0)
		return -EINVAL;
	*v = (struct virtual_drive){
		.nodes = nodes,
		.node_count = count,
		.switch_count = switches,
		.window = time_min(window, TIME_WINDOW_MAX),
	};
	return 0;
}

// Fisher and Yates, so that a test can show that the order among switches and among NICs is of no
// matter.
static void
shuffle(struct node **nodes, uint32_t count, struct random *random)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t k = random_below(random, i);
		struct node *swap = nodes[i - 1];

		nodes[i - 1] = nodes[k];
		nodes[k] = swap;
	}
}

void
virtual_shuffle(struct virtual_drive *v)
{
	struct random random;

	if (v->visit_seed == 0)
		return;
	random = random_stream(v->visit_seed, v->windows);
	shuffle(v->nodes, v->switch_count, &random);
	shuffle(&v->nodes[v->switch_count], v->node_count - v->switch_count, &random);
}

static void
run_window(struct virtual_drive *v, ps_t start, ps_t until)
{
	ps_t next = PS_NEVER;

	virtual_shuffle(v);
	for (uint32_t i = 0; i < v->node_count; i++) {
		struct node *n = v->nodes[i];

		virtual_prefetch(v->nodes, i, v->node_count, v->node_count);
		// May lie within the window, where a switch has sent something to a NIC: then what
		// else it waits for is not known, and the next window follows at once.
		next = time_min(next, n->ops->advance(n, start, until));
		if (v->cut != NULL && i < v->switch_count)
			cut_collect(v->cut, n, 0);
		node_check(n, until);
	}
	link_check(v->nodes, v->node_count, until);
	v->windows++;
	v->now = until;
	virtual_settle(v, next, v->cut != NULL ? v->cut->packets : NULL);
}

void
virtual_run(struct virtual_drive *v, ps_t until)
{
	while (v->next < until) {
		ps_t start = v->next > v->now ? v->next : v->now;

		run_window(v, start, virtual_window_end(v, start, until));
	}
	if (v->now < until && v->next != PS_NEVER)
		v->now = until;
}
