// SPDX-License-Identifier: BSD-3-Clause
// What there is in a live fabric, and what stands for each NIC of a host.
#include "collect.h"

static const struct device_port *
device_of(const struct live_fabric *live, uint32_t host, uint16_t port)
{
	for (uint32_t i = 0; i < live->device_count; i++) {
		const struct device_port *d = &live->devices[i];

		if (!d->detached && d->host == host && d->host_port == port)
			return d;
	}
	return NULL;
}

// A host that the file attaches, and that has been detached, has no NIC.
static bool
is_simulated(const struct live_fabric *live, uint32_t host)
{
	uint32_t node = live->topology->first_host + host;

	return live->fabric->nodes[node] != NULL && !fabric_has_edge(live->fabric, node);
}

static json_t *
link_of(const void *context, uint32_t link)
{
	return collect_link(context, link);
}

static const struct config_attach *
attached_to(const void *context, uint32_t host, uint16_t port)
{
	const struct device_port *d = device_of(context, host, port);

	return d != NULL ? d->attach : NULL;
}

static json_t *
what_is(const void *context, uint32_t host, uint16_t port)
{
	const struct device_port *d = device_of(context, host, port);
	const struct live_fabric *live = context;
	const uint32_t node = live->topology->first_host + host;

	if (d != NULL)
		return collect_what_is_attached(d);
	if (!live_is_here(live, node))
		return json_sprintf("in part %s",
				    topology_part_of(live->topology, node)->name.text);
	return json_string(is_simulated(context, host) ? "simulated" : "not attached");
}

static bool
uses_ip6(const void *context, uint32_t host)
{
	return host_uses_ip6(context, host);
}

static void
settings_of(const void *context, uint32_t node, struct switch_config *out)
{
	const struct live_fabric *live = context;

	*out = live->fabric->switches[node];
}

struct map_source
collect_map_source(const struct live_fabric *live)
{
	return (struct map_source){live->topology, live,     link_of,     attached_to,
				   what_is,        uses_ip6, settings_of, false};
}

json_t *
collect_hosts(const struct live_fabric *live)
{
	const struct map_source source = collect_map_source(live);

	return map_hosts(&source);
}
