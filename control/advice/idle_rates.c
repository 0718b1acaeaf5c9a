// SPDX-License-Identifier: BSD-3-Clause
// A `max-rate` above what its ports carry holds nothing back. A section is read by many switches:
// one port that feels it is enough.
#include "advice_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// A rate of a switch's settings: of a class (its number), or of every port (PRIORITIES).
static uint64_t
max_rate(const struct switch_config *settings, unsigned what)
{
	return what < PRIORITIES ? settings->classes[what].max_rate_bps
				 : settings->port_max_rate_bps;
}

// A port that is as fast as its device takes is slowed by any rate.
static bool
port_feels(const struct topo_port *port, uint64_t rate_bps)
{
	return port->rate_bps == 0 || port->rate_bps >= rate_bps;
}

static bool
switch_feels(const struct topo_node *node, uint64_t rate_bps)
{
	for (uint16_t p = 0; p < node->port_count; p++)
		if (port_feels(&node->ports[p], rate_bps))
			return true;
	return false;
}

static int
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
	return 0;
}

static int
look_at(const struct fabric *f, unsigned what, struct diag *diag)
{
	uint32_t idle = f->topology->first_host;

	for (uint32_t n = 0; n < f->topology->first_host; n++) {
		uint64_t rate_bps = max_rate(&f->switches[n], what);

		if (rate_bps != 0 && switch_feels(&f->topology->nodes[n], rate_bps))
			return 0;
		if (rate_bps != 0 && n < idle)
			idle = n;
	}
	return idle < f->topology->first_host ? warn(f, idle, what, diag) : 0;
}

// Whether a switch has this very entry of `qos.ports` and a port that feels its rate.
static bool
entry_felt(const struct fabric *f, uint32_t node, const struct config_port_qos *entry)
{
	const struct topo_node *place = &f->topology->nodes[node];
	const struct switch_config *settings = &f->switches[node];

	for (unsigned i = 0; i < settings->port_count; i++) {
		const struct config_port_qos *own = &settings->ports[i];

		if (own->name.pos.line == entry->name.pos.line &&
		    own->name.pos.column == entry->name.pos.column &&
		    own->number <= place->port_count)
			return port_feels(&place->ports[own->number - 1], entry->max_rate_bps);
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
		if (entry_felt(f, n, entry))
			return;
	snprintf(key, sizeof(key), "qos.ports.swp%u.max-rate", entry->number);
	diag_warning(diag, f->config->file, entry->name.pos, key,
		     "has no effect: the port is not as fast as %s",
		     config_rate_text(entry->max_rate_bps, text));
}

// Whether the switch before, which often reads the same sections, has the same entries.
static bool
same_entries(const struct fabric *f, uint32_t node)
{
	return node != 0 && f->switches[node].ports == f->switches[node - 1].ports;
}

int
advice_idle_rates(const struct fabric *f, struct diag *diag)
{
	int rc = 0;

	for (unsigned what = 0; rc == 0 && what <= PRIORITIES; what++)
		rc = look_at(f, what, diag);
	for (uint32_t n = 0; rc == 0 && n < f->topology->first_host; n++)
		for (unsigned i = 0; !same_entries(f, n) && i < f->switches[n].port_count; i++)
			check_entry(f, &f->switches[n].ports[i], diag);
	return rc;
}
