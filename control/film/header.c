// SPDX-License-Identifier: BSD-3-Clause
// The first META of a film: what there is, and what a drawing needs of its settings. Only the rank
// that runs a switch has its tables, so their settings come from there as text.
#include "film.h"

#include "columns.h"
#include "control/base/memory.h"
#include "control/base/program.h"
#include "control/fabric/gather.h"
#include "control/fabric/thresholds.h"
#include "dataplane/base/drop.h"

#include <stdlib.h>
#include <string.h>

#define SEEN_MAX 64 // profiles of a switch that are compared by where they are

struct header {
	const struct film_options *options;
	const struct topology *topology;
	uint32_t *first_port; // by node, and the number of all ports
	json_t *nodes;        // by node
	json_t *ports;
	json_t *profiles;
	json_t *known; // the number of a profile by its text
	bool credits;  // some links have them
};

// ---- what the tables of a switch say ------------------------------------------------------------

static json_t *
priorities_of(const uint8_t map[PRIORITIES], unsigned int to)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < PRIORITIES; i++)
		if (map[i] == to)
			json_array_append_new(out, json_integer((json_int_t)i));
	return out;
}

static json_t *
queues_of(const struct tables *t, const struct port_profile *profile)
{
	json_t *out = json_array();

	for (unsigned int tc = 0; tc < PRIORITIES; tc++) {
		const struct ecn_profile *ecn = &profile->tc[tc].ecn;
		json_t *one;

		if (t->tc_priorities[tc] == 0 && (t->trim.size == 0 || t->trim.tc != tc))
			continue;
		one = json_pack("{s:i,s:o}", "tc", (int)tc, "priorities",
				priorities_of(t->priority_to_tc, tc));
		json_object_set_new(one, "ecn_min",
				    ecn->enabled ? json_integer((json_int_t)ecn->min * t->cell)
						 : json_null());
		json_object_set_new(one, "ecn_max",
				    ecn->enabled ? json_integer((json_int_t)ecn->max * t->cell)
						 : json_null());
		json_array_append_new(out, one);
	}
	return out;
}

static json_t *
groups_of(const struct tables *t, const struct port_profile *profile)
{
	json_t *out = json_array();

	for (unsigned int pg = 0; pg < PRIORITIES; pg++) {
		const struct pg_profile *its = &profile->pg[pg];
		json_t *priorities = priorities_of(t->priority_to_pg, pg), *one;
		uint64_t xoff = threshold_xoff_bytes(t, its);

		if (json_array_size(priorities) == 0) {
			json_decref(priorities);
			continue;
		}
		one = json_pack("{s:i,s:o,s:I}", "pg", (int)pg, "priorities", priorities,
				"headroom", (json_int_t)its->headroom * t->cell);
		json_object_set_new(one, "xoff",
				    xoff != UINT64_MAX ? json_integer((json_int_t)xoff)
						       : json_null());
		json_object_set_new(one, "xon",
				    xoff != UINT64_MAX
					    ? json_integer((json_int_t)threshold_xon_bytes(t, its))
					    : json_null());
		json_array_append_new(out, one);
	}
	return out;
}

// {"pools": sizes in bytes, null without a limit; "profiles": [...]; "ports": the profile of each;
// "credits": whether its links have credits}
static json_t *
settings_of(const struct report_node *n)
{
	const struct tables *t = report_tables(n);
	const struct port_profile *seen[SEEN_MAX];
	json_t *pools = json_array(), *profiles = json_array(), *ports = json_array();
	unsigned int count = 0, at;

	for (unsigned int i = 0; i < POOL_COUNT; i++)
		json_array_append_new(
			pools, t->pools[i].size >= POOL_UNLIMITED
				       ? json_null()
				       : json_integer((json_int_t)t->pools[i].size * t->cell));
	for (unsigned int i = 0; i < n->node->port_count; i++) {
		const struct port_profile *profile = t->ports[i].profile;

		for (at = 0; at < count && seen[at] != profile; at++)
			;
		if (at == count) {
			json_array_append_new(profiles, json_pack("{s:o,s:o}", "queues",
								  queues_of(t, profile), "groups",
								  groups_of(t, profile)));
			if (count < SEEN_MAX)
				seen[count++] = profile;
			else
				at = (unsigned int)json_array_size(profiles) - 1;
		}
		json_array_append_new(ports, json_integer((json_int_t)at));
	}
	return json_pack("{s:o,s:o,s:o,s:b}", "pools", pools, "profiles", profiles, "ports", ports,
			 "credits", t->credits != NULL);
}

// Equal profiles of all switches have one number.
static json_int_t
number_of_profile(struct header *h, json_t *profile)
{
	char *text = json_dumps(profile, JSON_COMPACT);
	const json_t *known = json_object_get(h->known, text);
	json_int_t number = known != NULL ? json_integer_value(known)
					  : (json_int_t)json_array_size(h->profiles);

	if (known == NULL) {
		json_array_append(h->profiles, profile);
		json_object_set_new(h->known, text, json_integer(number));
	}
	free(text);
	return number;
}

static void
add_settings(struct header *h, uint32_t node, const json_t *settings)
{
	const json_t *profiles = json_object_get(settings, "profiles");
	const json_t *ports = json_object_get(settings, "ports");
	size_t profile_count = json_array_size(profiles);
	json_int_t *numbers = memory_array(profile_count, sizeof(*numbers), "profiles of a film");
	uint32_t count = h->topology->nodes[node].port_count;

	h->credits |= json_is_true(json_object_get(settings, "credits"));
	json_object_set(json_array_get(h->nodes, node), "pools",
			json_object_get(settings, "pools"));
	for (size_t i = 0; i < profile_count; i++)
		numbers[i] = number_of_profile(h, json_array_get(profiles, i));
	for (uint32_t i = 0; i < count && i < json_array_size(ports); i++) {
		size_t profile = (size_t)json_integer_value(json_array_get(ports, i));

		if (profile < profile_count)
			json_object_set_new(json_array_get(h->ports, h->first_port[node] + i),
					    "profile", json_integer(numbers[profile]));
	}
	free(numbers);
}

static void
use_settings(void *context, const struct gather_piece *piece)
{
	json_t *settings = json_loadb(piece->data, piece->count, 0, NULL);

	add_settings(context, piece->index, settings);
	json_decref(settings);
}

static void
gather_settings(struct header *h)
{
	struct gather *g = gather_create(h->options->fabric->ranks, 0);

	for (uint32_t i = 0; i < h->topology->first_host; i++) {
		const struct report_node *n = &h->options->nodes[i];
		json_t *settings;
		char *text;

		gather_take(g, i, use_settings, h);
		if (n->node == NULL || report_tables(n) == NULL)
			continue;
		settings = settings_of(n);
		if (gather_sends(g)) {
			text = json_dumps(settings, JSON_COMPACT);
			gather_at(g, i);
			gather_put(g, 0, text, strlen(text));
			free(text);
		} else {
			add_settings(h, i, settings);
		}
		json_decref(settings);
	}
	gather_finish(g, use_settings, h); // the run ends if a rank is gone
	gather_destroy(g);
}

// ---- what the topology says ---------------------------------------------------------------------

static int
row_of(enum config_role role)
{
	switch (role) {
	case CONFIG_ROLE_LEAF:
		return 1;
	case CONFIG_ROLE_SPINE:
		return 2;
	case CONFIG_ROLE_SUPER_SPINE:
		return 3;
	default:
		return 0;
	}
}

static json_t *
number_or_null(uint32_t value, uint32_t none)
{
	return value != none ? json_integer((json_int_t)value) : json_null();
}

static json_t *
port_json(const struct header *h, uint32_t node, const struct topo_port *port)
{
	json_t *out = json_pack("{s:I,s:s,s:I,s:I,s:o}", "node", (json_int_t)node, "name",
				port->name, "rate_bps", (json_int_t)port->rate_bps, "delay_ns",
				(json_int_t)(port->delay_ps / PS_PER_NS), "peer",
				port->peer_node == TOPOLOGY_NONE
					? json_null()
					: json_integer((json_int_t)h->first_port[port->peer_node] +
						       port->peer_port));

	json_object_set_new(out, "tenant", number_or_null(port->tenant, TENANT_NONE));
	if (film_faces_device(h->options->fabric, port))
		json_object_set_new(out, "device", json_true());
	json_object_set_new(out, "profile", json_null());
	return out;
}

static void
add_node(struct header *h, uint32_t node)
{
	const struct topo_node *n = &h->topology->nodes[node];
	bool host = node >= h->topology->first_host;

	json_array_append_new(
		h->nodes,
		json_pack("{s:s,s:s,s:i,s:o,s:I,s:I}", "name", n->name, "role",
			  config_role_name(n->role), "row", host ? 0 : row_of(n->role), "plane",
			  host ? json_null() : json_integer((json_int_t)n->plane), "first_port",
			  (json_int_t)h->first_port[node], "ports", (json_int_t)n->port_count));
	for (uint16_t i = 0; i < n->port_count; i++)
		json_array_append_new(h->ports, port_json(h, node, &n->ports[i]));
}

static json_t *
list_tenants(const struct topology *t)
{
	json_t *out = json_array();

	for (uint16_t i = 0; i < t->tenant_count; i++)
		json_array_append_new(out, t->tenants[i].name != NULL
						   ? json_string(t->tenants[i].name)
						   : json_null());
	return out;
}

static json_t *
list_columns(void)
{
	unsigned int count;
	const struct film_column *c = film_columns(&count);
	json_t *out = json_array();

	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(out, json_pack("{s:s,s:s,s:s,s:s,s:s}", "name", c[i].name,
						     "scope", film_scope_row(c[i].scope)->name,
						     "kind", film_kind_name(c[i].kind), "unit",
						     c[i].unit, "help", c[i].help));
	return out;
}

static json_t *
list_scopes(const struct film_options *o)
{
	json_t *out = json_object();

	for (enum film_scope i = 0; i < FILM_SCOPES; i++) {
		const struct film_scope_row *row = film_scope_row(i);

		json_object_set_new(out, row->name,
				    json_pack("{s:s,s:i}", "list", row->of_port ? "ports" : "nodes",
					      "width", (int)film_width(o, i)));
	}
	return out;
}

static json_t *
list_drops(void)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < DROP_COUNT; i++)
		json_array_append_new(out, json_pack("{s:s,s:s}", "name", drop_name(i), "advice",
						     drop_advice(i)));
	return out;
}

static json_t *
list_pools(void)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < POOL_COUNT; i++)
		json_array_append_new(out, json_string(counters_pool_name(i)));
	return out;
}

static json_int_t
overhead_of(const struct config *config)
{
	const struct config_framing *framing = &config->fabric.framing;

	return (json_int_t)framing->preamble_bytes + framing->fcs_bytes + framing->gap_bytes;
}

static json_t *
document(const struct header *h)
{
	const struct film_options *o = h->options;
	const struct config *config = o->fabric->config;
	json_t *out = json_pack("{s:s,s:s,s:s,s:I,s:I}", "name",
				config->fabric.name.text != NULL ? config->fabric.name.text : "",
				"kind", o->kind, "version", roost_version, "interval_ns",
				(json_int_t)(o->interval / PS_PER_NS), "overhead_bytes",
				overhead_of(config));

	if (h->credits)
		json_object_set_new(out, "credits", json_true());
	json_object_set(out, "nodes", h->nodes);
	json_object_set(out, "ports", h->ports);
	json_object_set(out, "profiles", h->profiles);
	json_object_set_new(out, "tenants", list_tenants(h->topology));
	json_object_set_new(out, "pools", list_pools());
	json_object_set_new(out, "drops", list_drops());
	json_object_set_new(out, "scopes", list_scopes(o));
	json_object_set_new(out, "columns", list_columns());
	if (o->flow_list != NULL)
		json_object_set(out, "flows", o->flow_list);
	else if (o->workload != NULL)
		json_object_set_new(out, "flows", film_list_flows(o, NULL, UINT32_MAX));
	json_object_set_new(out, "events", json_array());
	return out;
}

json_t *
film_header(const struct film_options *options)
{
	struct header h = {
		.options = options,
		.topology = options->fabric->topology,
		.nodes = json_array(),
		.ports = json_array(),
		.profiles = json_array(),
		.known = json_object(),
	};
	json_t *out = NULL;

	h.first_port = film_first_ports(h.topology);
	for (uint32_t i = 0; i < h.topology->node_count; i++)
		add_node(&h, i);
	gather_settings(&h);
	if (ranks_first(options->fabric->ranks))
		out = document(&h);
	json_decref(h.nodes);
	json_decref(h.ports);
	json_decref(h.profiles);
	json_decref(h.known);
	free(h.first_port);
	return out;
}
