// SPDX-License-Identifier: BSD-3-Clause
// The routes of a file: computed from a fabric's topology, or a lone switch's as written; and the
// edits that route events make.
#include "computed.h"

#include <errno.h>
#include <stdlib.h>

// A route that the file writes.
static int
set_static(struct route_list *list, uint16_t vrf, const struct config_prefix *prefix,
	   uint32_t group)
{
	int error = routes_set(list, vrf, prefix, group);

	if (error == 0)
		routes_find(list, vrf, prefix)->source = ROUTE_STATIC;
	return error;
}

static int
append_written(struct route_list *list, const struct topology *t, const struct config_route *route,
	       struct config_diag *diag)
{
	struct route_member members[GROUP_MEMBERS_MAX];
	uint32_t count, group = ROUTES_BLACKHOLE;
	uint16_t vrf;

	if (topology_resolve_vrf(t, &route->vrf, "routes.vrf", &vrf, diag) != 0 ||
	    routes_resolve_via(t, 0, route, "routes.via", members, &count, diag) != 0)
		return -EINVAL;
	if (routes_find(list, vrf, &route->prefix) != NULL) {
		config_error(diag, t->config->file, route->prefix_pos, "routes.prefix",
			     "VRF %s already has a route of this prefix", t->vrfs[vrf].name);
		return -EINVAL;
	}
	if (count != 0 && routes_add_group(list, members, count, &group) != 0)
		return -ENOMEM;
	return set_static(list, vrf, &route->prefix, group);
}

// All errors are found before one of them ends it.
static int
append_all_written(struct route_list *list, const struct topology *t, struct config_diag *diag)
{
	const struct config_single *s = &t->config->single;
	int result = 0;

	for (unsigned i = 0; i < s->route_count && result != -ENOMEM; i++) {
		int error = append_written(list, t, &s->routes[i], diag);

		if (error != 0)
			result = error;
	}
	return result;
}

int
routes_create(struct routes **out, const struct topology *t, const bool *link_down,
	      struct config_diag *diag)
{
	struct routes *routes = calloc(1, sizeof(*routes));
	int error;

	if (routes == NULL)
		return -ENOMEM;
	routes->nodes = calloc(t->node_count, sizeof(*routes->nodes));
	routes->node_count = routes->nodes != NULL ? t->node_count : 0;
	if (routes->nodes == NULL)
		error = -ENOMEM;
	else if (t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
		error = append_all_written(&routes->nodes[0], t, diag);
	else
		error = routes_compute(routes, t, link_down);
	if (error != 0)
		routes_destroy(routes);
	else
		*out = routes;
	return error;
}

static int
resolve_event_node(const struct topology *t, const struct config_event *event, uint32_t *node,
		   struct config_diag *diag)
{
	const char *file = t->config->file;

	if (event->node.text == NULL) {
		*node = 0;
		if (t->config->fabric.topology == CONFIG_TOPOLOGY_SINGLE)
			return 0;
		config_error(diag, file, event->pos, "events",
			     "a route event in a fabric needs `node:`");
		return -EINVAL;
	}
	if (topology_resolve_node(t, &event->node, "events.node", node, diag) != 0)
		return -EINVAL;
	if (t->nodes[*node].role != CONFIG_ROLE_HOST)
		return 0;
	config_error(diag, file, event->node.pos, "events.node",
		     "%s is a host: only switches route", event->node.text);
	return -EINVAL;
}

int
routes_apply_event(struct routes *routes, const struct topology *t,
		   const struct config_event *event, uint32_t *node, struct config_diag *diag)
{
	struct route_member members[GROUP_MEMBERS_MAX];
	struct route_list *list;
	uint32_t count, group;
	uint16_t vrf;

	if (resolve_event_node(t, event, node, diag) != 0 ||
	    topology_resolve_vrf(t, &event->route.vrf, "events.route.vrf", &vrf, diag) != 0 ||
	    routes_resolve_via(t, *node, &event->route, "events.route.via", members, &count,
			       diag) != 0)
		return -EINVAL;
	list = &routes->nodes[*node];
	if (count == 0) {
		routes_remove(list, vrf, &event->route.prefix);
		return 0;
	}
	if (routes_add_group(list, members, count, &group) != 0)
		return -ENOMEM;
	return set_static(list, vrf, &event->route.prefix, group);
}

int
routes_apply_steps(struct routes *routes, const struct topology *t, const struct config_step *steps,
		   uint32_t count, struct config_diag *diag)
{
	uint32_t node;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++)
		if (steps[i].event->kind == CONFIG_EVENT_ROUTE)
			rc = routes_apply_event(routes, t, steps[i].event, &node, diag);
	return rc;
}

int
routes_check_events(const struct topology *t, struct config_diag *diag)
{
	struct route_list *lists = calloc(t->node_count, sizeof(*lists));
	struct routes scratch = {.nodes = lists, .node_count = t->node_count};
	int result = lists == NULL ? -ENOMEM : 0;

	for (unsigned i = 0; i < t->config->event_count && result != -ENOMEM; i++) {
		const struct config_event *event = &t->config->events[i];
		uint32_t node;
		int error = event->kind == CONFIG_EVENT_ROUTE
				    ? routes_apply_event(&scratch, t, event, &node, diag)
				    : 0;

		if (error != 0)
			result = error;
	}
	for (uint32_t n = 0; lists != NULL && n < t->node_count; n++)
		routes_clear(&lists[n]);
	free(lists);
	return result;
}
