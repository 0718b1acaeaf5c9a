// SPDX-License-Identifier: BSD-3-Clause
// Cyclic buffer dependencies. A switch whose lossless group is full pauses the link a -> b that
// fills it; if its packets wait for the link b -> c, then a -> b waits for b -> c. When links wait
// for each other in a cycle, PFC can stop all of them for ever (Dally and Seitz, IEEE Transactions
// on Computers 1987, for channels of a network). A lane that grants no credit stops its link as a
// pause does. Up-down routes have no cycle; routes set by hand can have one, and so can forwarding
// tables of InfiniBand with shortest paths (min-hop), or from a file.
//
// What matters is which links forward the packets of which other links. So routes are followed from
// where packets enter the fabric (reach.c), and for every lossless priority the links whose far end
// pauses it, or grants credit for it, are searched: as the fabric starts, and after the route
// events of each instant, without links that events have taken down. Routes set by hand can also
// make routing loops; reach.c finds them on the way.
#include "advice_internal.h"

#include "control/base/memory.h"
#include "control/model/tables/build.h"

#include <arpa/inet.h>
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
	bool *members;             // by link
	uint32_t *cycle;
	struct routes *routes; // as events have left them; NULL: f's
	bool *link_down;
	struct config_step *steps; // of the events that routes depend on
	unsigned step_count;
	struct config_prefix *prefixes; // of route events
	uint32_t prefix_count;
	bool stale;      // a link has changed since `routes` was computed
	char **reported; // texts
	uint32_t reported_count;
};

// Whether a text is new; it counts as reported from now on.
static bool
is_new(struct deadlock *c, const char *text)
{
	for (uint32_t i = 0; i < c->reported_count; i++)
		if (strcmp(c->reported[i], text) == 0)
			return false;
	c->reported = memory_grow(c->reported, c->reported_count, sizeof(char *), "warnings");
	c->reported[c->reported_count++] = memory_text(text);
	return true;
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

// Reports each problem once, with the event that first causes it.
static void
report(struct deadlock *c, const uint32_t *links, uint32_t length, const struct config_event *cause,
       const char *what, const char *remedy)
{
	char names[LINKS_TEXT_MAX], text[LINKS_TEXT_MAX + 160];

	name_links(c, links, length, names, sizeof(names));
	snprintf(text, sizeof(text), "%s: %s%s", what, names, remedy);
	if (is_new(c, text))
		diag_warning(c->diag, c->f->config->file,
			     cause != NULL ? cause->pos : (struct diag_pos){0},
			     cause != NULL ? "events.route" : "routes", "%s", text);
}

static void
report_loop(struct deadlock *c, const struct config_event *cause)
{
	const struct config_prefix *to = &c->reach.looping;
	char address[INET6_ADDRSTRLEN], what[128];

	if (c->reach.looping_lid != 0) {
		snprintf(what, sizeof(what), "routing loop: packets to LID %u circulate for ever",
			 c->reach.looping_lid);
	} else {
		inet_ntop(to->version == 6 ? AF_INET6 : AF_INET, to->address, address,
			  sizeof(address));
		snprintf(what, sizeof(what),
			 "routing loop: packets to %s circulate until their TTL expires", address);
	}
	report(c, c->reach.loop, c->reach.loop_length, cause, what, "");
}

// Whether what is sent on a link waits for credit, not for a pause to end.
static bool
waits_for_credit(const struct deadlock *c, uint32_t link)
{
	return c->f->tables[c->reach.owner[link]]->credits != NULL;
}

static void
report_cycle(struct deadlock *c, uint32_t length, unsigned priority,
	     const struct config_event *cause)
{
	const struct config *config = c->f->config;
	const bool engine = topology_is_infiniband(c->f->topology) &&
			    config->subnet.lfts.path.text == NULL;
	char what[128];

	snprintf(what, sizeof(what),
		 "buffers of priority %u depend on each other in a cycle, so %s can deadlock",
		 priority, waits_for_credit(c, c->cycle[0]) ? "credits" : "PFC");
	report(c, c->cycle, length, cause, what, engine ? ": use subnet.engine: up-down" : "");
}

// The priorities that the far end of a link pauses.
static uint8_t
paused_on(const struct deadlock *c, uint32_t link)
{
	const struct topo_port *port = reach_port(&c->reach, link);

	if (port->peer_node >= c->f->topology->first_host) // or there is none
		return 0;
	return advice_lossless(c->f->tables[port->peer_node]->ports[port->peer_port].profile);
}

static bool
same_members(const struct deadlock *c, unsigned priority, unsigned other)
{
	for (uint32_t link = 0; link < c->reach.link_count; link++) {
		uint8_t paused = paused_on(c, link);

		if ((paused >> priority & 1) != (paused >> other & 1))
			return false;
	}
	return true;
}

// Of priorities that are paused on the same links only the first is checked.
static bool
is_checked(const struct deadlock *c, unsigned priority)
{
	for (unsigned other = 0; other < priority; other++)
		if (same_members(c, priority, other))
			return false;
	return true;
}

static void
check_routes(struct deadlock *c, const struct config_event *cause)
{
	reach_follow(&c->reach, c->now, c->prefixes, c->prefix_count);
	if (c->reach.loop_length != 0)
		report_loop(c, cause);
	for (unsigned priority = 0; priority < PRIORITIES; priority++) {
		uint32_t length;

		if (!is_checked(c, priority))
			continue;
		for (uint32_t link = 0; link < c->reach.link_count; link++)
			c->members[link] = paused_on(c, link) >> priority & 1;
		length = reach_find_cycle(&c->reach, c->members, c->cycle);
		if (length != 0)
			report_cycle(c, length, priority, cause);
	}
}

static int
rebuild(struct deadlock *c, uint32_t node, struct diag *scratch)
{
	struct tables *t;
	int rc = tables_build(&t, c->f->topology, node, &c->f->switches[node],
			      &c->routes->nodes[node], scratch);

	if (rc != 0)
		return rc;
	tables_destroy(c->ours[node]);
	c->now[node] = c->ours[node] = t;
	return 0;
}

// Computes the routes from the topology and the events before `end`.
static int
restart_routes(struct deadlock *c, uint32_t end, struct diag *scratch)
{
	int rc;

	routes_destroy(c->routes);
	c->routes = NULL;
	c->stale = false;
	rc = routes_create(&c->routes, c->f->topology, c->link_down, scratch);
	if (rc == 0)
		rc = routes_apply_steps(c->routes, c->f->topology, c->steps, end, scratch);
	for (uint32_t n = 0; rc == 0 && n < c->f->topology->first_host; n++)
		rc = rebuild(c, n, scratch);
	return rc;
}

static int
apply(struct deadlock *c, uint32_t index, struct diag *scratch)
{
	const struct config_event *event = c->steps[index].event;
	uint32_t where = 0;
	int rc;

	if (event->kind == CONFIG_EVENT_LINK) {
		if (topology_find_link(c->f->topology, event->link.text, &where) == 0) {
			c->link_down[where] = event->up == c->steps[index].undo;
			c->stale = true;
		}
		return 0;
	}
	if (c->stale || c->routes == NULL)
		return restart_routes(c, index + 1, scratch);
	rc = routes_apply_event(c->routes, c->f->topology, event, &where, scratch);
	return rc != 0 ? rc : rebuild(c, where, scratch);
}

// Checks the routes after the events of each instant. Links that fail leave up-down routes, so
// without a route set by hand there is nothing to check. Events that a restored fabric refuses,
// since it was changed after they were written, end the search: the fabric reports them when they
// are due.
static void
check_events(struct deadlock *c)
{
	const struct config_event *cause = NULL;
	struct diag scratch = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->step_count; i++) {
		rc = apply(c, i, &scratch);
		if (c->steps[i].event->kind == CONFIG_EVENT_ROUTE)
			cause = c->steps[i].event;
		if (rc != 0 || cause == NULL ||
		    (i + 1 < c->step_count && c->steps[i + 1].at_ps == c->steps[i].at_ps))
			continue;
		if (c->stale)
			rc = restart_routes(c, i + 1, &scratch);
		if (rc == 0)
			check_routes(c, cause);
	}
	diag_free(&scratch);
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

static void
create(struct deadlock *c, const struct fabric *f, struct diag *diag)
{
	const struct topology *t = f->topology;

	*c = (struct deadlock){
		.f = f,
		.diag = diag,
		.now = memory_copy(f->tables, t->first_host, sizeof(struct tables *), "tables"),
		.ours = memory_array(t->first_host, sizeof(struct tables *), "tables"),
		.link_down = memory_array(t->link_count, sizeof(*c->link_down), "links"),
		.prefixes = memory_array(f->config->event_count, sizeof(*c->prefixes), "prefixes"),
	};
	reach_create(&c->reach, t);
	c->members = memory_array(c->reach.link_count, sizeof(*c->members), "links");
	c->cycle = memory_array(c->reach.link_count, sizeof(*c->cycle), "links");
	c->steps = config_list_steps(f->config, &c->step_count);
	choose_steps(c);
}

static void
destroy(struct deadlock *c)
{
	for (uint32_t n = 0; n < c->f->topology->first_host; n++)
		tables_destroy(c->ours[n]);
	for (uint32_t i = 0; i < c->reported_count; i++)
		free(c->reported[i]);
	reach_destroy(&c->reach);
	routes_destroy(c->routes);
	free(c->reported);
	free(c->now);
	free(c->ours);
	free(c->members);
	free(c->cycle);
	free(c->link_down);
	free(c->steps);
	free(c->prefixes);
}

void
advice_deadlock(const struct fabric *f, struct diag *diag)
{
	struct deadlock c;

	if (f->topology->first_host < 2)
		return; // a single switch has no cycle
	create(&c, f, diag);
	check_routes(&c, NULL);
	check_events(&c);
	destroy(&c);
}
