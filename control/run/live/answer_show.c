// SPDX-License-Identifier: BSD-3-Clause
// The method "show": copies the nodes' state, collects what else the view needs, and answers.
#include "answer.h"

#include "collect.h"
#include "control/base/clock.h"
#include "control/config/yaml_emit.h"
#include "control/fabric/fabric.h"
#include "recordings.h"
#include "control/show/settings.h"
#include "dataplane/base/huge.h"

#include <stdlib.h>

#define HUGE_BYTES_AGE_MS 10000

static json_t *
workers_json(const struct live_fabric *live)
{
	json_t *out = json_array();

	for (uint32_t i = 0; i < live->worker_count; i++) {
		const struct live_worker *w = &live->drive.workers[i];
		uint64_t lag = __atomic_load_n(&w->lag_wall_ps, __ATOMIC_RELAXED);
		uint64_t most = __atomic_load_n(&w->lag_wall_max_ps, __ATOMIC_RELAXED);
		uint64_t slips = __atomic_load_n(&w->slips, __ATOMIC_RELAXED);
		int cpu = rte_lcore_to_cpu_id((int)w->lcore);

		json_array_append_new(out, json_pack("{s:i,s:i,s:I,s:I,s:I}", "cpu",
						     cpu < 0 ? 0 : cpu, "nodes", (int)w->node_count,
						     "lag_ns", (json_int_t)(lag / PS_PER_NS),
						     "lag_max_ns", (json_int_t)(most / PS_PER_NS),
						     "slips", (json_int_t)slips));
	}
	return out;
}

// Views may be asked for each second, and what is in huge pages seldom changes.
static json_t *
memory_json(struct live_fabric *live)
{
	const size_t resident = huge_resident_bytes();
	const int64_t now = clock_ms();

	if (live->huge_bytes_ms == 0 || now - live->huge_bytes_ms >= HUGE_BYTES_AGE_MS) {
		live->huge_bytes = huge_bytes();
		live->huge_bytes_ms = now;
	}
	return json_pack("{s:I,s:I}", "resident_bytes", (json_int_t)resident, "huge_bytes",
			 (json_int_t)(live->huge_bytes < resident ? live->huge_bytes : resident));
}

// Without "file" if its path is not UTF-8.
static json_t *
collect_fabric(struct live_fabric *live, const struct recordings *recordings)
{
	const struct config *c = live->config;

	return json_pack(
		"{s:s,s:s*,s:o*,s:s,s:I,s:s,s:o,s:o,s:o,s:o*,s:o*}", "name", live->name, "part",
		live->part != NULL ? live->part->name.text : NULL, "file", json_string(c->file),
		"state", "running", "dilation", (json_int_t)c->fabric.dilation, "idle",
		c->live.idle == CONFIG_IDLE_SLEEP ? "sleep" : "poll", "workers", workers_json(live),
		"memory", memory_json(live), "links", collect_links(live), "carriers",
		collect_carriers(live), "recordings", recordings_list(recordings));
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

// {HOST: {KEY: {"value", "where"}}}
static json_t *
collect_attach(const struct config *config, uint32_t revision)
{
	const struct yaml_node *section = config_attach_section(config);
	json_t *out = json_object();

	for (unsigned i = 0; section != NULL && i < section->count; i++) {
		const struct yaml_pair *host = &section->pairs[i];
		json_t *entry = json_object();

		for (unsigned k = 0; k < host->value->count; k++) {
			const struct yaml_pair *pair = &host->value->pairs[k];
			char *text = yaml_emit_value(pair->value);
			json_t *where = settings_place(revision, pair->key_pos.line);

			json_object_set_new(
				entry, pair->key,
				json_pack("{s:o, s:o}", "value",
					  text != NULL ? json_string(text) : json_null(), "where",
					  where));
			free(text);
		}
		json_object_set_new(out, host->key, entry);
	}
	return out;
}

// What the view needs, beside the nodes. Returns 0 or -errno.
static int
collect_parts(struct show_state *s, unsigned int needs, struct arena *arena, struct answer *a)
{
	struct live_fabric *live = a->live;
	int rc = 0;

	if (needs & SHOW_NEEDS_FABRIC)
		s->fabric = collect_fabric(live, a->recordings);
	if (needs & SHOW_NEEDS_NETWORKS)
		s->networks = fabric_list_networks(live->topology);
	if (needs & SHOW_NEEDS_ROUTES)
		s->routes = collect_routes(live);
	if (needs & SHOW_NEEDS_LEARNED)
		s->learned = collect_learned(live);
	if (needs & SHOW_NEEDS_QUEUE_PAIRS)
		collect_queue_pairs(s, arena, live);
	if (needs & SHOW_NEEDS_DEVICE_DROPS)
		s->device_drops = collect_lost_by_devices(live);
	if (needs & SHOW_NEEDS_STEERING)
		rc = collect_steering(s, live);
	if (needs & SHOW_NEEDS_ATTACHED)
		collect_attached(s, live);
	if (needs & SHOW_NEEDS_LLDP)
		s->lldp = collect_lldp(live);
	if (needs & SHOW_NEEDS_SETTINGS)
		s->attach = collect_attach(live->config, live->revision);
	if (needs & SHOW_NEEDS_BFD)
		s->bfd = collect_bfd(live);
	if (needs & SHOW_NEEDS_HOSTS)
		s->hosts = collect_hosts(live);
	if (needs & SHOW_NEEDS_LINKS)
		s->links = collect_changed_links(live);
	if (rc == 0 && needs & SHOW_NEEDS_SETTINGS)
		rc = settings_cache_collect(&a->settings, s, live);
	return rc;
}

// {NODE: when its counters were read}: workers do so at times of their own.
static json_t *
collect_times(const struct answer *a)
{
	const struct report_node *all = a->copy->reports;
	json_t *out = json_object();

	for (uint32_t i = 0; i < a->live->topology->node_count; i++)
		if (all[i].node != NULL)
			json_object_set_new(out, all[i].name,
					    json_integer((json_int_t)(node_snapshot_at(a->copy, i) /
								      PS_PER_NS)));
	return out;
}

// The nodes of other parts are not here, but where hosts are is known.
static int
check_here(const struct live_fabric *live, const json_t *params, unsigned int needs,
	   struct diag *diag)
{
	const char *name = json_string_value(json_object_get(params, "port"));
	char node[CONFIG_NAME_MAX + 1];
	uint32_t found;

	if (name == NULL || needs & SHOW_NEEDS_HOSTS)
		return 0;
	snprintf(node, sizeof(node), "%.*s", (int)strcspn(name, "."), name);
	found = topology_find_node(live->topology, node);
	return found != TOPOLOGY_NONE ? live_check_here(live, found, diag) : 0;
}

int
answer_show(void *context, const json_t *params, json_t **result, struct diag *diag)
{
	struct answer *a = context;
	struct live_fabric *live = a->live;
	struct arena arena = {0};
	struct show_state s = {0};
	unsigned int needs = show_needs(params);
	int rc;

	node_snapshot_take(a->copy, live);
	fabric_log_poll(live->log, live->fabric);
	s.now = a->copy->at;
	s.log = fabric_log_entries(live->log);
	s.log_lost = fabric_log_lost(live->log);
	collect_nodes(&s, &arena, a);
	rc = collect_parts(&s, needs, &arena, a);
	if (rc == 0)
		rc = check_here(live, params, needs, diag);
	if (rc == 0)
		rc = show_answer(&s, params, result, diag);
	if (rc == 0 && needs & SHOW_NEEDS_TIMES)
		json_object_set_new(*result, "node_time_ns", collect_times(a));
	if (rc == 0 && needs & SHOW_NEEDS_DEVICES)
		collect_device_drops(live, *result);
	json_decref(s.fabric);
	json_decref(s.networks);
	json_decref(s.routes);
	json_decref(s.learned);
	json_decref(s.device_drops);
	json_decref(s.steering);
	json_decref(s.devices);
	json_decref(s.lldp);
	json_decref(s.attach);
	json_decref(s.bfd);
	json_decref(s.links);
	json_decref(s.hosts);
	arena_free(&arena);
	return rc;
}
