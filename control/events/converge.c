// SPDX-License-Identifier: BSD-3-Clause
// Routes after a link event. What a switch can see itself, that one of its own links is down, its
// dataplane acts on at once. Routes follow when `routing.convergence` has passed at the switch, as
// routing protocols take their time: they are then computed from the links as they are at that
// instant. So a link that is back before anyone has noticed never leaves the routes, and one that
// fails again before its return has got around does not come back to them. Switches with equal
// times change at one instant; every link event starts the time anew for all.
#include "events_internal.h"

#include "control/fabric/link_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Switches whose routes are to be made anew.
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

// Gives these switches the routes that follow from the links as they are, with the file's route
// events so far.
static int
reroute(struct events *e, const uint32_t *nodes, uint32_t count, struct config_diag *diag)
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

static int
keep_pending(struct events *e, struct converge *c)
{
	struct converge **grown =
		realloc(e->pending, (e->pending_count + 1u) * sizeof(struct converge *));

	if (grown == NULL)
		return -ENOMEM;
	e->pending = grown;
	e->pending[e->pending_count++] = c;
	note_next(e);
	return 0;
}

// The switches that take so long; without a delay they change at once.
static int
converge_after(struct events *e, ps_t at, ps_t delay, struct config_diag *diag)
{
	const struct fabric *f = e->fabric;
	uint32_t switches = f->topology->first_host;
	struct converge *c = calloc(1, sizeof(*c) + switches * sizeof(c->nodes[0]));
	int rc;

	if (c == NULL)
		return -ENOMEM;
	c->at = at + delay;
	for (uint32_t i = 0; i < switches; i++)
		if (f->switches[i].routing.convergence_ps == delay)
			c->nodes[c->count++] = i;
	if (delay != 0 && keep_pending(e, c) == 0)
		return 0;
	rc = delay != 0 ? -ENOMEM : reroute(e, c->nodes, c->count, diag);
	free(c);
	return rc;
}

int
converge_start(struct events *e, ps_t at, struct config_diag *diag)
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
converge_apply(struct events *e, struct config_diag *diag)
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
