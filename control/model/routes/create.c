// SPDX-License-Identifier: BSD-3-Clause
// The routes of a file: computed from a fabric's topology, or a lone switch's as written; and the
// edits that route events make.
#include "routes_internal.h"

#include "control/base/memory.h"

#include <errno.h>
#include <stdlib.h>

static int
append_written(struct route_list *list, const struct topology *t, const struct config_route *from,
	       struct diag *diag)
{
	struct route route;
	struct static_route written = {
		.topology = t, .list = list, .from = from, .key = "routes", .diag = diag};
	int error = static_route_resolve(&written, &route);

	if (error != 0)
		return error;
	if (routes_find(list, route.vrf, &from->prefix) != NULL)
		return diag_error(diag, t->config->file, from->prefix_pos, "routes.prefix",
				  "VRF %s already has a route of this prefix",
				  t->vrfs[route.vrf].name);
	routes_set(list, &route);
	return 0;
}

// A tunnel whose far end no route leads to.
static int
check_tunnel(const struct route_list *list, const struct topology *t,
	     const struct config_route *from, const char *key, struct diag *diag)
{
	const struct route *route = NULL;
	int vrf = from->vrf.text == NULL ? TOPOLOGY_VRF_DEFAULT
					 : topology_find_vrf(t, from->vrf.text);

	if (vrf >= 0)
		route = routes_find(list, (uint16_t)vrf, &from->prefix);
	if (route == NULL || !route->recursive || route->group != ROUTES_BLACKHOLE)
		return 0;
	return diag_error(diag, t->config->file, from->via[0].vtep.pos, key,
			  "VRF default has no route to %s", from->via[0].vtep.text);
}

// All errors are found before one of them ends it.
static int
append_all_written(struct route_list *list, const struct topology *t, struct diag *diag)
{
	const struct config_single *s = &t->config->single;
	int result = 0;

	for (unsigned i = 0; i < s->route_count; i++) {
		int error = append_written(list, t, &s->routes[i], diag);

		if (error != 0)
			result = error;
	}
	routes_follow_tunnels(list, routes_underlay(t));
	for (unsigned i = 0; result == 0 && i < s->route_count; i++)
		result = check_tunnel(list, t, &s->routes[i], "routes.via", diag);
	return result;
}

int
routes_create(struct routes **out, const struct topology *t, const bool *link_down,
	      struct diag *diag)
{
	struct routes *routes = memory_new(sizeof(*routes), "routes");
	int error = 0;

	routes->nodes = memory_array(t->node_count, sizeof(*routes->nodes), "routing tables");
	routes->node_count = t->node_count;
	if (topology_is_infiniband(t))
		error = routes_add_lids(routes, t, link_down, diag);
	else if (topology_is_single(t))
		error = append_all_written(&routes->nodes[0], t, diag);
	else
		routes_compute(routes, t, link_down);
	if (error != 0)
		routes_destroy(routes);
	else
		*out = routes;
	return error;
}

static int
resolve_event_node(const struct topology *t, const struct config_event *event, uint32_t *node,
		   struct diag *diag)
{
	const char *file = t->config->file;

	if (event->node.text == NULL) {
		*node = 0;
		if (topology_is_single(t))
			return 0;
		return diag_error(diag, file, event->pos, "events",
				  "a route event in a fabric needs `node:`");
	}
	if (topology_resolve_node(t, &event->node, "events.node", node, diag) != 0)
		return -EINVAL;
	if (t->nodes[*node].role != CONFIG_ROLE_HOST)
		return 0;
	return diag_error(diag, file, event->node.pos, "events.node",
			  "%s is a host: only switches route", event->node.text);
}

int
routes_apply_event(struct routes *routes, const struct topology *t,
		   const struct config_event *event, uint32_t *node, struct diag *diag)
{
	struct static_route written = {
		.topology = t, .from = &event->route, .key = "events.route", .diag = diag};
	struct route_list *list;
	struct route route;
	int error;

	if (resolve_event_node(t, event, node, diag) != 0)
		return -EINVAL;
	list = &routes->nodes[*node];
	written.list = list;
	written.node = *node;
	error = static_route_resolve(&written, &route);
	if (error != 0)
		return error;
	if (event->route.via_count == 0)
		routes_remove(list, route.vrf, &route.prefix);
	else
		routes_set(list, &route);
	routes_follow_tunnels(list, routes_underlay(t));
	return 0;
}

int
routes_apply_steps(struct routes *routes, const struct topology *t, const struct config_step *steps,
		   uint32_t count, struct diag *diag)
{
	uint32_t node;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < count; i++)
		if (steps[i].event->kind == CONFIG_EVENT_ROUTE)
			rc = routes_apply_event(routes, t, steps[i].event, &node, diag);
	return rc;
}

// A step by the routes that those before it leave.
static int
check_step(struct routes *routes, const struct topology *t, const struct config_step *step,
	   struct diag *diag)
{
	uint32_t node;
	int error;

	if (step->event->kind != CONFIG_EVENT_ROUTE)
		return 0;
	error = routes_apply_event(routes, t, step->event, &node, diag);
	if (error == 0 && step->event->route.via_count != 0)
		error = check_tunnel(&routes->nodes[node], t, &step->event->route,
				     "events.route.via", diag);
	return error;
}

int
routes_check_events(const struct topology *t, struct diag *diag)
{
	unsigned count = 0;
	struct config_step *steps = config_list_steps(t->config, &count);
	struct routes *routes = NULL;
	int result = 0;

	for (unsigned i = 0; i < count; i++) {
		int error = 0;

		if (steps[i].event->kind == CONFIG_EVENT_ROUTE && routes == NULL)
			error = routes_create(&routes, t, NULL, diag);
		if (error == 0)
			error = check_step(routes, t, &steps[i], diag);
		if (error != 0)
			result = error;
	}
	routes_destroy(routes);
	free(steps);
	return result;
}
