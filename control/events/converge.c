// SPDX-License-Identifier: BSD-3-Clause
// Routes after a link event. The dataplane of a switch acts at once on its own links that go down.
// Routes follow once `routing.convergence` has passed at the switch, as routing protocols take
// time: they are then computed from the links as they are at that instant. So a link that comes
// back before a switch has noticed never leaves its routes, and a link that fails again before its
// return has been noticed does not come back to them. Switches with equal delays change at one
// instant. Every link event restarts the delay for all.
#include "events_internal.h"

#include "control/base/memory.h"
#include "control/fabric/fabric.h"

#include <stdlib.h>
#include <string.h>

// Switches whose routes are to be recomputed.
struct converge {
	ps_t at;
	uint32_t count;
	uint32_t nodes[];
};

ps_t
converge_next(const struct events *e)
{
	return e->converge_at;
}

static void
note_next(struct events *e)
{
	e->converge_at = PS_NEVER;
	for (uint32_t i = 0; i < e->pending_count; i++)
		e->converge_at = time_min(e->converge_at, e->pending[i]->at);
}

// Recomputes the routes of these switches from the present links and the route events so far.
static int
reroute(struct events *e, const uint32_t *nodes, uint32_t count, struct diag *diag)
{
	struct fabric *f = e->fabric;
	struct change_env env = events_env(e, e->now);
	struct routes *routes;
	int rc;

	for (uint32_t i = 0; i < count; i++)
		link_view_drop(f, nodes[i]);
	rc = change_make_routes(&env, &routes, diag);
	if (rc != 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		struct route_list before = f->routes->nodes[nodes[i]];

		f->routes->nodes[nodes[i]] = routes->nodes[nodes[i]];
		routes->nodes[nodes[i]] = before;
		rc = events_rebuild(e, nodes[i], diag);
	}
	routes_destroy(routes);
	return rc;
}

// The switches with this delay; without a delay they change at once.
static int
converge_after(struct events *e, ps_t at, ps_t delay, struct diag *diag)
{
	const struct fabric *f = e->fabric;
	uint32_t switches = f->topology->first_host;
	struct converge *c = memory_new(sizeof(*c) + switches * sizeof(c->nodes[0]), "convergence");
	int rc;

	c->at = at + delay;
	for (uint32_t i = 0; i < switches; i++)
		if (f->switches[i].routing.convergence_ps == delay)
			c->nodes[c->count++] = i;
	if (delay != 0) {
		e->pending = memory_grow(e->pending, e->pending_count, sizeof(struct converge *),
					 "convergences");
		e->pending[e->pending_count++] = c;
		note_next(e);
		return 0;
	}
	rc = reroute(e, c->nodes, c->count, diag);
	free(c);
	return rc;
}

int
converge_start(struct events *e, ps_t at, struct diag *diag)
{
	const struct fabric *f = e->fabric;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->topology->first_host; i++) {
		ps_t delay = f->switches[i].routing.convergence_ps;
		uint32_t first = 0;

		while (f->switches[first].routing.convergence_ps != delay)
			first++;
		if (first == i)
			rc = converge_after(e, at, delay, diag);
	}
	return rc;
}

int
events_reroute(struct events *e, struct diag *diag)
{
	const uint32_t switches = e->fabric->topology->first_host;
	uint32_t *nodes = memory_array(switches, sizeof(*nodes), "switches");
	int rc;

	for (uint32_t i = 0; i < switches; i++)
		nodes[i] = i;
	e->now = e->hooks.clock(e->hooks.context);
	rc = reroute(e, nodes, switches, diag);
	free(nodes);
	return rc;
}

int
converge_apply(struct events *e, struct diag *diag)
{
	const ps_t at = e->converge_at;
	int rc = 0;

	for (uint32_t i = 0; i < e->pending_count;) {
		struct converge *c = e->pending[i];

		if (c->at != at) {
			i++;
			continue;
		}
		e->pending[i] = e->pending[--e->pending_count];
		if (rc == 0)
			rc = reroute(e, c->nodes, c->count, diag);
		free(c);
	}
	note_next(e);
	return rc;
}

void
converge_drop(struct events *e)
{
	for (uint32_t i = 0; i < e->pending_count; i++)
		free(e->pending[i]);
	free(e->pending);
}
