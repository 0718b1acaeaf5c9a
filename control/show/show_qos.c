// SPDX-License-Identifier: BSD-3-Clause
// A switch's QoS as `nv show qos roce` lays it out: flow control, congestion control, trust, maps,
// scheduling and pools, under its names; and every key with its value and where that came
// from (settings.h). For one port, its own settings are included.
#include "show_qos.h"

#include "settings.h"

#include <stdio.h>
#include <string.h>

static json_t *
number_list(const uint8_t *values, unsigned int count)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(out, json_integer(values[i]));
	return out;
}

// Whole percents as an integer.
static json_t *
percent(uint32_t ppm)
{
	return ppm % 10000 == 0 ? json_integer(ppm / 10000) : json_real(ppm / 1e4);
}

// ---- flow control ----------------------------------------------------------------------------

// The distinct lengths of the cables of all ports, or of one, in metres. 0: nothing is behind it.
static json_t *
cable_lengths(const struct show_switch *w, int port)
{
	const struct topo_port *ports = w->place->ports;
	json_t *out = json_array();

	for (unsigned int i = 0; i < w->place->port_count; i++) {
		bool known = ports[i].cable_mm == 0 || (port >= 0 && i != (unsigned int)port);

		for (unsigned int k = 0; k < i && !known; k++)
			known = port < 0 && ports[k].cable_mm == ports[i].cable_mm;
		if (!known)
			json_array_append_new(out, json_real((double)ports[i].cable_mm / 1000.0));
	}
	return out;
}

// Whether the switch sends XOFF: for priorities whose group is lossless.
static bool
generates(const struct switch_config *c)
{
	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (c->pfc_priorities & 1u << i && c->groups[c->priority_to_group[i]].lossless)
			return true;
	return false;
}

static json_t *
pfc_json(const struct switch_config *c, const struct show_switch *w, int port)
{
	static const char *const flow_controls[] = {
		[CONFIG_FLOW_CONTROL_PFC] = "pfc",
		[CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC] = "pfc-asymmetric",
		[CONFIG_FLOW_CONTROL_PAUSE] = "pause",
		[CONFIG_FLOW_CONTROL_CREDIT] = "credit",
		[CONFIG_FLOW_CONTROL_CBFC] = "cbfc",
		[CONFIG_FLOW_CONTROL_NONE] = "none",
	};
	bool asymmetric = c->flow_control == CONFIG_FLOW_CONTROL_PFC_ASYMMETRIC;
	bool on = asymmetric || c->flow_control == CONFIG_FLOW_CONTROL_PFC;

	return json_pack("{s:s,s:o,s:b,s:b,s:o}", "flow-control", flow_controls[c->flow_control],
			 "pfc-priority", show_bit_list(on ? c->pfc_priorities : 0), "rx-enabled",
			 asymmetric || (on && c->pfc_priorities != 0), "tx-enabled",
			 on && generates(c), "cable-length", cable_lengths(w, port));
}

// ---- congestion control ----------------------------------------------------------------------

static json_t *
congestion_class(const struct config_class *c, unsigned int tc)
{
	return json_pack("{s:i,s:b,s:I,s:I,s:o}", "traffic-class", (int)tc, "red", c->red,
			 "min-threshold", (json_int_t)c->ecn.min_bytes, "max-threshold",
			 (json_int_t)c->ecn.max_bytes, "probability",
			 percent(c->ecn.probability_ppm));
}

static json_t *
congestion_json(const struct switch_config *c)
{
	json_t *classes = json_array();
	unsigned int enabled = 0;
	bool red = false;

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++) {
		if (!c->classes[i].ecn.on || !(config_used_classes(c) & 1u << i))
			continue;
		enabled |= 1u << i;
		red |= c->classes[i].red;
		json_array_append_new(classes, congestion_class(&c->classes[i], i));
	}
	return json_pack("{s:s,s:o,s:o}", "congestion-mode",
			 enabled == 0 ? "none"
			 : red        ? "ecn,red, absolute"
				      : "ecn, absolute",
			 "enabled-tc", show_bit_list(enabled), "tc", classes);
}

// ---- trust, maps, scheduling -----------------------------------------------------------------

static json_t *
trust_json(const struct switch_config *c)
{
	json_t *modes = json_array();

	for (unsigned int i = 0; i < c->trust_count; i++)
		json_array_append_new(
			modes, json_string(c->trust[i] == CONFIG_TRUST_DSCP ? "dscp" : "pcp"));
	return json_pack("{s:o,s:i}", "trust-mode", modes, "port-default-sp", c->port_priority);
}

// A class's share of the weights of all DWRR classes in use, in parts per million.
static unsigned int
weight_share(const struct switch_config *c, unsigned int tc)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (config_used_classes(c) & 1u << i &&
		    c->classes[i].scheduler == CONFIG_SCHEDULER_DWRR)
			sum += c->classes[i].weight;
	return sum != 0 ? c->classes[tc].weight * CONFIG_PPM / sum : 0;
}

static json_t *
class_json(const struct switch_config *c, unsigned int tc)
{
	const struct config_class *class = &c->classes[tc];
	bool strict = class->scheduler == CONFIG_SCHEDULER_STRICT;
	unsigned int priorities = 0;

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (c->priority_to_class[i] == tc)
			priorities |= 1u << i;
	return json_pack("{s:i,s:o,s:s,s:i,s:o,s:I,s:I}", "traffic-class", (int)tc, "switch-prio",
			 show_bit_list(priorities), "scheduler", strict ? "strict" : "dwrr",
			 "weight", strict ? 0 : (int)class->weight, "share",
			 percent(strict ? 0 : weight_share(c, tc)), "min-rate-bps",
			 (json_int_t) class->min_rate_bps, "max-rate-bps",
			 (json_int_t) class->max_rate_bps);
}

static json_t *
classes_json(const struct switch_config *c)
{
	json_t *out = json_array();

	for (unsigned int i = 0; i < CONFIG_PRIORITIES; i++)
		if (config_used_classes(c) & 1u << i)
			json_array_append_new(out, class_json(c, i));
	return out;
}

// ---- all of it -------------------------------------------------------------------------------

// The settings as a list. Of one port, whose settings these are: its own say where they come from,
// and other ports' are left out. How packets are routed is no QoS.
static json_t *
list_settings(const struct switch_config *settings, const struct show_switch *w, const char *port)
{
	static const char routing[] = "routing.", ports[] = "qos.ports.";
	json_t *list = settings_list(settings, &w->marks, w->revision, &w->preset), *one;
	const char *key;
	void *next;

	json_object_foreach_safe(list, next, key, one)
	{
		const char *own = key + strlen(ports);
		size_t length = port != NULL ? strlen(port) : 0;
		bool of_port = port != NULL && strncmp(key, ports, strlen(ports)) == 0;

		if (of_port && strncmp(own, port, length) == 0 && own[length] == '.') {
			char general[SETTINGS_KEY_MAX];

			own += length + 1;
			snprintf(general, sizeof(general), "qos.%s%s",
				 strcmp(own, "max-rate") == 0 ? "port." : "", own);
			json_object_set(one, "preset",
					json_object_get(json_object_get(list, general), "preset"));
			json_object_set(list, general, one);
		}
		if (of_port || strncmp(key, routing, strlen(routing)) == 0)
			json_object_del(list, key);
	}
	return list;
}

void
show_add_preset(json_t *to, const struct show_switch *w)
{
	const struct switch_config *c = &w->settings;

	show_set_text(to, "preset", config_preset_name(c->preset));
	json_object_set_new(to, "preset-where", settings_where(&w->marks, w->revision, "preset"));
	show_set_text(to, "mode",
		      c->preset == CONFIG_PRESET_LOSSY || c->preset == CONFIG_PRESET_UEC ||
				      c->preset == CONFIG_PRESET_MRC
			      ? "lossy"
			      : config_preset_mode_name(c->preset_mode));
	json_object_set_new(to, "mode-where",
			    settings_where(&w->marks, w->revision, "preset-mode"));
}

// port: -1 for those of all ports.
static json_t *
qos_settings(const struct report_node *n, const struct show_switch *w, int port)
{
	struct switch_config own;
	const struct switch_config *c = show_port_settings(w, port, &own);
	json_t *out, *list;

	out = json_pack("{s:b,s:o,s:o,s:o,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "enable",
			c->preset != CONFIG_PRESET_NONE, "congestion-control", congestion_json(c),
			"pfc", pfc_json(c, w, port), "trust", trust_json(c), "port-max-rate-bps",
			(json_int_t)c->port_max_rate_bps, "pcp-to-sp",
			number_list(c->pcp_to_priority, CONFIG_PRIORITIES), "dscp-to-sp",
			number_list(c->dscp_to_priority, CONFIG_DSCPS), "sp-to-pg",
			number_list(c->priority_to_group, CONFIG_PRIORITIES), "sp-to-tc",
			number_list(c->priority_to_class, CONFIG_PRIORITIES), "traffic-class",
			classes_json(c), "pools", show_qos_pools(c, n));
	show_add_preset(out, w);
	list = list_settings(c, w, port >= 0 ? n->ports[port].name : NULL);
	json_object_set_new(out, "values", list);
	json_object_set_new(out, "exceptions", settings_exceptions(list));
	return out;
}

static json_t *
node_json(const struct show_state *s, const struct report_node *n)
{
	const struct show_switch *w = show_find_switch(s, n);

	return w != NULL ? qos_settings(n, w, -1) : NULL;
}

static json_t *
port_json(const struct show_state *s, const struct report_node *n, unsigned int port)
{
	const struct show_switch *w = show_find_switch(s, n);

	return w != NULL ? qos_settings(n, w, (int)port) : json_object();
}

const struct show_view show_qos = {
	.name = "qos",
	.arguments = "roce [NODE]",
	.help = "QoS of switches, laid out as in NVUE, and what differs from the preset",
	.of = "switch",
	.needs = SHOW_NEEDS_SETTINGS,
	.node = node_json,
	.heading = show_print_name,
	.tables = show_qos_tables,
};

const struct show_view show_interface_roce_status = {
	.name = "interface",
	.view = "roce-status",
	.arguments = "[PORT] qos roce [status]",
	.help = "QoS of ports of switches, and what differs from the preset",
	.of = "switch or switch port",
	.needs = SHOW_NEEDS_SETTINGS,
	.port = port_json,
	.switches = true,
	.heading = show_print_name,
	.tables = show_qos_tables,
};
