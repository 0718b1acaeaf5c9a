// SPDX-License-Identifier: BSD-3-Clause
// Whether what attach, events and record name exists.
#include "topology.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void
check_attach(const struct topology *t, struct diag *diag)
{
	const struct config *config = t->config;

	for (unsigned i = 0; i < config->attach_count; i++) {
		const struct config_name *name = &config->attach[i].host;
		const struct topo_node *node;
		uint32_t host;

		if (topology_resolve_host(t, name, "attach", &host, diag) != 0)
			continue;
		node = topology_host(t, host);
		if (node->port_count > 1)
			diag_warning(diag, config->file, name->pos, "attach",
				     "only %s of the %u NICs of %s is attached: links of the "
				     "others are down when the fabric is up",
				     node->ports[0].name, node->port_count, node->name);
	}
}

static void
check_event(const struct topology *t, const struct config_event *event, struct diag *diag)
{
	struct topo_ref ref;
	uint32_t found;

	switch (event->kind) {
	case CONFIG_EVENT_LINK:
		topology_resolve_link(t, &event->link, "events.link", &found, diag);
		break;
	case CONFIG_EVENT_PORT_TX:
	case CONFIG_EVENT_PORT_PFC:
		topology_resolve_port(t, &event->port, "events.port", &ref, diag);
		break;
	case CONFIG_EVENT_RESTORE:
		topology_resolve_queue(t, &event->restore, "events.restore", &ref, diag);
		break;
	case CONFIG_EVENT_CLEAR: // no node: all of them
		if (event->node.text != NULL)
			topology_resolve_node(t, &event->node, "events.node", &found, diag);
		break;
	case CONFIG_EVENT_ROUTE: // routes/event.c
	case CONFIG_EVENT_SET:   // a key of the settings
	case CONFIG_EVENT_UNSET:
	case CONFIG_EVENT_SNAPSHOT:
		break;
	}
}

static void
check_record(const struct topology *t, struct diag *diag)
{
	const struct config_record *record = &t->config->record;
	struct topo_ref ref;

	for (unsigned i = 0; !config_means_all(&record->queues) && i < record->queues.count; i++)
		topology_resolve_queue(t, &record->queues.items[i], "record.queues", &ref, diag);
	for (unsigned i = 0; i < record->pcap.count; i++)
		topology_resolve_port(t, &record->pcap.items[i], "record.pcap", &ref, diag);
}

// The VRFs that switches learn routes for.
static void
check_learns(const struct topology *t, struct diag *diag)
{
	struct switch_config settings;
	uint16_t vrf;

	for (uint32_t n = 0; n < t->first_host; n++) {
		const struct topo_node *node = &t->nodes[n];

		if (!config_learns(t->config, node->name) ||
		    config_switch(t->config, node->name, node->role, &settings) != 0)
			continue;
		for (unsigned i = 0; i < settings.learn_count; i++)
			topology_resolve_vrf(t, &settings.learns[i].vrf, "learn.vrf", &vrf, diag);
	}
}

int
topology_check_names(const struct topology *t, struct diag *diag)
{
	unsigned before = diag->errors;

	check_attach(t, diag);
	for (unsigned i = 0; i < t->config->event_count; i++)
		check_event(t, &t->config->events[i], diag);
	check_record(t, diag);
	check_learns(t, diag);
	return diag->errors == before ? 0 : -EINVAL;
}
