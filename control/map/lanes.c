// SPDX-License-Identifier: BSD-3-Clause
// The lanes of a switch as JSON: by which one each priority travels, and how they are arbitrated.
#include "map.h"

#include "control/model/subnet/arbitration.h"

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
tables_json(const struct subnet_arbitration *tables)
{
	return json_pack("{s:o,s:o,s:i}", "high", table_json(&tables->high), "low",
			 table_json(&tables->low), "limit", tables->limit);
}

// Of ports, and of the NICs behind them.
struct arbitration {
	struct subnet_arbitration port, nic;
};

static struct arbitration
find_arbitration(const struct switch_config *settings)
{
	struct arbitration found;

	subnet_arbitration_of_switch(&found.port, settings);
	subnet_arbitration_of_nic(&found.nic, settings);
	return found;
}

static json_t *
both_json(const struct arbitration *both)
{
	return json_pack("{s:o,s:o}", "arbitration", tables_json(&both->port), "nic_arbitration",
			 tables_json(&both->nic));
}

// Of ports whose classes have schedulers of their own.
static json_t *
ports_json(const struct switch_config *settings, const struct arbitration *of_all)
{
	json_t *out = json_object();
	struct switch_config own;

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *port = &settings->ports[i];
		const struct arbitration found =
			find_arbitration(config_port_settings(settings, port, &own));

		if (memcmp(&found, of_all, sizeof(found)) != 0)
			json_object_set_new(out, port->name.text, both_json(&found));
	}
	return out;
}

json_t *
map_lanes(const struct switch_config *settings)
{
	const struct arbitration of_all = find_arbitration(settings);
	json_t *out = both_json(&of_all), *by_priority = json_array(), *ports;

	for (unsigned p = 0; p < CONFIG_PRIORITIES; p++)
		json_array_append_new(by_priority, json_integer(settings->priority_to_class[p]));
	json_object_set_new(out, "by_priority", by_priority);
	json_object_set_new(out, "credits",
			    json_boolean(config_has_credits(settings->flow_control)));
	ports = ports_json(settings, &of_all);
	if (json_object_size(ports) != 0)
		json_object_set(out, "ports", ports);
	json_decref(ports);
	return out;
}
