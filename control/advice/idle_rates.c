// SPDX-License-Identifier: BSD-3-Clause
// A `max-rate` above the rate of the ports has no effect. Many switches read a section, so one port
// that the rate limits is enough.
#include "advice_internal.h"

#include <stdio.h>

// A rate of a switch's settings: of a class (its number), or of every port (PRIORITIES).
static uint64_t
max_rate(const struct switch_config *settings, unsigned what)
{
	return what < PRIORITIES ? settings->classes[what].max_rate_bps
				 : settings->port_max_rate_bps;
}

// Any rate limits a port that has none of its own.
static bool
limits_port(const struct topo_port *port, uint64_t rate_bps)
{
	return port->rate_bps == 0 || port->rate_bps >= rate_bps;
}

static bool
limits_switch(const struct topo_node *node, uint64_t rate_bps)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (limits_port(&node->ports[p], rate_bps))
			return true;
	return false;
}

static void
warn(const struct fabric *f, uint32_t node, unsigned what, struct diag *diag)
{
	struct config_marks marks = {0};
	const struct topo_node *place = &f->topology->nodes[node];
	struct config_error_origin cause = {0};
	struct switch_config scratch;
	char text[CONFIG_TEXT];

	if (config_switch_marked(f->config, place->name, place->role, &scratch, &marks) == 0) {
		if (what < PRIORITIES)
			config_blame(&cause, &marks, "qos.tc.%u.max-rate", what);
		else
			config_blame(&cause, &marks, "qos.port.max-rate");
		diag_warning(diag, f->config->file, cause.mark.pos, cause.key,
			     "has no effect: no port is as fast as %s",
			     config_rate_text(max_rate(&scratch, what), text));
	}
	config_marks_free(&marks);
}

// Warns if the rate limits no port of any switch.
static void
check_rate(const struct fabric *f, unsigned what, struct diag *diag)
{
	uint32_t idle = f->topology->first_host;

	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		uint64_t rate_bps = max_rate(&f->switches[n], what);

		if (rate_bps != 0 && limits_switch(&f->topology->nodes[n], rate_bps))
			return;
		if (rate_bps != 0 && n < idle)
			idle = n;
	}
	if (idle < f->topology->first_host)
		warn(f, idle, what, diag);
}

// Whether a switch has this entry of `qos.ports` and a port that its rate limits.
static bool
limits_entry(const struct fabric *f, uint32_t node, const struct config_port_qos *entry)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct switch_config *settings = &f->switches[node];

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *own = &settings->ports[i];

		if (diag_pos_compare(own->name.pos, entry->name.pos) == 0 &&
		    own->number <= place->port_count)
			return limits_port(&place->ports[own->number - 1], entry->max_rate_bps);
	}
	return false;
}

static void
check_entry(const struct fabric *f, const struct config_port_qos *entry, struct diag *diag)
{
	char key[64], text[CONFIG_TEXT];

	if (entry->max_rate_bps == 0)
		return;
	for (uint32_t n = 0; n < f->topology->first_host; n++)
		if (limits_entry(f, n, entry))
			return;
	snprintf(key, sizeof(key), "qos.ports.swp%u.max-rate", entry->number);
	diag_warning(diag, f->config->file, entry->name.pos, key,
		     "has no effect: the port is not as fast as %s",
		     config_rate_text(entry->max_rate_bps, text));
}

// Whether the previous switch, which often reads the same sections, has the same entries.
static bool
same_entries(const struct fabric *f, uint32_t node)
{
	return node != 0 && f->switches[node].ports == f->switches[node - 1].ports;
}

void
advice_idle_rates(const struct fabric *f, struct diag *diag)
{
	for (unsigned what = 0; what <= PRIORITIES; what++)
		check_rate(f, what, diag);
	for (uint32_t n = 0; n < f->topology->first_host; n++)
		for (unsigned i = 0; !same_entries(f, n) && i < f->switches[n].port_count; i++)
			check_entry(f, &f->switches[n].ports[i], diag);
}
