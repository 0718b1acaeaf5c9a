// SPDX-License-Identifier: BSD-3-Clause
// Cyclic buffer dependency. A switch whose lossless group is full pauses the link a -> b that fills
// it; if its packets wait for the link b -> c, a -> b waits for b -> c. When links wait for each
// other in a cycle, PFC can stop all of them for ever (Dally and Seitz, IEEE Transactions on
// Computers 1987, for channels of a network). Up-down routes have no cycle; routes set by hand
// can. What matters is which link's packets are sent on by which, so routes are followed from where
// packets enter (reach.c), for every lossless priority over the switches that are lossless for it:
// first as the fabric starts, then as it is after the route events of each instant, with links that
// events took down. Routes set by hand can also lead packets round and round; loop.c finds that on
// the way.
#include "advice_internal.h"

#include "control/model/tables/build.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 12 // links that a message lists
#define LINKS_TEXT_MAX ((NAMES_MAX + 1) * (TOPOLOGY_NAME_MAX + 4) + 32)

struct deadlock {
	const struct fabric *f;
	struct diag *diag;
	struct reach reach;
	const struct tables **now; // by switch: f's, or ours where an event changed its routes
	struct tables **ours;      // by switch
	bool *members;             // by switch
	uint32_t *cycle;
	struct routes *routes; // as events have left them
	bool *link_down;
	struct config_step *steps; // of the events that routes depend on
	unsigned step_count;
	struct config_prefix *prefixes; // of route events
	uint32_t prefix_count;
	bool stale;  // a link has changed since `routes` was made
	char **told; // cycles that have been reported
	uint32_t told_count;
};

// True when this cycle has been reported before; it has now.
static bool
told(struct deadlock *c, const char *text)
{
	char **grown;

	for (uint32_t i = 0; i < c->told_count; i++)
		if (strcmp(c->told[i], text) == 0)
			return true;
	grown = realloc(c->told, (c->told_count + 1) * sizeof(char *));
	if (grown == NULL)
		return false;
	c->told = grown;
	c->told[c->told_count] = strdup(text);
	c->told_count += c->told[c->told_count] != NULL;
	return false;
}

// "leaf1.swp5 -> spine1.swp2 -> leaf1.swp5": the ports that the links leave by.
static void
name_links(const struct deadlock *c, const uint32_t *links, uint32_t length, char *text,
	   size_t size)
{
	uint32_t shown = length <= NAMES_MAX ? length : NAMES_MAX;
	char name[TOPOLOGY_NAME_MAX];
	size_t used = 0;

	for (uint32_t i = 0; i <= shown; i++) {
		uint32_t link = links[i < shown ? i : 0], node = c->reach.owner[link];

		if (i == shown && shown < length)
			used += (size_t)snprintf(text + used, size - used, " -> %u more",
						 length - shown);
		used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : " -> ",
					 topology_port_name(c->f->topology, node,
							    (uint16_t)(link - c->reach.first[node]),
							    name));
	}
}

// Once for the same links.
static void
report(struct deadlock *c, const uint32_t *links, uint32_t length, const struct config_event *cause,
       const char *what)
{
	char names[LINKS_TEXT_MAX], text[LINKS_TEXT_MAX + 160];

	name_links(c, links, length, names, sizeof(names));
	snprintf(text, sizeof(text), "%s: %s", what, names);
	if (told(c, text))
		return;
	diag_warning(c->diag, c->f->config->file, cause != NULL ? cause->pos : (struct diag_pos){0},
		     cause != NULL ? "events.route" : "routes", "%s", text);
}

static void
report_loop(struct deadlock *c, const struct config_event *cause)
{
	const struct config_prefix *to = &c->reach.looping;
	char address[INET6_ADDRSTRLEN], what[128];

	inet_ntop(to->version == 6 ? AF_INET6 : AF_INET, to->address, address, sizeof(address));
	snprintf(what, sizeof(what),
		 "routing loop: packets to %s circulate until their TTL expires", address);
	report(c, c->reach.loop, c->reach.loop_length, cause, what);
}

static void
report_cycle(struct deadlock *c, uint32_t length, unsigned priority,
	     const struct config_event *cause)
{
	char what[128];

	snprintf(what, sizeof(what),
		 "buffers of priority %u depend on each other in a cycle, so PFC can deadlock",
		 priority);
	report(c, c->cycle, length, cause, what);
}

static bool
same_members(const struct deadlock *c, unsigned priority, unsigned other)
{
	for (uint32_t n = 0; n < c->f->topology->first_host; n++) {
		uint8_t lossless = advice_lossless(&c->f->switches[n]);

		if ((lossless >> priority & 1) != (lossless >> other & 1))
			return false;
	}
	return true;
}

// Of priorities that are lossless at the same switches the first speaks for all.
static bool
speaks(const struct deadlock *c, unsigned priority)
{
	for (unsigned other = 0; other < priority; other++)
		if (same_members(c, priority, other))
			return false;
	return true;
}

static int
look(struct deadlock *c, const struct config_event *cause)
{
	int rc = reach_follow(&c->reach, c->now, c->prefixes, c->prefix_count);

	if (rc == 0 && c->reach.loop_length != 0)
		report_loop(c, cause);
	for (unsigned priority = 0; rc == 0 && priority < PRIORITIES; priority++) {
		int length;

		if (!speaks(c, priority))
			continue;
		for (uint32_t n = 0; n < c->f->topology->first_host; n++)
			c->members[n] = advice_lossless(&c->f->switches[n]) >> priority & 1;
		length = reach_find_cycle(&c->reach, c->members, c->cycle);
		if (length > 0)
			report_cycle(c, (uint32_t)length, priority, cause);
		rc = length < 0 ? length : 0;
	}
	return rc;
}

// The events have been checked, so their routes hold.
static int
rebuild(struct deadlock *c, uint32_t node)
{
	struct diag scratch = {0};
	struct tables *t;
	int rc = tables_build(&t, c->f->topology, node, &c->f->switches[node],
			      &c->routes->nodes[node], &scratch);

	diag_free(&scratch);
	if (rc != 0)
		return rc;
	tables_destroy(c->ours[node]);
	c->ours[node] = t;
	c->now[node] = t;
	return 0;
}

// Routes from the topology, with what events before `end` have set over them.
static int
restart_routes(struct deadlock *c, uint32_t end)
{
	struct diag scratch = {0};
	int rc;

	routes_destroy(c->routes);
	c->routes = NULL;
	rc = routes_create(&c->routes, c->f->topology, c->link_down, &scratch);
	if (rc == 0)
		rc = routes_apply_steps(c->routes, c->f->topology, c->steps, end, &scratch);
	for (uint32_t n = 0; rc == 0 && n < c->f->topology->first_host; n++)
		rc = rebuild(c, n);
	diag_free(&scratch);
	c->stale = false;
	return rc;
}

static int
apply(struct deadlock *c, uint32_t index)
{
	const struct config_event *event = c->steps[index].event;
	struct diag scratch = {0};
	uint32_t where = 0;
	int rc = 0;

	if (event->kind == CONFIG_EVENT_LINK) {
		if (topology_find_link(c->f->topology, event->link.text, &where) == 0) {
			c->link_down[where] = event->up == c->steps[index].undo;
			c->stale = true;
		}
		return 0;
	}
	if (c->stale || c->routes == NULL)
		return restart_routes(c, index + 1);
	rc = routes_apply_event(c->routes, c->f->topology, event, &where, &scratch);
	diag_free(&scratch);
	return rc != 0 ? rc : rebuild(c, where);
}

// Looks at what each instant's events leave. Links that fail leave up-down routes: without a route
// set by hand there is nothing to look at.
static int
replay(struct deadlock *c)
{
	const struct config_event *cause = NULL;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->step_count; i++) {
		rc = apply(c, i);
		if (c->steps[i].event->kind == CONFIG_EVENT_ROUTE)
			cause = c->steps[i].event;
		if (rc != 0 || cause == NULL ||
		    (i + 1 < c->step_count && c->steps[i + 1].at_ps == c->steps[i].at_ps))
			continue;
		if (c->stale)
			rc = restart_routes(c, i + 1);
		if (rc == 0)
			rc = look(c, cause);
	}
	return rc;
}

// Keeps the steps that routes depend on.
static void
choose_steps(struct deadlock *c)
{
	unsigned all = c->step_count;

	c->step_count = 0;
	for (unsigned i = 0; i < all; i++) {
		const struct config_event *event = c->steps[i].event;

		if (event->kind == CONFIG_EVENT_ROUTE)
			c->prefixes[c->prefix_count++] = event->route.prefix;
		if (event->kind == CONFIG_EVENT_ROUTE ||
		    (event->kind == CONFIG_EVENT_LINK && event->changes & CONFIG_LINK_STATE))
			c->steps[c->step_count++] = c->steps[i];
	}
}

static int
create(struct deadlock *c, const struct fabric *f)
{
	const struct topology *t = f->topology;
	size_t switches = t->first_host + 1u, events = f->config->event_count + 1u;
	int rc = reach_create(&c->reach, t);

	if (rc != 0)
		return rc;
	c->now = calloc(switches, sizeof(struct tables *));
	c->ours = calloc(switches, sizeof(struct tables *));
	c->members = calloc(switches, sizeof(*c->members));
	c->cycle = calloc(c->reach.link_count + 1u, sizeof(*c->cycle));
	c->link_down = calloc(t->link_count + 1u, sizeof(*c->link_down));
	c->steps = config_list_steps(f->config, &c->step_count);
	c->prefixes = calloc(events, sizeof(*c->prefixes));
	if (c->now == NULL || c->ours == NULL || c->members == NULL || c->cycle == NULL ||
	    c->link_down == NULL || c->steps == NULL || c->prefixes == NULL)
		return -ENOMEM;
	memcpy(c->now, f->tables, t->first_host * sizeof(struct tables *));
	choose_steps(c);
	return 0;
}

static void
destroy(struct deadlock *c)
{
	for (uint32_t n = 0; c->ours != NULL && n < c->f->topology->first_host; n++)
		tables_destroy(c->ours[n]);
	reach_destroy(&c->reach);
	routes_destroy(c->routes);
	for (uint32_t i = 0; i < c->told_count; i++)
		free(c->told[i]);
	free(c->told);
	free(c->now);
	free(c->ours);
	free(c->members);
	free(c->cycle);
	free(c->link_down);
	free(c->steps);
	free(c->prefixes);
}

int
advice_deadlock(const struct fabric *f, struct diag *diag)
{
	struct deadlock c = {.f = f, .diag = diag};
	int rc;

	// Without a second switch there is no cycle.
	if (f->topology->first_host < 2)
		return 0;
	rc = create(&c, f);
	if (rc == 0)
		rc = look(&c, NULL);
	if (rc == 0)
		rc = replay(&c);
	destroy(&c);
	return rc;
}
