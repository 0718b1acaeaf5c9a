// SPDX-License-Identifier: BSD-3-Clause
// The lanes of a switch as JSON: by which one each priority travels, and how they take turns.
#include "map.h"

#include "control/model/subnet/turns.h"

#include <string.h>

static json_t *
table_json(const struct config_lane_table *table)
{
	json_t *out = json_array();

	for (unsigned i = 0; i < table->count; i++)
		json_array_append_new(out, json_pack("[i,i]", table->lanes[i], table->weights[i]));
	return out;
}

static json_t *
turns_json(const struct subnet_turns *turns)
{
	return json_pack("{s:o,s:o,s:i}", "high", table_json(&turns->high), "low",
			 table_json(&turns->low), "limit", turns->limit);
}

// How lanes take turns at ports, and at the NICs behind them.
struct turns {
	struct subnet_turns port, nic;
};

static struct turns
find_turns(const struct switch_config *settings)
{
	struct turns turns;

	subnet_turns_of_switch(&turns.port, settings);
	subnet_turns_of_nic(&turns.nic, settings);
	return turns;
}

static json_t *
both_json(const struct turns *turns)
{
	return json_pack("{s:o,s:o}", "turns", turns_json(&turns->port), "nic_turns",
			 turns_json(&turns->nic));
}

// Of ports whose classes have schedulers of their own.
static json_t *
ports_json(const struct switch_config *settings, const struct turns *of_all)
{
	json_t *out = json_object();
	struct switch_config own;

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *port = &settings->ports[i];
		const struct turns turns = find_turns(config_port_settings(settings, port, &own));

		if (memcmp(&turns, of_all, sizeof(turns)) != 0)
			json_object_set_new(out, port->name.text, both_json(&turns));
	}
	return out;
}

json_t *
map_lanes(const struct switch_config *settings)
{
	const struct turns turns = find_turns(settings);
	json_t *out = both_json(&turns), *by_priority = json_array(), *ports;

	for (unsigned p = 0; p < CONFIG_PRIORITIES; p++)
		json_array_append_new(by_priority, json_integer(settings->priority_to_class[p]));
	json_object_set_new(out, "by_priority", by_priority);
	json_object_set_new(out, "credits",
			    json_boolean(config_has_credits(settings->flow_control)));
	ports = ports_json(settings, &turns);
	if (json_object_size(ports) != 0)
		json_object_set(out, "ports", ports);
	json_decref(ports);
	return out;
}
