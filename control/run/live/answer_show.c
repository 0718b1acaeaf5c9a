// SPDX-License-Identifier: BSD-3-Clause
// What a fabric is beside its nodes, for `roost show`: workers, links, routes, settings.
#include "answer.h"

#include "control/fabric/learned.h"
#include "control/fabric/networks.h"
#include "control/show/show.h"
#include "neighbours.h"
#include "qp_snapshot.h"
#include "device_drops.h"
#include "steering_counts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view {
	struct show_fabric fabric;
	struct show_worker *workers;
	struct show_link *links;
	struct show_route *routes;
	struct route_list *scratch; // by switch
	const struct route_list **lists;
	struct show_next_hop *hops;
	char (*texts)[TOPOLOGY_NAME_MAX];
	uint32_t text_count;
};

static const char *
keep_text(struct view *v, const char *text)
{
	char *at = v->texts[v->text_count++];

	snprintf(at, TOPOLOGY_NAME_MAX, "%s", text);
	return at;
}

static void
view_workers(struct view *v, const struct live_fabric *live)
{
	for (uint32_t i = 0; i < live->worker_count; i++) {
		const struct live_worker *w = &live->drive.workers[i];

		v->workers[i] = (struct show_worker){
			.cpu = rte_lcore_to_cpu_id((int)w->lcore) < 0
				       ? 0
				       : (unsigned)rte_lcore_to_cpu_id((int)w->lcore),
			.nodes = w->node_count,
			.lag_ns = __atomic_load_n(&w->lag_wall_ps, __ATOMIC_RELAXED) / PS_PER_NS,
			.lag_max_ns = __atomic_load_n(&w->lag_wall_max_ps, __ATOMIC_RELAXED) /
				      PS_PER_NS,
			.slips = __atomic_load_n(&w->slips, __ATOMIC_RELAXED),
		};
	}
}

static void
view_links(struct view *v, const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	char name[TOPOLOGY_NAME_MAX];

	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_link *link = &t->links[i];

		v->links[i] = (struct show_link){
			.a = keep_text(v, topology_port_name(t, link->a.node, link->a.port, name)),
			.b = keep_text(v, topology_port_name(t, link->b.node, link->b.port, name)),
			.rate_bps = link->rate_bps,
			.delay = link->delay_ps,
			.up = !live->fabric->link_down[i],
		};
	}
}

static const char *
prefix_text(struct view *v, const struct config_prefix *prefix)
{
	char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 5];

	inet_ntop(prefix->version == 4 ? AF_INET : AF_INET6, prefix->address, address,
		  sizeof(address));
	snprintf(text, sizeof(text), "%s/%u", address, prefix->length);
	return keep_text(v, text);
}

static struct show_encap
view_encap(struct view *v, const struct live_fabric *live, const struct route_list *list,
	   const struct route *route)
{
	const struct route_encap *encap;
	char address[INET6_ADDRSTRLEN];

	if (route->encap == ROUTES_PLAIN)
		return (struct show_encap){0};
	encap = &list->encaps[route->encap];
	if (encap->kind == CONFIG_ENCAP_VLAN)
		return (struct show_encap){.id = encap->id};
	inet_ntop(routes_underlay(live->topology) == 6 ? AF_INET6 : AF_INET, encap->remote, address,
		  sizeof(address));
	return (struct show_encap){.vxlan = true, .id = encap->id, .to = keep_text(v, address)};
}

// The routes of a node; *hops is where their next hops go.
static struct show_route *
view_node_routes(struct view *v, const struct live_fabric *live, uint32_t node,
		 struct show_route *out, struct show_next_hop **hops)
{
	const struct topology *t = live->topology;
	static const char *const sources[] = {
		[ROUTE_COMPUTED] = "computed",
		[ROUTE_STATIC] = "static",
		[ROUTE_NETLINK] = "netlink",
		[ROUTE_FPM] = "fpm",
	};
	const struct route_list *list = v->lists[node];
	const char *mode = config_routing_mode_name(live->fabric->switches[node].routing.mode);

	for (uint32_t i = 0; i < list->count; i++) {
		const struct route *route = &list->routes[i];

		*out = (struct show_route){
			.node = t->nodes[node].name,
			.vrf = t->vrfs[route->vrf].name,
			.prefix = prefix_text(v, &route->prefix),
			.mode = mode,
			.source = sources[route->source],
			.next_hops = *hops,
			.encap = view_encap(v, live, list, route),
		};
		if (route->group != ROUTES_BLACKHOLE)
			out->next_hop_count = list->groups[route->group].count;
		out->glean = route->group != ROUTES_BLACKHOLE && out->next_hop_count == 0;
		for (uint32_t k = 0; k < out->next_hop_count; k++) {
			const struct route_member *m =
				&list->members[list->groups[route->group].first + k];
			const struct topo_port *port = &t->nodes[node].ports[m->port];

			**hops = (struct show_next_hop){
				.port = port->name,
				.node = port->peer_node == TOPOLOGY_NONE
						? NULL
						: t->nodes[port->peer_node].name,
			};
			memcpy((*hops)->mac, m->mac, 6);
			(*hops)++;
		}
		out++;
	}
	return out;
}

static void
view_close(struct view *v, const struct live_fabric *live)
{
	for (uint32_t i = 0; v->scratch != NULL && i < live->topology->first_host; i++)
		routes_clear(&v->scratch[i]);
	free(v->scratch);
	free(v->lists);
	free(v->workers);
	free(v->links);
	free(v->routes);
	free(v->hops);
	free(v->texts);
}

// The routes of all switches, where the caller wants them.
static int
view_lists(struct view *v, const struct live_fabric *live, bool wanted, uint32_t *routes,
	   uint32_t *members)
{
	uint32_t switches = live->topology->first_host;
	static const struct route_list none;

	v->scratch = calloc(switches + 1u, sizeof(*v->scratch));
	v->lists = calloc(switches + 1u, sizeof(const struct route_list *));
	if (v->scratch == NULL || v->lists == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < switches; i++) {
		const struct route_list *list = &none;

		if (wanted)
			list = fabric_merge_learned(
				live->fabric, i, &live->fabric->routes->nodes[i], &v->scratch[i]);
		v->lists[i] = list;
		*routes += list->count;
		for (uint32_t k = 0; k < list->count; k++)
			if (list->routes[k].group != ROUTES_BLACKHOLE)
				*members += list->groups[list->routes[k].group].count;
	}
	return 0;
}

static int
view_open(struct view *v, const struct live_fabric *live, bool wants_routes, uint32_t *route_count)
{
	const struct topology *t = live->topology;
	struct show_next_hop *hops;
	struct show_route *route;
	uint32_t routes = 0, members = 0;

	memset(v, 0, sizeof(*v));
	*route_count = 0;
	if (view_lists(v, live, wants_routes, &routes, &members) != 0)
		return -ENOMEM;
	*route_count = routes;
	v->workers = calloc(live->worker_count, sizeof(*v->workers));
	v->links = calloc(t->link_count + 1, sizeof(*v->links));
	v->routes = calloc(routes + 1, sizeof(*v->routes));
	v->hops = calloc(members + 1, sizeof(*v->hops));
	v->texts = calloc(2 * ((size_t)t->link_count + routes) + 1, sizeof(*v->texts));
	if (v->workers == NULL || v->links == NULL || v->routes == NULL || v->hops == NULL ||
	    v->texts == NULL)
		return -ENOMEM;
	view_workers(v, live);
	view_links(v, live);
	route = v->routes;
	hops = v->hops;
	for (uint32_t i = 0; i < t->first_host; i++)
		route = view_node_routes(v, live, i, route, &hops);
	v->fabric = (struct show_fabric){
		.name = live->config->fabric.name.text,
		.file = live->config->file,
		.state = "running",
		.dilation = live->config->fabric.dilation,
		.idle = live->config->live.idle == CONFIG_IDLE_SLEEP ? "sleep" : "poll",
		.workers = v->workers,
		.worker_count = live->worker_count,
		.links = v->links,
		.link_count = t->link_count,
	};
	return 0;
}

// Nodes that are there, packed: attached hosts have none.
static struct report_node *
list_nodes(const struct answer *a, unsigned int *count)
{
	const struct report_node *all = node_snapshot_nodes(a->copy);
	struct report_node *nodes = calloc(a->live->topology->node_count + 1, sizeof(*nodes));

	*count = 0;
	for (uint32_t i = 0; nodes != NULL && i < a->live->topology->node_count; i++)
		if (all[i].node != NULL)
			nodes[(*count)++] = all[i];
	return nodes;
}

int
answer_show(void *context, const json_t *params, json_t **result, char *why, size_t why_size)
{
	struct answer *a = context;
	struct report_node *nodes;
	struct qp_snapshot *looks = NULL;
	struct steering_counts *steered = NULL;
	struct show_state state;
	struct view v;
	struct neighbours *learnt = NULL;
	unsigned int needs = show_needs(params);
	uint32_t routes;
	int rc = view_open(&v, a->live, needs & SHOW_NEEDS_ROUTES, &routes);

	node_snapshot_take(a->copy, a->live);
	fabric_log_poll(a->live->log, a->live->fabric);
	if (rc == 0 && needs & SHOW_NEEDS_SETTINGS)
		rc = settings_cache_update(&a->settings, a->live);
	if (rc == 0 && needs & SHOW_NEEDS_QUEUE_PAIRS)
		looks = qp_snapshot_take(a->live);
	if (rc == 0 && needs & SHOW_NEEDS_STEERING)
		rc = steering_counts_take(&steered, a->live);
	if (rc == 0)
		learnt = neighbours_take(a->live);
	state = (struct show_state){
		.fabric = &v.fabric,
		.routes = v.routes,
		.route_count = routes,
		.now = node_snapshot_time(a->copy),
		.networks = fabric_list_networks(a->live->topology),
		.log = fabric_log_entries(a->live->log),
		.log_lost = fabric_log_lost(a->live->log),
	};
	state.neighbours = neighbours_list(learnt, &state.neighbour_count);
	state.learnings = neighbours_sources(learnt, &state.learning_count);
	nodes = list_nodes(a, &state.node_count);
	state.nodes = nodes;
	state.switches = settings_cache_switches(a->settings, &state.switch_count);
	state.nics = qp_snapshot_nics(looks, &state.nic_count);
	state.steerings = steering_counts_list(steered, &state.steering_count);
	if (rc == 0)
		rc = nodes == NULL ? -ENOMEM : show_answer(&state, params, result, why, why_size);
	if (rc == 0 && needs & SHOW_NEEDS_DEVICES)
		rc = device_drops_add(a->live, *result);
	json_decref(state.networks);
	free(nodes);
	qp_snapshot_destroy(looks);
	steering_counts_destroy(steered);
	neighbours_destroy(learnt);
	view_close(&v, a->live);
	return rc;
}
