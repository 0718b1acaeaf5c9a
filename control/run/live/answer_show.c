// SPDX-License-Identifier: BSD-3-Clause
// The method "show": copies the nodes' state, collects what else the view needs, and answers.
#include "answer.h"

#include "collect.h"
#include "control/fabric/networks.h"

#include <string.h>

static void
add_workers(struct show_fabric *out, struct arena *arena, const struct live_fabric *live)
{
	struct show_worker *workers = arena_alloc(arena, live->worker_count * sizeof(*workers));

	for (uint32_t i = 0; i < live->worker_count; i++) {
		const struct live_worker *w = &live->drive.workers[i];
		int cpu = rte_lcore_to_cpu_id((int)w->lcore);

		workers[i] = (struct show_worker){
			.cpu = cpu < 0 ? 0 : (unsigned)cpu,
			.nodes = w->node_count,
			.lag_ns = __atomic_load_n(&w->lag_wall_ps, __ATOMIC_RELAXED) / PS_PER_NS,
			.lag_max_ns = __atomic_load_n(&w->lag_wall_max_ps, __ATOMIC_RELAXED) /
				      PS_PER_NS,
			.slips = __atomic_load_n(&w->slips, __ATOMIC_RELAXED),
		};
	}
	out->workers = workers;
	out->worker_count = live->worker_count;
}

static void
add_links(struct show_fabric *out, struct arena *arena, const struct live_fabric *live)
{
	const struct topology *t = live->topology;
	struct show_link *links = arena_alloc(arena, t->link_count * sizeof(*links));

	for (uint32_t i = 0; i < t->link_count; i++) {
		const struct topo_link *link = &t->links[i];

		links[i] = (struct show_link){
			.a = topology_port_name(t, link->a.node, link->a.port,
						arena_alloc(arena, TOPOLOGY_NAME_MAX)),
			.b = topology_port_name(t, link->b.node, link->b.port,
						arena_alloc(arena, TOPOLOGY_NAME_MAX)),
			.rate_bps = link->rate_bps,
			.delay = link->delay_ps,
			.up = !live->fabric->link_down[i],
		};
	}
	out->links = links;
	out->link_count = t->link_count;
}

static const struct show_fabric *
collect_fabric(struct arena *arena, const struct live_fabric *live)
{
	struct show_fabric *out = arena_alloc(arena, sizeof(*out));

	*out = (struct show_fabric){
		.name = live->config->fabric.name.text,
		.file = live->config->file,
		.state = "running",
		.dilation = live->config->fabric.dilation,
		.idle = live->config->live.idle == CONFIG_IDLE_SLEEP ? "sleep" : "poll",
	};
	add_workers(out, arena, live);
	add_links(out, arena, live);
	return out;
}

// All but the nodes of attached hosts, which the fabric does not have.
static void
collect_nodes(struct show_state *s, struct arena *arena, const struct answer *a)
{
	const struct report_node *all = a->copy->reports;
	uint32_t count = a->live->topology->node_count;
	struct report_node *nodes = arena_alloc(arena, count * sizeof(*nodes));

	for (uint32_t i = 0; i < count; i++)
		if (all[i].node != NULL)
			nodes[s->node_count++] = all[i];
	s->nodes = nodes;
}

int
answer_show(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct live_fabric *live = a->live;
	struct arena arena = {0};
	struct show_state s = {.fabric = collect_fabric(&arena, live)};
	unsigned int needs = show_needs(params);
	char why[512] = "";
	int rc = 0;

	node_snapshot_take(a->copy, live);
	fabric_log_poll(live->log, live->fabric);
	s.now = a->copy->at;
	s.networks = fabric_list_networks(live->topology);
	s.log = fabric_log_entries(live->log);
	s.log_lost = fabric_log_lost(live->log);
	collect_nodes(&s, &arena, a);
	collect_learned(&s, &arena, live);
	if (needs & SHOW_NEEDS_ROUTES)
		collect_routes(&s, &arena, live);
	if (needs & SHOW_NEEDS_QUEUE_PAIRS)
		collect_queue_pairs(&s, &arena, live);
	if (needs & SHOW_NEEDS_STEERING)
		rc = collect_steering(&s, &arena, live);
	if (rc == 0 && needs & SHOW_NEEDS_SETTINGS)
		rc = settings_cache_collect(&a->settings, &s, live);
	if (rc == 0) {
		rc = show_answer(&s, params, result, why, sizeof(why));
		if (rc != 0)
			diag_fail(diag, -rc, "%s", why);
	}
	if (rc == 0 && needs & SHOW_NEEDS_DEVICES)
		collect_device_drops(live, *result);
	json_decref(s.networks);
	arena_free(&arena);
	return rc;
}
